"""The tables that the diagnosis stands on, made from the records."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from macros.library import Library
from macros.records import Checkpoint, Engine, Model, Pitfall

ASKED = ("versions", "kind", "type", "config", "nargs", "aliases", "choices", "enforced_by")
NAMED = ("flags", "environment")
PROOF = {"matches", "healthy"}
GIB = 1024**3
HYBRID_LAYERS = ("linear_attention", "mamba2", "mamba", "kda")
MAIN_MODULES = ("experts", "dense_mlp", "mlp", "attn")
FORMAT_WORDS = (("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"), ("int4", "int4"), ("int8", "int8"),
                ("fp8", "fp8"), ("exl3", "exl3"), ("q", "gguf"), ("bf16", "bf16"))  # fmt: skip


def knowledge(library: Library) -> dict[str, Any]:
    """Engines, models, checkpoints, images and rules as plain data for the JavaScript side."""
    topics = library.topics["vllm"]
    engine = {name: plain(topics[name].record.root) for name in topics}
    engines = list(library.records(Engine))
    successors = engine["successors"]
    named = {name: each for kind in NAMED for name, each in successors[kind].items()}
    return {
        "engines": {"vllm": engine_tables(engine)},
        "families": engine["families"]["families"],
        "successors": {
            name: {"flag": each["flag"], "same_value": each.get("same_value", False)}
            for name, each in successors["flags"].items()
        },
        "texts": successors["texts"]
        | {
            f"successor {name}": {"en": each["en"], "zh": each["zh"]}
            for name, each in named.items()
        },
        "images": engine["images"]["images"],
        "fork_flags": {flag: one.name for one in engines for flag in one.extra_flags},
        "fork_variables": {name: one.name for one in engines for name in one.extra_environment},
        "models": {model.id: model_facts(model) for model in library.records(Model)},
        "checkpoints": {
            checkpoint.repository.lower(): checkpoint_facts(checkpoint)
            for checkpoint in library.records(Checkpoint)
            if checkpoint.repository and not checkpoint.conversion and not checkpoint.scenario
        },
        "rules": rules(library),
    }


def engine_tables(engine: dict[str, Any]) -> dict[str, Any]:
    """What the diagnosis asks of an engine's tables; defaults, groups and log lines stay behind."""

    def needed(entry: dict[str, Any]) -> dict[str, Any]:
        kept = {name: entry[name] for name in ASKED if name in entry}
        earlier = {k: v for k, v in entry.get("earlier", {}).items() if k in ASKED}
        return kept | ({"earlier": earlier} if earlier else {})

    def all_needed(entries: dict[str, Any]) -> dict[str, Any]:
        return {name: needed(entry) for name, entry in entries.items()}

    return {
        "releases": {
            version: {"disable_forms": each["disable_forms"]}
            for version, each in engine["releases"].items()
        },
        "flags": all_needed(engine["flags"]),
        "environment": all_needed(engine["environment"]),
        "configs": {name: all_needed(entries) for name, entries in engine["configs"].items()},
        "choices": engine["choices"],
    }


def rules(library: Library) -> list[dict[str, Any]]:
    """All detection rules, each with its pitfall, in the order of the records."""
    return [
        {"pitfall": pitfall.id, "number": number}
        | plain(
            rule.model_dump(by_alias=True, exclude_none=True, exclude_defaults=True, exclude=PROOF)
        )
        for pitfall in library.records(Pitfall)
        for number, rule in enumerate(pitfall.detect)
    ]


def model_facts(model: Model) -> dict[str, Any]:
    """What the diagnosis asks of a model."""
    architecture = model.architecture
    layers = architecture.get("layer_type_counts") or {}
    has_state = any(name in layers for name in HYBRID_LAYERS) or bool(
        architecture.get("num_linear_attention_layers") or architecture.get("num_mamba_layers")
    )
    draft = model.multi_token_prediction
    experts = architecture.get("num_experts") or architecture.get("n_routed_experts")
    return {
        "id": model.id,
        "family": model.family,
        "nicknames": sorted({model.name.lower(), *model.nicknames}),
        "hybrid": has_state,
        "mtp": bool(draft and draft.published is not False),
        "dense": not (experts or architecture.get("num_local_experts")),
        "total_billion": number(model.total_parameters_billion),
        "vision": "vision" in architecture,
    }


def checkpoint_facts(checkpoint: Checkpoint) -> dict[str, Any]:
    """What the diagnosis asks of a checkpoint."""
    draft = checkpoint.draft_weights
    size = checkpoint.weight_bytes or (
        checkpoint.published_size_gb and int(checkpoint.published_size_gb * 10**9)
    )
    modules = checkpoint.formats or {}
    formats = {name for value in modules.values() for name in format_names(value)}
    main = next((modules[name] for name in MAIN_MODULES if name in modules), None)
    main_format = plain_format(format_names(main)[0]) if main else "bf16"
    return {
        "id": checkpoint.id,
        "model": checkpoint.model,
        "format": None if checkpoint.formats is None else main_format,
        "mixed": len({plain_format(name) for name in formats}) > 1,
        "weights_gib": round(size / GIB) if size else None,
        "mtp": draft.shipped if draft else None,
        "draft_unquantised": (draft.experts_format or draft.format) == "bf16"
        if draft and draft.shipped
        else None,
    }


def format_names(value: Any) -> list[str]:
    """The names of the formats of one module class."""
    return [value] if isinstance(value, str) else [share.format for share in value]


def plain_format(name: str) -> str:
    """The family of a format: `fp8_block` is fp8, `int4_g128` is int4."""
    return next((word for start, word in FORMAT_WORDS if name.startswith(start)), name)


def number(value: Decimal | None) -> float | None:
    """A decimal as a plain number."""
    return None if value is None else float(value)


def plain(value: Any) -> Any:
    """Records' values as JSON can carry them."""
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return value
