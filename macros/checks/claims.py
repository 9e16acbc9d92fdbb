"""Every claim is checked, and its stated verdict is the computed one."""

from collections.abc import Iterator
from difflib import get_close_matches
from string import Formatter

from macros.arithmetic import day
from macros.claims import compares, compute, judge_claim
from macros.findings import Finding
from macros.functions import FUNCTIONS
from macros.library import Library
from macros.loading import Document
from macros.records import Claim, Experiment, Faq, Model

CALL_ERRORS = (KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError)


def verdict_is_computed(library: Library) -> Iterator[Finding]:
    """The stated verdict of a claim is what its check computes."""
    for document, claim in library.all(Claim):
        if claim.check and claim.check.function not in FUNCTIONS:
            yield _unknown_function(document, "check.function", claim.check.function)
            continue
        try:
            judgement = judge_claim(library, claim)
        except CALL_ERRORS as error:
            yield document.finding(
                rule="claims/check-fails", at="check", expected="a check that can be computed",
                got=str(error), fix="correct the inputs under `with`, `against` or `requires`",
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
        if value.function not in FUNCTIONS:
            yield _unknown_function(document, f"values.{name}.function", value.function)
            continue
        try:
            compute(library, value, getattr(record, "against", []))
        except CALL_ERRORS as error:
            yield document.finding(
                rule="texts/value-fails", at=f"values.{name}", expected="a value",
                got=str(error), fix="correct `over` or `with`",
            )  # fmt: skip


def _unknown_function(document: Document, at: str, got: str) -> Finding:
    near = get_close_matches(got, FUNCTIONS, n=3)
    return document.finding(
        rule="claims/unknown-function", at=at, expected="a function of macros/functions.py",
        got=got, fix=f"write {' or '.join(f'`{each}`' for each in near)}" if near else "name one",
    )  # fmt: skip


def _names(text: str) -> set[str]:
    """Return the placeholder names of a text; braces inside code spans count as code."""
    parts = text.split("`")
    plain = " ".join(parts[::2])
    try:
        return {name for _, name, _, _ in Formatter().parse(plain) if name}
    except ValueError:
        return set()
