"""Pictures of a model: one metric each, only runs that can be found, doublings of equal length."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from macros.records import Measurement, Model
from macros.rendering import pictures
from macros.rendering.charts import Point as Mark
from macros.rendering.charts import doubling_axis, linear_axis, scatter_plot

ROOT = Path(__file__).resolve().parents[2]
X = re.compile(r'<svg x="([\d.]+)%"')


@pytest.fixture(scope="module")
def runs(library) -> list[Measurement]:
    """All runs."""
    return list(library.records(Measurement))


def test_each_picture_holds_one_metric_and_at_most_six_runs(library, runs):
    by_id = {run.id: run for run in runs}
    num_pictures = 0
    for model in library.records(Model):
        for kind, field, picture in pictures.of_model(library, model.id, "en"):
            num_pictures += 1
            table = picture[picture.index("<table") :]
            shown = len(re.findall(r"<tr><th scope=.row.", table))
            lines = pictures.lines_of(
                [r for r in runs if r.model == model.id and pictures.is_plotted(library, r)],
                kind, field,
            )  # fmt: skip
            kept = sorted((len(line.places) for line in lines), reverse=True)[:6]
            assert shown == sum(kept) > 0
            for line in lines:
                for _, speed, index in line.places:
                    results = by_id[line.run.id].points[index].results
                    assert float(getattr(results, field)) == speed
    assert num_pictures > 20


def test_a_line_has_at_least_three_places_and_rises_in_them(runs):
    for kind, fields in (("context", pictures.ONE_REQUEST), ("all", pictures.ALL_REQUESTS)):
        for field in fields:
            for line in pictures.lines_of(runs, kind, field):
                places = [place for place, _, _ in line.places]
                assert places == sorted(set(places)) and len(places) >= 3


def test_runs_whose_source_is_lost_are_never_drawn(library, runs):
    lost = [run for run in runs if "unlocated-source" in run.caveats]
    assert lost
    assert not any(pictures.is_plotted(library, run) for run in lost)


def test_doublings_take_the_same_length():
    axis = doubling_axis("at once", "×", 100)
    assert [value for value, _ in axis.ticks] == [1, 2, 4, 8, 16, 32, 64, 128]
    marks = [Mark(x, 10, "run", "run") for x in (1, 4, 16, 64)]
    chart = scatter_plot(
        marks, x_axis=axis, y_axis=linear_axis("speed", "tok/s", 20), title="a", description="b",
        language="en", joined=True,
    )  # fmt: skip
    places = [float(each) for each in X.findall(chart)]
    steps = {round(b - a, 1) for a, b in pairwise(places)}
    assert len(steps) == 1 and places[0] == 0
    assert chart.count('class="chart-line chart-line--0"') == 1
