"""Pictures of a model's measurements: over context and over concurrency, one metric a picture."""

from collections.abc import Iterator
from typing import NamedTuple

from macros.law import context_of
from macros.library import Library
from macros.records import Measurement, Point, Source
from macros.rendering.blocks import draft_words
from macros.rendering.charts import MAX_NUM_SERIES, doubling_axis, linear_axis, scatter_plot
from macros.rendering.charts import Point as Mark
from macros.rendering.markup import Html
from macros.rendering.runs import checkpoint_words, dated, engine_words
from macros.rendering.words import bracketed, word, words_of

FEWEST_PLACES = 3
THOUSAND = 1000
ONE_REQUEST = ("decode_tokens_per_s", "end_to_end_tokens_per_s", "unspecified_tokens_per_s")
EACH_REQUEST = (
    "decode_tokens_per_s", "per_request_end_to_end_tokens_per_s", "unspecified_tokens_per_s",
)  # fmt: skip
ALL_REQUESTS = ("aggregate_tokens_per_s", "sum_of_request_rates_tokens_per_s")

T = {
    "context": {"en": "Speed of one request by context", "zh": "单个请求的速度随上下文的变化"},
    "each": {"en": "Speed of each request by concurrency", "zh": "每个请求的速度随并发的变化"},
    "all": {"en": "Speed of all requests by concurrency", "zh": "全部请求的速度随并发的变化"},
    "context_axis": {"en": "Context at decode", "zh": "解码时的上下文"},
    "thousand_tokens": {"en": "thousand tokens", "zh": "千词元"},
    "load": {"en": "Load", "zh": "负载"},
    "title": {"en": "By context and by concurrency", "zh": "随上下文与并发的变化"},
    "about": {
        "en": "One line per run: of {total} runs, the {shown} with the most points.",
        "zh": "每条线为一次测试；共 {total} 次，取数据点最多的 {shown} 次。",
    },
}


class Line(NamedTuple):
    """The points of one run on a picture: (place, speed, index of the point), by place."""

    run: Measurement
    places: list[tuple[float, float, int]]


_t = words_of(T)


def title_of(language: str) -> str:
    """Return the title above all pictures of a model."""
    return _t("title", language)


def of_model(library: Library, model: str, language: str) -> list[tuple[str, str, Html]]:
    """Return (kind, field, picture) of everything that several points of a run show."""
    runs = [run for run in library.records(Measurement) if run.model == model]
    plotted = [run for run in runs if is_plotted(library, run)]
    found = []
    for kind, fields in (("context", ONE_REQUEST), ("each", EACH_REQUEST), ("all", ALL_REQUESTS)):
        for field in fields:
            lines = lines_of(plotted, kind, field)
            if lines:
                metric = word(f"metric.{field}", language)
                title = _t(kind, language) + bracketed(metric, language)
                found.append((kind, field, _picture(library, kind, field, lines, title, language)))
    return found


def is_plotted(library: Library, run: Measurement) -> bool:
    """Tell whether a run may be drawn: it stands, and its source can be found."""
    sources = [library.find(Source, each.source) for each in run.provenance]
    located = any(source and source.kind != "unlocated" for source in sources)
    return run.withdrawn is None and located and "unlocated-source" not in run.caveats


def lines_of(runs: list[Measurement], kind: str, field: str) -> list[Line]:
    """Return the runs that state one metric at several contexts, or at several concurrencies."""
    found = []
    for run in runs:
        for places in _places(run, kind, field):
            if len({place for place, _, _ in places}) >= FEWEST_PLACES:
                found.append(Line(run, sorted(places)))
    return found


def _places(run: Measurement, kind: str, field: str) -> Iterator[list[tuple[float, float, int]]]:
    """Yield the points of a run that differ only in the place, the first of each place."""
    groups: dict[tuple, dict[float, tuple[float, float, int]]] = {}
    for index, point in enumerate(run.points):
        speed = getattr(point.results, field)
        if speed is None or not point.concurrency:
            continue
        if kind == "context":
            if point.concurrency != 1:
                continue
            place = context_of(point) / THOUSAND
            same = (point.content, point.content_as_stated, point.output_tokens)
        else:
            place, same = float(point.concurrency), _length(point)
        groups.setdefault(same, {}).setdefault(place, (place, float(speed), index))
    for group in groups.values():
        yield list(group.values())


def _length(point: Point) -> tuple[object, ...]:
    return point.context_tokens, point.input_tokens, point.output_tokens, point.content


def _picture(
    library: Library, kind: str, field: str, lines: list[Line], title: str, language: str
) -> Html:
    chosen = sorted(lines, key=lambda line: (len(line.places), dated(line.run)), reverse=True)
    chosen = chosen[:MAX_NUM_SERIES]
    names = _names(library, chosen, language)
    marks = [
        Mark(round(place, 2), speed, name, name, False, f"/benchmarks/#{line.run.id}-{index}")
        for line, name in zip(chosen, names, strict=True)
        for place, speed, index in line.places
    ]
    most = max(mark.x for mark in marks)
    x_axis = (
        linear_axis(_t("context_axis", language), _t("thousand_tokens", language), most)
        if kind == "context"
        else doubling_axis(_t("load", language), word("requests_at_once", language), most)
    )
    y_axis = linear_axis(
        word(f"metric.{field}", language), "tok/s", max(mark.y for mark in marks) * 1.05
    )
    about = _t("about", language, shown=len(chosen), total=len(lines))
    note = about if len(lines) > len(chosen) else None
    if len(chosen) == 1:
        note = names[0]  # a single line has no key
    return scatter_plot(
        marks, x_axis=x_axis, y_axis=y_axis, title=title, description=about, language=language,
        joined=True, note=note,
    )  # fmt: skip


def _names(library: Library, lines: list[Line], language: str) -> list[str]:
    """Return a name a line: what is measured, and what else it takes to tell lines apart."""
    names: list[str] = []
    for line in lines:
        run = line.run
        parts = [
            checkpoint_words(library, run),
            engine_words(library, run, language),
            draft_words(run.draft.method, run.draft.num_tokens, language),
        ]
        if run.num_nodes > 1:
            parts.append(f"{run.num_nodes} × Spark")
        content = run.points[line.places[0][2]].content
        if content != "unknown":
            parts.append(word(f"content.{content}", language))
        name = " · ".join(parts)
        if name in names:
            name = f"{name} · {dated(run)}"
        while name in names:
            name += " ′"
        names.append(name)
    return names
