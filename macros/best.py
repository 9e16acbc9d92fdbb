"""Answers made of data: the best measured speed of a model, today and step by step."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from macros.arithmetic import day
from macros.compositions import ceiling_of, has_composition
from macros.law import load_of
from macros.ledger import LedgerError
from macros.library import Library
from macros.records import Measurement, Point

GENERAL_CONTENT = ("mixed", "unknown", "prose", "chat")
COMPARABLE_FIELDS = ("end_to_end_tokens_per_s", "decode_tokens_per_s")
DISQUALIFYING = {
    "above-ceiling", "best-of-several", "disputed", "modified-weights", "output-faults",
    "second-hand", "stream-chunks", "suspected-chunk-count",
}  # fmt: skip


class Candidate(NamedTuple):
    """A speed of one request that may stand as a record."""

    tokens_per_s: Decimal
    field: str
    run: Measurement
    index: int

    @property
    def point(self) -> Point:
        """Return the point of the run."""
        return self.run.points[self.index]


def evidence_of_points(run: Measurement) -> str:
    """Return the evidence word of a run's points."""
    for each in run.provenance:
        if "points" in each.fields:
            return each.evidence
    return run.provenance[0].evidence


def candidates(
    library: Library, model: str, *, num_nodes: int = 1, drafts: bool | None = None,
    content: tuple[str, ...] = GENERAL_CONTENT,
) -> Iterator[Candidate]:  # fmt: skip
    """Yield single-request speeds of a model that may be compared.

    Left out: mere claims, disputed or modified ones, and what exceeds its own bound.
    """
    for run in library.records(Measurement):
        if run.model != model or run.num_nodes != num_nodes or run.withdrawn or run.superseded_by:
            continue
        if evidence_of_points(run) == "claimed" or DISQUALIFYING & set(run.caveats):
            continue
        if drafts is not None and (run.draft.method != "none") != drafts:
            continue
        for index, point in enumerate(run.points):
            if point.concurrency != 1 or point.content not in content:
                continue
            for field in COMPARABLE_FIELDS:
                value = getattr(point.results, field)
                if value is not None and not exceeds_bound(library, run, point, float(value)):
                    yield Candidate(value, field, run, index)


def exceeds_bound(library: Library, run: Measurement, point: Point, tokens_per_s: float) -> bool:
    """Tell whether a speed is above what its bytes allow; False where that is not known."""
    load = load_of(run, point)
    if load is None or not has_composition(library, run.checkpoint):
        return False
    try:
        answer = ceiling_of(library, run.checkpoint or "", load, run.hardware)
    except LedgerError:
        return False
    return tokens_per_s > answer.highest_tokens_per_s


def best(
    library: Library, model: str, *, num_nodes: int = 1, drafts: bool | None = None
) -> Candidate | None:
    """Return the fastest comparable single-request speed of a model, or None."""
    found = candidates(library, model, num_nodes=num_nodes, drafts=drafts)
    return max(found, key=lambda each: (each.tokens_per_s, each.run.id), default=None)


def records_over_time(library: Library, model: str, *, num_nodes: int = 1) -> list[Candidate]:
    """Return the speeds that were each the best when they were measured, oldest first.

    Of each run only its fastest point counts.
    """
    of_run: dict[str, Candidate] = {}
    for each in candidates(library, model, num_nodes=num_nodes):
        known = of_run.get(each.run.id)
        if each.run.measured_on and (known is None or each.tokens_per_s > known.tokens_per_s):
            of_run[each.run.id] = each
    dated = [(day(each.run.measured_on) or date.max, each) for each in of_run.values()]
    steps: list[Candidate] = []
    for _, each in sorted(dated, key=lambda pair: (pair[0], pair[1].tokens_per_s)):
        if not steps or each.tokens_per_s > steps[-1].tokens_per_s:
            steps.append(each)
    return steps
