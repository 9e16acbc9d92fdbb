"""No point is faster than its bytes allow, unless its run says why."""

from collections.abc import Iterator
from decimal import Decimal

from macros.arithmetic import stated_interval
from macros.compositions import ceiling_of, has_composition
from macros.findings import Finding
from macros.law import context_of, kv_format_of, load_of
from macros.ledger import LedgerError, Load
from macros.library import Library
from macros.records import Measurement, Point

EXPLAINED = "above-ceiling"
OF_ONE = (
    "decode_tokens_per_s", "end_to_end_tokens_per_s", "per_request_end_to_end_tokens_per_s",
    "unspecified_tokens_per_s",
)  # fmt: skip
OF_ALL = ("aggregate_tokens_per_s", "sum_of_request_rates_tokens_per_s")


def bounding_load(run: Measurement, point: Point) -> Load | None:
    """Return the load of a point; where the acceptance is not known, every draft is accepted."""
    if (load := load_of(run, point)) is not None or not point.concurrency:
        return load
    method, tokens = run.draft.method, run.draft.num_tokens
    if method not in ("mtp", "dflash") or not tokens:
        return None
    return Load(
        context_of(point), point.concurrency, kv_format_of(run), method, tokens, tokens + 1.0,
        run.num_nodes,
    )  # fmt: skip


def highest_of(library: Library, run: Measurement, point: Point) -> tuple[Load, float] | None:
    """Return the load of a point and the bound of one request under it, where both are known."""
    load = bounding_load(run, point)
    if load is None:
        return None
    try:
        if not has_composition(library, run.checkpoint):
            return None
        answer = ceiling_of(library, run.checkpoint or "", load, run.hardware)
    except (LedgerError, KeyError):  # a fault of the model or its formats has its own rule
        return None
    return load, answer.highest_tokens_per_s


def _speeds(point: Point) -> Iterator[tuple[str, bool, Decimal]]:
    """Yield (place, whether of one request, figure) of every stated speed, ends of ranges too."""
    for name in (*OF_ONE, *OF_ALL):
        value = getattr(point.results, name)
        if value is not None:
            yield name, name in OF_ONE, value
        if name in point.results.ranges:
            yield f"ranges.{name}", name in OF_ONE, point.results.ranges[name][1]


def _above(library: Library, run: Measurement, point: Point) -> Iterator[tuple[str, Decimal, str]]:
    """Yield (place, figure, bound in words) of the speeds that their bytes do not allow."""
    known = highest_of(library, run, point)
    if known is None:
        return
    load, highest = known
    for at, single, value in _speeds(point):
        bound = highest if single else highest * load.concurrency
        if stated_interval(value)[0] > bound:
            times = "" if single else f" (= {load.concurrency} x {highest:.1f})"
            yield at, value, f"at most {bound:.1f} tok/s{times}"


def point_below_its_bound(library: Library) -> Iterator[Finding]:
    """No speed exceeds the bound of its fewest bytes at its stated decimals, or says why."""
    for document, run in library.all(Measurement):
        for index, point in enumerate(run.points):
            if EXPLAINED in (*run.caveats, *point.caveats):
                continue
            for at, value, bound in _above(library, run, point):
                yield document.finding(
                    rule="plausibility/ceiling",
                    at=f"points[{index}].results.{at}",
                    expected=f"{bound} for {run.checkpoint} under this load",
                    got=value,
                    fix="check checkpoint, concurrency, draft and acceptance; if the source "
                    f"really says so, add the caveat {EXPLAINED} and say in `note` why",
                )


def explanation_is_needed(library: Library) -> Iterator[Finding]:
    """A run that says it is above its ceiling has a point that is, as far as its bound is known."""
    for document, run in library.all(Measurement):
        if EXPLAINED not in run.caveats:
            continue
        known = all(highest_of(library, run, point) for point in run.points)
        if known and not any(True for p in run.points for _ in _above(library, run, p)):
            yield document.finding(
                rule="plausibility/unneeded",
                at="caveats",
                expected="a point above its bound",
                got=EXPLAINED,
                fix="delete the caveat, or correct the point",
            )
