"""Every claim keeps its words, its figure as printed, and the verdict that its check computes."""

import math
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from string import Formatter

import pytest

from macros.checks.claims import verdict_is_computed
from macros.claims import compute, disagreements, judge_claim
from macros.functions import FUNCTIONS
from macros.library import Entry, Library, load
from macros.records import Checkpoint, Claim, EngineTopic

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARY, _ = load(ROOT)
CLAIMS = list(LIBRARY.records(Claim))
ARTICLES = {"seed-122b-article": "zh-Hant", "seed-builder-daily": "zh-Hans"}
SPELLED = {4: ("四",)}
TRADITIONAL_ONLY = re.compile(r"[為麼層個設這頻寬軟體損壞應該實際]")
SIMPLIFIED_ONLY = re.compile(r"[为么层个设这频宽软体损坏应该实际]")

each_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)


def of_articles() -> list[Claim]:
    return [claim for claim in CLAIMS if claim.source in ARTICLES]


def with_record(library: Library, kind: str, record_id: str, **changes) -> Library:
    """Return a copy of the library in which one record has other values."""
    entry = library.kinds[kind][record_id]
    changed = Entry(entry.document, entry.record.model_copy(update=changes))
    kinds = library.kinds | {kind: library.kinds[kind] | {record_id: changed}}
    return replace(library, kinds=kinds)


def with_flag(library: Library, flag: str, runs: list) -> Library:
    """Return a copy of the library in which releases of vLLM have one flag more."""
    entry = library.topics["vllm"]["flags"]
    root = entry.record.root | {flag: {"versions": runs, "kind": "value"}}
    flags = Entry(entry.document, EngineTopic(root))
    topics = library.topics | {"vllm": library.topics["vllm"] | {"flags": flags}}
    return replace(library, topics=topics)


@each_claim
def test_verdict_is_the_computed_one(claim: Claim):
    assert judge_claim(LIBRARY, claim).verdict == claim.verdict


@each_claim
def test_no_check_means_unverifiable_and_says_so(claim: Claim):
    assert (claim.check is None) == (claim.verdict == "unverifiable")
    assert len(claim.reason.en) > 10 and len(claim.reason.zh) > 5


@each_claim
def test_placeholders_are_computed_numbers(claim: Claim):
    texts = (claim.title.en, claim.title.zh, claim.reason.en, claim.reason.zh)
    used = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
    assert used == set(claim.values)
    for value in claim.values.values():
        assert value.function in FUNCTIONS
        result = compute(LIBRARY, value, claim.against)
        assert isinstance(result, str) or math.isfinite(float(result))


def spellings(value: Decimal) -> tuple[str, ...]:
    """Return the ways in which a figure is printed, never a converted one."""
    return (str(value), f"{value:,}", *SPELLED.get(value, ()))


@pytest.mark.parametrize(
    "claim",
    [claim for claim in CLAIMS if claim.quote and not isinstance(claim.asserts.value, bool)],
    ids=lambda claim: claim.id,
)
def test_figure_stands_in_the_quotation_as_printed(claim: Claim):
    value, text = claim.asserts.value, claim.quote.text
    printed = spellings(value) if isinstance(value, Decimal) else (str(value),)
    assert any(each in text for each in printed), f"{printed} not in {text}"


def test_a_converted_figure_would_be_noticed():
    claim = LIBRARY.get(Claim, "122b-hybrid-gain-8.8")
    assert not any(each in claim.quote.text for each in spellings(Decimal("0.088")))


@pytest.mark.parametrize("claim", of_articles(), ids=lambda claim: claim.id)
def test_quotation_keeps_the_script_of_its_source(claim: Claim):
    assert claim.quote is not None
    assert claim.quote.language == ARTICLES[claim.source]
    other = SIMPLIFIED_ONLY if claim.quote.language == "zh-Hant" else TRADITIONAL_ONLY
    shared = set("寬宽体该应") & set(claim.quote.text)
    assert not set(other.findall(claim.quote.text)) - shared


@pytest.mark.parametrize("claim", of_articles(), ids=lambda claim: claim.id)
def test_locator_names_the_lines(claim: Claim):
    assert re.search(r"\blines? \d", claim.locator)


