"""Result files of four measuring tools become the draft of a run.

Read are the JSON of `vllm bench serve`, of llama-bench and of aiperf, and the JSON or CSV of
llama-benchy. A figure shares a field only with figures of the same definition:

    llama-benchy  `ttfr`                 is TTFT as vLLM counts it; its `e2e_ttft` is not
    aiperf        `inter_token_latency`  is (latency - TTFT) / (tokens - 1): TPOT, not ITL
    llama-bench   `avg_ts` of a test with both prompt and generation mixes two speeds: left out

What a file does not know stays null and is listed; nothing is guessed.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import yaml

from macros.library import Library
from macros.records import Checkpoint, Model

MOST_DECIMALS = 3
DURATION_DECIMALS = 6  # so that tokens over seconds still give the stated rate
CSV_HEADINGS = {"test_name", "t_s_mean"}
BENCHY_TEST = re.compile(
    r"(?P<context>ctx_)?(?P<kind>pp|tg)(?P<tokens>\d+)?"
    r"(?: @ d(?P<depth>\d+))?(?: \(c(?P<load>\d+)\))?"
)
NOT_IN_THE_FILE = {
    "model": "which model it is, as an id of data/models",
    "checkpoint": "which weight files were served, as an id of data/checkpoints",
    "engine.version": "the released version of the engine",
    "engine.arguments": "the command line of the server",
    "draft": "whether tokens were drafted, how, and how many",
    "measured_on": "the day of the measurement",
    "provenance": "where the file is published, as an id of data/sources",
}


class ResultsError(ValueError):
    """The file holds no results that can be recorded; the message is one line."""


@dataclass
class Results:
    """What a file says: the tool, the names it gives, the date, and its points."""

    tool: str
    model: str | None
    measured_on: date | None
    metric: str
    points: list[dict[str, Any]]
    engine: str = "not-stated"
    draft: str = "unknown"
    build: str | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Draft:
    """The draft of a run: its place below data/measurements, its text, and what is missing."""

    path: str
    text: str
    missing: list[str]


# Reading ---------------------------------------------------------------------------------------


def read_results(text: str) -> Results:
    """Return what a file says; ResultsError for a file of none of the tools, or with nonsense."""
    if not text.strip():
        raise ResultsError("the file is empty")
    if text.lstrip()[0] not in "[{":
        return _from_benchy_csv(text)
    value = _json(text)
    rows = value if isinstance(value, list) else [value]
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise ResultsError("the file holds no results")
    first = rows[0]
    if "avg_ts" in first:
        return _from_llama_bench(rows)
    if isinstance(first.get("benchmarks"), list):
        return _from_benchy(first)
    if isinstance(first.get("output_token_throughput"), dict):
        return _from_aiperf(first)
    if "output_throughput" in first:
        return _from_vllm(rows)
    raise ResultsError(
        "not a result of vllm bench serve, llama-bench, llama-benchy or aiperf; "
        f"its fields are {', '.join(list(first)[:6]) or 'none'}"
    )


def _json(text: str) -> Any:
    """Return the value of a JSON file, or of one with a JSON object a line."""
    options = {"parse_float": Decimal, "parse_constant": _no_number}
    try:
        return json.loads(text, **options)
    except json.JSONDecodeError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json.loads(line, **options) for line in lines]
        except json.JSONDecodeError:
            raise ResultsError(f"line {error.lineno}: not JSON: {error.msg}") from None


def _no_number(word: str) -> Any:
    raise ResultsError(f"the file holds {word} where a number belongs")


def number(value: Any, at: str, *, lowest: int = 0) -> Decimal:
    """Return a figure above 0, or from `lowest`; ResultsError for anything else."""
    try:
        figure = Decimal(str(value))
    except InvalidOperation:
        figure = Decimal("NaN")
    if isinstance(value, bool) or not figure.is_finite() or figure < lowest:
        raise ResultsError(f"{at} is {value!r}; expected a number of {lowest} or more")
    return figure


def speed(value: Any, at: str) -> Decimal | int:
    """Return a rate or a time above 0, with at most three decimals, a duration with six."""
    figure = number(value, at)
    decimals = DURATION_DECIMALS if "duration" in at else MOST_DECIMALS
    shortest = figure.normalize()
    if int(shortest.as_tuple().exponent) < -decimals:
        shortest = round(figure, decimals).normalize()
    if shortest <= 0:
        raise ResultsError(f"{at} is {value!r}; expected a number above 0")
    whole = shortest == shortest.to_integral_value()
    return int(shortest) if whole else shortest


def count(value: Any, at: str, *, lowest: int = 0) -> int:
    """Return a whole number; ResultsError for anything else."""
    figure = number(value, at, lowest=lowest)
    if figure != figure.to_integral_value():
        raise ResultsError(f"{at} is {value!r}; expected a whole number")
    return int(figure)


def _results(row: dict[str, Any], fields: dict[str, str]) -> dict[str, Any]:
    """Return our results from a tool's fields, those that the row has."""
    return {
        ours: speed(row[theirs], theirs)
        for theirs, ours in fields.items()
        if row.get(theirs) is not None
    }


