"""The page of the law says what the records say, and changes with them."""

from dataclasses import replace
from decimal import Decimal

import pytest

from macros import law
from macros.library import Entry, Library
from macros.records import Experiment, Measurement, Results
from macros.rendering.pages import law as page


def slower(library: Library, run_id: str) -> Library:
    """Return the library in which one run decodes at 1 tok/s."""
    run = library.get(Measurement, run_id)
    points = [
        each.model_copy(update={"results": Results(decode_tokens_per_s=Decimal(1))})
        for each in run.points
    ]
    runs = dict(library.kinds["measurements"])
    runs[run_id] = Entry(runs[run_id].document, run.model_copy(update={"points": points}))
    return replace(library, kinds=library.kinds | {"measurements": runs})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_row_and_every_experiment_is_on_the_page(library, language):
    text = page.pages(library, language)[page.PATH].markdown
    for row in law.rows(library):
        assert f"/benchmarks/#{row.run}-{row.point}" in text
    for experiment in library.records(Experiment):
        assert f"{{ #{experiment.id} }}" in text


def test_both_sides_are_heard(library):
    sides = [each.side for each in library.records(Experiment)]
    assert sides.count("for") >= 5 and sides.count("against") >= 5


def test_the_headline_follows_the_slowest_row(library):
    before = page.pages(library, "en")[page.PATH].description
    changed = slower(library, law.rows(library)[0].run)
    after = page.pages(changed, "en")[page.PATH].description
    assert before != after
    shares = [each.measured / each.ceiling for each in page.judged_rows(changed)]
    assert f"{100 * min(shares):.0f}%" in after


def test_a_step_is_predicted_from_bytes_and_measured(library):
    experiment = library.get(Experiment, "one-box-ladder")
    change = page.change_of(library, experiment.gains[0])
    before, after = (
        next(row for row in law.rows(library) if row.run == place.measurement)
        for place in (experiment.gains[0].before, experiment.gains[0].after)
    )
    assert change.by_bytes == pytest.approx(before.num_bytes / after.num_bytes - 1)
    assert change.seen == pytest.approx(before.step_s / after.step_s - 1)


def test_a_change_is_written_with_its_sign():
    assert [page.signed(each) for each in (0.116, -0.179, 0.001, None)] == ["+12", "−18", "0", None]
