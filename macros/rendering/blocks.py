"""Blocks of a page: answers, speeds with their conditions, doors, cards, notices and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from macros.rendering.badges import evidence_badge
from macros.rendering.markup import EMPTY, Html, classes, element, join
from macros.rendering.numbers import DASH, FIXED_SPACE, day, figure, rounded
from macros.rendering.words import word

SHORT_REVISION_LENGTH = 7
MIDDLE_DOT = element("span", " · ", class_="dot")


class Door(NamedTuple):
    """One way into the site: what a reader does behind it, and one sentence about it."""

    title: object
    text: object
    href: str


class Card(NamedTuple):
    """One record in a grid: its name, badges, a sentence and a few facts."""

    title: object
    href: str | None = None
    badges: object = None
    text: object = None
    facts: Sequence[tuple[object, object]] = ()
    attributes: Mapping[str, object] = {}


DRAFT_NAMES = {
    "mtp": "MTP", "dflash": "DFlash", "dspark": "DSpark", "eagle3": "EAGLE-3", "ngram": "n-gram",
}  # fmt: skip


def draft_words(method: str | None, num_tokens: int | None, language: str) -> str:
    """Return how tokens were drafted, or that they were not, or that nobody says."""
    if method in (None, "none", "unknown"):
        return word(f"draft.{method or 'unknown'}", language)
    name = DRAFT_NAMES[method]
    if num_tokens is None:
        return name
    unit = word("draft_token" if num_tokens == 1 else "draft_tokens", language)
    return f"{name}{'，' if language == 'zh' else ', '}{num_tokens}{FIXED_SPACE}{unit}"


def concurrency_words(concurrency: int | None, language: str) -> str:
    """Return how many requests ran at once."""
    if concurrency is None:
        return word("load_not_stated", language)
    if concurrency == 1:
        return word("one_request", language)
    return f"{concurrency}{FIXED_SPACE}{word('requests_at_once', language)}"


def conditions(
    *,
    concurrency: int | None,
    draft: str,
    measured_on: date | str | None,
    language: str,
) -> Html:
    """Return the conditions of a speed in one short line; `draft` comes from `draft_words`."""
    dated = day(measured_on, language) if measured_on else word("not_stated", language)
    parts = (concurrency_words(concurrency, language), draft, dated)
    return join(*(element("span", part) for part in parts), separator=MIDDLE_DOT)


def speed(
    value: Decimal | int | str,
    *,
    concurrency: int | None,
    draft: str,
    measured_on: date | str | None,
    evidence: str,
    language: str,
    decimals: int | None = None,
    unit: str = "tok/s",
    large: bool = False,
    href: str | None = None,
) -> Html:
    """Return a speed that never stands without its load, drafts, date and evidence."""
    number = figure(value) if decimals is None else rounded(value, decimals=decimals)
    value_html = join(number, element("span", unit, class_="speed-unit"), separator=FIXED_SPACE)
    return element(
        "span",
        element("a", value_html, href=href, class_="speed-value")
        if href
        else element("span", value_html, class_="speed-value"),
        " ",
        element(
            "span",
            conditions(
                concurrency=concurrency, draft=draft, measured_on=measured_on, language=language
            ),
            " ",
            evidence_badge(evidence, language),
            class_="speed-terms",
        ),
        class_=classes("speed", "speed--large" if large else None),
    )


def answer(
    *,
    headline: object,
    reason: object,
    language: str,
    question: object = None,
    badges: object = None,
    dated: date | str | None = None,
    action: object = None,
) -> Html:
    """Return the answer of a page, before any explanation: what, why, as of when, how sure."""
    as_of = f"{word('as_of', language)} {day(dated, language)}" if dated else None
    foot = join(badges, element("span", as_of) if as_of else None, separator=" ")
    return element(
        "section",
        element("p", question, class_="answer-question") if question else EMPTY,
        element("p", headline, class_="answer-headline"),
        element("p", reason, class_="answer-reason"),
        element("p", foot, class_="answer-foot") if foot else EMPTY,
        element("div", action, class_="answer-action") if action else EMPTY,
        class_="answer",
        aria_label=word("answer", language),
    )


def doors(entries: Sequence[Door]) -> Html:
    """Return the ways into the site, side by side."""
    return element(
        "ul",
        *(
            element(
                "li",
                element(
                    "a",
                    element("span", entry.title, class_="door-title"),
                    element("span", entry.text, class_="door-text"),
                    href=entry.href,
                ),
            )
            for entry in entries
        ),
        class_="doors",
    )


def cards(entries: Sequence[Card], *, language: str) -> Html:
    """Return records as a grid of cards; an empty grid says so."""
    if not entries:
        return element("p", word("none_yet", language), class_="empty")
    return element("ul", *(_card(entry) for entry in entries), class_="cards")


def notice(*, text: object, language: str, kind: str = "note", title: object = None) -> Html:
    """Return a remark set apart: a note, a caution, or what is not known."""
    return element(
        "div",
        element("p", title or word(f"notice.{kind}", language), class_="notice-title"),
        element("div", text, class_="notice-text"),
        class_=classes("notice", f"notice--{kind}"),
        role="note",
    )


def quotation(*, text: object, text_language: str, source: object = None) -> Html:
    """Return the words of another in their own language, with where they stand."""
    return element(
        "blockquote",
        element("p", text, lang=text_language),
        element("p", element("cite", source)) if source else EMPTY,
        class_="quotation",
    )


def citation(
    *,
    title: str,
    title_language: str,
    language: str,
    url: str | None,
    publisher: str | None = None,
    published_on: date | str | None = None,
    retrieved_on: date | str | None = None,
    locator: str | None = None,
    revision: str | None = None,
    evidence: str | None = None,
) -> Html:
    """Return a source: what, by whom, of when, where in it, at which revision, how good."""
    name = element("a", title, href=url, lang=title_language, rel="noopener") if url else None
    short = element("code", (revision or "")[:SHORT_REVISION_LENGTH], title=revision)
    details = [
        publisher,
        element("span", day(published_on, language), class_="nowrap") if published_on else None,
        element("span", locator, class_="citation-locator", lang="en") if locator else None,
        join(word("revision", language), short, separator=" ") if revision else None,
        element(
            "span", f"{word('retrieved', language)} {day(retrieved_on, language)}", class_="nowrap"
        )
        if retrieved_on
        else None,
        None if url else word("no_address", language),
    ]
    parts = (element("span", detail) for detail in details if detail)
    return element(
        "span",
        name or element("span", title, lang=title_language),
        " ",
        element("span", join(*parts, separator=MIDDLE_DOT), class_="citation-details"),
        join(" ", evidence_badge(evidence, language)) if evidence else EMPTY,
        class_="citation",
    )


def _card(entry: Card) -> Html:
    title = (
        element("a", entry.title, href=entry.href) if entry.href else element("span", entry.title)
    )
    pairs = (
        element("div", element("dt", term), element("dd", DASH if value is None else value))
        for term, value in entry.facts
    )
    return element(
        "li",
        element("p", title, class_="card-title"),
        element("p", entry.badges, class_="card-badges") if entry.badges else EMPTY,
        element("p", entry.text, class_="card-text") if entry.text else EMPTY,
        element("dl", *pairs, class_="card-facts") if entry.facts else EMPTY,
        class_="card",
        **entry.attributes,
    )
