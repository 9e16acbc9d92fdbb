"""What the judge of the browser stands on besides the ledger: like points, ratios, causes."""

from collections.abc import Callable
from typing import Any

from macros.compositions import has_composition
from macros.judge import (
    batch_ratios,
    like_ratios,
    measured_points,
    reference_ratios,
)
from macros.law import ALL_ENGINES, engine_family, laws
from macros.library import Library
from macros.records import Cause, Checkpoint, Engine
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
        "batch_ratios": {engine: ratios(library, engine, batch_ratios) for engine in laws(library)},
        "like_ratios": {engine: like_ratios(library, engine) for engine in laws(library)},
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


def ratios(
    library: Library,
    engine: str,
    reference: Callable[[Library, str], list[float]] = reference_ratios,
) -> list[float]:
    """Return the ratios of an engine family, or of all engines under the law of all."""
    if engine != ALL_ENGINES:
        return reference(library, engine)
    few = next(
        (
            each.id for each in library.records(Engine)
            if engine_family(library, each.id) not in laws(library)
        ),
        None,
    )  # fmt: skip
    return reference(library, few) if few else []


def _points(library: Library, checkpoint_id: str) -> list[dict[str, Any]]:
    """Return the speeds of one request that were measured on a checkpoint, with their loads."""
    return [
        vars(similar) | {"nodes": run.num_nodes, "load": vars(known) if known else None}
        for similar, run, known in measured_points(library, checkpoint_id)
    ]


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
