"""The expected speed: a law with two terms, fitted from the records of each engine family.

    step time = bytes per step / usable bandwidth + fixed time per layer x layers

Bytes explain the factor between formats; the fixed time stands for launches and small kernels.
Fitted over plain single-request points (no draft, one machine) whose composition is known, by
least squares of the relative error, so that fast and slow models count alike. The error shown
leaves one source out at a time.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from macros.arithmetic import median
from macros.compositions import ceiling_of, composition_of, has_composition
from macros.ledger import Ceiling, Composition, Load
from macros.library import Library
from macros.records import Engine, Measurement, Point

FEWEST_ROWS = 10
ALL_ENGINES = "all"
TIMES_PER_TOKEN = ("median_tpot_ms", "mean_tpot_ms")
EXCLUDING_CAVEATS = {
    "above-ceiling", "clock-capped", "cold-cache", "disputed", "eager", "modified-weights",
    "output-faults", "preliminary", "slow-network", "stream-chunks", "suspected-chunk-count",
    "varies-between-boots",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One measured step: its bytes, layers and time, and where it comes from."""

    run: str
    point: int
    source: str
    engine: str
    checkpoint: str
    num_bytes: float
    num_layers: int
    step_s: float


@dataclass(frozen=True)
class Law:
    """Usable bandwidth in GB/s and fixed milliseconds per layer, with how well they fit."""

    engine: str
    usable_gb_per_s: float
    fixed_ms_per_layer: float
    num_rows: int
    num_sources: int
    median_error: float
    worst_error: float

    def step_s(self, num_bytes: float, num_layers: int) -> float:
        """Return the expected seconds of a step."""
        return num_bytes / (self.usable_gb_per_s * 1e9) + self.fixed_ms_per_layer * num_layers / 1e3


def engine_family(library: Library, engine: str) -> str:
    """Return the engine that a fork stands on, or the engine itself."""
    record = library.find(Engine, engine)
    while record is not None and record.base:
        engine, record = record.base, library.find(Engine, record.base)
    return engine


def context_of(point: Point) -> int:
    """Return the mean context of a decode: what was cached, the prompt, half of the output."""
    return (point.context_tokens or 0) + (point.input_tokens or 0) + (point.output_tokens or 0) // 2


def kv_format_of(run: Measurement) -> str:
    """Return the KV format of a run: FP8 if its flags say so, else BF16."""
    stated = str(run.engine.arguments.get("--kv-cache-dtype", run.engine.arguments_as_stated or ""))
    return "fp8" if "fp8" in stated.lower() else "bf16"


def load_of(run: Measurement, point: Point) -> Load | None:
    """Return the load of a point; None where the draft's length or the concurrency is not known."""
    concurrency = point.concurrency or None
    if concurrency is None:
        return None
    common = (context_of(point), concurrency, kv_format_of(run))
    if run.draft.method == "none":
        return Load(*common, nodes=run.num_nodes)
    if run.draft.method not in ("mtp", "dflash") or not run.draft.num_tokens:
        return None
    if point.acceptance_length is None:
        return None
    length = float(point.acceptance_length)
    return Load(*common, run.draft.method, run.draft.num_tokens, length, run.num_nodes)


def decode_tokens_per_s(point: Point) -> float | None:
    """Return the decode speed of a point: as stated, or from its time per output token."""
    if point.results.decode_tokens_per_s is not None:
        return float(point.results.decode_tokens_per_s)
    times = (getattr(point.results, name) for name in TIMES_PER_TOKEN)
    return next((1000 / float(time) for time in times if time is not None), None)


def rows(library: Library) -> list[Row]:
    """Return every plain single-request decode point whose composition is known."""
    found = []
    for run in library.records(Measurement):
        if not _plain(library, run):
            continue
        for index, point in enumerate(run.points):
            speed = decode_tokens_per_s(point)
            if speed is None or point.concurrency != 1:
                continue
            if EXCLUDING_CAVEATS & set(point.caveats):
                continue
            load = Load(context_of(point), 1, kv_format_of(run))
            composition = composition_of(library, run.checkpoint or "")
            answer = ceiling_of(library, run.checkpoint or "", load)
            if speed > answer.highest_tokens_per_s:
                continue
            found.append(
                Row(
                    run.id,
                    index,
                    run.provenance[0].source,
                    engine_family(library, run.engine.name),
                    run.checkpoint or "",
                    answer.bytes_per_step,
                    composition.num_layers,
                    1 / speed,
                )
            )
    return found


