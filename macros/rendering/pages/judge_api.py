"""What the judge of the browser stands on besides the ledger: like points, ratios, causes."""

from typing import Any

from macros.compositions import has_composition
from macros.judge import SINGLE_FIELDS, reference_ratios
from macros.law import ALL_ENGINES, engine_family, laws, load_of
from macros.ledger import Load
from macros.library import Library
from macros.records import Cause, Checkpoint, Engine, Measurement
from macros.rendering.pages.ledger_api import compact

PATH = "api/v1/judge.json"


def files(library: Library) -> dict[str, str]:
    """Return the file that judge.js evaluates."""
    return {PATH: compact(data(library))}


def data(library: Library) -> dict[str, Any]:
    """Return engines, ratios of measured to expected, causes, and the points of each checkpoint."""
    return {
        "engines": {
            each.id: {"name": each.name, "family": engine_family(library, each.id)}
            for each in library.records(Engine)
        },
        "ratios": {engine: ratios(library, engine) for engine in laws(library)},
        "causes": [
            {
                "id": each.id,
                "applies": _numbers(each.applies),
                "explains": each.explains,
                "floor_ms_per_layer": float(each.floor_ms_per_layer or 0),
                "low_ratio": float(each.low_ratio),
                "high_ratio": float(each.high_ratio),
            }
            for each in library.records(Cause)
        ],
        "points": {
            each.id: points
            for each in library.records(Checkpoint)
            if has_composition(library, each.id) and (points := _points(library, each.id))
        },
    }


def ratios(library: Library, engine: str) -> list[float]:
    """Return the ratios of an engine family, or of all engines under the law of all."""
    if engine != ALL_ENGINES:
        return reference_ratios(library, engine)
    few = next(
        (
            each.id for each in library.records(Engine)
            if engine_family(library, each.id) not in laws(library)
        ),
        None,
    )  # fmt: skip
    return reference_ratios(library, few) if few else []


def _points(library: Library, checkpoint_id: str) -> list[dict[str, Any]]:
    """Return the speeds of one request that were measured on a checkpoint, with their loads."""
    found = []
    for run in library.records(Measurement):
        if run.checkpoint != checkpoint_id or run.withdrawn is not None:
            continue
        for index, point in enumerate(run.points):
            values = (getattr(point.results, name) for name in SINGLE_FIELDS)
            speed = next((value for value in values if value is not None), None)
            if speed is None or point.concurrency is None:
                continue
            known = load_of(run, point)
            load = known or Load(concurrency=point.concurrency)
            found.append(
                {
                    "measurement": run.id,
                    "point": index,
                    "tokens_per_s": float(speed),
                    "concurrency": point.concurrency,
                    "context_tokens": load.context_tokens,
                    "engine": run.engine.name,
                    "draft": run.draft.method,
                    "measured_on": None if run.measured_on is None else str(run.measured_on),
                    "nodes": run.num_nodes,
                    "load": vars(known) if known else None,
                }
            )
    return found


def _numbers(applies: dict[str, Any]) -> dict[str, Any]:
    """Return a predicate with its decimals as numbers."""

    def plain(value: Any) -> Any:
        match value:
            case dict():
                return {name: plain(each) for name, each in value.items()}
            case list():
                return [plain(each) for each in value]
            case bool() | int() | str() | None:
                return value
            case _:
                return float(value)

    return plain(applies)
