"""The named pure functions that claims, questions and texts may call.

Each takes the library and keyword inputs, and returns a number, yes or no, or text. Units are in
the names. A record may only call what stands here.
"""

import inspect
from collections.abc import Callable
from datetime import date
from typing import Any

from macros.arithmetic import day, median
from macros.best import best
from macros.compositions import HARDWARE, ceiling_of, composition_of, has_composition
from macros.law import load_of, rows
from macros.ledger import Load, disk_bytes, kv_bytes_kept, model_shapes, resident_bytes
from macros.library import Library
from macros.memory import fit
from macros.records import Checkpoint, Engine, Hardware, Measurement, Model, Pitfall, Results

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


def highest(results: Results, name: str) -> float | None:
    """Return a figure, or the upper end of its range where only a range is stated."""
    figure = getattr(results, name)
    if figure is None and name in results.ranges:
        figure = results.ranges[name][1]
    return None if figure is None else float(figure)


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
    """A field of a hardware record; nested fields with dots."""
    value: Any = library.get(Hardware, hardware)
    for name in field.split("."):
        value = getattr(value, name)
    return value


@named
def module_format_is(library: Library, *, checkpoint: str, module: str, format: str) -> bool:
    """Whether a checkpoint keeps a module (`gdn_in`, `experts`, …) in a format."""
    for stored in composition_of(library, checkpoint).modules:
        if stored.name == module:
            return stored.format == format
    raise ValueError(f"{checkpoint} has no module {module}")


@named
def every_active_weight_bits(library: Library, *, checkpoint: str, at_most: float) -> bool:
    """Whether every large weight that a step reads has about that many bits (scales apart)."""
    small = {"router"}
    return all(
        module.read_bits < float(at_most) + 1
        for module in composition_of(library, checkpoint).modules
        if module.read != "never" and module.part not in small and not module.draft
        and module.params > 50_000_000
    )  # fmt: skip


@named
def measured(library: Library, *, measurement: str, field: str, point: int = 0) -> float:
    """A figure of a run's point, the upper end where it is a range."""
    value = highest(library.get(Measurement, measurement).points[point].results, field)
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
        if (figure := highest(results, name)) is not None:
            return figure > float(value)
    raise ValueError(f"{measurement} point {point} states no speed of one request")


@named
def run_exceeds_run(
    library: Library, *, measurement: str, than: str, point: int = 0, than_point: int = 0
) -> bool:
    """Whether a run's speed for one request is above another run's."""
    mine = _speed(library.get(Measurement, measurement), point)
    return mine > _speed(library.get(Measurement, than), than_point)


@named
def aggregate_exceeds(
    library: Library, *, measurement: str, than: str, point: int = 0, than_point: int = 0
) -> bool:
    """Whether all requests of a run together are faster than those of another run."""
    field = "aggregate_tokens_per_s"
    mine = measured(library, measurement=measurement, field=field, point=point)
    return mine > measured(library, measurement=than, field=field, point=than_point)


@named
def range_contains(
    library: Library, *, measurement: str, field: str, value: float, point: int = 0
) -> bool:
    """Whether the range that a run states for a figure contains a value."""
    low, high = library.get(Measurement, measurement).points[point].results.ranges[field]
    return float(low) <= float(value) <= float(high)


@named
def counting_is(library: Library, *, measurement: str, counting: str) -> bool:
    """Whether a run counted tokens in a way: `usage` or `stream-chunks`."""
    return library.get(Measurement, measurement).counting == counting


@named
def acceptance_of(library: Library, *, measurement: str, point: int = 0) -> float:
    """The acceptance length that a run states."""
    length = library.get(Measurement, measurement).points[point].acceptance_length
    if length is None:
        raise ValueError(f"{measurement} point {point} states no acceptance length")
    return float(length)


@named
def num_draft_tokens(library: Library, *, measurement: str) -> int:
    """How many draft tokens a run used for a step."""
    return library.get(Measurement, measurement).draft.num_tokens or 0


