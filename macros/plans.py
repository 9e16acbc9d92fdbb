"""What a recipe is expected to do: its load, its speed, its memory and its start."""

from dataclasses import dataclass, replace
from decimal import Decimal

from macros import memory
from macros.compositions import ceiling_of, composition_of, has_composition
from macros.law import engine_family, expected_tokens_per_s, law_for
from macros.ledger import Ceiling, LedgerError, Load, disk_bytes
from macros.library import Library
from macros.memory import Fit
from macros.recipes import start_limit_s
from macros.records import Checkpoint, Draft, Hardware, Measurement, Recipe, StartUp

DRAFTS = {"mtp": "mtp", "dflash": "dflash"}
MTP_ALIASES = "_mtp"
SHORT_CONTEXT_TOKENS = 1024
FRACTION_FLAG = "--gpu-memory-utilization"
CACHE_FLAG = "--kv-cache-dtype"
SPECULATIVE_FLAG = "--speculative-config"
READY_VARIABLE = "VLLM_ENGINE_READY_TIMEOUT_S"


@dataclass(frozen=True)
class Expectation:
    """The bound and the expected speed of one load; tokens a second of one request and of all."""

    load: Load
    answer: Ceiling
    expected_tokens_per_s: float | None


def draft_of(recipe: Recipe) -> Draft:
    """Return how a recipe drafts, read from its own arguments."""
    config = recipe.engine.arguments.get(SPECULATIVE_FLAG)
    if not isinstance(config, dict):
        return Draft(method="none", num_tokens=0)
    method = str(config.get("method", "unknown"))
    method = "mtp" if method.endswith(MTP_ALIASES) else method
    return Draft(
        method=method if method in ("mtp", "dflash", "dspark", "eagle3", "ngram") else "unknown",
        num_tokens=config.get("num_speculative_tokens"),
        drafter=config.get("model"),
        revision=config.get("revision"),
    )


def kv_format_of(recipe: Recipe) -> str:
    """Return the format of the KV cache that a recipe asks for."""
    return "fp8" if "fp8" in str(recipe.engine.arguments.get(CACHE_FLAG, "")) else "bf16"


def served_checkpoint(recipe: Recipe) -> str:
    """Return the checkpoint that the engine reads from once it has loaded it."""
    return recipe.load_as or recipe.checkpoint


def load_of(recipe: Recipe, *, context_tokens: int, concurrency: int = 1) -> Load:
    """Return the load of a recipe; drafts count only where an acceptance length is on record."""
    draft = draft_of(recipe)
    plain = Load(context_tokens, concurrency, kv_format_of(recipe), nodes=recipe.num_nodes)
    if draft.method not in DRAFTS or not recipe.draft_acceptance_length or not draft.num_tokens:
        return plain
    return replace(
        plain, draft=DRAFTS[draft.method], draft_tokens=draft.num_tokens,
        acceptance_length=float(recipe.draft_acceptance_length),
    )  # fmt: skip


def without_drafts(load: Load) -> Load:
    """Return the same load with no drafts."""
    return replace(load, draft="none", draft_tokens=0, acceptance_length=1.0)


def is_known(library: Library, checkpoint_id: str) -> bool:
    """Tell whether a checkpoint can be counted; one with faulty shapes or formats cannot."""
    try:
        return has_composition(library, checkpoint_id)
    except KeyError:
        return False


def expectation(library: Library, recipe: Recipe, load: Load) -> Expectation | None:
    """Return the ceiling and the expected speed under a load; None where nothing is known."""
    checkpoint_id = served_checkpoint(recipe)
    if not is_known(library, checkpoint_id):
        return None
    try:
        answer = ceiling_of(library, checkpoint_id, load, recipe.hardware)
    except LedgerError:
        return None
    law = law_for(library, recipe.engine.name) if recipe.num_nodes == 1 else None
    expected = (
        expected_tokens_per_s(law, composition_of(library, checkpoint_id), answer, load)
        if law
        else None
    )
    return Expectation(load, answer, expected)


