"""The named pure functions that claims, questions and texts may call.

Each takes the library and keyword inputs, and returns a number, yes or no, or text. Units are in
the names. A record may only call what stands here.
"""

import inspect
from collections.abc import Callable
from typing import Any

from macros.compositions import ceiling_of, composition_of
from macros.ledger import Load, disk_bytes, model_shapes
from macros.library import Library
from macros.records import Checkpoint, Engine, Hardware, Measurement, Model, Pitfall

Value = float | int | bool | str
FUNCTIONS: dict[str, Callable[..., Value]] = {}

SPEED_FIELDS = (
    "decode_tokens_per_s",
    "end_to_end_tokens_per_s",
    "unspecified_tokens_per_s",
)


def named(function: Callable[..., Value]) -> Callable[..., Value]:
    """Register a function under its own name."""
    FUNCTIONS[function.__name__] = function
    return function


def call(library: Library, name: str, inputs: dict[str, Any]) -> Value:
    """Call a named function; KeyError for an unknown one, TypeError for wrong inputs."""
    function = FUNCTIONS[name]
    inspect.signature(function).bind(library, **inputs)
    return function(library, **inputs)


@named
def simple_ceiling_tokens_per_s(
    library: Library,
    *,
    bandwidth_gb_per_s: float,
    active_parameters_billion: float,
    bits_per_weight: float,
) -> float:
    """Bandwidth over active parameters at one width: the rule of thumb."""
    gigabytes = float(active_parameters_billion) * float(bits_per_weight) / 8
    return float(bandwidth_gb_per_s) / gigabytes


@named
def quotient(library: Library, *, dividend: float, divisor: float) -> float:
    """dividend / divisor."""
    return float(dividend) / float(divisor)


@named
def product(library: Library, *, factors: list[float]) -> float:
    """The product of the factors."""
    result = 1.0
    for factor in factors:
        result *= float(factor)
    return result


@named
def total(library: Library, *, terms: list[float]) -> float:
    """The sum of the terms."""
    return float(sum(float(term) for term in terms))


@named
def percent_change(library: Library, *, before: float, after: float) -> float:
    """100 x (after / before - 1)."""
    return 100 * (float(after) / float(before) - 1)


@named
def percent_of(library: Library, *, part: float, whole: float) -> float:
    """100 x part / whole."""
    return 100 * float(part) / float(whole)


@named
def weights_gb_per_token(library: Library, *, checkpoint: str) -> float:
    """Weights that one plain decode step reads, in GB."""
    return ceiling_of(library, checkpoint).step.weight_bytes / 1e9


@named
def weights_ceiling_tokens_per_s(library: Library, *, checkpoint: str) -> float:
    """The ceiling of a plain decode step by weights alone."""
    return ceiling_of(library, checkpoint).weights_ceiling_tokens_per_s


@named
def ceiling_tokens_per_s(
    library: Library, *, checkpoint: str, context_tokens: int = 0, concurrency: int = 1,
    draft: str = "none", draft_tokens: int = 0, acceptance_length: float = 1,
    kv_format: str = "bf16", nodes: int = 1,
) -> float:  # fmt: skip
    """One request's ceiling with state and KV cache."""
    load = Load(
        context_tokens, concurrency, kv_format, draft, draft_tokens, float(acceptance_length), nodes
    )  # fmt: skip
    return ceiling_of(library, checkpoint, load).ceiling_tokens_per_s


@named
def ceiling_aggregate_tokens_per_s(
    library: Library, *, checkpoint: str, context_tokens: int = 0, concurrency: int = 1,
    draft: str = "none", draft_tokens: int = 0, acceptance_length: float = 1,
    kv_format: str = "bf16", nodes: int = 1,
) -> float:  # fmt: skip
    """All requests' ceiling together."""
    load = Load(
        context_tokens, concurrency, kv_format, draft, draft_tokens, float(acceptance_length), nodes
    )  # fmt: skip
    return ceiling_of(library, checkpoint, load).ceiling_aggregate_tokens_per_s


