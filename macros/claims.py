"""The verdict of a claim, computed from its check and from what exists."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from macros.arithmetic import day, states
from macros.functions import FUNCTIONS, SPEED_FIELDS, Value, call, highest
from macros.library import Library
from macros.records import Checkpoint, Claim, Computed, Measurement

SINGULAR = {
    "checkpoints": "checkpoint",
    "engines": "engine",
    "measurements": "measurement",
    "models": "model",
    "pitfalls": "pitfall",
}


@dataclass(frozen=True)
class Judgement:
    """A verdict and the numbers behind it."""

    verdict: str
    computed: Value | None
    why: str


def agrees(stated: Decimal | bool | str | None, computed: Value) -> bool:
    """Tell whether a computed value is the stated one, numbers to their stated decimals."""
    if isinstance(stated, bool) or isinstance(computed, bool):
        return stated is computed
    if isinstance(stated, Decimal):
        return isinstance(computed, (int, float, Decimal)) and states(stated, float(computed))
    return str(stated) == str(computed)


def inputs_for(reference: str, extra: dict[str, Any]) -> dict[str, Any]:
    """Return the inputs of a function over one record: its id under the singular of its kind."""
    kind, _, record_id = reference.partition("/")
    return {SINGULAR.get(kind, kind): record_id, **extra}


def speed_of(run: Measurement) -> float | None:
    """Return the fastest single-request speed of a run."""
    figures = [
        figure
        for point in run.points
        for name in SPEED_FIELDS
        if (figure := highest(point.results, name)) is not None
    ]
    return max(figures, default=None)


def judge_claim(library: Library, claim: Claim) -> Judgement:
    """Return the verdict, as `data/claims` promises it is computed.

    No check: unverifiable. Own inputs do not give the value: contradicted. A limit that a
    measurement exceeds: contradicted if measured by the claim's date, superseded if later.
    Records that do not meet `requires`: holds with condition. Records whose own value of the
    quantity is another one: contradicted. Replaced later: superseded. Else it holds.
    """
    if claim.check is None:
        return Judgement("unverifiable", None, "neither a function nor a record can check it")
    computed = call(library, claim.check.function, claim.check.with_)
    if not agrees(claim.asserts.value, computed):
        return Judgement("contradicted", computed, "its own inputs do not give the value")
    if claim.asserts.limit and (exceeded := _exceeded(library, claim)):
        return Judgement(exceeded, computed, "a measurement exceeds the limit")
    unmet = [
        reference
        for reference in claim.against
        for name, value in claim.requires.items()
        if not _meets(library, reference, name, value)
    ]
    if unmet:
        return Judgement("holds-with-condition", computed, f"not met by {', '.join(unmet)}")
    compared = not claim.requires and not claim.asserts.limit
    if compared and (other := _disagreeing(library, claim)):
        return Judgement("contradicted", computed, f"{other} shows another value")
    if claim.superseded_by:
        return Judgement("superseded", computed, "something later replaced it")
    return Judgement("holds", computed, "its own inputs give the value")


def compares(claim: Claim) -> bool:
    """Tell whether the records in `against` can be asked for the claim's own quantity."""
    return claim.asserts.quantity in FUNCTIONS


def _disagreeing(library: Library, claim: Claim) -> str | None:
    """Return the first record whose own value of the claim's quantity is another one."""
    if not compares(claim):
        return None
    for reference in claim.against:
        value = call(library, claim.asserts.quantity, inputs_for(reference, {}))
        if not agrees(claim.asserts.value, value):
            return reference
    return None


def _exceeded(library: Library, claim: Claim) -> str | None:
    """Return the verdict that measurements above a limit lead to, the earliest first."""
    limit, stated = float(claim.asserts.value), day(claim.stated_on)  # type: ignore[arg-type]
    above = []
    for reference in claim.against:
        run = library.refer(reference)
        if isinstance(run, Measurement) and (speed := speed_of(run)) and speed > limit:
            above.append(day(run.measured_on) or date.max)
    if not above:
        return None
    return "contradicted" if stated and min(above) <= stated else "superseded"


def _meets(library: Library, reference: str, name: str, value: Any) -> bool:
    """Tell whether a record meets one predicate: a named function with inputs, or its value."""
    record = library.refer(reference)
    if name == "every_active_weight_bits":
        if not isinstance(record, Checkpoint):
            return True
        return bool(call(library, name, {"checkpoint": record.id, "at_most": value}))
    extra = dict(value) if isinstance(value, dict) else {}
    expected = extra.pop("is", True) if isinstance(value, dict) else value
    computed = call(library, name, inputs_for(reference, extra))
    wanted = (
        Decimal(expected)
        if isinstance(expected, int) and not isinstance(expected, bool)
        else expected
    )
    return agrees(wanted, computed)


def disagreements(library: Library, first: str, second: str) -> list[tuple[Claim, Claim]]:
    """Return the pairs of claims of two sources that say different things, by id."""
    pairs = []
    for claim in library.records(Claim):
        for reference in claim.disagrees_with:
            other = library.get(Claim, reference.partition("/")[2])
            if (claim.source, other.source) == (first, second):
                pairs.append((claim, other))
            elif (claim.source, other.source) == (second, first):
                pairs.append((other, claim))
    return sorted(pairs, key=lambda pair: (pair[0].id, pair[1].id))


def compute(library: Library, computed: Computed, against: list[str]) -> Value | list[Value]:
    """Return the value of a placeholder: a named function, over one or several records."""
    references = against if computed.over == "against" else (computed.over or [])
    if not references:
        return call(library, computed.function, computed.with_)
    values = [
        call(library, computed.function, inputs_for(reference, computed.with_))
        for reference in references
    ]
    match computed.take:
        case "min":
            return min(values)  # type: ignore[type-var]
        case "max":
            return max(values)  # type: ignore[type-var]
        case "count":
            return len(values)
        case "list":
            return values
    return values[0]
