"""The law finds known constants, leaves a source out honestly, and the memory plan adds up."""

from pathlib import Path

import pytest

from macros.best import best, candidates, exceeds_bound, records_over_time
from macros.compositions import composition_of
from macros.law import Row, expected_tokens_per_s, fit, laws, left_out_errors, load_of, rows
from macros.ledger import Load, ceiling
from macros.library import load
from macros.memory import fit as fit_memory
from macros.memory import logged_reserves
from macros.records import Hardware, Measurement

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def library():
    found, findings = load(ROOT)
    assert findings == []
    return found


def row(run: str, source: str, gigabytes: float, layers: int, *, factor: float = 1.0) -> Row:
    seconds = (gigabytes / 200 + 0.0001 * layers) * factor
    return Row(run, 0, source, "vllm", "checkpoint", gigabytes * 1e9, layers, seconds)


EXACT = [
    row("a", "s1", 5, 36),
    row("b", "s1", 12, 48),
    row("c", "s2", 50, 64),
    row("d", "s3", 3, 40),
]


def test_law_finds_the_constants_it_was_made_of():
    law = fit("vllm", EXACT)
    assert law.usable_gb_per_s == pytest.approx(200)
    assert law.fixed_ms_per_layer == pytest.approx(0.1)
    assert law.median_error == pytest.approx(0, abs=1e-9) and law.num_sources == 3


def test_a_run_counts_once_however_many_points_it_has():
    slow = row("e", "s4", 5, 36, factor=1.5)
    once = fit("vllm", [*EXACT, slow])
    often = fit("vllm", [*EXACT, *[slow] * 50])
    assert often.usable_gb_per_s == pytest.approx(once.usable_gb_per_s)


def test_negative_fixed_time_is_refused():
    points = [
        Row(str(n), 0, "s", "vllm", "c", gigabytes * 1e9, 40, gigabytes / 200 - 0.001)
        for n, gigabytes in enumerate((2, 4, 8, 16))
    ]
    assert fit("vllm", points).fixed_ms_per_layer == 0


def test_error_of_a_source_is_measured_without_it():
    odd = row("odd", "s9", 10, 48, factor=1.4)
    errors = left_out_errors([*EXACT, odd])
    assert errors["s9"][0] == pytest.approx(1 / 1.4 - 1, abs=1e-6)


def test_law_needs_rows():
    with pytest.raises(ValueError, match="needs rows"):
        fit("vllm", [])


def test_our_laws_stay_below_what_the_memory_can_do(library):
    for law in laws(library).values():
        assert 150 < law.usable_gb_per_s <= 273
        assert 0 <= law.fixed_ms_per_layer < 0.3
        assert law.median_error < 0.12


def test_rows_of_the_law_are_plain_and_below_their_ceiling(library):
    points = rows(library)
    assert len(points) > 30
    for point in points:
        run = library.get(Measurement, point.run)
        assert run.draft.method == "none" and run.num_nodes == 1
        assert point.num_bytes / point.step_s < 273e9 * 1.005


def test_expected_speed_of_a_draft_uses_its_acceptance(library):
    composition = composition_of(library, "nvidia-qwen3.6-35b-a3b-nvfp4")
    law = fit("vllm", EXACT)
    speeds = []
    for length in (1.5, 3.0):
        load_ = Load(draft="mtp", draft_tokens=2, acceptance_length=length)
        answer = ceiling(composition, load_, bandwidth_gb_per_s=273)
        speeds.append(expected_tokens_per_s(law, composition, answer, load_))
    assert speeds[1] == pytest.approx(2 * speeds[0])


def test_reserve_is_what_the_logs_leave(library):
    hardware = library.get(Hardware, "dgx-spark")
    reserves = logged_reserves(library, hardware)
    assert len(reserves) >= 5
    assert all(0 < each.reserve_bytes < 60 * 2**30 for each in reserves)
    plan = fit_memory(library, "openai-gpt-oss-120b", Load(8192, 4), hardware)
    assert plan.reserve_low_bytes <= plan.reserve_bytes <= plan.reserve_high_bytes
    assert plan.kv_cache_bytes == 4 * (18 * 8192 + 18 * 128) * 2 * 8 * 64 * 2


def test_more_machines_hold_what_one_cannot(library):
    hardware = library.get(Hardware, "dgx-spark")
    one = fit_memory(library, "nvidia-minimax-m2.7-nvfp4", Load(), hardware)
    two = fit_memory(library, "nvidia-minimax-m2.7-nvfp4", Load(nodes=2), hardware)
    assert not one.fits and two.fits


def test_best_is_never_a_claim_a_dispute_or_an_impossible_one(library):
    for each in candidates(library, "qwen3.6-35b-a3b"):
        assert "disputed" not in each.run.caveats
        assert not exceeds_bound(library, each.run, each.point, float(each.tokens_per_s))
    top = best(library, "qwen3.5-122b-a10b")
    plain = best(library, "qwen3.5-122b-a10b", drafts=False)
    assert top and plain and top.tokens_per_s > plain.tokens_per_s
    assert plain.run.draft.method == "none"


def test_records_rise_and_each_run_stands_once(library):
    steps = records_over_time(library, "qwen3.5-122b-a10b")
    speeds = [step.tokens_per_s for step in steps]
    assert speeds == sorted(speeds) and len({step.run.id for step in steps}) == len(steps) > 5


def test_point_without_draft_length_has_no_load(library):
    unknown = [
        run for run in library.records(Measurement)
        if run.draft.method == "mtp" and run.draft.num_tokens is None
    ]  # fmt: skip
    assert unknown and all(load_of(run, point) is None for run in unknown for point in run.points)
