"""What went wrong in a story is among the first two causes that the judge names."""

from decimal import Decimal
from functools import cache

import pytest

from macros.judge import (
    acceptance_chance,
    batch_ratios,
    judge,
    kind_of_load,
    length_of,
    like_ratios,
    quantile,
    reference_for,
    single_speed,
)
from macros.ledger import Load
from macros.library import Library, load
from macros.records import Measurement
from tests.conftest import ROOT

INT4 = "intel-qwen3.5-122b-a10b-int4-autoround"
NVFP4 = "nvidia-qwen3.5-122b-a10b-nvfp4"
SEHYO = "sehyo-qwen3.5-122b-a10b-nvfp4"
SMALL = "nvidia-qwen3.6-35b-a3b-nvfp4"
REDHAT = "redhatai-qwen3.6-35b-a3b-nvfp4"
DENSE = "nvidia-qwen3.6-27b-nvfp4"
GPT_OSS = "openai-gpt-oss-120b"
PLAIN = Load()
ONE, TWO, THREE = (
    Load(draft="mtp", draft_tokens=tokens, acceptance_length=length)
    for tokens, length in ((1, 1.9), (2, 2.5), (3, 3.1))
)
STORIES = [
    ("eager, a small model", SMALL, 0.31, PLAIN, "eager-mode"),
    ("eager, few bytes a layer", GPT_OSS, 0.63, PLAIN, "eager-mode"),
    ("clock stuck at 600 MHz", INT4, 0.25, PLAIN, "clock-stuck-low"),
    ("clock capped at three quarters", NVFP4, 0.75, PLAIN, "clock-capped"),
    ("chunks counted, one draft", REDHAT, 0.52, ONE, "stream-chunks-counted"),
    ("chunks counted, three drafts", DENSE, 0.32, THREE, "stream-chunks-counted"),
    ("drafts stated but off", SEHYO, 0.69, TWO, "drafts-not-active"),
    ("drafts stated but off, dense", DENSE, 0.5, TWO, "drafts-not-active"),
    ("swap", GPT_OSS, 0.03, PLAIN, "swapping"),
    ("another file than stated", INT4, 0.53, PLAIN, "other-format-than-its-name"),
    ("hidden slow state", NVFP4, 0.66, PLAIN, "hidden-slow-state"),
    ("last month's software", NVFP4, 0.85, PLAIN, "older-software"),
    ("sum of eight requests", GPT_OSS, 4.1, PLAIN, "aggregate-taken-for-one"),
    ("drafts not stated", INT4, 1.8, PLAIN, "drafts-unnoticed"),
    ("converted at load", SEHYO, 1.86, PLAIN, "converted-at-load"),
    ("dense layers converted", GPT_OSS, 1.5, PLAIN, "converted-at-load"),
    ("deeper drafts", DENSE, 1.5, ONE, "deeper-drafts"),
    ("eight requests with prefill", GPT_OSS, 0.45, Load(concurrency=8), "prefill-between-decodes"),
]  # fmt: skip


@cache
def library() -> Library:
    """Return the records of the project."""
    found, findings = load(ROOT)
    assert findings == []
    return found


@pytest.mark.parametrize(
    ("checkpoint", "ratio", "under", "cause"),
    [story[1:] for story in STORIES],
    ids=[story[0] for story in STORIES],
)
def test_the_cause_of_a_story_is_among_the_first_two(checkpoint, ratio, under, cause):
    expected = judge(library(), checkpoint, Decimal(10), under, "vllm").expected_tokens_per_s
    speed = Decimal(f"{expected * ratio:.2f}")
    causes = judge(library(), checkpoint, speed, under, "vllm").likely_causes
    assert cause in [each.cause for each in causes[:2]]
    for each in causes:
        assert each.low_ratio < each.high_ratio


def test_a_cause_that_changes_nothing_is_not_named():
    """Layers in BF16 cannot be read wider, and launches hide behind a long step."""
    for cause in ("other-format-than-its-name", "eager-mode"):
        for speed in range(2, 15):
            found = judge(library(), NVFP4, Decimal(speed), PLAIN, "vllm").likely_causes
            assert cause not in [each.cause for each in found]


@pytest.mark.parametrize(
    ("checkpoint", "speed", "under"),
    [
        (SEHYO, "33.9", PLAIN),
        (GPT_OSS, "59", PLAIN),
        (REDHAT, "158.0", Load(draft="mtp", draft_tokens=1, acceptance_length=1.928)),
    ],
)
def test_famous_impossible_numbers_are_impossible(checkpoint, speed, under):
    assert judge(library(), checkpoint, Decimal(speed), under, "vllm").verdict == "impossible"