def _plain(library: Library, run: Measurement) -> bool:
    """Tell whether a run can teach the law."""
    return (
        run.draft.method == "none"
        and run.num_nodes == 1
        and run.withdrawn is None
        and run.superseded_by is None
        and not EXCLUDING_CAVEATS & set(run.caveats)
        and has_composition(library, run.checkpoint)
    )


def fit(engine: str, points: list[Row]) -> Law:
    """Return the law that fits rows best; ValueError without rows.

    Minimises the sum of ((b x + f l) / t - 1)^2 over b >= 0, f >= 0, where each run counts once
    however many points it has: two normal equations.
    """
    if not points:
        raise ValueError("a law needs rows")
    num_points = Counter(row.run for row in points)
    weights = [1 / num_points[row.run] for row in points]
    x = [row.num_bytes / row.step_s for row in points]
    y = [row.num_layers / row.step_s for row in points]
    xx = sum(w * a * a for w, a in zip(weights, x, strict=True))
    yy = sum(w * b * b for w, b in zip(weights, y, strict=True))
    xy = sum(w * a * b for w, a, b in zip(weights, x, y, strict=True))
    sx = sum(w * a for w, a in zip(weights, x, strict=True))
    sy = sum(w * b for w, b in zip(weights, y, strict=True))
    determinant = xx * yy - xy * xy
    per_byte = (sx * yy - sy * xy) / determinant if determinant > 1e-9 * xx * yy else sx / xx
    per_layer = (sy * xx - sx * xy) / determinant if determinant > 1e-9 * xx * yy else 0.0
    if per_layer < 0 or per_byte <= 0:
        per_byte, per_layer = sx / xx, 0.0
    num_sources = len({row.source for row in points})
    law = Law(engine, 1e-9 / per_byte, per_layer * 1e3, len(points), num_sources, 0, 0)
    errors = [abs(law.step_s(r.num_bytes, r.num_layers) / r.step_s - 1) for r in points]
    return Law(
        engine, law.usable_gb_per_s, law.fixed_ms_per_layer, law.num_rows, law.num_sources,
        median(errors), max(errors),
    )  # fmt: skip


def left_out_errors(points: list[Row]) -> dict[str, list[float]]:
    """Return {source: relative errors of its rows under the law fitted without that source}."""
    errors: dict[str, list[float]] = {}
    for source in sorted({row.source for row in points}):
        rest = [row for row in points if row.source != source]
        if not rest:
            continue
        law = fit("", rest)
        errors[source] = [
            law.step_s(row.num_bytes, row.num_layers) / row.step_s - 1
            for row in points
            if row.source == source
        ]
    return errors


def laws(library: Library) -> dict[str, Law]:
    """Return the law of every engine family with ten rows or more, and of all engines."""
    return library.remember("laws", lambda: _fitted(rows(library)))


def _fitted(points: list[Row]) -> dict[str, Law]:
    families: dict[str, list[Row]] = {}
    for row in points:
        families.setdefault(row.engine, []).append(row)
    found = {ALL_ENGINES: fit(ALL_ENGINES, points)} if points else {}
    for engine, own in families.items():
        if len(own) >= FEWEST_ROWS:
            found[engine] = fit(engine, own)
    return found


def law_for(library: Library, engine: str) -> Law | None:
    """Return the law of an engine's family, that of all engines where rows are few, or None."""
    known = laws(library)
    return known.get(engine_family(library, engine)) or known.get(ALL_ENGINES)


def expected_tokens_per_s(law: Law, composition: Composition, answer: Ceiling, load: Load) -> float:
    """Return the expected speed of one request: the law's time for the bytes, drafts included."""
    seconds = law.step_s(answer.bytes_per_step / load.nodes, composition.num_layers)
    return load.acceptance_length / seconds


def error_summary(errors: Iterable[list[float]]) -> tuple[float, float] | None:
    """Return (median, worst) absolute error over all sources left out, or None."""
    flat = [abs(error) for each in errors for error in each]
    return (median(flat), max(flat)) if flat else None