@named
def tokens_per_step(library: Library, *, acceptance_percent: float, draft_tokens: int) -> float:
    """Tokens that a step yields at an acceptance rate, the bonus token included."""
    return 1 + float(acceptance_percent) / 100 * int(draft_tokens)


@named
def steps_per_s(
    library: Library, *, tokens_per_s: float, acceptance_percent: float, draft_tokens: int
) -> float:
    """Steps a second behind a speed at an acceptance rate."""
    length = tokens_per_step(
        library, acceptance_percent=acceptance_percent, draft_tokens=draft_tokens
    )
    return float(tokens_per_s) / length


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
def choice_exists(
    library: Library, *, engine: str, of: str, choice: str, version: str | None = None
) -> bool:
    """Whether a flag, key or variable takes a value in a release, or in any release on record."""
    runs = library.topic(engine, "choices").root.get(of, {}).get(choice, [])
    return _exists_in(library, engine, runs, version)


@named
def first_release_with_choice(library: Library, *, engine: str, of: str, choice: str) -> str:
    """The first release on record in which a flag, key or variable takes a value."""
    runs = library.topic(engine, "choices").root[of][choice]
    return str(runs[0][0])


@named
def log_line_exists(library: Library, *, engine: str, text: str) -> bool:
    """Whether any log template on record contains a text."""
    return any(text in template for template in library.topic(engine, "logs").root)


@named
def graph_capture_minutes(library: Library, *, engine: str) -> float:
    """The longest published capture of CUDA graphs, in minutes."""
    return library.topic(engine, "start_up").root["graphs"]["high_s"] / 60


@named
def flag_default(library: Library, *, engine: str, flag: str, version: str) -> Value:
    """The default of a flag in a release; the empty text where there is none."""
    return _default(library, engine, library.topic(engine, "flags").root[flag], version)


@named
def variable_default(library: Library, *, engine: str, variable: str, version: str) -> Value:
    """The default of an environment variable in a release; the empty text where there is none."""
    return _default(library, engine, library.topic(engine, "environment").root[variable], version)


def _default(library: Library, engine: str, entry: dict[str, Any], version: str) -> Value:
    releases = list(library.topic(engine, "releases").root)
    for former in entry.get("earlier", {}).get("default", []):
        if releases.index(version) <= releases.index(former["last_version"]):
            return "" if former["value"] is None else former["value"]
    return entry.get("default", "")


@named
def has_default(library: Library, *, engine: str, flag: str, version: str) -> bool:
    """Whether a flag has a value in a release if nobody gives it."""
    return flag_default(library, engine=engine, flag=flag, version=version) != ""


@named
def pitfall_severity_is(library: Library, *, pitfall: str, severity: str) -> bool:
    """Whether a pitfall is as severe as that."""
    return library.get(Pitfall, pitfall).severity == severity


@named
def pitfall_bites(library: Library, *, pitfall: str, version: str, engine: str = "vllm") -> bool:
    """Whether a release lies in the range that a pitfall affects."""
    affects = library.get(Pitfall, pitfall).affects
    releases = list(library.topic(engine, "releases").root)
    position = releases.index(version)
    started = affects.first_version is None or releases.index(affects.first_version) <= position
    fixed = affects.fixed_version and releases.index(affects.fixed_version) <= position
    return bool(started and not fixed)


@named
def is_known_fault(library: Library, *, pitfall: str, words: str) -> bool:
    """Whether a pitfall quotes a command with these words as a faulty one."""
    return any(words in command for command in library.get(Pitfall, pitfall).faulty_commands)


@named
def pitfall_is_open(library: Library, *, pitfall: str) -> bool:
    """Whether no release is known that fixes a pitfall."""
    return library.get(Pitfall, pitfall).affects.fixed_version is None


@named
def exceeds(library: Library, *, value: float, limit: float) -> bool:
    """Whether a value is above a limit."""
    return float(value) > float(limit)


