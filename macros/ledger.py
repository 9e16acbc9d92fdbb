"""Bytes of a decode step by module, and the speed limit that follows from them.

Decoding one token reads every active weight once, reads and writes the recurrent state of the
request, and reads its KV cache. Memory bandwidth over these bytes is a bound on speed; nothing
that a program does can pass it. Derivation:

    bytes per step = weights + concurrency x (state + KV cache) + draft passes
    ceiling        = acceptance length x bandwidth x nodes / bytes per step

Not counted: embedding rows, the vision tower, activations, the write of one KV entry. GB is 10^9.
All functions are pure. The browser evaluates the same few lines over `coefficients`.
"""

from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Literal

from macros.arithmetic import bytes_of, expected_distinct
from macros.records import Checkpoint, Drafter, FormatShare, Model, WeightFormat
from macros.shapes import CachedLayers, Module, Shapes, shapes_of

KV_BITS = {"bf16": 16, "fp8": 8}
KEPT_WIDE = {"router", "norms", "fc", "gate", "bias", "misc", "ab", "hc"}
GIGA = 10**9

Draft = Literal["none", "mtp", "dflash"]


class LedgerError(ValueError):
    """The question cannot be answered; the message says why in one line."""


@dataclass(frozen=True)
class StoredModule:
    """A module in the format that a checkpoint keeps it in; bits are per weight."""

    name: str
    part: str
    format: str
    params: int
    read_bits: float
    stored_bits: float
    read: Literal["every", "experts", "never"]
    num_experts: int
    top_k: int
    draft: bool

    @property
    def bytes_whole(self) -> float:
        """Return the bytes of the whole module as it is read."""
        return self.params * self.read_bits / 8


@dataclass(frozen=True)
class Composition:
    """A checkpoint as the ledger sees it: modules with formats, caches and state.

    `state_bytes` is one request's recurrent state (FP32, convolution part BF16).
    `draft_head_bytes` is what a draft pass reads of lm_head.
    """

    checkpoint: str
    model: str
    modules: tuple[StoredModule, ...]
    cached: tuple[CachedLayers, ...] | None
    num_layers: int
    state_bytes: int
    draft_head_bytes: float
    ships_draft: bool | None


@dataclass(frozen=True)
class Load:
    """What the server is asked for."""

    context_tokens: int = 0
    concurrency: int = 1
    kv_format: str = "bf16"
    draft: Draft = "none"
    draft_tokens: int = 0
    acceptance_length: float = 1.0
    nodes: int = 1


@dataclass(frozen=True)
class ModuleBytes:
    """What one step reads of one module."""

    module: str
    part: str
    format: str
    params: int
    bytes_per_step: float


@dataclass(frozen=True)
class Step:
    """The bytes of one decode step for all requests together; `kv_bytes` None if unknown."""

    modules: tuple[ModuleBytes, ...]
    state_bytes: float
    kv_bytes: float | None

    @property
    def weight_bytes(self) -> float:
        """Return the bytes of weights, draft passes included."""
        return sum(module.bytes_per_step for module in self.modules)

    @property
    def total_bytes(self) -> float:
        """Return all bytes; an unknown KV cache counts as nothing, so that a bound stays one."""
        return self.weight_bytes + self.state_bytes + (self.kv_bytes or 0.0)


def format_of(module: Module, checkpoint: Checkpoint) -> str | list[FormatShare]:
    """Return the format of a module: its own entry, its group's (`attn` of `attn_q`), or BF16.

    Draft layers follow `draft_weights`. Routers, norms, gates and scalars stay BF16 unless a
    checkpoint names them.
    """
    formats = checkpoint.formats or {}
    if module.name in formats:
        return formats[module.name]
    words = module.name.split("_")
    if KEPT_WIDE & set(words[1:]):
        return "bf16"
    if not module.draft:
        return formats.get(words[0], "bf16")
    shipped = checkpoint.draft_weights
    if shipped is None:
        return "bf16"
    if module.read == "experts" and shipped.experts_format:
        return shipped.experts_format
    return shipped.format


def _bits(
    kept: str | list[FormatShare], formats: dict[str, WeightFormat]
) -> tuple[str, Decimal, Decimal]:
    """Return (label, bits read, bits stored) of a format or a mixture of formats."""
    if isinstance(kept, str):
        return kept, formats[kept].read_bits, formats[kept].stored_bits
    label = " + ".join(f"{part.format} {float(part.share * 100):.3g}%" for part in kept)
    read = sum((formats[part.format].read_bits * part.share for part in kept), Decimal(0))
    stored = sum((formats[part.format].stored_bits * part.share for part in kept), Decimal(0))
    return label, read, stored


