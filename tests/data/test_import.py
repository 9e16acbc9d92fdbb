"""The manifest accounts for every collected row, and every point of ours came from one."""

import re
from collections import Counter
from pathlib import Path

import pytest

from macros.library import load
from macros.records import Measurement

ROOT = Path(__file__).resolve().parent.parent.parent
COLLECTED = {"qwen3.5-122b": 214, "other models": 459, "newer models": 305, "compositions": 55}
OURS = {"seed articles": 4, "kernel notes": 3}


def family(row_id: str) -> str:
    """Return which collection a row id belongs to."""
    if re.fullmatch(r"O\d{3}", row_id):
        return "other models"
    if re.fullmatch(r"N\d{3}", row_id):
        return "newer models"
    if re.fullmatch(r"models-\d{2}", row_id):
        return "compositions"
    if row_id.startswith("extra-"):
        return "kernel notes"
    return "seed articles" if row_id.startswith("seed-") else "qwen3.5-122b"


@pytest.fixture(scope="module")
def library():
    library, findings = load(ROOT)
    assert findings == []
    return library


@pytest.fixture(scope="module")
def rows(library):
    return library.single("import").rows


def test_every_collection_is_complete(rows):
    assert Counter(family(row_id) for row_id in rows) == COLLECTED | OURS


def test_each_row_is_a_point_or_rejected_with_a_reason(library, rows):
    for row_id, row in rows.items():
        if row.rejected:
            assert row.run is None and len(row.rejected) > 20, row_id
        else:
            assert row.point < len(library.get(Measurement, row.run).points), row_id


def test_every_point_came_from_a_row(library, rows):
    placed = {(row.run, row.point) for row in rows.values()}
    points = {
        (run.id, index)
        for run in library.records(Measurement)
        if any(run.id == run_id for run_id, _ in placed)
        for index in range(len(run.points))
    }
    assert points == {place for place in placed if place[0]}


def test_two_rows_share_a_point_only_where_one_repeats_a_composition(rows):
    shared = Counter((row.run, row.point) for row in rows.values() if row.run)
    own = Counter(
        (row.run, row.point)
        for row_id, row in rows.items()
        if row.run and family(row_id) != "compositions"
    )
    assert max(own.values()) == 1
    assert max(shared.values()) <= 2


def test_few_rows_are_rejected(rows):
    rejected = [row_id for row_id, row in rows.items() if row.rejected]
    assert len(rejected) <= 10


@pytest.mark.parametrize(
    ("row_id", "field", "value"),
    [
        ("albond-v24", "end_to_end_tokens_per_s", "51.58"),
        ("ent-dense-e2e", "end_to_end_tokens_per_s", "59.0"),
        ("ent-dense-code-c1", "decode_tokens_per_s", "66.9"),
        ("wc-c1", "aggregate_tokens_per_s", "26.9"),
        ("wc-c1", "mean_tpot_ms", "35.9"),
        ("oz-mtp2-short-c1", "median_tpot_ms", "42.8"),
        ("sg4-best-nospec-c16", "sum_of_request_rates_tokens_per_s", "269.0"),
        ("muninn-1", "unspecified_tokens_per_s", "14"),
        ("seed-122b-article-59", "unspecified_tokens_per_s", "59"),
        ("O011", "decode_tokens_per_s", "51.86"),
        ("O149", "aggregate_tokens_per_s", "78.4"),
        ("O213", "end_to_end_tokens_per_s", "102.8"),
        ("O291", "unspecified_tokens_per_s", "55.9"),
        ("O292", "aggregate_tokens_per_s", "433.4"),
        ("O293", "aggregate_tokens_per_s", "158.0"),
        ("O396", "decode_tokens_per_s", "59.02"),
        ("O407", "peak_tokens_per_s", "850"),
        ("N309", "sum_of_request_rates_tokens_per_s", "63.08"),
    ],
)
def test_the_basis_decides_the_field(library, rows, row_id, field, value):
    row = rows[row_id]
    results = library.get(Measurement, row.run).points[row.point].results
    assert str(getattr(results, field)) == value


@pytest.mark.parametrize(
    "row_id", ["wc-c1", "oz-mtp2-short-c1", "dgpp-plain", "sg4-best-nospec-c4"]
)
def test_what_the_collector_derived_is_left_out(library, rows, row_id):
    row = rows[row_id]
    results = library.get(Measurement, row.run).points[row.point].results
    assert results.decode_tokens_per_s is None
    assert results.unspecified_tokens_per_s is None


def test_a_published_range_stays_a_range(library, rows):
    row = rows["dgpp-plain"]
    ranges = library.get(Measurement, row.run).points[row.point].results.ranges
    assert [str(value) for value in ranges["decode_tokens_per_s"]] == ["17.4", "17.5"]


def test_a_lost_or_inferred_address_is_only_a_claim(library):
    for run in library.records(Measurement):
        if {"unlocated-source", "inferred-address"} & set(run.caveats):
            assert {each.evidence for each in run.provenance} == {"claimed"}, run.id