@named
def ceiling_exceeds(library: Library, *, checkpoint: str, tokens_per_s: float) -> bool:
    """Whether the ceiling of a plain step is above a speed."""
    return ceiling_of(library, checkpoint).ceiling_tokens_per_s > float(tokens_per_s)


@named
def ceiling_is_near(
    library: Library, *, checkpoint: str, tokens_per_s: float, within_percent: float
) -> bool:
    """Whether the ceiling of a plain step is within some percent of a speed."""
    ceiling = ceiling_of(library, checkpoint).ceiling_tokens_per_s
    return abs(ceiling / float(tokens_per_s) - 1) * 100 <= float(within_percent)


@named
def bounded_tokens_per_s(
    library: Library, *, checkpoint: str, tokens_per_s: float, draft: str = "none",
    draft_tokens: int = 0, acceptance_length: float = 1,
) -> float:  # fmt: skip
    """A speed of one request, or the highest that the fewest bytes allow if that is lower."""
    load = Load(draft=draft, draft_tokens=draft_tokens, acceptance_length=float(acceptance_length))
    return min(float(tokens_per_s), ceiling_of(library, checkpoint, load).highest_tokens_per_s)


@named
def gb_per_s_needed(
    library: Library, *, checkpoint: str, tokens_per_s: float, draft: str = "none",
    draft_tokens: int = 0, acceptance_length: float = 1,
) -> float:  # fmt: skip
    """The bandwidth that a speed of one request takes, by the fewest bytes a step can read."""
    load = Load(draft=draft, draft_tokens=draft_tokens, acceptance_length=float(acceptance_length))
    step = ceiling_of(library, checkpoint, load).bytes_per_step_min
    return float(tokens_per_s) / float(acceptance_length) * step / 1e9


@named
def bytes_percent_of_time(library: Library, *, checkpoint: str, tokens_per_s: float) -> float:
    """How much of the time for a token its bytes take at full bandwidth, in percent."""
    return 100 * float(tokens_per_s) / ceiling_of(library, checkpoint).ceiling_tokens_per_s


@named
def part_ms(library: Library, *, checkpoint: str, part: str, percent: float) -> float:
    """Milliseconds that one part takes in a plain step at some percent of the bandwidth."""
    bandwidth = float(library.get(Hardware, HARDWARE).bandwidth_gb_per_s) * float(percent) / 100
    return 1000 * part_gb_per_token(library, checkpoint=checkpoint, part=part) / bandwidth


@named
def part_share_is_possible(
    library: Library, *, checkpoint: str, part: str, percent: float, tokens_per_s: float
) -> bool:
    """Whether the rest of a plain step fits its time if one part reads at that share of peak."""
    rest_ms = 1000 / float(tokens_per_s)
    rest_ms -= part_ms(library, checkpoint=checkpoint, part=part, percent=percent)
    read = part_gb_per_token(library, checkpoint=checkpoint, part=part)
    rest_gb = gb_per_step(library, checkpoint=checkpoint) - read
    bandwidth = float(library.get(Hardware, HARDWARE).bandwidth_gb_per_s)
    return rest_ms > 0 and rest_gb / rest_ms * 1000 <= bandwidth


@named
def draft_gb_per_step(library: Library, *, checkpoint: str, draft_tokens: int) -> float:
    """What the MTP passes of a step read: the draft layers and lm_head again, in GB."""
    composition = composition_of(library, checkpoint)
    layer = sum(
        module.bytes_whole * (module.top_k / module.num_experts if module.num_experts else 1)
        for module in composition.modules
        if module.draft and module.read != "never"
    )
    return int(draft_tokens) * (layer + composition.draft_head_bytes) / 1e9


@named
def bytes_take_more_than(
    library: Library, *, checkpoint: str, tokens_per_s: float, percent: float
) -> bool:
    """Whether the bytes of a token take more than some percent of its time at full bandwidth."""
    share = bytes_percent_of_time(library, checkpoint=checkpoint, tokens_per_s=tokens_per_s)
    return share > float(percent)