def _day(text: Any, form: str | None = None) -> date | None:
    """Return the day of a time stamp, or None where there is none that can be read."""
    if not isinstance(text, str):
        return None
    try:
        return (datetime.strptime(text, form) if form else datetime.fromisoformat(text)).date()
    except ValueError:
        return None


def _same(values: list[Any], what: str) -> Any:
    """Return the one value of all rows; a run has one server and one model."""
    found = sorted({str(value) for value in values if value is not None})
    if len(found) > 1:
        raise ResultsError(f"the file holds {len(found)} {what}, {', '.join(found)}; split it")
    return found[0] if found else None


# The four tools --------------------------------------------------------------------------------

VLLM_FIELDS = {
    "output_throughput": "aggregate_tokens_per_s",
    "max_output_tokens_per_s": "peak_tokens_per_s",
    "mean_ttft_ms": "mean_ttft_ms",
    "median_ttft_ms": "median_ttft_ms",
    "p99_ttft_ms": "p99_ttft_ms",
    "mean_tpot_ms": "mean_tpot_ms",
    "median_tpot_ms": "median_tpot_ms",
    "p99_tpot_ms": "p99_tpot_ms",
    "mean_itl_ms": "mean_itl_ms",
    "median_itl_ms": "median_itl_ms",
    "mean_e2el_ms": "mean_e2el_ms",
    "duration": "duration_s",
}


def _from_vllm(rows: list[dict[str, Any]]) -> Results:
    points, notes = [], []
    for row in rows:
        completed = count(row.get("completed"), "completed")
        if not completed:
            raise ResultsError("completed is 0: no request succeeded")
        failed = None if row.get("failed") is None else count(row["failed"], "failed")
        tokens = {
            name: count(row.get(name), name, lowest=1)
            for name in ("total_input_tokens", "total_output_tokens")
        }
        lengths = [total / completed for total in tokens.values()]
        if any(length != round(length) for length in lengths):
            notes.append("prompts or outputs differ in length; the points hold the mean, rounded")
        load = row.get("max_concurrency")
        prompts = count(row["num_prompts"], "num_prompts") if row.get("num_prompts") else None
        points.append(
            {
                "concurrency": None if load is None else count(load, "max_concurrency", lowest=1),
                "input_tokens": round(lengths[0]),
                "output_tokens": round(lengths[1]),
                "content": "unknown",
                "load_as_stated": f"request rate {row['request_rate']}"
                if load is None and row.get("request_rate") is not None
                else None,
                "results": _results(row, VLLM_FIELDS)
                | {"num_prompts": prompts, "completed_requests": completed,
                   "failed_requests": failed}
                | tokens,
            }
        )  # fmt: skip
    stamps = [row.get("date") for row in rows]
    return Results(
        tool="vllm bench serve",
        model=_same([row.get("model_id") for row in rows], "models"),
        measured_on=_day(stamps[0], "%Y%m%d-%H%M%S"),
        metric="server-throughput",
        points=points,
        notes=list(dict.fromkeys(notes)),
    )


