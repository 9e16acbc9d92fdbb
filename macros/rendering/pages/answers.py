"""Answers that are computed: which model, which format at how many requests, one Spark or two."""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from macros.best import DISQUALIFYING, best, evidence_of_points
from macros.library import Library
from macros.records import Checkpoint, Measurement, Model
from macros.rendering.blocks import draft_words
from macros.rendering.markup import EMPTY, Html, element
from macros.rendering.numbers import rounded
from macros.rendering.parts import record_link
from macros.rendering.runs import stated_speed
from macros.rendering.tables import Column, data_table
from macros.rendering.words import words_of

MOST_MODELS = 8
T = {
    "format.mixed": {"en": "Mixed", "zh": "混合"},
    "format.int4-autoround": {"en": "INT4 AutoRound", "zh": "INT4 AutoRound"},
    "which": {
        "en": "Fastest models for one user on one Spark",
        "zh": "单台 Spark 单用户最快的模型",
    },
    "model": {"en": "Model", "zh": "模型"},
    "with": {"en": "With drafts", "zh": "使用草稿"},
    "plain": {"en": "Without drafts", "zh": "不用草稿"},
    "crossover": {
        "en": "All requests together, by format and load",
        "zh": "按格式与并发的总吞吐量",
    },
    "at_once": {"en": "Requests at once", "zh": "并发请求数"},
    "fastest": {"en": "Fastest", "zh": "最快"},
    "nodes": {"en": "One Spark or two", "zh": "一台还是两台 Spark"},
    "one": {"en": "One Spark", "zh": "一台"},
    "two": {"en": "Two Sparks", "zh": "两台"},
    "gain": {"en": "Factor", "zh": "倍数"},
    "choose": {
        "en": "For interactive use on one Spark, {model} answers fastest: {speed}.",
        "zh": "单台 Spark 交互使用，{model} 回答最快：{speed}。",
    },
}  # fmt: skip

_t = words_of(T)


class Together(NamedTuple):
    """The throughput of all requests of a run's point."""

    concurrency: int
    tokens_per_s: Decimal
    run: Measurement


def which_model(library: Library, language: str) -> Html:
    """Return the models whose comparable single-request speed is highest, fastest first."""
    rows = []
    for model in library.records(Model):
        top, plain = best(library, model.id), best(library, model.id, drafts=False)
        if top is None:
            continue
        drafted = stated_speed(top, language) if top.run.draft.method != "none" else None
        rows.append(
            (
                -top.tokens_per_s,
                (
                    record_link(library, f"models/{model.id}", language),
                    drafted,
                    stated_speed(plain, language) if plain else None,
                ),
            )
        )
    ordered = [cells for _, cells in sorted(rows, key=lambda pair: pair[0])][:MOST_MODELS]
    return data_table(
        columns=[Column(_t("model", language)), Column(_t("with", language)),
                 Column(_t("plain", language))],
        rows=ordered, caption=_t("which", language), language=language,
    )  # fmt: skip


def fastest_model(library: Library, language: str) -> Html:
    """Return one sentence: the model that answers one reader fastest today."""
    found = [
        (top.tokens_per_s, model, top)
        for model in library.records(Model)
        if (top := best(library, model.id))
    ]
    _, model, top = max(found, key=lambda each: (each[0], each[1].id))
    before, rest = _t("choose", language, model="\0", speed="\1").split("\0")
    middle, after = rest.split("\1")
    link = record_link(library, f"models/{model.id}", language)
    return element("p", before, link, middle, stated_speed(top, language), after)


def throughputs(library: Library, model: str, *, num_nodes: int = 1) -> dict[str, list[Together]]:
    """Return {quantization: points} of all requests together, disputed ones left out."""
    found: dict[str, list[Together]] = {}
    for run in library.records(Measurement):
        checkpoint = library.find(Checkpoint, run.checkpoint)
        if run.model != model or run.num_nodes != num_nodes or checkpoint is None:
            continue
        if DISQUALIFYING & set(run.caveats) or evidence_of_points(run) == "claimed":
            continue
        for point in run.points:
            value = point.results.aggregate_tokens_per_s
            if value is not None and point.concurrency and point.concurrency > 1:
                points = found.setdefault(checkpoint.quantization, [])
                points.append(Together(point.concurrency, value, run))
    return found


def crossover(library: Library, language: str, model: str) -> Html:
    """Return which format gave most at each load, for loads that two formats were measured at.

    Nothing where no load was measured in two formats.
    """
    by_format = throughputs(library, model)
    loads = sorted({point.concurrency for points in by_format.values() for point in points})
    formats = sorted(by_format)
    rows = []
    for load in loads:
        best_of = {
            name: max((p for p in by_format[name] if p.concurrency == load), default=None,
                      key=lambda p: p.tokens_per_s)
            for name in formats
        }  # fmt: skip
        known = {name: point for name, point in best_of.items() if point}
        if len(known) < 2:
            continue
        winner = max(known, key=lambda name: known[name].tokens_per_s)
        cells: list[object] = [str(load)]
        for name in formats:
            point = best_of[name]
            cells.append(_linked(point, language) if point else None)
        rows.append([*cells, _format_name(winner, language)])
    if not rows:
        return EMPTY
    return data_table(
        columns=[Column(_t("at_once", language), number=True),
                 *[Column(_format_name(name, language), "tok/s", number=True) for name in formats],
                 Column(_t("fastest", language))],
        rows=rows, caption=_t("crossover", language), language=language,
    )  # fmt: skip


def _format_name(quantization: str, language: str) -> str:
    """Return how a kind of quantization is called: NVFP4, INT4 AutoRound, mixed."""
    key = f"format.{quantization}"
    return _t(key, language) if key in T else quantization.upper()


def _linked(point: Together, language: str) -> Html:
    """Return a throughput that leads to its run and names its drafts."""
    drafts = draft_words(point.run.draft.method, point.run.draft.num_tokens, language)
    href = f"/benchmarks/#{point.run.id}"
    return element("a", str(point.tokens_per_s), href=href, title=drafts)


def one_or_two(library: Library, language: str) -> Html:
    """Return what a second machine gained, drafts with drafts and plain with plain."""
    rows = []
    for model in library.records(Model):
        for drafts in (False, True):
            one = best(library, model.id, drafts=drafts)
            two = best(library, model.id, num_nodes=2, drafts=drafts)
            if one is None or two is None:
                continue
            factor = rounded(float(two.tokens_per_s) / float(one.tokens_per_s), decimals=2)
            link = record_link(library, f"models/{model.id}", language)
            speeds = (stated_speed(one, language), stated_speed(two, language))
            rows.append((link, *speeds, f"{factor}×"))
    return data_table(
        columns=[
            Column(_t("model", language)),
            Column(_t("one", language)),
            Column(_t("two", language)),
            Column(_t("gain", language), number=True),
        ],
        rows=rows,
        caption=_t("nodes", language),
        language=language,
    )


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return the computed answers for pages of prose."""
    return {
        "which_model": lambda: which_model(library, language),
        "fastest_model": lambda: fastest_model(library, language),
        "crossover": lambda model: crossover(library, language, model),
        "one_or_two": lambda: one_or_two(library, language),
    }