@named
def kv_percent(
    library: Library, *, checkpoint: str, context_tokens: int, kv_format: str = "bf16"
) -> float:
    """The share of the KV cache in the bytes of a plain step, in percent."""
    load = Load(context_tokens=context_tokens, kv_format=kv_format)
    step = ceiling_of(library, checkpoint, load).step
    return 100 * (step.kv_bytes or 0.0) / step.total_bytes


@named
def kv_takes_more_than(
    library: Library, *, checkpoint: str, context_tokens: int, percent: float
) -> bool:
    """Whether the KV cache is more than some percent of the bytes of a plain step."""
    return kv_percent(library, checkpoint=checkpoint, context_tokens=context_tokens) > float(
        percent
    )


@named
def gb_saved_per_token(library: Library, *, before: str, after: str) -> float:
    """The weights that a plain step reads less after a change of checkpoint, in GB."""
    return weights_gb_per_token(library, checkpoint=before) - weights_gb_per_token(
        library, checkpoint=after
    )


@named
def ceiling_gain_percent(library: Library, *, before: str, after: str) -> float:
    """By how much the ceiling of a plain step rises from one checkpoint to another, in percent."""
    ceilings = [ceiling_of(library, each).ceiling_tokens_per_s for each in (before, after)]
    return percent_change(library, before=ceilings[0], after=ceilings[1])


@named
def smaller_than_gb(library: Library, *, checkpoint: str, gb: float) -> bool:
    """Whether the weight files of a checkpoint are smaller than a size."""
    return published_size_gb(library, checkpoint=checkpoint) < float(gb)


@named
def reads_part_of_weights(library: Library, *, checkpoint: str) -> bool:
    """Whether a plain step reads less than half of the weights that stay in memory."""
    whole = resident_bytes(composition_of(library, checkpoint), draft=False)
    return ceiling_of(library, checkpoint).step.weight_bytes < whole / 2


@named
def fits_memory(
    library: Library, *, checkpoint: str, context_tokens: int, kv_format: str = "bf16",
    hardware: str = HARDWARE,
) -> bool:  # fmt: skip
    """Whether weights, one request of that length and the engine's own needs fit the memory."""
    load = Load(context_tokens=context_tokens, kv_format=kv_format)
    return fit(library, checkpoint, load, library.get(Hardware, hardware)).fits


@named
def every_checkpoint_keeps(library: Library, *, model: str, module: str, format: str) -> bool:
    """Whether every published checkpoint on record of a model keeps a module in a format."""
    return all(
        module_format_is(library, checkpoint=record.id, module=module, format=format)
        for record in library.records(Checkpoint)
        if record.model == model and record.formats is not None and not record.scenario
    )


def _runs_keeping(
    library: Library, model: str, module: str, format: str
) -> list[tuple[Measurement, bool]]:
    """Return the runs of a model whose composition is known, and whether each keeps the format."""
    return [
        (run, module_format_is(library, checkpoint=run.checkpoint, module=module, format=format))
        for run in library.records(Measurement)
        if run.model == model and run.checkpoint and has_composition(library, run.checkpoint)
    ]


@named
def every_run_keeps(library: Library, *, model: str, module: str, format: str) -> bool:
    """Whether every run of a model on record had a module in a format."""
    return all(kept for _, kept in _runs_keeping(library, model, module, format))


@named
def num_runs_keeping(library: Library, *, model: str, module: str, format: str) -> int:
    """How many runs of a model on record had a module in a format."""
    return sum(kept for _, kept in _runs_keeping(library, model, module, format))


@named
def repository_of(library: Library, *, checkpoint: str) -> str:
    """The repository of a checkpoint."""
    return library.get(Checkpoint, checkpoint).repository or ""