def _from_llama_bench(rows: list[dict[str, Any]]) -> Results:
    points: dict[tuple[int, int], dict[str, Any]] = {}
    notes = []
    for row in rows:
        prompt, generated = (count(row.get(name, 0), name) for name in ("n_prompt", "n_gen"))
        depth = count(row.get("n_depth", 0), "n_depth")
        if bool(prompt) == bool(generated):
            notes.append(
                f"a test with {prompt} prompt and {generated} generated tokens mixes speeds"
            )
            continue
        name = "prefill_tokens_per_s" if prompt else "decode_tokens_per_s"
        points[depth, prompt or -generated] = {
            "concurrency": 1,
            "context_tokens": depth,
            "input_tokens": prompt or None,
            "output_tokens": generated or None,
            "content": "random",
            "results": {name: speed(row["avg_ts"], "avg_ts")},
        }
    if not points:
        raise ResultsError("no test measures prompt or generation alone")
    build = _same([row.get("build_commit") for row in rows], "builds")
    revision = rows[0].get("build_number")
    arguments = {
        f"--{flag}": row_value
        for flag, key in (("cache-type-k", "type_k"), ("cache-type-v", "type_v"),
                          ("n-gpu-layers", "n_gpu_layers"), ("flash-attn", "flash_attn"),
                          ("batch-size", "n_batch"), ("ubatch-size", "n_ubatch"))
        if (row_value := rows[0].get(key)) is not None
    }  # fmt: skip
    return Results(
        tool="llama-bench",
        model=_same([row.get("model_filename") for row in rows], "models"),
        measured_on=_day(rows[0].get("test_time")),
        metric="decode-only",
        points=list(points.values()),
        engine="llama.cpp",
        draft="none",
        build=f"b{revision} ({build})" if revision and build else build,
        arguments=arguments,
        notes=notes,
    )


def _mean(row: dict[str, Any], name: str) -> Any:
    metric = row.get(name)
    return metric.get("mean") if isinstance(metric, dict) else None


def _benchy_results(pp: Any, tg: Any, tg_each: Any, peak: Any, ttfr: Any, load: int) -> dict:
    """Return the results of one load: alone `tg` is the request's, in company it is all of them."""
    named = {
        "prefill_tokens_per_s": pp if load == 1 else None,
        "decode_tokens_per_s": tg if load == 1 else tg_each,
        "aggregate_tokens_per_s": None if load == 1 else tg,
        "peak_tokens_per_s": peak,
        "mean_ttft_ms": ttfr,
    }
    return {name: speed(value, name) for name, value in named.items() if value not in (None, "")}


def _from_benchy(value: dict[str, Any]) -> Results:
    points, prompts = [], value.get("prompt_source")
    for row in value["benchmarks"]:
        if not isinstance(row, dict):
            raise ResultsError("benchmarks holds something other than results")
        load = count(row.get("concurrency"), "concurrency", lowest=1)
        context = count(row.get("context_size", 0), "context_size")
        filling = bool(row.get("is_context_prefill_phase"))
        prompt = context if filling else count(row.get("prompt_size"), "prompt_size")
        points.append(
            {
                "concurrency": load,
                "context_tokens": 0 if filling else context,
                "input_tokens": prompt,
                "output_tokens": count(row.get("response_size"), "response_size"),
                "content": "unknown" if prompts else "prose",
                "content_as_stated": "loading the context" if filling else prompts,
                "results": _benchy_results(
                    _mean(row, "pp_throughput"), _mean(row, "tg_throughput"),
                    _mean(row, "tg_req_throughput"), _mean(row, "peak_throughput"),
                    _mean(row, "ttfr"), load,
                ),
            }
        )  # fmt: skip
    version = value.get("version")
    return Results(
        tool=f"llama-benchy {version}" if version else "llama-benchy",
        model=value.get("model"),
        measured_on=_day(str(value.get("timestamp", ""))[:10]),
        metric="decode-only",
        points=_with_results(points),
        arguments={"--enable-prefix-caching": True} if value.get("prefix_caching_enabled") else {},
    )


def _from_benchy_csv(text: str) -> Results:
    reader = csv.DictReader(io.StringIO(text))
    if not set(reader.fieldnames or ()) >= CSV_HEADINGS:
        raise ResultsError("neither JSON nor the CSV of llama-benchy")
    points: dict[tuple[Any, ...], dict[str, Any]] = {}
    models, found = [], {}
    for number_of_row, row in enumerate(reader, start=2):
        test = BENCHY_TEST.fullmatch(row["test_name"] or "")
        if test is None:
            raise ResultsError(f"line {number_of_row}: unknown test {row['test_name']!r}")
        models.append(row.get("model"))
        load, depth = int(test["load"] or 1), int(test["depth"] or 0)
        filling = bool(test["context"])
        key = (load, depth, filling)
        kept = found.setdefault(key, {})
        if test["kind"] in kept:
            raise ResultsError(
                f"line {number_of_row}: a second {row['test_name']!r}; split the file"
            )
        kept[test["kind"]] = (row, int(test["tokens"] or 0))
    for (load, depth, filling), kept in found.items():
        pp, prompt = kept.get("pp", ({}, 0))
        tg, generated = kept.get("tg", ({}, 0))
        points[load, depth, filling] = {
            "concurrency": load,
            "context_tokens": 0 if filling else depth,
            "input_tokens": depth if filling else prompt or None,
            "output_tokens": generated or None,
            "content": "prose",
            "content_as_stated": "loading the context" if filling else None,
            "results": _benchy_results(
                pp.get("t_s_mean"), tg.get("t_s_mean"), tg.get("t_s_req_mean"),
                tg.get("peak_ts_mean"), pp.get("ttfr_mean"), load,
            ),
        }  # fmt: skip
    return Results(
        tool="llama-benchy",
        model=_same(models, "models"),
        measured_on=None,
        metric="decode-only",
        points=_with_results(list(points.values())),
    )


