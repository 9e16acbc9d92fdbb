"""Lists that a reader narrows down: whole without JavaScript, filtered by `lists.js` with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from macros.rendering.markup import Html, element
from macros.rendering.words import word

MAX_NUM_CHIPS = 6
RESERVED_KEYS = ("text", "sort")


class Facet(NamedTuple):
    """One question that narrows a list; `languages` tells of answers in another language."""

    key: str
    label: str
    options: Sequence[tuple[str, str]]
    languages: Mapping[str, str] = {}


def filter_attributes(**facets: str | Iterable[str]) -> dict[str, object]:
    """Return the attributes that make an element an item of a filtered list."""
    values = {
        f"data_facet_{key}": value if isinstance(value, str) else " ".join(value)
        for key, value in facets.items()
    }
    return {"data_filter_item": True, **values}


def filterable(*, name: str, facets: Sequence[Facet], body: Html, language: str) -> Html:
    """Return a list under its filter; the filter stays hidden where JavaScript does not run."""
    return element(
        "div",
        element(
            "form",
            _text_field(name, language),
            *(_facet(name, facet, language) for facet in facets),
            element("button", word("clear", language), type="reset", class_="filter-clear"),
            element(
                "p",
                class_="filter-count",
                role="status",
                data_say_count=word("count_shown", language),
            ),
            class_="filter-form",
            role="search",
            aria_label=word("filter", language),
            data_search_exclude=True,
            hidden=True,
        ),
        body,
        element(
            "p", word("none_match", language), class_="empty", data_filter_empty=True, hidden=True
        ),
        class_="filter",
        data_filter=name,
    )


def _text_field(name: str, language: str) -> Html:
    identity = f"{name}-text"
    return element(
        "p",
        element("label", word("filter_text", language), for_=identity),
        element("input", type="search", id=identity, name="text", autocomplete="off"),
        class_="filter-text",
    )


def _facet(name: str, facet: Facet, language: str) -> Html:
    if not facet.key.isalpha() or facet.key in RESERVED_KEYS:
        raise ValueError(f"{facet.key} is no key of a facet: one word, not {RESERVED_KEYS}")
    return (_chips if len(facet.options) <= MAX_NUM_CHIPS else _choice)(name, facet, language)


def _chips(name: str, facet: Facet, language: str) -> Html:
    chips = (
        element(
            "label",
            element("input", type="checkbox", name=facet.key, value=value),
            element("span", label, lang=facet.languages.get(value)),
            class_="chip",
        )
        for value, label in facet.options
    )
    return element(
        "fieldset",
        element("legend", facet.label),
        *chips,
        class_="filter-facet",
        data_facet=facet.key,
    )


def _choice(name: str, facet: Facet, language: str) -> Html:
    identity = f"{name}-{facet.key}"
    options = (
        element("option", label, value=value, lang=facet.languages.get(value))
        for value, label in facet.options
    )
    return element(
        "p",
        element("label", facet.label, for_=identity),
        element(
            "select",
            element("option", word("any", language), value=""),
            *options,
            id=identity,
            name=facet.key,
        ),
        class_="filter-facet",
    )