def test_like_points_of_the_model_are_named_the_checkpoint_first():
    found = judge(library(), NVFP4, Decimal("14.0"), PLAIN, "vllm")
    checkpoints = [each.checkpoint for each in found.similar_measurements]
    assert checkpoints[0] == NVFP4 and len(set(checkpoints)) > 1
    for each in found.similar_measurements:
        run = library().get(Measurement, each.measurement)
        assert run.checkpoint == each.checkpoint and run.draft.method == "none"
        assert single_speed(run.points[each.point]) == each.tokens_per_s
    assert 0 <= found.percentile <= 1


def test_the_place_is_told_only_among_five_points_of_like_concurrency():
    few = judge(
        library(), "huginnfork-qwen3.8-27b-nvfp4a16", Decimal(9), Load(concurrency=512), "vllm"
    )
    assert few.percentile is None


def test_an_acceptance_that_is_not_stated_is_the_usual_one_and_not_the_best():
    bound = Load(draft="mtp", draft_tokens=3, acceptance_length=4)
    stated = judge(library(), SMALL, Decimal(110), bound, "vllm")
    assumed = judge(library(), SMALL, Decimal(110), bound, "vllm", acceptance_is_stated=False)
    assert stated.ceiling_tokens_per_s == assumed.ceiling_tokens_per_s
    assert 2 < assumed.acceptance_length < stated.acceptance_length == 4
    assert assumed.expected_tokens_per_s < stated.expected_tokens_per_s


def test_a_chance_and_its_length_belong_together():
    for num_tokens, chance in ((1, 0.9), (3, 0.7), (8, 0.4)):
        length = length_of(chance, num_tokens)
        assert acceptance_chance(length, num_tokens) == pytest.approx(chance)
    assert acceptance_chance(1.0, 3) == pytest.approx(0, abs=1e-9)


def test_a_batch_is_judged_among_batches():
    """What half of the batches reach is normal, although it beats most single requests."""
    middle = quantile(batch_ratios(library(), "vllm"), 0.5)
    assert middle > 1.05
    for concurrency in (4, 16):
        under = Load(concurrency=concurrency)
        expected = judge(library(), SMALL, Decimal(10), under, "vllm").expected_tokens_per_s
        found = judge(library(), SMALL, Decimal(f"{expected * middle:.2f}"), under, "vllm")
        assert found.verdict == "normal" and found.likely_causes == []


@pytest.mark.parametrize(
    ("checkpoint", "speed", "under"),
    [
        ("openai-gpt-oss-120b-dense-mxfp4", "75.96", Load(2112, nodes=2)),
        ("lukealonso-minimax-m2.7-nvfp4", "24.30", Load(64, nodes=2)),
        ("nvidia-nvidia-nemotron-3-super-120b-a12b-nvfp4", "4.01", Load(1088, 32, nodes=2)),
    ],
)
def test_usual_speeds_of_several_machines_are_normal_and_the_link_is_named(
    checkpoint, speed, under
):
    """Published by Spark Arena, a recipe and a blog; the sum counts no link."""
    found = judge(library(), checkpoint, Decimal(speed), under, "vllm")
    assert found.verdict == "normal"
    assert "link-between-machines" in [each.cause for each in found.likely_causes]


@pytest.mark.parametrize(
    ("speed", "verdict"), [("8", "something-is-wrong"), ("20", "slow"), ("59", "normal")]
)
def test_block_drafts_are_judged_among_block_drafts(speed, verdict):
    """20 tok/s is less than the same weights give without drafts, 59 the published figure."""
    under = Load(draft="dflash", draft_tokens=12, acceptance_length=13)
    int8 = "albond-qwen3.5-122b-a10b-int4-fp8-int8-head"
    found = judge(library(), int8, Decimal(speed), under, "vllm", acceptance_is_stated=False)
    assert found.verdict == verdict


def test_a_kind_with_few_points_is_judged_as_before():
    assert all(len(ratios) >= 10 for ratios in like_ratios(library(), "vllm").values())
    few = Load(4096, 4, draft="dflash", draft_tokens=8, acceptance_length=2.0)
    assert kind_of_load(few, acceptance_is_stated=True) not in like_ratios(library(), "vllm")
    assert reference_for(library(), "vllm", few, acceptance_is_stated=True) == batch_ratios(
        library(), "vllm"
    )
    assert kind_of_load(Load(), acceptance_is_stated=True) == "single"
    assert kind_of_load(ONE, acceptance_is_stated=True) == "single"
    assert kind_of_load(ONE, acceptance_is_stated=False) == "mtp single usual"