def _with_results(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the points that state something; ResultsError where none does."""
    kept = [point for point in points if point["results"]]
    if not kept:
        raise ResultsError("no test has a result")
    return kept


AIPERF_TIMES = {
    "time_to_first_token": {"avg": "mean_ttft_ms", "p50": "median_ttft_ms", "p99": "p99_ttft_ms"},
    "inter_token_latency": {"avg": "mean_tpot_ms", "p50": "median_tpot_ms", "p99": "p99_tpot_ms"},
    "request_latency": {"avg": "mean_e2el_ms"},
}
AIPERF_COUNTS = {
    "request_count": "completed_requests", "error_request_count": "failed_requests",
    "total_isl": "total_input_tokens", "total_osl": "total_output_tokens",
}  # fmt: skip


def _from_aiperf(value: dict[str, Any]) -> Results:
    if value.get("was_cancelled"):
        raise ResultsError("the run was cancelled before its end; measure again")

    def part(name: str) -> dict[str, Any]:
        found = value.get(name)
        return found if isinstance(found, dict) else {}

    def average(name: str) -> Any:
        return part(name).get("avg")

    config = part("input_config")
    load = config.get("loadgen") or {}
    names = (config.get("endpoint") or {}).get("model_names") or [None]
    results = {"aggregate_tokens_per_s": speed(average("output_token_throughput"),
                                               "output_token_throughput.avg")}  # fmt: skip
    for theirs, fields in AIPERF_TIMES.items():
        if part(theirs).get("unit", "ms") != "ms":
            raise ResultsError(f"{theirs} is in {part(theirs)['unit']}, expected ms")
        for statistic, ours in fields.items():
            if part(theirs).get(statistic) is not None:
                results[ours] = speed(part(theirs)[statistic], f"{theirs}.{statistic}")
    if average("benchmark_duration") is not None:
        results["duration_s"] = speed(average("benchmark_duration"), "benchmark_duration.avg")
    for theirs, ours in AIPERF_COUNTS.items():
        if average(theirs) is not None:
            results[ours] = count(average(theirs), f"{theirs}.avg")
    if results.get("completed_requests") == 0:
        raise ResultsError("request_count is 0: no request succeeded")
    lengths = {
        ours: None if average(theirs) is None else round(number(average(theirs), theirs))
        for theirs, ours in (("input_sequence_length", "input_tokens"),
                             ("output_sequence_length", "output_tokens"))
    }  # fmt: skip
    concurrency, rate = load.get("concurrency"), load.get("request_rate")
    point = {
        "concurrency": None if concurrency is None else count(concurrency, "concurrency", lowest=1),
        **lengths,
        "content": "unknown",
        "load_as_stated": f"request rate {rate}" if concurrency is None and rate else None,
        "results": results,
    }
    return Results(
        tool="aiperf",
        model=_same(list(names), "models"),
        measured_on=_day(value.get("start_time")),
        metric="server-throughput",
        points=[point],
    )


# The draft -------------------------------------------------------------------------------------


def find_named(library: Library, name: str | None) -> Checkpoint | None:
    """Return the checkpoint whose repository or id a file names, as published rather than made."""
    wanted = (name or "").casefold().removesuffix("/")
    found = [
        each for each in library.records(Checkpoint)
        if wanted and wanted in (each.id, (each.repository or "").casefold())
    ]  # fmt: skip
    return min(found, key=lambda each: (each.conversion is not None, len(each.id)), default=None)


def draft_of(
    library: Library, results: Results, *, file_name: str, checkpoint: str | None = None,
    engine: str | None = None, engine_version: str | None = None, source: str | None = None,
    nodes: int | None = None,
) -> Draft:  # fmt: skip
    """Return the draft of a run from what a file says and what the caller knows besides."""
    record = (
        library.find(Checkpoint, checkpoint) if checkpoint else find_named(library, results.model)
    )
    name = engine or results.engine
    model = library.find(Model, record.model) if record else None
    stated_day = results.measured_on.isoformat() if results.measured_on else "undated"
    words = f"{stated_day}-{name}-{Path(file_name).stem}".lower()
    identity = re.sub(r"[^a-z0-9.]+", "-", words).strip("-.")
    run = {
        "id": identity,
        "model": model.id if model else None,
        "checkpoint": record.id if record else None,
        "checkpoint_as_stated": results.model if record is None else None,
        "hardware": "dgx-spark",
        "num_nodes": nodes or 1,
        "measured_on": results.measured_on,
        "engine": {
            "name": name,
            "version": engine_version,
            "build": results.build,
            "arguments": results.arguments or None,
        },
        "draft": {"method": results.draft},
        "counting": "usage" if results.tool == "vllm bench serve" else "unknown",
        "metric": results.metric,
        "tool": results.tool,
        "caveats": (["draft-not-stated"] if results.draft == "unknown" else [])
        + ([] if results.measured_on else ["undated"]),
        "points": [_trimmed(point) for point in results.points],
        "provenance": [
            {"source": source, "locator": file_name, "fields": ["engine", "draft", "points"]
             + (["measured_on"] if results.measured_on else []), "evidence": "reported"}
        ],
    }  # fmt: skip
    folder = record.id if record else "drafts"
    missing = list(_missing(run, nodes)) + results.notes
    return Draft(f"data/measurements/{folder}/{identity}.yaml", _yaml(_trimmed(run)), missing)


def _missing(run: dict[str, Any], nodes: int | None) -> Iterator[str]:
    """Yield what a reader has to add, each with what it is."""
    known = {
        "model": run["model"], "checkpoint": run["checkpoint"],
        "engine.version": run["engine"]["version"], "engine.arguments": run["engine"]["arguments"],
        "measured_on": run["measured_on"],
        "draft": None if run["draft"]["method"] == "unknown" else run["draft"],
        "provenance": run["provenance"][0]["source"],
    }  # fmt: skip
    if run["engine"]["name"] == "not-stated":
        yield "engine.name: which engine it was, as an id of data/engines"
    for name, meaning in NOT_IN_THE_FILE.items():
        if known[name] is None:
            yield f"{name}: {meaning}"
    if nodes is None:
        yield "num_nodes: how many Sparks; 1 is assumed"
    yield "points[].content: what the prompts were about, where it is unknown"


KEPT = {"model", "checkpoint", "measured_on", "version", "concurrency", "source"}


def _trimmed(value: dict[str, Any]) -> dict[str, Any]:
    """Return a mapping without entries that say nothing, those that must be written apart."""
    return {
        name: _trimmed(each) if isinstance(each, dict) else each
        for name, each in value.items()
        if name in KEPT or each not in (None, {}, [])
    }


class _Writer(yaml.SafeDumper):
    """Writes decimals with their digits, texts plain and lists of words in one line."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the entries of a list below its name."""
        super().increase_indent(flow, False)


_Writer.add_representer(
    Decimal, lambda writer, value: writer.represent_scalar("tag:yaml.org,2002:float", f"{value:f}")
)
_Writer.add_representer(
    type(None), lambda writer, _: writer.represent_scalar("tag:yaml.org,2002:null", "null")
)


def _yaml(run: dict[str, Any]) -> str:
    """Return a run as the text of its file, versions in quotes."""
    text = yaml.dump(run, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=100)
    return re.sub(r"^(\s+version: )(?!null)['\"]?([^'\"\n]+)['\"]?$", r'\1"\2"', text, flags=re.M)


def import_results(
    library: Library, root: Path, file: Path, write: Callable[[Path, str], None], **known: Any
) -> Draft:
    """Write the draft of a run for a file of results; ResultsError instead of overwriting one."""
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        raise ResultsError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ResultsError(f"{file} is not a text file") from None
    draft = draft_of(library, read_results(text), file_name=file.name, **known)
    taken = sorted((root / "data" / "measurements").rglob(f"{Path(draft.path).stem}.yaml"))
    if taken:
        raise ResultsError(f"{taken[0].relative_to(root)} exists; rename the file or edit the run")
    write(root / draft.path, draft.text)
    return draft