@named
def model_on_record(library: Library, *, name: str) -> bool:
    """Whether a model of exactly this name is on record."""
    return any(record.name.lower() == name.lower() for record in library.records(Model))


@named
def name_fits_model(library: Library, *, model: str, name: str) -> bool:
    """Whether a served name is the beginning of a model's id."""
    return model.startswith(name)


@named
def is_hybrid_moe(library: Library, *, model: str) -> bool:
    """Whether a model has recurrent layers, full attention and routed experts."""
    shapes = model_shapes(library.get(Model, model))
    routed = any(module.read == "experts" for module in shapes.modules)
    return bool(shapes.state_fp32_elements and shapes.cached and routed)


@named
def attention_kind(library: Library, *, model: str) -> str:
    """MHA, GQA or MQA, by the heads that a model's attention has."""
    architecture = library.get(Model, model).architecture
    if "kv_lora_rank" in architecture:
        return "MLA"
    heads, kv_heads = architecture["num_attention_heads"], architecture["num_key_value_heads"]
    return "MHA" if heads == kv_heads else "MQA" if kv_heads == 1 else "GQA"


@named
def layers_in_lanes(library: Library, *, model: str, kind: str, lanes: int) -> float:
    """How many of `lanes` lanes one kind of layer fills, by its share of the layers."""
    counts = library.get(Model, model).architecture["layer_type_counts"]
    return float(lanes) * counts[kind] / sum(counts.values())


@named
def layers_ratio(library: Library, *, model: str, kind: str, to: str) -> float:
    """How many layers of one kind a model has for one of another kind."""
    counts = library.get(Model, model).architecture["layer_type_counts"]
    return float(counts[kind]) / counts[to]


@named
def larger_than(library: Library, *, model: str, than: str) -> bool:
    """Whether a model has more parameters than another, as their makers state them."""
    sizes = [library.get(Model, each).total_parameters_billion for each in (model, than)]
    return sizes[0] > sizes[1]


@named
def uses_draft_layers(library: Library, *, method: str) -> bool:
    """Whether a drafting method of vLLM runs the model's own MTP layers."""
    return method == "mtp" or method.endswith("_mtp")


@named
def argument_is(library: Library, *, measurement: str, flag: str, value: Value) -> bool:
    """Whether a run was started with a flag at a value."""
    return library.get(Measurement, measurement).engine.arguments.get(flag) == value


@named
def environment_is(library: Library, *, measurement: str, variable: str, value: str) -> bool:
    """Whether a run was started with an environment variable at a value."""
    found = library.get(Measurement, measurement).engine.environment.get(variable)
    return found is not None and str(found) == str(value)


@named
def is_of_one_request(library: Library, *, measurement: str) -> bool:
    """Whether a run states a speed of one request."""
    return bool(_single_speeds(library.get(Measurement, measurement)))


@named
def image_is(library: Library, *, measurement: str, image: str) -> bool:
    """Whether a run used a container image."""
    return library.get(Measurement, measurement).engine.image == image


@named
def run_cites(library: Library, *, measurement: str, source: str) -> bool:
    """Whether the figures of a run rest on a source."""
    return any(each.source == source for each in library.get(Measurement, measurement).provenance)


@named
def reached_percent(library: Library, *, measurement: str, point: int = 0) -> float:
    """What a plain run of one request reaches of its checkpoint's ceiling, in percent."""
    run = library.get(Measurement, measurement)
    if run.checkpoint is None or run.draft.method != "none":
        raise ValueError(f"{measurement} is no plain run of a known checkpoint")
    speed = _speed(run, point)
    return 100 * speed / ceiling_of(library, run.checkpoint).ceiling_tokens_per_s


@named
def reaches_much_less(
    library: Library, *, measurement: str, than: str, below_percent: float, point: int = 0
) -> bool:
    """Whether a run's share of its ceiling is below some percent of another run's share."""
    mine = reached_percent(library, measurement=measurement, point=point)
    other = reached_percent(library, measurement=than)
    return mine < other * float(below_percent) / 100


