"""Measured points as the pages show them: the speed with its conditions and its share."""

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from macros.best import Candidate, evidence_of_points
from macros.compositions import ceiling_of, has_composition
from macros.law import load_of
from macros.ledger import LedgerError
from macros.library import Library
from macros.records import Checkpoint, Engine, Measurement, Point
from macros.rendering.badges import evidence_badge
from macros.rendering.bars import share_bar
from macros.rendering.blocks import concurrency_words, draft_words, speed
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import day, figure
from macros.rendering.tables import Column, Row, data_table
from macros.rendering.words import word

SINGLE_FIELDS = (
    "decode_tokens_per_s", "end_to_end_tokens_per_s", "per_request_end_to_end_tokens_per_s",
    "unspecified_tokens_per_s",
)  # fmt: skip
NOT_STATED = "not-stated"
TOGETHER_FIELDS = ("aggregate_tokens_per_s", "sum_of_request_rates_tokens_per_s")


class Speed(NamedTuple):
    """A stated speed of a point: its value, the field that holds it, and whose it is."""

    value: Decimal
    field: str
    single: bool


def speed_of_point(point: Point) -> Speed | None:
    """Return the speed a point is known for: one request's, else all requests'."""
    for fields, single in ((SINGLE_FIELDS, True), (TOGETHER_FIELDS, False)):
        for name in fields:
            value = getattr(point.results, name)
            if value is not None:
                return Speed(value, name, single)
    return None


def share_of_ceiling(library: Library, run: Measurement, point: Point) -> float | None:
    """Return measured over ceiling under the point's own load; None where it is not known."""
    stated, load = speed_of_point(point), load_of(run, point)
    if stated is None or load is None or not has_composition(library, run.checkpoint):
        return None
    try:
        answer = ceiling_of(library, run.checkpoint or "", load, run.hardware)
    except LedgerError:
        return None
    ceiling = answer.highest_tokens_per_s * (1 if stated.single else load.concurrency)
    return float(stated.value) / ceiling


def dated(run: Measurement) -> str:
    """Return a run's date as text that sorts."""
    return (
        run.measured_on.isoformat() if isinstance(run.measured_on, date) else run.measured_on or ""
    )


def engine_name(library: Library, engine_id: str, language: str) -> str:
    """Return how an engine is called; the one that no source names, in the reader's language."""
    if engine_id == NOT_STATED:
        return word("engine.not_stated", language)
    engine = library.find(Engine, engine_id)
    return engine.name if engine else engine_id


def engine_words(library: Library, run: Measurement, language: str) -> str:
    """Return engine and version as a reader names them."""
    name = engine_name(library, run.engine.name, language)
    return f"{name} {run.engine.version or ''}".strip()


def checkpoint_words(library: Library, run: Measurement) -> str:
    """Return the checkpoint's name, or what the source calls it."""
    record = library.find(Checkpoint, run.checkpoint)
    return record.name if record else run.checkpoint_as_stated or run.model


def speed_table(
    library: Library, runs: list[Measurement], language: str, *, with_checkpoint: bool = False
) -> Html:
    """Return every point of some runs, newest first, with its share of the ceiling."""
    rows = []
    for run in sorted(runs, key=lambda each: (dated(each), each.id), reverse=True):
        for index, point in enumerate(run.points):
            stated = speed_of_point(point)
            if stated is None:
                continue
            share = share_of_ceiling(library, run, point)
            cells: list[object] = [
                element("a", figure(stated.value), href=f"/benchmarks/#{run.id}"),
                word(f"metric.{stated.field}", language),
                share_bar(share, language=language) if share is not None else None,
                concurrency_words(point.concurrency, language),
                draft_words(run.draft.method, run.draft.num_tokens, language),
                engine_words(library, run, language),
                join(
                    day(run.measured_on, language) if run.measured_on else None,
                    evidence_badge(evidence_of_points(run), language, compact=True),
                    separator=" ",
                ),
            ]
            if with_checkpoint:
                cells.insert(1, checkpoint_words(library, run))
            rows.append(Row(cells, {"id": f"{run.id}-{index}"}))
    columns = [
        Column(word("speed", language), "tok/s", number=True),
        Column(word("metric", language)),
        Column(word("share", language)),
        Column(word("concurrency", language)),
        Column(word("draft", language)),
        Column(word("engine", language)),
        Column(word("date", language)),
    ]
    if with_checkpoint:
        columns.insert(1, Column(word("checkpoint", language)))
    return data_table(
        columns=columns, rows=rows, caption=word("measured_speeds", language), language=language,
        show_caption=False, sortable=True,
    )  # fmt: skip


def stated_speed(
    candidate: Candidate, language: str, *, large: bool = False, decimals: int | None = None
) -> Html:
    """Return a record speed with its conditions, linked to its run."""
    run = candidate.run
    return speed(
        candidate.tokens_per_s, concurrency=1,
        draft=draft_words(run.draft.method, run.draft.num_tokens, language),
        measured_on=run.measured_on, evidence=evidence_of_points(run), language=language,
        large=large, href=f"/benchmarks/#{run.id}", decimals=decimals,
    )  # fmt: skip
