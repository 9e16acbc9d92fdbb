"""Badges: the word first, a shape second, a colour third, and the whole meaning on focus."""

from __future__ import annotations

from macros.rendering.markup import Html, classes, element, join
from macros.rendering.words import COLONS, word, words_under

BADGE_KINDS = ("evidence", "verdict", "severity", "finding", "mark")


def badge(*, kind: str, name: str, language: str, compact: bool = False) -> Html:
    """Return the badge of a vocabulary word; a compact one, for tables, takes no keyboard stop."""
    label = word(f"{kind}.{name}", language)
    meaning = word(f"{kind}.{name}.meaning", language)
    return element(
        "span",
        element("span", class_="badge-shape", aria_hidden="true"),
        label,
        class_=classes("badge", f"badge--{kind}", f"badge--{name}"),
        title=meaning,
        tabindex=None if compact else "0",
        role=None if compact else "note",
        aria_label=None if compact else f"{label}{COLONS[language]}{meaning}",
    )


def evidence_badge(name: str, language: str, *, compact: bool = False) -> Html:
    """Return the badge for how good a fact is, from measured to claimed."""
    return badge(kind="evidence", name=name, language=language, compact=compact)


def verdict_badge(name: str, language: str, *, compact: bool = False) -> Html:
    """Return the badge for what became of a claim."""
    return badge(kind="verdict", name=name, language=language, compact=compact)


def severity_badge(name: str, language: str, *, compact: bool = False) -> Html:
    """Return the badge for how bad a pitfall is."""
    return badge(kind="severity", name=name, language=language, compact=compact)


def finding_badge(name: str, language: str, *, compact: bool = False) -> Html:
    """Return the badge for a finding of the diagnosis."""
    return badge(kind="finding", name=name, language=language, compact=compact)


def mark(name: str, language: str, *, compact: bool = False) -> Html:
    """Return a mark beside other badges: untested, inferred, scenario or withdrawn."""
    return badge(kind="mark", name=name, language=language, compact=compact)


def status_badge(name: str, language: str, *, compact: bool = False) -> Html:
    """Return the badge of a recipe's status: an evidence word, or untested."""
    kind = "mark" if name in words_under("mark") else "evidence"
    return badge(kind=kind, name=name, language=language, compact=compact)


def badge_legend(*, kind: str, names: tuple[str, ...] = (), language: str) -> Html:
    """Return what the badges of a table mean, one line each."""
    entries = (
        join(
            element("dt", badge(kind=kind, name=name, language=language, compact=True)),
            element("dd", word(f"{kind}.{name}.meaning", language)),
        )
        for name in names or words_under(kind)
    )
    return element("dl", *entries, class_="badge-legend", data_search_exclude=True)