def _speed(run: Measurement, point: int) -> float:
    for name in SPEED_FIELDS:
        if (figure := highest(run.points[point].results, name)) is not None:
            return figure
    raise ValueError(f"{run.id} point {point} states no speed of one request")


def _single_speeds(run: Measurement) -> list[float]:
    return [
        figure
        for point in run.points
        if point.concurrency in (None, 1)
        for name in SPEED_FIELDS
        if (figure := highest(point.results, name)) is not None
    ]


@named
def fastest_tokens_per_s(
    library: Library, *, model: str, by: date | None = None, drafts: bool = True, nodes: int = 1
) -> float:
    """The fastest undisputed run of one request on record, up to a day."""
    return max(
        speed
        for run in library.records(Measurement)
        if run.model == model and run.num_nodes == nodes and "disputed" not in run.caveats
        and (drafts or run.draft.method == "none")
        and (by is None or (day(run.measured_on) or date.max) <= by)
        for speed in _single_speeds(run)
    )  # fmt: skip


@named
def nothing_faster_by(
    library: Library, *, model: str, tokens_per_s: float, by: date, nodes: int = 1
) -> bool:
    """Whether no run of a model on record was clearly faster up to a day (by a tenth or more)."""
    fastest = fastest_tokens_per_s(library, model=model, by=by, nodes=nodes)
    return fastest <= 1.1 * float(tokens_per_s)


@named
def nothing_measured_by(library: Library, *, model: str, by: date, format: str) -> bool:
    """Whether no run of a model in a quantisation is on record up to a day."""
    return not any(
        run.model == model and run.checkpoint and (day(run.measured_on) or date.max) <= by
        and library.get(Checkpoint, run.checkpoint).quantization == format
        for run in library.records(Measurement)
    )  # fmt: skip


@named
def best_tokens_per_s(
    library: Library, *, model: str, drafts: bool | None = None, nodes: int = 1
) -> float:
    """The fastest comparable single-request speed of a model on record."""
    found = best(library, model, num_nodes=nodes, drafts=drafts)
    if found is None:
        raise ValueError(f"no comparable speed of {model}")
    return float(found.tokens_per_s)


@named
def rule_of_thumb_tokens_per_s(
    library: Library, *, parameters_billion: float, bits_per_weight: float,
    hardware: str = "dgx-spark",
) -> float:  # fmt: skip
    """A machine's bandwidth over some active parameters at one width."""
    bandwidth = library.get(Hardware, hardware).bandwidth_gb_per_s
    return simple_ceiling_tokens_per_s(
        library, bandwidth_gb_per_s=float(bandwidth),
        active_parameters_billion=parameters_billion, bits_per_weight=bits_per_weight,
    )  # fmt: skip


@named
def usable_memory_gib(library: Library, *, hardware: str = "dgx-spark") -> float:
    """The memory that system and model share on one machine, in GiB."""
    return library.get(Hardware, hardware).usable_memory_bytes / 2**30


@named
def resident_gib(library: Library, *, checkpoint: str, draft: bool = True) -> float:
    """The weights of a checkpoint that stay in memory, in GiB."""
    return resident_bytes(composition_of(library, checkpoint), draft=draft) / 2**30


@named
def kv_gib(
    library: Library, *, checkpoint: str, context_tokens: int, kv_format: str = "bf16"
) -> float:
    """The KV cache that one request of some length keeps, in GiB."""
    composition = composition_of(library, checkpoint)
    return (kv_bytes_kept(composition, context_tokens, kv_format, draft=False) or 0.0) / 2**30


@named
def measured_gain_percent(
    library: Library, *, measurement: str, than: str, field: str, point: int = 0,
    than_point: int = 0,
) -> float:  # fmt: skip
    """How much higher a figure of one run is than the same figure of another, in percent."""
    return percent_change(
        library,
        before=measured(library, measurement=than, field=field, point=than_point),
        after=measured(library, measurement=measurement, field=field, point=point),
    )