def model_shapes(model: Model) -> Shapes:
    """Return the shapes of a model record; KeyError names a family or field that is missing."""
    draft = model.multi_token_prediction
    published = draft is not None and draft.published is not False
    return shapes_of(
        model.family, model.architecture, num_draft_layers=draft.num_layers if published else 0
    )  # fmt: skip


def compose(checkpoint: Checkpoint, model: Model, formats: dict[str, WeightFormat]) -> Composition:
    """Return the composition of a checkpoint from its model's shapes and its own formats."""
    shapes = model_shapes(model)
    modules = []
    head_params, head_format = 0, "bf16"
    for module in shapes.modules:
        if not module.params:
            continue
        kept = format_of(module, checkpoint)
        label, read, stored = _bits(kept, formats)
        if module.name == "lm_head":
            head_params, head_format = module.params, kept
        modules.append(
            StoredModule(
                module.name,
                module.part,
                label,
                module.params,
                float(read),
                float(stored),
                module.read,
                module.num_experts,
                module.top_k,
                module.draft,
            )
        )
    draft_head = checkpoint.formats.get("draft_lm_head", head_format)
    return Composition(
        checkpoint=checkpoint.id,
        model=model.id,
        modules=tuple(modules),
        cached=shapes.cached,
        num_layers=shapes.num_layers,
        state_bytes=4 * shapes.state_fp32_elements + 2 * shapes.state_bf16_elements,
        draft_head_bytes=bytes_of(head_params, _bits(draft_head, formats)[1]),
        ships_draft=checkpoint.draft_weights.shipped if checkpoint.draft_weights else False,
    )


def check_load(composition: Composition, load: Load, drafter: Drafter | None = None) -> None:
    """Raise LedgerError for a load that makes no sense for this checkpoint."""
    if load.context_tokens < 0 or load.concurrency < 1 or load.nodes < 1:
        raise LedgerError("context must be 0 or more, concurrency and nodes 1 or more")
    if load.kv_format not in KV_BITS:
        raise LedgerError(f"KV format must be one of {', '.join(KV_BITS)}")
    if load.draft == "none":
        if load.draft_tokens or load.acceptance_length != 1:
            raise LedgerError("draft tokens and acceptance length need --draft mtp or dflash")
        return
    if load.draft_tokens < 1:
        raise LedgerError("a draft needs at least 1 draft token")
    if not 1 <= load.acceptance_length <= load.draft_tokens + 1:
        raise LedgerError(
            f"acceptance length must be 1 to {load.draft_tokens + 1} "
            f"for {load.draft_tokens} draft tokens (the model's own token included)"
        )
    if load.draft == "mtp":
        if not any(module.draft for module in composition.modules):
            raise LedgerError(f"{composition.model} has no published MTP layers")
        if composition.ships_draft is False:
            raise LedgerError(f"{composition.checkpoint} ships no MTP weights")
    elif drafter is None:
        raise LedgerError(f"no {load.draft} drafter of {composition.model} is on record")


def _touched(module: StoredModule, num_tokens: int, *, fewest: bool) -> float:
    """Return the share of a module that a step with `num_tokens` rows reads."""
    if module.read == "never":
        return 0.0
    if module.read == "every":
        return 1.0
    if fewest:
        return module.top_k / module.num_experts
    return expected_distinct(module.num_experts, module.top_k, num_tokens) / module.num_experts


def step(
    composition: Composition, load: Load, *, fewest: bool = False, drafter: Drafter | None = None
) -> Step:
    """Return the bytes of one step.

    One step verifies `draft_tokens + 1` rows per request. MTP adds one pass per draft token: the
    draft layer with its own experts and lm_head again. A block drafter adds one pass. With
    `fewest`, all rows take the same experts and the state is written once; otherwise routing is
    independent and the state is written for every row.
    """
    rows = load.concurrency * (load.draft_tokens + 1)
    passes = load.draft_tokens if load.draft == "mtp" else 0
    read = []
    for module in composition.modules:
        if module.read == "never" or (module.draft and not passes):
            continue
        tokens = load.concurrency if module.draft else rows
        amount = module.bytes_whole * _touched(module, tokens, fewest=fewest)
        if module.draft:
            amount *= passes
        if module.name == "lm_head":
            amount += composition.draft_head_bytes * _head_passes(load, drafter)
        read.append(ModuleBytes(module.name, module.part, module.format, module.params, amount))
    if drafter is not None and load.draft == "dflash":
        times = load.draft_tokens if drafter.passes_per_step == "one-per-token" else 1
        read.append(
            ModuleBytes("drafter", "draft", "bf16", drafter.weight_bytes // 2,
                        float(drafter.weight_bytes * times))
        )  # fmt: skip
    writes = 1 if fewest else load.draft_tokens + 1
    state = float(load.concurrency * composition.state_bytes * (1 + writes))
    return Step(tuple(read), state, kv_bytes(composition, load, passes=passes))