@named
def gb_per_step(
    library: Library, *, checkpoint: str, context_tokens: int = 0, concurrency: int = 1,
    draft: str = "none", draft_tokens: int = 0, kv_format: str = "bf16",
) -> float:  # fmt: skip
    """All bytes of a step, in GB."""
    load = Load(context_tokens, concurrency, kv_format, draft, draft_tokens)
    return ceiling_of(library, checkpoint, load).bytes_per_step / 1e9


@named
def part_gb_per_token(library: Library, *, checkpoint: str, part: str) -> float:
    """What a plain step reads of one part (`gdn`, `experts`, `lm_head`, …), in GB."""
    modules = ceiling_of(library, checkpoint).step.modules
    return sum(module.bytes_per_step for module in modules if module.part == part) / 1e9


@named
def part_percent(library: Library, *, checkpoint: str, part: str) -> float:
    """The share of one part in the weights of a plain step, in percent."""
    read = part_gb_per_token(library, checkpoint=checkpoint, part=part)
    return 100 * read / weights_gb_per_token(library, checkpoint=checkpoint)


@named
def state_gb_per_token(library: Library, *, checkpoint: str) -> float:
    """Recurrent state read and written for one token, in GB."""
    return ceiling_of(library, checkpoint).step.state_bytes / 1e9


@named
def kv_gb_per_token(
    library: Library, *, checkpoint: str, context_tokens: int, kv_format: str = "bf16"
) -> float:
    """KV cache read for one token at a context, in GB."""
    load = Load(context_tokens=context_tokens, kv_format=kv_format)
    return (ceiling_of(library, checkpoint, load).step.kv_bytes or 0.0) / 1e9


@named
def predicted_size_gb(library: Library, *, checkpoint: str, with_draft: bool = True) -> float:
    """The size of the weight files that the composition predicts, in GB."""
    return disk_bytes(composition_of(library, checkpoint), draft=with_draft) / 1e9


@named
def published_size_gb(library: Library, *, checkpoint: str) -> float:
    """The published size of the weight files, in GB; KeyError-like where none is."""
    record = library.get(Checkpoint, checkpoint)
    if record.weight_bytes is not None:
        return record.weight_bytes / 1e9
    if record.published_size_gb is None:
        raise ValueError(f"{checkpoint} has no published size")
    return float(record.published_size_gb)


@named
def active_parameters_billion(
    library: Library, *, model: str, with_embedding: bool = True
) -> float:
    """Counted active parameters of a model, in billions."""
    return (
        model_shapes(library.get(Model, model)).active_params(with_embedding=with_embedding) / 1e9
    )


@named
def total_parameters_billion(library: Library, *, model: str) -> float:
    """Counted parameters of a model without MTP, in billions."""
    return model_shapes(library.get(Model, model)).total_params / 1e9


@named
def compute_tflops(library: Library, *, model: str, tokens_per_s: float) -> float:
    """TFLOP/s that decoding at a speed needs: two operations per active weight and token."""
    shapes = model_shapes(library.get(Model, model))
    return 2 * shapes.active_params(with_embedding=False) * float(tokens_per_s) / 1e12


@named
def operations_outlast_bytes(library: Library, *, checkpoint: str, tflops: float) -> bool:
    """Whether the arithmetic of a plain step takes longer at `tflops` than its bytes at peak."""
    model = library.get(Checkpoint, checkpoint).model
    operations = compute_tflops(library, model=model, tokens_per_s=1)
    return operations / float(tflops) > 1 / ceiling_of(library, checkpoint).ceiling_tokens_per_s


@named
def bytes_ms_per_token(library: Library, *, checkpoint: str) -> float:
    """Milliseconds that the bytes of a plain step take at full bandwidth."""
    return 1000 / ceiling_of(library, checkpoint).ceiling_tokens_per_s


@named
def architecture_value(library: Library, *, model: str, field: str) -> Value:
    """A field of config.json; nested fields with dots."""
    value: Any = library.get(Model, model).architecture
    for key in field.split("."):
        value = value[key]
    return value