@named
def share_reached_percent(
    library: Library, *, extreme: str, engine: str | None = None, model: str | None = None,
    routed: bool | None = None,
) -> float:  # fmt: skip
    """The lowest or highest share of its ceiling that a plain run of one request reached.

    `routed` chooses between models with routed experts and dense ones.
    """
    shares = []
    for row in rows(library):
        owner = library.get(Model, library.get(Checkpoint, row.checkpoint).model)
        if (engine and row.engine != engine) or (model and owner.id != model):
            continue
        if routed is None or routed == _is_routed(owner):
            bandwidth = float(library.get(Hardware, "dgx-spark").bandwidth_gb_per_s)
            shares.append(100 * row.num_bytes / (bandwidth * 1e9) / row.step_s)
    return min(shares) if extreme == "lowest" else max(shares)


def _is_routed(model: Model) -> bool:
    return any(module.read == "experts" for module in model_shapes(model).modules)


@named
def format_bits(library: Library, *, format: str) -> float:
    """Bits that a step reads of one weight in a format, scales included."""
    return float(library.single("formats").root[format].read_bits)


@named
def gb_per_s_reached(library: Library, *, measurement: str, point: int = 0) -> float:
    """The bytes that a point of one request read each second, by the ledger."""
    run = library.get(Measurement, measurement)
    load = load_of(run, run.points[point])
    if load is None:
        raise ValueError(f"the load of {measurement} point {point} is not known")
    answer = ceiling_of(library, run.checkpoint or "", load, run.hardware)
    return _speed(run, point) / load.acceptance_length * answer.bytes_per_step / 1e9


@named
def bandwidth_percent_reached(library: Library, *, measurement: str, point: int = 0) -> float:
    """The share of the peak bandwidth that a point of one request reached, in percent."""
    hardware = library.get(Hardware, library.get(Measurement, measurement).hardware)
    reached = gb_per_s_reached(library, measurement=measurement, point=point)
    return 100 * reached / float(hardware.bandwidth_gb_per_s)


@named
def plain_percent_reached(library: Library, *, checkpoint: str, engine: str = "vllm") -> float:
    """The middle share of the peak bandwidth that plain points of a checkpoint reached."""
    bandwidth = float(library.get(Hardware, HARDWARE).bandwidth_gb_per_s) * 1e9
    shares = [
        100 * row.num_bytes / row.step_s / bandwidth
        for row in rows(library)
        if row.checkpoint == checkpoint and row.engine == engine
    ]
    return median(shares)


@named
def milliseconds(library: Library, *, measurement: str, point: int = 0) -> float:
    """The time that one token of a point took."""
    return 1000 / _speed(library.get(Measurement, measurement), point)


@named
def dense_gb_per_token(
    library: Library, *, hidden: int, layers: int, heads: int, kv_heads: int, head_dim: int,
    intermediate: int, vocabulary: int, bits: float,
) -> float:  # fmt: skip
    """What a dense transformer with a BF16 head reads for a token, in GB."""
    attention = 2 * hidden * head_dim * (heads + kv_heads)
    layer = attention + 3 * hidden * intermediate
    return (layers * layer * float(bits) / 8 + 2 * hidden * vocabulary) / 1e9


@named
def dense_ratio(library: Library, *, bits_before: float, bits_after: float, **shape: int) -> float:
    """How many times faster a dense transformer should be with fewer bits, by bytes alone."""
    before = dense_gb_per_token(library, bits=bits_before, **shape)
    return before / dense_gb_per_token(library, bits=bits_after, **shape)


@named
def milliseconds_saved(library: Library, *, before: str, after: str) -> float:
    """By how much the time of a token fell from one run to another."""
    times = [milliseconds(library, measurement=each) for each in (before, after)]
    return times[0] - times[1]