def _head_passes(load: Load, drafter: Drafter | None) -> int:
    """Return how often the drafts of one step read lm_head."""
    if load.draft == "mtp":
        return load.draft_tokens
    if load.draft == "dflash" and drafter is not None and drafter.shares_lm_head:
        return load.draft_tokens if drafter.passes_per_step == "one-per-token" else 1
    return 0


def kv_bytes(composition: Composition, load: Load, *, passes: int = 0) -> float | None:
    """Return the KV cache that a step reads for all requests; None where it is not known."""
    if load.context_tokens == 0:
        return 0.0
    if composition.cached is None:
        return None
    width = KV_BITS[load.kv_format] / 8
    amount = 0.0
    for layers in composition.cached:
        times = passes if layers.draft else 1
        amount += layers.num_layers * layer_elements(layers, load.context_tokens) * width * times
    return amount * load.concurrency


def layer_elements(layers: CachedLayers, context_tokens: int) -> float:
    """Return the cache elements that one layer reads at a context."""
    tokens = context_tokens
    if layers.limit_tokens is not None:
        tokens = min(tokens, layers.limit_tokens)
    return float(layers.elements_per_token * tokens)


def kv_bytes_kept(
    composition: Composition, context_tokens: int, kv_format: str, *, draft: bool
) -> float | None:
    """Return the KV cache that one request of a context occupies; None where it is not known."""
    if composition.cached is None:
        return None
    width = KV_BITS[kv_format] / 8
    return sum(
        layers.num_layers * layers.elements_per_token * width
        * tokens_kept(layers, context_tokens)
        for layers in composition.cached
        if draft or not layers.draft
    )  # fmt: skip


def tokens_kept(layers: CachedLayers, context_tokens: int) -> int:
    """Return how many tokens of a context these layers keep in memory."""
    if layers.limit_tokens is None or layers.sparse:
        return context_tokens
    return min(context_tokens, layers.limit_tokens)


def resident_bytes(composition: Composition, *, draft: bool) -> float:
    """Return the weights that stay in memory, vision tower and embedding included."""
    return sum(module.bytes_whole for module in composition.modules if draft or not module.draft)


def disk_bytes(composition: Composition, *, draft: bool, text_only: bool = False) -> float:
    """Return the predicted size of the weight files."""
    return sum(
        module.params * module.stored_bits / 8
        for module in composition.modules
        if (draft or not module.draft) and not (text_only and module.part == "vision")
    )


@dataclass(frozen=True)
class Ceiling:
    """The answer of the ledger for one checkpoint under one load; rates in tokens a second."""

    step: Step
    bytes_per_step_min: float
    bytes_per_step: float
    bytes_per_token: float
    weights_ceiling_tokens_per_s: float
    ceiling_tokens_per_s: float
    ceiling_aggregate_tokens_per_s: float
    highest_tokens_per_s: float


def ceiling(
    composition: Composition,
    load: Load,
    *,
    bandwidth_gb_per_s: float,
    drafter: Drafter | None = None,
) -> Ceiling:
    """Return the speed limits; raises LedgerError for a load that makes no sense.

    `ceiling_tokens_per_s` is one request's. `highest_tokens_per_s` is the bound that only
    `bytes_per_step_min` gives: above it a figure is impossible.
    """
    check_load(composition, load, drafter)
    expected = step(composition, load, drafter=drafter)
    fewest = step(composition, load, fewest=True, drafter=drafter)
    rate = bandwidth_gb_per_s * GIGA * load.nodes * load.acceptance_length
    tokens = load.concurrency * load.acceptance_length
    return Ceiling(
        step=expected,
        bytes_per_step_min=fewest.total_bytes,
        bytes_per_step=expected.total_bytes,
        bytes_per_token=expected.total_bytes / tokens,
        weights_ceiling_tokens_per_s=rate / expected.weight_bytes,
        ceiling_tokens_per_s=rate / expected.total_bytes,
        ceiling_aggregate_tokens_per_s=load.concurrency * rate / expected.total_bytes,
        highest_tokens_per_s=rate / fewest.total_bytes,
    )


def coefficients(composition: Composition) -> dict[str, Any]:
    """Return what the browser needs to evaluate the same ledger."""
    return {
        "checkpoint": composition.checkpoint,
        "model": composition.model,
        "modules": [asdict(module) for module in composition.modules],
        "cached": None if composition.cached is None else [asdict(c) for c in composition.cached],
        "num_layers": composition.num_layers,
        "state_bytes": composition.state_bytes,
        "draft_head_bytes": composition.draft_head_bytes,
        "ships_draft": composition.ships_draft,
    }
