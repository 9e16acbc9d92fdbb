"""What the guide for several machines may call: what they gain by measurement, and recipes."""

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from macros.best import evidence_of_points
from macros.functions import SPEED_FIELDS
from macros.law import EXCLUDING_CAVEATS
from macros.library import Library
from macros.records import Measurement, Model, Recipe
from macros.rendering.badges import evidence_badge, status_badge
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import figure
from macros.rendering.parts import record_link
from macros.rendering.runs import engine_words, speed_of_point
from macros.rendering.tables import Column, data_table
from macros.rendering.words import words_of

T = {
    "model": {"en": "Model", "zh": "模型"},
    "machines": {"en": "Machines", "zh": "台数"},
    "plain": {"en": "One request, no drafts", "zh": "单个请求，无草稿"},
    "drafted": {"en": "One request, with drafts", "zh": "单个请求，有草稿"},
    "together": {"en": "All requests together", "zh": "全部请求合计"},
    "caption": {
        "en": "The fastest published runs by number of machines",
        "zh": "按台数列出最快的公开测量",
    },
    "note": {
        "en": "The fastest run with public raw data, else the fastest that is claimed. Engines "
        "and checkpoints differ from row to row; each number leads to its run.",
        "zh": "取附有原始数据的最快测量，没有时取仅为声称的最快值。各行的引擎与检查点不同；每个数"
        "字都链接到对应的测量。",
    },
}  # fmt: skip


class Fastest(NamedTuple):
    """The fastest stated speed of some runs, and its run."""

    value: Decimal
    run: Measurement


def _standing(fastest: Fastest) -> tuple[bool, Decimal]:
    """Return what orders speeds: public raw data before mere claims, then the speed."""
    return evidence_of_points(fastest.run) != "claimed", fastest.value


_t = words_of(T)


def comparable(run: Measurement) -> bool:
    """Tell whether a run may stand beside others."""
    stands = run.withdrawn is None and run.superseded_by is None
    return stands and not EXCLUDING_CAVEATS & set(run.caveats)


def fastest_single(runs: list[Measurement], *, drafted: bool) -> Fastest | None:
    """Return the fastest single request of some runs, with drafts or without."""
    found = []
    for run in runs:
        if run.draft.method == "unknown" or (run.draft.method != "none") != drafted:
            continue
        for point in run.points:
            speed = speed_of_point(point)
            if point.concurrency == 1 and speed and speed.field in SPEED_FIELDS:
                found.append(Fastest(speed.value, run))
    return max(found, key=_standing, default=None)


def fastest_together(runs: list[Measurement]) -> Fastest | None:
    """Return the highest total of all requests of some runs."""
    found = [
        Fastest(point.results.aggregate_tokens_per_s, run)
        for run in runs
        for point in run.points
        if point.results.aggregate_tokens_per_s and (point.concurrency or 0) > 1
    ]
    return max(found, key=_standing, default=None)


def by_machines(library: Library) -> dict[str, dict[int, list[Measurement]]]:
    """Return {model: {number of machines: runs}} of models that ran on several."""
    found: dict[str, dict[int, list[Measurement]]] = {}
    for run in library.records(Measurement):
        if comparable(run):
            found.setdefault(run.model, {}).setdefault(run.num_nodes, []).append(run)
    return {model: numbers for model, numbers in sorted(found.items()) if max(numbers) > 1}


def several_measured(library: Library, language: str) -> Html:
    """Return the fastest published speeds of each model by number of machines."""
    rows = []
    for model, numbers in by_machines(library).items():
        for number, runs in sorted(numbers.items()):
            cells = [
                _cell(library, fastest_single(runs, drafted=False), language),
                _cell(library, fastest_single(runs, drafted=True), language),
                _cell(library, fastest_together(runs), language),
            ]
            name = (
                record_link(library, f"models/{model}", language)
                if library.find(Model, model)
                else model
            )
            if any(cell is not None for cell in cells):
                rows.append([name, str(number), *cells])
    return data_table(
        columns=[
            Column(_t("model", language)),
            Column(_t("machines", language), number=True),
            Column(_t("plain", language), "tok/s", number=True),
            Column(_t("drafted", language), "tok/s", number=True),
            Column(_t("together", language), "tok/s", number=True),
        ],
        rows=rows, caption=_t("caption", language), language=language, show_caption=False,
        note=_t("note", language),
    )  # fmt: skip


def _cell(library: Library, fastest: Fastest | None, language: str) -> Html | None:
    if fastest is None:
        return None
    run = fastest.run
    engine = engine_words(library, run, language)
    link = element("a", figure(fastest.value), href=f"/benchmarks/#{run.id}", title=engine)
    return join(
        link, evidence_badge(evidence_of_points(run), language, compact=True), separator=" "
    )


def several_recipes(library: Library, language: str) -> Html:
    """Return the recipes for several machines."""
    recipes = sorted(
        (each for each in library.records(Recipe) if each.num_nodes > 1),
        key=lambda each: (each.num_nodes, each.id),
    )
    items = (
        element(
            "li",
            record_link(library, f"recipes/{each.id}", language),
            " ",
            status_badge(each.status, language, compact=True),
        )
        for each in recipes
    )
    return element("ul", *items)


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return what the guide for several machines calls."""
    return {
        "several_measured": lambda: str(several_measured(library, language)),
        "several_recipes": lambda: str(several_recipes(library, language)),
    }