def test_both_articles_and_the_field_are_covered():
    count = {source: 0 for source in ARTICLES}
    for claim in of_articles():
        count[claim.source] += 1
    assert sum(count.values()) >= 110 and min(count.values()) >= 50
    assert len(CLAIMS) - sum(count.values()) >= 30


def compositions_of(claim: Claim) -> set[str]:
    """Return the checkpoints whose composition the verdict rests on."""
    parts = [reference.partition("/") for reference in claim.against]
    named = {record_id for kind, _, record_id in parts if kind == "checkpoints"}
    if claim.check and "checkpoint" in claim.check.with_:
        named.add(claim.check.with_["checkpoint"])
    return named


@each_claim
def test_what_rests_on_a_deduced_composition_is_marked(claim: Claim):
    deduced = [each for each in compositions_of(claim) if LIBRARY.get(Checkpoint, each).inferred]
    assert claim.inferred or not deduced


def test_subjects_are_few_and_shared():
    subjects = [subject for claim in CLAIMS for subject in claim.subjects]
    assert len(set(subjects)) <= 16
    assert all(subjects.count(subject) >= 5 for subject in set(subjects))


def test_disagreements_of_the_articles_are_pairs_of_one_claim_each():
    first, second = ARTICLES
    pairs = disagreements(LIBRARY, first, second)
    assert len(pairs) >= 8
    assert {(one.source, other.source) for one, other in pairs} == {(first, second)}
    swapped = disagreements(LIBRARY, second, first)
    assert sorted((other.id, one.id) for one, other in swapped) == sorted(
        (one.id, other.id) for one, other in pairs
    )


SEHYO = "sehyo-qwen3.5-122b-a10b-nvfp4"
ALL_NVFP4 = {
    "experts": "nvfp4", "shared": "nvfp4", "attn": "nvfp4", "lm_head": "nvfp4",
    "gdn_in": "nvfp4", "gdn_out": "nvfp4",
}  # fmt: skip


def faster_hardware(library: Library) -> Library:
    return with_record(library, "hardware", "dgx-spark", bandwidth_gb_per_s=Decimal(700))


def all_in_four_bits(library: Library) -> Library:
    return with_record(library, "checkpoints", SEHYO, formats=ALL_NVFP4)


def the_flag_exists(library: Library) -> Library:
    return with_flag(library, "--speculative-model-type", [["0.19.0", None]])


def pitfall_fixed(library: Library) -> Library:
    affects = library.kinds["pitfalls"]["mtp-apc-corruption"].record.affects
    fixed = affects.model_copy(update={"fixed_version": "0.33.0"})
    return with_record(library, "pitfalls", "mtp-apc-corruption", affects=fixed)


def record_came_later(library: Library) -> Library:
    claim = library.get(Claim, "122b-38.4-is-the-hardware-ceiling")
    for reference in claim.against:
        kind, _, record_id = reference.partition("/")
        library = with_record(library, kind, record_id, measured_on="2026-06")
    return library


def another_run_speed(library: Library) -> Library:
    record_id = "2026-04-vllm-albond-qwen3.5-122b-hybrid"
    run = library.kinds["measurements"][record_id].record
    point = run.points[0]
    results = point.results.model_copy(update={"end_to_end_tokens_per_s": Decimal("31.4")})
    points = [point.model_copy(update={"results": results})]
    return with_record(library, "measurements", record_id, points=points)


@pytest.mark.parametrize(
    ("change", "claim_id"),
    [
        (faster_hardware, "gb10-273-gb-per-s"),
        (faster_hardware, "122b-not-the-machine"),
        (all_in_four_bits, "gdn-gemm-takes-generic-fallback"),
        (all_in_four_bits, "122b-attention-lowers-it-a-bit"),
        (the_flag_exists, "speculative-model-type-flag"),
        (pitfall_fixed, "choose-mtp-or-prefix-caching"),
        (record_came_later, "122b-38.4-is-the-hardware-ceiling"),
        (another_run_speed, "122b-hybrid-30.8"),
    ],
)
def test_a_changed_datum_flips_the_verdict_until_someone_looks(change, claim_id):
    changed = change(LIBRARY)
    before = {finding.path for finding in verdict_is_computed(LIBRARY)}
    found = {finding.path for finding in verdict_is_computed(changed)}
    assert LIBRARY.document(f"claims/{claim_id}").path in found - before
