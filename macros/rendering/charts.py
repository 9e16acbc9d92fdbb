"""Charts drawn at build time: percentages for places, so that text keeps its size on a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor, log2, log10
from typing import NamedTuple

from macros.rendering.bars import behind
from macros.rendering.markup import EMPTY, Html, element, join
from macros.rendering.tables import Column, data_table
from macros.rendering.words import bracketed

MAX_NUM_SERIES = 6
MAX_NUM_DATES = 4
SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z",
    "M-4.6-4.6H4.6V4.6H-4.6Z",
    "M0-6L5.6 4.4H-5.6Z",
    "M0-6.4L6.4 0L0 6.4L-6.4 0Z",
    "M0 6L5.6-4.4H-5.6Z",
    "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
)

NAME_OFFSETS = {"right": (10, 4), "left": (-10, 4), "above": (0, -11), "below": (0, 20)}
CHARACTER_PERCENT = 2  # of a plot on a phone
MARK_WEIGHT = 10

Place = tuple[float, float]  # from the left and from the top, in percent of the plot
Box = tuple[float, float, float, float]  # left, top, right, bottom


class Point(NamedTuple):
    """One mark: where, in which series, what it is, and whether its name stands beside it."""

    x: float
    y: float
    series: str
    label: str
    named: bool = False
    href: str | None = None


class Axis(NamedTuple):
    """One axis: its words, its unit, where it starts and ends, and how it writes a tick."""

    label: str
    unit: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    logarithmic: bool = False


def linear_axis(label: str, unit: str, high: float, *, low: float = 0, num_ticks: int = 5) -> Axis:
    """Return an axis with round ticks that holds every value up to `high`."""
    rough = (high - low) / num_ticks
    magnitude = 10 ** floor(log10(rough))
    step = next(magnitude * f for f in (1, 2, 5, 10) if magnitude * f >= rough)
    end = ceil(high / step) * step
    values = [low + step * index for index in range(round((end - low) / step) + 1)]
    return Axis(label, unit, low, end, [(value, f"{value:g}") for value in values])


def doubling_axis(label: str, unit: str, high: float, *, low: float = 1) -> Axis:
    """Return an axis on which each doubling takes the same length, from a power of two to one."""
    first, last = floor(log2(low)), max(ceil(log2(high)), floor(log2(low)) + 1)
    every = 1 if last - first <= 8 else 2
    ticks = [(2**power, str(2**power)) for power in range(first, last + 1, every)]
    return Axis(label, unit, 2**first, 2**last, ticks, True)


def date_axis(label: str, first: date, last: date) -> Axis:
    """Return an axis of days with a tick at the start of a month, few enough for a phone."""
    start = first.replace(day=1)
    months = [start]
    while months[-1] <= last:
        year, month = divmod(months[-1].year * 12 + months[-1].month, 12)
        months.append(date(year, month + 1, 1))
    every = next(n for n in (1, 2, 3, 6, 12, 24, 60) if len(months) <= 1 + n * MAX_NUM_DATES)
    ticks = [(month.toordinal(), f"{month:%Y-%m}") for month in months[:-1][::every]]
    return Axis(label, "", start.toordinal(), months[-1].toordinal(), ticks)


def scatter_plot(
    points: Sequence[Point],
    *,
    x_axis: Axis,
    y_axis: Axis,
    title: str,
    description: str,
    language: str,
    curve: Callable[[float], float] | None = None,
    curve_label: str | None = None,
    note: object = None,
    joined: bool = False,
) -> Html:
    """Return points on two axes, one shape a series, with an optional curve such as a ceiling.

    The points of a series may be joined by a line from left to right.
    """
    series = _series(points)
    line = _curve(curve, x_axis, y_axis) if curve else []
    lines = [_joined(points, name, x_axis, y_axis) for name in series] if joined else []
    drawn = [
        _grid(x_axis, y_axis),
        _polyline(line, "chart-curve") if curve else EMPTY,
        *(_polyline(each, f"chart-line chart-line--{i}") for i, each in enumerate(lines)),
        *_marks(points, series, x_axis, y_axis, [line, *lines]),
    ]
    return _figure(drawn, points, series, x_axis, y_axis, title, description, language,
                   curve_label, note)  # fmt: skip


def step_chart(
    points: Sequence[Point],
    *,
    x_axis: Axis,
    y_axis: Axis,
    title: str,
    description: str,
    language: str,
    note: object = None,
) -> Html:
    """Return how a record rose over time: each level holds until the next one."""
    series = _series(points)
    lines = [_steps([p for p in points if p.series == name], x_axis, y_axis) for name in series]
    drawn = [
        _grid(x_axis, y_axis),
        *(_polyline(line, f"chart-line chart-line--{index}") for index, line in enumerate(lines)),
        *_marks(points, series, x_axis, y_axis, lines),
    ]
    return _figure(drawn, points, series, x_axis, y_axis, title, description, language, None, note)


def _series(points: Sequence[Point]) -> list[str]:
    names = list(dict.fromkeys(point.series for point in points))
    if len(names) > MAX_NUM_SERIES:
        raise ValueError(
            f"{len(names)} series, and only {MAX_NUM_SERIES} shapes to tell them apart"
        )
    return names


def _place(value: float, axis: Axis) -> float:
    if axis.logarithmic:
        return 100 * log2(value / axis.low) / log2(axis.high / axis.low)
    return 100 * (value - axis.low) / (axis.high - axis.low)


def _x(value: float, axis: Axis) -> str:
    return f"{_place(value, axis):.2f}%"


def _y(value: float, axis: Axis) -> str:
    return f"{100 - _place(value, axis):.2f}%"


def _grid(x_axis: Axis, y_axis: Axis) -> Html:
    rows = (
        join(
            element(
                "line", x1="0", x2="100%", y1=_y(v, y_axis), y2=_y(v, y_axis), class_="chart-grid"
            ),
            element("text", text, x="0", y=_y(v, y_axis), dx="-8", dy="4", class_="chart-y"),
        )
        for v, text in y_axis.ticks
    )
    columns = (
        join(
            element(
                "line",
                x1=_x(v, x_axis),
                x2=_x(v, x_axis),
                y1="100%",
                y2="100%",
                class_="chart-tick",
            ),
            element("text", text, x=_x(v, x_axis), y="100%", dy="20", class_="chart-x"),
        )
        for v, text in x_axis.ticks
    )
    return element("g", *rows, *columns, aria_hidden="true")


def _marks(
    points: Sequence[Point],
    series: Sequence[str],
    x_axis: Axis,
    y_axis: Axis,
    lines: Sequence[Sequence[Place]],
) -> Iterator[Html]:
    """Yield the marks, then the names, each where it covers least of marks, lines and names."""
    yield from (_mark(point, series.index(point.series), x_axis, y_axis) for point in points)
    marks = (_box(_at(point, x_axis, y_axis), "", "mark") for point in points)
    taken = [(box, MARK_WEIGHT) for box in marks]
    taken += [(_box(place, "", "line"), 1) for place in _along(lines)]
    for point in points:
        if point.named:
            place = _at(point, x_axis, y_axis)
            side = _free_side(place, point.label, taken)
            taken.append((_box(place, point.label, side), MARK_WEIGHT))
            yield _name(point, side, x_axis, y_axis)


def _along(lines: Sequence[Sequence[Place]]) -> Iterator[Place]:
    """Yield places along lines, close enough that no name slips between two of them."""
    for line in lines:
        for (x, y), (next_x, next_y) in pairwise(line):
            num_steps = max(1, ceil(max(abs(next_x - x), abs(next_y - y)) / 2))
            for step in range(num_steps):
                share = step / num_steps
                yield x + (next_x - x) * share, y + (next_y - y) * share


def _mark(point: Point, index: int, x_axis: Axis, y_axis: Axis) -> Html:
    return element(
        "svg",
        element("path", d=SHAPES[index], class_=f"chart-mark chart-mark--{index}"),
        element("title", f"{point.label} · {point.x:g} {x_axis.unit} · {point.y:g} {y_axis.unit}"),
        x=_x(point.x, x_axis),
        y=_y(point.y, y_axis),
        overflow="visible",
    )


def _name(point: Point, side: str, x_axis: Axis, y_axis: Axis) -> Html:
    dx, dy = NAME_OFFSETS[side]
    return element(
        "text",
        point.label,
        x=_x(point.x, x_axis),
        y=_y(point.y, y_axis),
        dx=dx,
        dy=dy,
        class_=f"chart-name chart-name--{side}",
    )


def _at(point: Point, x_axis: Axis, y_axis: Axis) -> Place:
    return _place(point.x, x_axis), 100 - _place(point.y, y_axis)


def _box(place: Place, label: str, side: str) -> Box:
    """Return left, top, right, bottom of a name in percent of a plot of usual size."""
    x, y = place
    width = sum(CHARACTER_PERCENT * (1 if c < "\u2e80" else 2) for c in label)
    match side:
        case "right":
            return x + 1.5, y - 3, x + 1.5 + width, y + 3
        case "left":
            return x - 1.5 - width, y - 3, x - 1.5, y + 3
        case "above":
            return x - width / 2, y - 8, x + width / 2, y - 2
        case "below":
            return x - width / 2, y + 2, x + width / 2, y + 8
        case "mark":
            return x - 1.5, y - 2.5, x + 1.5, y + 2.5
        case _:
            return x - 1, y - 1, x + 1, y + 1


def _free_side(place: Place, label: str, taken: Sequence[tuple[Box, int]]) -> str:
    """Return the side of a mark where its name covers least of what stands there already."""

    def covered(side: str) -> float:
        left, top, right, bottom = _box(place, label, side)
        outside = max(0, -left) + max(0, right - 100) + max(0, -top) + max(0, bottom - 100)
        overlaps = (
            weight * max(0, min(right, r) - max(left, le)) * max(0, min(bottom, b) - max(top, t))
            for (le, t, r, b), weight in taken
        )
        return 100 * outside + sum(overlaps)

    return min(NAME_OFFSETS, key=covered)


def _polyline(places: Sequence[Place], css_class: str) -> Html:
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
    return element(
        "svg",
        element("polyline", points=points, class_=css_class, vector_effect="non-scaling-stroke"),
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
        width="100%",
        height="100%",
        aria_hidden="true",
    )


def _curve(curve: Callable[[float], float], x_axis: Axis, y_axis: Axis) -> list[Place]:
    xs = (x_axis.low + (x_axis.high - x_axis.low) * i / 200 for i in range(201))
    inside = [(x, curve(x)) for x in xs if x > 0]
    return [
        (_place(x, x_axis), 100 - _place(y, y_axis))
        for x, y in inside
        if y_axis.low <= y <= y_axis.high
    ]


def _joined(points: Sequence[Point], name: str, x_axis: Axis, y_axis: Axis) -> list[Place]:
    own = sorted((point for point in points if point.series == name), key=lambda point: point.x)
    return [_at(point, x_axis, y_axis) for point in own]


def _steps(points: Sequence[Point], x_axis: Axis, y_axis: Axis) -> list[Place]:
    places: list[Place] = []
    for point in sorted(points, key=lambda point: point.x):
        x, y = _at(point, x_axis, y_axis)
        if places:
            places.append((x, places[-1][1]))
        places.append((x, y))
    return [*places, (100.0, places[-1][1])]


def _key(series: Sequence[str], curve_label: str | None) -> Html:
    if len(series) < 2 and not curve_label:
        return EMPTY
    entries = [
        element(
            "li",
            element(
                "svg",
                element("path", d=SHAPES[index], class_=f"chart-mark chart-mark--{index}"),
                viewBox="-8 -8 16 16",
                class_="chart-sample",
                aria_hidden="true",
            ),
            name,
        )
        for index, name in enumerate(series)
    ]
    if curve_label:
        entries.append(
            element(
                "li", element("span", class_="chart-curve-sample", aria_hidden="true"), curve_label
            )
        )
    return element("ul", *entries, class_="chart-key", data_search_exclude=True)


def _heading(axis: Axis, language: str) -> str:
    return axis.label + (bracketed(axis.unit, language) if axis.unit else "")


def _figure(
    drawn: Sequence[Html],
    points: Sequence[Point],
    series: Sequence[str],
    x_axis: Axis,
    y_axis: Axis,
    title: str,
    description: str,
    language: str,
    curve_label: str | None,
    note: object,
) -> Html:
    plot = element(
        "svg",
        element("title", title),
        element("desc", description),
        *drawn,
        class_="chart-plot",
        role="img",
        aria_label=f"{title}. {description}",
    )
    table = data_table(
        columns=[
            Column(title),
            Column(x_axis.label, x_axis.unit or None, number=True),
            Column(y_axis.label, y_axis.unit or None, number=True),
        ],
        rows=[
            [
                point.label if len(series) < 2 else f"{point.label} · {point.series}",
                _cell(point.x, x_axis),
                f"{Decimal(str(point.y)):f}",
            ]
            for point in points
        ],
        caption=title,
        language=language,
        show_caption=False,
    )
    return element(
        "figure",
        element("figcaption", title, class_="chart-title"),
        _key(series, curve_label),
        element("p", _heading(y_axis, language), class_="chart-y-label"),
        element("div", plot, class_="chart-frame", data_search_exclude=True),
        element("p", _heading(x_axis, language), class_="chart-x-label"),
        element("p", note, class_="data-note") if note else EMPTY,
        behind(table, language),
        class_="chart",
    )


def _cell(value: float, axis: Axis) -> str:
    if axis.unit:
        return f"{Decimal(str(value)):f}"
    return date.fromordinal(round(value)).isoformat()
