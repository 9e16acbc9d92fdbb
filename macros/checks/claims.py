"""Every claim is checked, and its stated verdict is the computed one."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from inspect import Parameter, signature
from string import Formatter

from macros.arithmetic import day
from macros.claims import compares, compute, judge_claim
from macros.findings import Finding, listed, renamed
from macros.functions import FUNCTIONS
from macros.library import Library
from macros.loading import Document
from macros.records import Claim, Experiment, Faq, Model

CALL_ERRORS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
SUBJECT_ONLY = {
    "at_least_times", "backend", "bytes_percent_of_time", "limit_percent", "num_experts",
    "num_nodes", "num_requests", "output_tokens",
}  # fmt: skip


def verdict_is_computed(library: Library) -> Iterator[Finding]:
    """The stated verdict of a claim is what its check computes."""
    for document, claim in library.all(Claim):
        if faults := list(_wrong_calls(document, claim)):
            yield from faults
            continue
        try:
            judgement = judge_claim(library, claim)
        except CALL_ERRORS as error:
            yield document.finding(
                rule="claims/check-fails", at="check", expected="a check that can be computed",
                got=_said(error), fix="correct the inputs under `with`, `against` or `requires`",
            )  # fmt: skip
            continue
        if judgement.verdict != claim.verdict:
            yield document.finding(
                rule="claims/verdict",
                at="verdict",
                expected=f"{judgement.verdict} (computed {judgement.computed}: {judgement.why})",
                got=claim.verdict,
                fix="read the claim again: correct the verdict and its reason, or the check",
            )


def against_has_an_effect(library: Library) -> Iterator[Finding]:
    """Records under `against` are compared: by a limit, by `requires`, or by the quantity."""
    for document, claim in library.all(Claim):
        over = any(value.over == "against" for value in claim.values.values())
        idle = not (claim.asserts.limit or claim.requires or compares(claim) or over)
        if claim.against and claim.check and idle:
            yield document.finding(
                rule="claims/idle-against", at="against",
                expected="`limit: true`, `requires`, or a quantity that is a function",
                got=claim.asserts.quantity,
                fix="say how the records count, or move them to `related`",
            )  # fmt: skip


def successor_is_later(library: Library) -> Iterator[Finding]:
    """What supersedes a claim is later than the claim."""
    for document, claim in library.all(Claim):
        stated = day(claim.stated_on)
        for index, reference in enumerate(claim.superseded_by):
            record = library.refer(reference)
            when = day(getattr(record, "measured_on", None) or getattr(record, "released_on", None))
            if stated and when and when <= stated:
                yield document.finding(
                    rule="claims/successor-not-later", at=f"superseded_by[{index}]",
                    expected=f"a record later than {stated}", got=f"{reference} of {when}",
                    fix="name what came later",
                )  # fmt: skip


TEXTS_WITH_VALUES = {
    Claim: ("title", "reason"), Faq: ("question", "answer"), Model: ("advice",),
    Experiment: ("title", "text"),
}  # fmt: skip


def placeholders_are_computed(library: Library) -> Iterator[Finding]:
    """Every placeholder of a text is computed, and every computed value is used."""
    for record_class, names in TEXTS_WITH_VALUES.items():
        for document, record in library.all(record_class):
            texts = [text for name in names if (text := getattr(record, name))]
            texts += [
                part for each in getattr(record, "story", []) for part in (each.title, each.text)
            ]
            used = {name for text in texts for name in _names(text.en) | _names(text.zh)}
            for name in sorted(used - set(record.values)):
                yield document.finding(
                    rule="texts/unknown-placeholder", at=names[-1],
                    expected=f"one of {', '.join(record.values) or 'no placeholder'}",
                    got=f"{{{name}}}", fix="add it under `values`, or correct its name",
                )  # fmt: skip
            for name in sorted(set(record.values) - used):
                yield document.finding(
                    rule="texts/unused-value", at=f"values.{name}",
                    expected="a text that uses it", got="none", fix="use it or delete it",
                )  # fmt: skip
            yield from _values_compute(library, document, record)


def _values_compute(
    library: Library, document: Document, record: Claim | Faq | Model
) -> Iterator[Finding]:
    for name, value in record.values.items():
        at, inputs_at = f"values.{name}.function", f"values.{name}.with"
        if faults := list(_wrong_call(document, at, value.function, inputs_at, value.with_)):
            yield from faults
            continue
        try:
            compute(library, value, getattr(record, "against", []))
        except CALL_ERRORS as error:
            yield document.finding(
                rule="texts/value-fails", at=f"values.{name}", expected="a value",
                got=_said(error), fix="correct `over` or `with`",
            )  # fmt: skip


def _wrong_calls(document: Document, claim: Claim) -> Iterator[Finding]:
    """Yield what is wrong with the functions that a claim names and with their inputs."""
    if check := claim.check:
        yield from _wrong_call(
            document, "check.function", check.function, "check.with", check.with_
        )
    for name, wanted in claim.requires.items():
        inputs = [key for key in wanted if key != "is"] if isinstance(wanted, dict) else []
        yield from _wrong_call(document, f"requires.{name}", name, f"requires.{name}", inputs)


def _wrong_call(
    document: Document, at: str, function: str, inputs_at: str, inputs: Iterable[str]
) -> Iterator[Finding]:
    """Yield an unknown function, or the inputs that a function does not take."""
    if function not in FUNCTIONS:
        near = get_close_matches(function, FUNCTIONS, n=3)
        yield document.finding(
            rule="claims/unknown-function", at=at,
            expected=f"a function of macros/functions.py: {listed(FUNCTIONS, function)}",
            got=function,
            fix=f"write {' or '.join(f'`{each}`' for each in near)}" if near else "name one",
        )  # fmt: skip
        return
    known = _inputs_of(function)
    for name in inputs if known is not None else ():
        if name not in known:
            yield document.finding(
                rule="claims/unknown-input", at=f"{inputs_at}.{name}",
                expected=f"an input of {function}: {listed(known, name)}", got=name,
                fix=renamed(name, known, "delete it"),
            )  # fmt: skip


def _inputs_of(function: str) -> list[str] | None:
    """Return the inputs that a function takes; None where it takes any."""
    parameters = signature(FUNCTIONS[function]).parameters
    if any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values()):
        return None
    return [name for name in parameters if name != "library"]


def _said(error: Exception) -> str:
    """Return what an error says, where Python itself names only the missing key."""
    return f"no {error} on record" if isinstance(error, KeyError) else str(error)


def subject_is_known(library: Library) -> Iterator[Finding]:
    """The subject of a claim goes by the names that functions use, or by those of claims alone."""
    known = {name for function in FUNCTIONS for name in _inputs_of(function) or []}
    known |= SUBJECT_ONLY
    for document, claim in library.all(Claim):
        for name in claim.asserts.subject:
            if name not in known:
                yield document.finding(
                    rule="claims/unknown-subject", at=f"asserts.subject.{name}",
                    expected=f"a name such as {listed(sorted(known), name)}", got=name,
                    fix=renamed(name, sorted(known), "use the name of an input"),
                )  # fmt: skip


def _names(text: str) -> set[str]:
    """Return the placeholder names of a text; braces inside code spans count as code."""
    parts = text.split("`")
    plain = " ".join(parts[::2])
    try:
        return {name for _, name, _, _ in Formatter().parse(plain) if name}
    except ValueError:
        return set()