@named
def advertised(library: Library, *, model: str, field: str) -> Value:
    """A field of a model record as the maker states it, such as `active_parameters_billion`."""
    return getattr(library.get(Model, model), field)


@named
def hardware_value(library: Library, *, hardware: str, field: str) -> Value:
    """A field of a hardware record, such as `bandwidth_gb_per_s` or `memory_gb`."""
    return getattr(library.get(Hardware, hardware), field)


@named
def module_format_is(library: Library, *, checkpoint: str, module: str, format: str) -> bool:
    """Whether a checkpoint keeps a module (`gdn_in`, `experts`, …) in a format."""
    for stored in composition_of(library, checkpoint).modules:
        if stored.name == module:
            return stored.format == format
    raise ValueError(f"{checkpoint} has no module {module}")


@named
def every_active_weight_bits(library: Library, *, checkpoint: str, at_most: float) -> bool:
    """Whether every GEMM weight that a step reads is kept in about that many bits (scales apart)."""
    small = {"router"}
    return all(
        module.read_bits < float(at_most) + 1
        for module in composition_of(library, checkpoint).modules
        if module.read != "never" and module.part not in small and not module.draft
        and module.params > 50_000_000
    )  # fmt: skip


@named
def measured(library: Library, *, measurement: str, field: str, point: int = 0) -> float:
    """A figure of a run's point."""
    value = getattr(library.get(Measurement, measurement).points[point].results, field)
    if value is None:
        raise ValueError(f"{measurement} point {point} states no {field}")
    return float(value)


@named
def measurement_exceeds(
    library: Library, *, measurement: str, value: float, point: int = 0, field: str | None = None
) -> bool:
    """Whether a run's single-request speed is above a value."""
    results = library.get(Measurement, measurement).points[point].results
    for name in [field] if field else SPEED_FIELDS:
        figure = getattr(results, name)
        if figure is not None:
            return float(figure) > float(value)
    raise ValueError(f"{measurement} point {point} states no speed of one request")


@named
def acceptance_rate_percent(
    library: Library, *, acceptance_length: float, draft_tokens: int
) -> float:
    """Share of draft tokens accepted, from the acceptance length."""
    return 100 * (float(acceptance_length) - 1) / int(draft_tokens)


@named
def pitfall_fixed_in(library: Library, *, pitfall: str) -> str:
    """The release that fixes a pitfall, or `open`."""
    return library.get(Pitfall, pitfall).affects.fixed_version or "open"


def _runs(library: Library, engine: str, topic: str, name: str) -> list[list[str | None]]:
    entries = library.topic(engine, topic).root
    entry = entries.get(name)
    if entry is None:
        return []
    return entry if isinstance(entry, list) else entry.get("versions", entry.get("runs", []))


@named
def flag_exists(library: Library, *, engine: str, flag: str, version: str | None = None) -> bool:
    """Whether a flag exists in a release, or in any release on record."""
    return _exists_in(library, engine, _runs(library, engine, "flags", flag), version)


@named
def environment_variable_exists(
    library: Library, *, engine: str, variable: str, version: str | None = None
) -> bool:
    """Whether an environment variable is read in a release, or in any release on record."""
    return _exists_in(library, engine, _runs(library, engine, "environment", variable), version)


@named
def variable_known(library: Library, *, engine: str, variable: str) -> bool:
    """Whether any release of an engine reads a variable, or the fork itself adds it."""
    record = library.get(Engine, engine)
    if variable in record.extra_environment:
        return True
    if engine in library.topics:
        return environment_variable_exists(library, engine=engine, variable=variable)
    return record.base is not None and variable_known(
        library, engine=record.base, variable=variable
    )


def _exists_in(
    library: Library, engine: str, runs: list[list[str | None]], version: str | None
) -> bool:
    if version is None:
        return bool(runs)
    releases = list(library.topic(engine, "releases").root)
    position = releases.index(version)
    return any(
        releases.index(first) <= position <= (releases.index(last) if last else len(releases))
        for first, last in runs
    )


@named
def holds_always(library: Library) -> bool:
    """True; for a definition that needs no check beyond its words."""
    return True
