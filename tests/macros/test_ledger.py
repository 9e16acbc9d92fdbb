"""The bandwidth arithmetic gives every stated ceiling."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from macros.arithmetic import expected_distinct, median, stated_interval, states
from macros.compositions import ceiling_of, composition_of, has_composition
from macros.ledger import LedgerError, Load, ceiling, disk_bytes
from macros.library import load
from macros.records import Checkpoint

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "ledger.json"


@pytest.fixture(scope="module")
def library():
    found, findings = load(ROOT)
    assert findings == []
    return found


STATED = {
    # checkpoint: (GB of weights per token, weights ceiling, ceiling with state), as published
    "qwen-qwen3.5-122b-a10b": ("18.02", "15.2", None),
    "qwen-qwen3.5-122b-a10b-fp8": ("9.83", "27.8", None),
    "nvidia-qwen3.5-122b-a10b-nvfp4": ("12.81", "21.3", "20.8"),
    "txn545-qwen3.5-122b-a10b-nvfp4": ("12.16", "22.5", "21.9"),
    "sehyo-qwen3.5-122b-a10b-nvfp4": ("10.80", "25.3", "24.6"),
    "redhatai-qwen3.5-122b-a10b-nvfp4": ("10.80", "25.3", "24.6"),
    "intel-qwen3.5-122b-a10b-int4-autoround": ("6.53", "41.8", "39.9"),
    "what-if-qwen3.5-122b-a10b-all-nvfp4": ("5.15", "53", None),
    "openai-gpt-oss-120b": ("5.00", "54.6", "54.6"),
    "ggml-org-gpt-oss-120b-gguf": ("3.59", "76.0", None),
    "qwen-qwen3.6-35b-a3b-fp8": ("3.48", "78.4", None),
    "nvidia-qwen3.6-35b-a3b-nvfp4": ("2.25", "121.1", None),
    "redhatai-qwen3.6-35b-a3b-nvfp4": ("3.87", "70.5", None),
    "qwen-qwen3.6-27b": ("51.25", "5.3", None),
    "qwen-qwen3.6-27b-fp8": ("26.93", "10.1", None),
    "nvidia-qwen3.5-122b-a10b-nvfp4-fp8-at-load": (None, "33.1", None),
    "sehyo-qwen3.5-122b-a10b-nvfp4-fp8-at-load": (None, "35.8", None),
    "intel-qwen3.5-122b-a10b-int4-autoround-fp8-at-load": (None, "44.9", None),
}


@pytest.mark.parametrize("checkpoint", STATED)
def test_bandwidth_arithmetic_gives_the_stated_ceiling(library, checkpoint):
    gigabytes, weights, everything = STATED[checkpoint]
    answer = ceiling_of(library, checkpoint)
    if gigabytes:
        assert states(Decimal(gigabytes), answer.step.weight_bytes / 1e9)
    assert states(Decimal(weights), answer.weights_ceiling_tokens_per_s)
    if everything:
        assert states(Decimal(everything), answer.ceiling_tokens_per_s)


def test_gdn_of_the_nvfp4_files_is_6_4_gb_of_bf16(library):
    modules = composition_of(library, "nvidia-qwen3.5-122b-a10b-nvfp4").modules
    read = sum(module.bytes_whole for module in modules if module.part == "gdn")
    assert states(Decimal("6.37"), read / 1e9)


MTP_STEPS = {
    # checkpoint: GB of a step with 1, 2 and 3 draft tokens at 1,024 tokens of context
    "nvidia-qwen3.5-122b-a10b-nvfp4": ("17.16", "21.12", "25.02"),
    "intel-qwen3.5-122b-a10b-int4-autoround": ("10.72", "14.52", "18.26"),
    "albond-qwen3.5-122b-a10b-int4-fp8-int8-head": ("8.74", "11.78", "14.76"),
    "qwen-qwen3.6-35b-a3b-fp8": ("5.76", "7.86", "9.93"),
    "nvidia-qwen3.6-27b-nvfp4": ("19.71", "21.43", "23.15"),
}


@pytest.mark.parametrize("checkpoint", MTP_STEPS)
def test_mtp_step_reads_drafts_and_head_again(library, checkpoint):
    for tokens, stated in enumerate(MTP_STEPS[checkpoint], start=1):
        load_ = Load(1024, 1, "bf16", "mtp", tokens, tokens + 1.0)
        assert ceiling_of(library, checkpoint, load_).bytes_per_step / 1e9 == pytest.approx(
            float(stated), abs=0.011
        )


def test_more_requests_read_more_experts_but_never_more_than_all(library):
    last = 0.0
    for concurrency in (1, 2, 8, 64, 4096):
        load_ = Load(concurrency=concurrency)
        answer = ceiling_of(library, "nvidia-qwen3.5-122b-a10b-nvfp4", load_)
        experts = next(m for m in answer.step.modules if m.module == "experts")
        assert experts.bytes_per_step > last
        last = experts.bytes_per_step
        assert answer.bytes_per_step_min <= answer.bytes_per_step
    whole = next(
        m for m in composition_of(library, "nvidia-qwen3.5-122b-a10b-nvfp4").modules
        if m.name == "experts"
    )  # fmt: skip
    assert last == pytest.approx(whole.bytes_whole, rel=1e-9)


def test_one_plain_request_has_one_bound(library):
    for checkpoint in library.records(Checkpoint):
        if has_composition(library, checkpoint.id):
            answer = ceiling_of(library, checkpoint.id, Load(context_tokens=4096))
            assert answer.bytes_per_step == pytest.approx(answer.bytes_per_step_min)


def test_two_machines_double_the_ceiling(library):
    one = ceiling_of(library, "openai-gpt-oss-120b", Load())
    two = ceiling_of(library, "openai-gpt-oss-120b", Load(nodes=2))
    assert two.ceiling_tokens_per_s == pytest.approx(2 * one.ceiling_tokens_per_s)


def test_kv_cache_of_sliding_layers_stops_at_the_window(library):
    def kv(tokens: int) -> float:
        return ceiling_of(library, "openai-gpt-oss-120b", Load(tokens)).step.kv_bytes or 0.0

    assert kv(128) == 36 * 2 * 8 * 64 * 2 * 128
    assert kv(1128) - kv(128) == 18 * 2 * 8 * 64 * 2 * 1000
    half = ceiling_of(library, "openai-gpt-oss-120b", Load(128, kv_format="fp8")).step.kv_bytes
    assert half == kv(128) / 2


@pytest.mark.parametrize(
    ("load_", "words"),
    [
        (Load(draft="mtp", draft_tokens=1, acceptance_length=2.5), "length must be 1 to 2"),
        (Load(draft_tokens=2), "need --draft"),
        (Load(draft="dflash", draft_tokens=4, acceptance_length=2), "no dflash drafter"),
        (Load(concurrency=0), "concurrency and nodes 1 or more"),
        (Load(kv_format="int3"), "KV format must be one of bf16, fp8"),
    ],
)
def test_loads_without_sense_are_refused(library, load_, words):
    composition = composition_of(library, "nvidia-qwen3.5-122b-a10b-nvfp4")
    with pytest.raises(LedgerError, match=words):
        ceiling(composition, load_, bandwidth_gb_per_s=273)


def test_model_without_draft_layers_has_no_mtp(library):
    with pytest.raises(LedgerError, match="no published MTP layers"):
        ceiling_of(library, "openai-gpt-oss-120b", Load(draft="mtp", draft_tokens=1))


def test_expected_distinct_experts():
    assert expected_distinct(256, 8, 1) == pytest.approx(8)
    assert expected_distinct(4, 2, 2) == pytest.approx(3)


def test_stated_decimals_are_the_tolerance():
    assert stated_interval(Decimal(55)) == (54.5, 55.5)
    assert states(Decimal("116.1"), 116.14) and states(Decimal("116.14"), 116.14)
    assert not states(Decimal("116.10"), 116.14)


def test_median():
    assert median([3.0, 1.0, 2.0]) == 2.0 and median([1.0, 2.0]) == 1.5
    with pytest.raises(ValueError, match="nothing"):
        median([])


def derived(library) -> dict[str, dict[str, float | None]]:
    """Return what the ledger derives for every checkpoint."""
    values = {}
    for checkpoint in library.records(Checkpoint):
        if not has_composition(library, checkpoint.id):
            values[checkpoint.id] = {"weight_bytes_per_step": None}
            continue
        plain = ceiling_of(library, checkpoint.id)
        deep = ceiling_of(library, checkpoint.id, Load(context_tokens=32768))
        many = ceiling_of(library, checkpoint.id, Load(context_tokens=1024, concurrency=16))
        composition = composition_of(library, checkpoint.id)
        values[checkpoint.id] = {
            "weight_bytes_per_step": round(plain.step.weight_bytes),
            "state_bytes_per_step": round(plain.step.state_bytes),
            "ceiling_tokens_per_s": round(plain.ceiling_tokens_per_s, 3),
            "ceiling_32k_tokens_per_s": round(deep.ceiling_tokens_per_s, 3),
            "aggregate_16_tokens_per_s": round(many.ceiling_aggregate_tokens_per_s, 3),
            "disk_bytes": round(disk_bytes(composition, draft=True)),
        }
    return values


def test_derived_values_are_the_golden_ones(library, request):
    found = derived(library)
    if request.config.getoption("--golden"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    assert found == json.loads(GOLDEN.read_text("utf-8")), (
        "derived values changed; if that is meant, run pytest on this file with --golden"
    )
