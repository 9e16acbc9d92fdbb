"""Checkpoints say how their formats are known, sizes follow from them, conversions convert."""

from collections import Counter
from pathlib import Path

import pytest

from macros.compositions import ceiling_of, composition_of, has_composition
from macros.ledger import Load, disk_bytes
from macros.library import load
from macros.records import Checkpoint, Drafter, Engine, Model

ROOT = Path(__file__).resolve().parent.parent.parent
TOLERANCE = 0.005
OWN_WORK = "gb10-ledger"


@pytest.fixture(scope="module")
def library():
    library, findings = load(ROOT)
    assert findings == []
    return library


@pytest.fixture(scope="module")
def checkpoints(library):
    return {each.id: each for each in library.records(Checkpoint)}


def repeated(checkpoints) -> list[tuple]:
    """Return the weight files that have more than one record."""
    files = Counter(
        (each.repository.casefold(), each.revision, each.released_on)
        for each in checkpoints
        if each.repository
    )
    return [file for file, times in files.items() if times > 1]


def grade_faults(checkpoint: Checkpoint) -> list[str]:
    """Return where a record claims to know its formats better than it does."""
    found = []
    on_formats = [each for each in checkpoint.provenance if "formats" in each.fields]
    if not on_formats:
        found.append("nobody says what its formats are")
    guessed = checkpoint.scenario or checkpoint.inferred or checkpoint.formats is None
    if guessed and any(each.evidence != "claimed" for each in on_formats):
        found.append("a deduced or unknown composition is at most claimed")
    if any(each.source == OWN_WORK and each.evidence != "claimed" for each in on_formats):
        found.append("our own derivation is at most claimed")
    if checkpoint.scenario and checkpoint.inferred:
        found.append("it is either a scenario or an inference")
    if checkpoint.composition is None:
        found.append("it does not say how its formats are known")
    if checkpoint.conversion and checkpoint.repository:
        found.append("what an engine makes at load has no repository")
    return found


def published_bytes(checkpoint: Checkpoint) -> float | None:
    """Return the published size of the weight files."""
    if checkpoint.weight_bytes:
        return float(checkpoint.weight_bytes)
    return float(checkpoint.published_size_gb) * 1e9 if checkpoint.published_size_gb else None


def misses_size(library, checkpoint: Checkpoint) -> bool | None:
    """Tell whether the predicted size misses the published one; None where there is no pair."""
    published = published_bytes(checkpoint)
    if published is None or not has_composition(library, checkpoint.id):
        return None
    composition, shipped = composition_of(library, checkpoint.id), checkpoint.draft_weights
    with_draft = [False] if shipped is None else [True] if shipped.shipped else [True, False]
    return all(
        abs(disk_bytes(composition, draft=draft, text_only=checkpoint.text_only) / published - 1)
        > TOLERANCE
        for draft in with_draft
    )


def formats_of(library, checkpoint_id: str) -> dict[str, object]:
    """Return the format of each module, and what a draft reads of the head."""
    composition = composition_of(library, checkpoint_id)
    kept: dict[str, object] = {module.name: module.format for module in composition.modules}
    return kept | {"draft head": composition.draft_head_bytes}


def test_each_weight_file_has_one_record(checkpoints):
    records = list(checkpoints.values())
    assert repeated(records) == []
    assert repeated([*records, checkpoints["openai-gpt-oss-120b"]]) != []


def test_names_tell_checkpoints_of_a_model_apart(checkpoints):
    names = Counter((each.model, each.name) for each in checkpoints.values())
    assert [name for name, times in names.items() if times > 1] == []


def test_evidence_is_no_better_than_the_reading(checkpoints):
    faults = {each.id: grade_faults(each) for each in checkpoints.values()}
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scenario": True}, "at most claimed"),
        ({"inferred": True}, "at most claimed"),
        ({"formats": None}, "at most claimed"),
        ({"scenario": True, "inferred": True}, "either a scenario or an inference"),
        ({"composition": None}, "how its formats are known"),
        ({"provenance": []}, "nobody says"),
    ],
)
def test_a_documented_record_cannot_hide_a_guess(checkpoints, change, words):
    documented = checkpoints["nvidia-qwen3.5-122b-a10b-nvfp4"]
    assert grade_faults(documented) == []
    assert any(words in each for each in grade_faults(documented.model_copy(update=change)))


def test_sizes_follow_from_formats_or_a_signed_exception_says_why(library, checkpoints):
    missed = {each.id: misses_size(library, each) for each in checkpoints.values()}
    signed = {
        each.record.removeprefix("checkpoints/")
        for each in library.single("exceptions").exceptions
        if each.rule == "checkpoints/size"
    }
    assert {name for name, misses in missed.items() if misses} == signed
    met = [name for name, misses in missed.items() if misses is False]
    assert len(met) > 2 * len(signed)


def test_a_wrong_format_is_noticed_by_the_size(library, checkpoints):
    sehyo, nvidia = (
        checkpoints[f"{maker}-qwen3.5-122b-a10b-nvfp4"] for maker in ("sehyo", "nvidia")
    )
    size = {"published_size_gb": nvidia.published_size_gb, "weight_bytes": nvidia.weight_bytes}
    assert misses_size(library, sehyo) is False
    assert misses_size(library, sehyo.model_copy(update=size)) is True


def test_conversions_change_a_checkpoint_that_exists(library, checkpoints):
    converted = [each for each in checkpoints.values() if each.conversion]
    assert converted
    for each in converted:
        base = checkpoints[each.conversion.checkpoint]
        assert base.model == each.model and not base.scenario, each.id
        assert library.find(Engine, each.conversion.engine) is not None, each.id
        assert formats_of(library, each.id) != formats_of(library, base.id), each.id


def test_conversions_read_less(library, checkpoints):
    for each in checkpoints.values():
        if each.conversion:
            before = ceiling_of(library, each.conversion.checkpoint).step.weight_bytes
            assert ceiling_of(library, each.id).step.weight_bytes < before, each.id


def test_shipped_drafts_belong_to_models_that_have_them(library, checkpoints):
    for each in checkpoints.values():
        if each.draft_weights and each.draft_weights.shipped:
            model = library.get(Model, each.model)
            assert model.multi_token_prediction is not None, each.id


def test_drafters_are_read_once_a_step_with_the_head_they_share(library, checkpoints):
    drafters = [each for each in library.records(Drafter) if each.method == "dflash"]
    assert drafters
    for drafter in drafters:
        own = [each.id for each in checkpoints.values() if each.model == drafter.model]
        for name in own:
            if not has_composition(library, name):
                continue
            load_ = Load(draft="dflash", draft_tokens=6, acceptance_length=3)
            step = ceiling_of(library, name, load_).step
            read = {module.module: module.bytes_per_step for module in step.modules}
            plain = {m.module: m.bytes_per_step for m in ceiling_of(library, name).step.modules}
            times = 1 if drafter.passes_per_step == "one" else 6
            assert read["drafter"] == times * drafter.weight_bytes
            head = read["lm_head"] - plain["lm_head"]
            assert (head > 0) is drafter.shares_lm_head
