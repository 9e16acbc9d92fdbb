"""The law learns from plain decode points, stated as speeds or as times, and from no others."""

from dataclasses import replace
from decimal import Decimal

import pytest

from macros import law
from macros.library import Entry, Library
from macros.records import Measurement, Point, Results


def point_with(**results: str) -> Point:
    """Return a point of one request with some results."""
    return Point(
        concurrency=1,
        content="unknown",
        results=Results(**{name: Decimal(value) for name, value in results.items()}),
    )


def with_run(library: Library, run: Measurement) -> Library:
    """Return the library with one run changed."""
    runs = dict(library.kinds["measurements"])
    runs[run.id] = Entry(runs[run.id].document, run)
    return replace(library, kinds=library.kinds | {"measurements": runs})


def taught_by(library: Library, run: Measurement) -> list[law.Row]:
    """Return the rows that a run yields."""
    return [row for row in law.rows(library) if row.run == run.id]


@pytest.fixture
def teaching(library: Library) -> Measurement:
    """A run that teaches the law by a stated speed."""
    return library.get(Measurement, law.rows(library)[0].run)


@pytest.mark.parametrize(
    ("results", "speed"),
    [
        ({"decode_tokens_per_s": "28.5"}, 28.5),
        ({"median_tpot_ms": "40"}, 25),
        ({"mean_tpot_ms": "50"}, 20),
        ({"median_tpot_ms": "40", "mean_tpot_ms": "50"}, 25),
        ({"decode_tokens_per_s": "28.5", "median_tpot_ms": "40"}, 28.5),
        ({"end_to_end_tokens_per_s": "28.5"}, None),
        ({"aggregate_tokens_per_s": "28.5", "mean_ttft_ms": "40"}, None),
    ],
)
def test_decode_speed_is_stated_or_the_time_of_a_token(results, speed):
    assert law.decode_tokens_per_s(point_with(**results)) == speed


def test_a_time_per_token_teaches_what_the_same_speed_teaches(library, teaching):
    index = taught_by(library, teaching)[0].point
    point = teaching.points[index]
    speed = law.decode_tokens_per_s(point)
    timed = point.model_copy(
        update={"results": Results(median_tpot_ms=Decimal(1000) / Decimal(str(speed)))}
    )
    points = [timed if i == index else each for i, each in enumerate(teaching.points)]
    changed = with_run(library, teaching.model_copy(update={"points": points}))
    before, after = taught_by(library, teaching), taught_by(changed, teaching)
    assert [row.step_s for row in after] == pytest.approx([row.step_s for row in before])


def test_a_time_of_several_requests_teaches_nothing(library, teaching):
    points = [each.model_copy(update={"concurrency": 4}) for each in teaching.points]
    changed = with_run(library, teaching.model_copy(update={"points": points}))
    assert taught_by(library, teaching) and not taught_by(changed, teaching)


@pytest.mark.parametrize("caveat", sorted(law.EXCLUDING_CAVEATS))
def test_a_caveat_of_one_point_leaves_out_that_point_only(library, teaching, caveat):
    doubled = [*teaching.points, *teaching.points]
    half = len(teaching.points)
    points = [
        each.model_copy(update={"caveats": [caveat]}) if index < half else each
        for index, each in enumerate(doubled)
    ]
    changed = with_run(library, teaching.model_copy(update={"points": points}))
    taught = {row.point for row in taught_by(changed, teaching)}
    assert taught == {row.point + half for row in taught_by(library, teaching)}


def test_each_run_counts_once_however_many_points_it_has():
    slow = law.Row("slow", 0, "a", "vllm", "x", 10e9, 40, 0.060)
    fast = law.Row("fast", 0, "b", "vllm", "x", 5e9, 40, 0.027)
    once = law.fit("vllm", [slow, fast])
    often = law.fit("vllm", [slow, *[replace(fast, point=index) for index in range(9)]])
    assert often.usable_gb_per_s == pytest.approx(once.usable_gb_per_s)
    assert often.fixed_ms_per_layer == pytest.approx(once.fixed_ms_per_layer)


def test_the_fit_finds_the_law_that_made_the_rows():
    made = law.Law("vllm", 220.0, 0.09, 0, 0, 0.0, 0.0)
    rows = [
        law.Row(f"run-{index}", 0, "a", "vllm", "x", amount, layers, made.step_s(amount, layers))
        for index, (amount, layers) in enumerate([(12e9, 48), (6e9, 48), (3e9, 40), (20e9, 64)])
    ]
    found = law.fit("vllm", rows)
    assert found.usable_gb_per_s == pytest.approx(220.0)
    assert found.fixed_ms_per_layer == pytest.approx(0.09)
    assert found.worst_error == pytest.approx(0, abs=1e-9)
