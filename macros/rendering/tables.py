"""Tables of data: the unit once in the header, numbers to the right, a row header in each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from macros.rendering.markup import DATE, EMPTY, Html, classes, element, join
from macros.rendering.numbers import DASH
from macros.rendering.words import word


class Column(NamedTuple):
    """One column: its heading, the unit of all its cells, and whether they are numbers."""

    heading: object
    unit: str | None = None
    number: bool = False
    sort: bool = True


class Row(NamedTuple):
    """One row: its cells, and attributes such as an id or the facets of a filter."""

    cells: Sequence[object]
    attributes: Mapping[str, object] = {}
    sort_keys: Sequence[object] = ()


def data_table(
    *,
    columns: Sequence[Column],
    rows: Sequence[Row | Sequence[object]],
    caption: object,
    language: str,
    footer: Sequence[object] | None = None,
    note: object = None,
    show_caption: bool = True,
    sortable: bool = False,
    stacked: bool = False,
    empty: object = None,
) -> Html:
    """Return a table in a region that scrolls sideways; a stacked one is a list on a phone."""
    if not rows:
        return element("p", empty or word("none_yet", language), class_="empty")
    table = element(
        "table",
        element("caption", caption, class_=None if show_caption else "visually-hidden"),
        element("thead", element("tr", *(_heading(column, sortable) for column in columns))),
        element("tbody", *(_row(row, columns, language) for row in rows)),
        element("tfoot", _row(footer, columns, language)) if footer else EMPTY,
        class_=classes("data-table", "data-table--stacked" if stacked else None),
        data_sortable=sortable,
    )
    region = element(
        "div", table, class_="data-scroll", role="region", tabindex="0", aria_label=_plain(caption)
    )
    return element(
        "div", region, element("p", note, class_="data-note") if note else EMPTY, class_="data"
    )


def unknown(language: str) -> Html:
    """Return the sign for a value that was looked for and is not known."""
    return element(
        "span",
        element("span", DASH, aria_hidden="true"),
        element("span", word("unknown", language), class_="visually-hidden"),
        class_="unknown",
        title=word("unknown", language),
    )


def facts(entries: Sequence[tuple[object, object]], *, language: str) -> Html:
    """Return terms and values as a list of definitions; None is shown as not known."""
    pairs = (
        element(
            "div",
            element("dt", term),
            element("dd", unknown(language) if value is None else value),
        )
        for term, value in entries
    )
    return element("dl", *pairs, class_="facts")


def _heading(column: Column, sortable: bool) -> Html:
    unit = element("span", column.unit, class_="data-unit") if column.unit else EMPTY
    return element(
        "th",
        join(column.heading, unit, separator=" "),
        scope="col",
        class_="number" if column.number else None,
        data_sort=("number" if column.number else "text") if sortable and column.sort else None,
    )


def _row(row: Row | Sequence[object], columns: Sequence[Column], language: str) -> Html:
    whole = row if isinstance(row, Row) else Row(row)
    if len(whole.cells) != len(columns):
        raise ValueError(f"a row of {len(whole.cells)} cells under {len(columns)} columns")
    keys = whole.sort_keys or (None,) * len(columns)
    cells = (
        element(
            "td" if index else "th",
            unknown(language) if cell is None else cell,
            scope=None if index else "row",
            class_=_cell_class(cell, column),
            data_key="" if cell is None else key,
        )
        for index, (cell, column, key) in enumerate(zip(whole.cells, columns, keys, strict=True))
    )
    return element("tr", *cells, **whole.attributes)


def _cell_class(cell: object, column: Column) -> str | None:
    if column.number:
        return "number"
    return "nowrap" if DATE.fullmatch(str(cell)) else None


def _plain(value: object) -> str:
    if isinstance(value, Html):
        raise TypeError("a caption names its region and must be plain text")
    return str(value)
