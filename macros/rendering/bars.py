"""Bars made of HTML and CSS: the bytes of a checkpoint by module, and a share of a ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from macros.rendering.markup import EMPTY, Html, classes, element
from macros.rendering.numbers import BYTES_PER_GB, gigabytes, percent, rounded
from macros.rendering.tables import Column, data_table
from macros.rendering.words import word, words_under

MODULES = words_under("module")
TRAFFIC_MODULES = ("state", "kv_cache", "draft")
MAX_NUM_TICKS = 6
MIN_NUM_ROWS_TO_CUT = 8

Segments = Sequence[tuple[str, int]]


class BarRow(NamedTuple):
    """One checkpoint of a group: its name, its bytes by module, and what stands beside its bar."""

    label: object
    segments: Segments
    href: str | None = None
    figure: object = None
    note: object = None


def byte_bar(
    *,
    segments: Segments,
    scale_bytes: int,
    label: str,
    language: str,
    decimals: int = 2,
    table: bool = True,
) -> Html:
    """Return one bar whose length is `scale_bytes` at full width, with its legend and its table."""
    parts = _ordered(segments)
    if _total(parts) > scale_bytes:
        raise ValueError(f"{label}: {_total(parts)} bytes do not fit a scale of {scale_bytes}")
    return element(
        "figure",
        element(
            "figcaption",
            element("span", label, class_="bytes-label"),
            element("span", gigabytes(_total(parts), decimals=decimals), class_="bytes-total"),
            class_="bytes-head",
        ),
        _bar(parts, scale_bytes, label, language, decimals),
        _legend(parts, language, decimals),
        _table(parts, label, language, decimals) if table else EMPTY,
        class_="bytes",
    )


def byte_bar_group(
    *,
    rows: Sequence[BarRow],
    caption: str,
    language: str,
    scale_bytes: int | None = None,
    bandwidth_gb_per_s: Decimal | int | None = None,
    figure_heading: object = None,
    decimals: int = 2,
    note: object = None,
    show_caption: bool = True,
) -> Html:
    """Return bars to one scale under one legend; with a bandwidth the axis shows ceilings, too.

    A bar longer than `scale_bytes` is cut at the end of the axis, and its row says so.
    """
    if not rows:
        return element("p", word("none_yet", language), class_="empty")
    ordered = [row._replace(segments=_ordered(row.segments)) for row in rows]
    scale = scale_bytes or common_scale_bytes([_total(row.segments) for row in ordered])
    present = [name for name in MODULES if any(name == m for r in ordered for m, _ in r.segments)]
    return element(
        "figure",
        element(
            "figcaption", caption, class_="bytes-caption" if show_caption else "visually-hidden"
        ),
        _legend([(name, 0) for name in present], language, None),
        element(
            "div",
            *(_group_row(row, scale, language, decimals) for row in ordered),
            _axis(scale, bandwidth_gb_per_s),
            class_=classes("bytes-rows", "bytes-rows--figures" if figure_heading else None),
        ),
        element("p", note, class_="data-note") if note else EMPTY,
        _group_table(ordered, present, caption, language, decimals, figure_heading),
        class_="bytes bytes--group",
    )


def share_bar(
    ratio: Decimal | float, *, language: str, decimals: int = 0, what: str | None = None
) -> Html:
    """Return a ratio as a small inline bar with its number; above 1 the bar is full and marked."""
    over = ratio > 1
    meaning = what or word("over_ceiling" if over else "of_ceiling", language)
    width = rounded(min(max(Decimal(str(ratio)), Decimal(0)), Decimal(1)) * 100, decimals=1)
    return element(
        "span",
        element(
            "span",
            element("span", class_="share-fill", style=f"width:{width}%"),
            class_="share-track",
            aria_hidden="true",
        ),
        element("span", percent(ratio, decimals=decimals), class_="share-number"),
        element("span", " ", meaning, class_="visually-hidden"),
        class_=classes("share", "share--over" if over else None),
        title=meaning,
    )


def common_scale_bytes(totals: Sequence[int]) -> int:
    """Return the longest total, in a long list without one that dwarfs all others."""
    *shorter, longest = sorted(totals)
    dwarfs = len(totals) >= MIN_NUM_ROWS_TO_CUT and longest > 2 * shorter[-1]
    return shorter[-1] if dwarfs else longest


def nice_ticks(scale_bytes: int) -> list[int]:
    """Return round byte counts from 0 up to the scale, a handful of them."""
    step = 10 ** (len(str(scale_bytes)) - 2)
    steps = (step * factor for factor in (1, 2, 5, 10, 20, 50, 100))
    chosen = next(size for size in steps if scale_bytes // size < MAX_NUM_TICKS)
    return list(range(0, scale_bytes + 1, chosen))


def module_word(name: str, language: str) -> str:
    """Return what a module is called on pages."""
    return word(f"module.{name}", language)


def _ordered(segments: Segments) -> list[tuple[str, int]]:
    """Return the segments in the order of the bar, those of one module added up, none of zero."""
    totals: dict[str, int] = {}
    for name, num_bytes in segments:
        if name not in MODULES:
            raise KeyError(f"{name} is no module of the bar; one of {', '.join(MODULES)}")
        if num_bytes < 0:
            raise ValueError(f"{name} has {num_bytes} bytes")
        totals[name] = totals.get(name, 0) + num_bytes
    return [(name, totals[name]) for name in MODULES if totals.get(name)]


def _module_class(name: str) -> str:
    return f"module--{name.replace('_', '-')}"


def _total(segments: Segments) -> int:
    return sum(num_bytes for _, num_bytes in segments)


def _share_percent(num_bytes: int, of_bytes: int) -> Decimal:
    return Decimal(100 * num_bytes) / Decimal(of_bytes)


def _bar(segments: Segments, scale: int, label: object, language: str, decimals: int) -> Html:
    parts = (
        element(
            "span",
            element("span", module_word(name, language), class_="bytes-name"),
            class_=f"bytes-part {_module_class(name)}",
            style=f"width:{rounded(_share_percent(num_bytes, scale), decimals=3)}%",
            title=f"{module_word(name, language)} {gigabytes(num_bytes, decimals=decimals)}",
        )
        for name, num_bytes in segments
    )
    spoken = " · ".join(
        f"{module_word(name, language)} {gigabytes(num_bytes, decimals=decimals)}"
        for name, num_bytes in segments
    )
    total = gigabytes(_total(segments), decimals=decimals)
    return element(
        "div",
        *parts,
        class_="bytes-bar",
        role="img",
        aria_label=f"{label} · {total} · {spoken}",
        data_search_exclude=True,
    )


def _legend(segments: Segments, language: str, decimals: int | None) -> Html:
    entries = (
        element(
            "li",
            element("span", class_=f"bytes-swatch {_module_class(name)}", aria_hidden="true"),
            element("span", module_word(name, language)),
            " ",
            EMPTY
            if decimals is None
            else element("b", gigabytes(num_bytes, decimals=decimals), class_="bytes-amount"),
        )
        for name, num_bytes in segments
    )
    return element("ul", *entries, class_="bytes-legend", data_search_exclude=True)


def behind(table: Html, language: str) -> Html:
    """Return the table of a picture, folded away behind it."""
    return element(
        "details",
        element("summary", word("table_behind", language)),
        table,
        class_="behind",
        data_search_exclude=True,
    )


def _table(segments: Segments, label: str, language: str, decimals: int) -> Html:
    total = _total(segments)
    table = data_table(
        columns=[
            Column(word("module", language)),
            Column(word("bytes_per_token", language), "GB", number=True),
            Column(word("share", language), "%", number=True),
        ],
        rows=[
            [
                module_word(name, language),
                gigabytes(num_bytes, decimals=decimals, unit=False),
                percent(_share_percent(num_bytes, total) / 100, decimals=1, unit=False),
            ]
            for name, num_bytes in segments
        ],
        footer=[
            word("total", language),
            gigabytes(total, decimals=decimals, unit=False),
            percent(1, decimals=1, unit=False),
        ],
        caption=label,
        language=language,
    )
    return behind(table, language)


def _group_row(row: BarRow, scale: int, language: str, decimals: int) -> Html:
    name = element("a", row.label, href=row.href) if row.href else element("span", row.label)
    is_cut = _total(row.segments) > scale
    cut = element("span", word("bar_cut", language), class_="bytes-note") if is_cut else EMPTY
    note = element("span", row.note, class_="bytes-note") if row.note else EMPTY
    total = gigabytes(_total(row.segments), decimals=decimals)
    return element(
        "div",
        element("div", name, note, class_="bytes-label"),
        element(
            "div", _bar(row.segments, scale, row.label, language, decimals), class_="bytes-lane"
        ),
        element(
            "div",
            element("span", total, class_="bytes-total"),
            element("span", row.figure, class_="bytes-figure") if row.figure else EMPTY,
            cut,
            class_="bytes-numbers",
        ),
        class_=classes("bytes-row", "bytes-row--cut" if is_cut else None),
    )


def _axis(scale: int, bandwidth_gb_per_s: Decimal | int | None) -> Html:
    ticks = (
        element(
            "span",
            element("span", _tick_text(tick), class_="bytes-tick-bytes"),
            element("span", _ceiling_text(tick, bandwidth_gb_per_s), class_="bytes-tick-ceiling")
            if bandwidth_gb_per_s and tick
            else EMPTY,
            class_="bytes-tick",
            style=f"left:{rounded(_share_percent(tick, scale), decimals=3)}%",
        )
        for tick in nice_ticks(scale)
    )
    return element(
        "div",
        element("div", *ticks, class_="bytes-ticks"),
        class_="bytes-axis",
        aria_hidden="true",
        data_search_exclude=True,
    )


def _tick_text(num_bytes: int) -> str:
    decimals = 0 if num_bytes % BYTES_PER_GB == 0 else 1
    return gigabytes(num_bytes, decimals=decimals)


def _ceiling_text(num_bytes: int, bandwidth_gb_per_s: Decimal | int) -> str:
    ceiling = Decimal(bandwidth_gb_per_s) * BYTES_PER_GB / num_bytes
    return f"{rounded(ceiling, decimals=0)} tok/s"


def _group_table(
    rows: Sequence[BarRow],
    present: Sequence[str],
    caption: str,
    language: str,
    decimals: int,
    figure_heading: object,
) -> Html:
    extra = [Column(figure_heading, number=True)] if figure_heading else []
    columns = [
        Column(word("checkpoint", language)),
        *(Column(module_word(name, language), "GB", number=True) for name in present),
        Column(word("total", language), "GB", number=True),
        *extra,
    ]
    body = [
        [
            row.label,
            *(
                gigabytes(dict(row.segments).get(name, 0), decimals=decimals, unit=False)
                for name in present
            ),
            gigabytes(_total(row.segments), decimals=decimals, unit=False),
            *([row.figure] if figure_heading else []),
        ]
        for row in rows
    ]
    table = data_table(columns=columns, rows=body, caption=caption, language=language)
    return behind(table, language)
