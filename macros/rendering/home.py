"""The first screen: the reader's question, and the answer for the model they pick."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from macros.rendering.commands import command
from macros.rendering.markup import EMPTY, Html, element
from macros.rendering.words import word


class PanelEntry(NamedTuple):
    """One model of the panel: its facts, best speed first, its command and where to read on."""

    key: str
    name: str
    facts: Sequence[tuple[object, object]]
    ceiling_tokens_per_s: Decimal
    code: str
    links: Sequence[tuple[object, str]]
    syntax: str = "bash"


def hero(*, question: str, lead: object, panel: Html, picture: Html = EMPTY) -> Html:
    """Return the headline question with its short answer and a picture, beside the panel."""
    return element(
        "div",
        element(
            "div",
            element("h1", question),
            element("p", lead, class_="hero-lead"),
            picture,
            class_="hero-words",
        ),
        panel,
        class_="hero",
    )


def model_panel(*, entries: Sequence[PanelEntry], language: str) -> Html:
    """Return the models to pick from: speed, ceiling, command, and a field for one's own."""
    if not entries:
        return element("p", word("none_yet", language), class_="empty")
    radios = (
        element(
            "input",
            type="radio",
            name="panel-model",
            id=f"panel-{entry.key}",
            value=entry.key,
            checked=entry is entries[0],
            class_="panel-radio",
        )
        for entry in entries
    )
    labels = (element("label", entry.name, for_=f"panel-{entry.key}") for entry in entries)
    return element(
        "section",
        *radios,
        element("p", word("panel.pick", language), class_="panel-legend", aria_hidden="true"),
        element("div", *labels, class_="panel-models"),
        element("div", *(_answer(entry, language) for entry in entries), class_="panel-answers"),
        class_="panel",
        aria_label=word("panel.pick", language),
        data_panel=True,
    )


def _answer(entry: PanelEntry, language: str) -> Html:
    pairs = (
        element("div", element("dt", term), element("dd", value)) for term, value in entry.facts
    )
    links = (element("a", text, href=href) for text, href in entry.links)
    return element(
        "div",
        element("dl", *pairs, class_="panel-facts"),
        _own_number(entry, language),
        command(code=entry.code, syntax=entry.syntax, scrolls=True),
        element("p", *links, class_="panel-links"),
        class_="panel-answer",
        data_panel_answer=entry.key,
    )


def _own_number(entry: PanelEntry, language: str) -> Html:
    identity = f"own-{entry.key}"
    sentences = {
        f"data_say_{state}": word(f"panel.own.{state}", language)
        for state in ("empty", "error", "result", "above")
    }
    return element(
        "form",
        element("label", word("panel.own", language), for_=identity),
        element("input", id=identity, name="speed", inputmode="decimal", autocomplete="off"),
        element("span", "tok/s", class_="panel-unit"),
        element("output", word("panel.own.empty", language), for_=identity),
        class_="panel-own",
        data_ceiling=f"{entry.ceiling_tokens_per_s:.2f}",
        hidden=True,
        **sentences,
    )