def expectations(library: Library, recipe: Recipe) -> list[Expectation]:
    """Return a short and the planned context for one request, and the planned requests at once."""
    loads = [load_of(recipe, context_tokens=SHORT_CONTEXT_TOKENS)]
    if recipe.planned_context_tokens:
        loads.append(load_of(recipe, context_tokens=recipe.planned_context_tokens))
    if recipe.planned_concurrency > 1:
        loads.append(
            load_of(
                recipe, context_tokens=SHORT_CONTEXT_TOKENS,
                concurrency=recipe.planned_concurrency,
            )
        )  # fmt: skip
    found = (
        expectation(library, recipe, load) or expectation(library, recipe, without_drafts(load))
        for load in loads
    )
    return [each for each in found if each is not None]


def memory_plan(library: Library, recipe: Recipe) -> Fit | None:
    """Return the memory of each machine at the planned context and requests, or None."""
    checkpoint_id = served_checkpoint(recipe)
    if not is_known(library, checkpoint_id):
        return None
    draft = draft_of(recipe)
    load = Load(
        recipe.planned_context_tokens or 0, recipe.planned_concurrency, kv_format_of(recipe),
        "mtp" if draft.method == "mtp" else "none",
        (draft.num_tokens or 0) if draft.method == "mtp" else 0, nodes=recipe.num_nodes,
    )  # fmt: skip
    try:
        return memory.fit(library, checkpoint_id, load, library.get(Hardware, recipe.hardware))
    except LedgerError:
        return None


def memory_fraction(recipe: Recipe) -> Decimal | None:
    """Return the share of the memory that a recipe gives to its engine."""
    value = recipe.engine.arguments.get(FRACTION_FLAG)
    return value if isinstance(value, Decimal) else None


def file_bytes(library: Library, checkpoint_id: str) -> int | None:
    """Return the size of the files of a checkpoint: as published, or as the formats give it."""
    checkpoint = library.get(Checkpoint, checkpoint_id)
    if checkpoint.weight_bytes:
        return checkpoint.weight_bytes
    if checkpoint.published_size_gb:
        return int(checkpoint.published_size_gb * 10**9)
    if is_known(library, checkpoint_id):
        return round(disk_bytes(composition_of(library, checkpoint_id), draft=True))
    return None


def start_up(library: Library, recipe: Recipe) -> StartUp | None:
    """Return how long a start takes: as recorded, or derived from the size of the files."""
    if recipe.start_up is not None:
        return recipe.start_up
    if "start_up" not in library.topics.get("vllm", {}):
        return None
    size = file_bytes(library, recipe.checkpoint)
    if size is None:
        return None
    known = library.topic("vllm", "start_up").root
    weights, compiled = known["weights"], known["compile"]
    share = size / recipe.num_nodes / (weights["gb"] * 10**9)
    low = round(share * weights["fast_loader_s"]) + compiled["low_s"]
    high = round(share * weights["default_loader_s"]) + compiled["high_s"]
    return StartUp(low_s=low, high_s=high, measured=False)


def start_limit(library: Library, recipe: Recipe) -> int:
    """Return how long a probe must wait before it counts a start as failed, in seconds."""
    known = start_up(library, recipe)
    return start_limit_s(recipe, known.high_s if known else None)


def same_setup(library: Library, recipe: Recipe, run: Measurement) -> bool:
    """Tell whether a run used the checkpoint, machines, engine and drafts of a recipe."""
    draft = draft_of(recipe)
    return (
        run.checkpoint == served_checkpoint(recipe)
        and run.num_nodes == recipe.num_nodes
        and engine_family(library, run.engine.name) == engine_family(library, recipe.engine.name)
        and run.draft.method == draft.method
        and (run.draft.num_tokens or 0) == (draft.num_tokens or 0)
    )


def same_release(library: Library, recipe: Recipe, run: Measurement) -> bool:
    """Tell whether a run also used the release of a recipe."""
    own, other = recipe.engine, run.engine
    same = own.version == other.version or (own.build is not None and own.build == other.build)
    return same_setup(library, recipe, run) and same


def linked_runs(library: Library, recipe: Recipe) -> list[Measurement]:
    """Return the runs that a recipe names."""
    found = (library.find(Measurement, each) for each in recipe.measurements)
    return [run for run in found if run is not None]
