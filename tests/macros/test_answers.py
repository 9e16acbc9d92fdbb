"""Answers are made of data: change the data, and the sentence changes."""

from dataclasses import replace
from decimal import Decimal

import pytest

from macros.best import best
from macros.library import Entry, Library
from macros.records import Measurement
from macros.rendering.pages.answers import crossover, fastest_model, one_or_two, throughputs


def with_point(library: Library, run_id: str, index: int, **results: Decimal) -> Library:
    """Return the library with other results at one point of a run."""
    entry = library.kinds["measurements"][run_id]
    run: Measurement = entry.record
    points = list(run.points)
    changed = points[index].results.model_copy(update=results)
    points[index] = points[index].model_copy(update={"results": changed})
    runs = dict(library.kinds["measurements"])
    runs[run_id] = Entry(entry.document, run.model_copy(update={"points": points}))
    return replace(library, kinds={**library.kinds, "measurements": runs})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_faster_measurement_changes_the_sentence(library, language):
    before = fastest_model(library, language)
    top = best(library, "qwen3.6-35b-a3b")
    assert top is not None and "Qwen3.6-35B-A3B" not in before
    changed = with_point(library, top.run.id, top.index, **{top.field: Decimal("149.5")})
    after = fastest_model(changed, language)
    assert "Qwen3.6-35B-A3B" in after and "149.5" in after


def test_an_impossible_measurement_changes_nothing(library):
    top = best(library, "qwen3.5-122b-a10b", drafts=False)
    changed = with_point(library, top.run.id, top.index, **{top.field: Decimal("500.0")})
    assert best(changed, "qwen3.5-122b-a10b", drafts=False).tokens_per_s < 60


def test_crossover_names_the_fastest_format_of_each_load(library):
    table = crossover(library, "en", "qwen3.6-35b-a3b")
    points = throughputs(library, "qwen3.6-35b-a3b")
    both = {p.concurrency for p in points["fp8"]} & {p.concurrency for p in points["nvfp4"]}
    assert both and all(f">{load}<" in table for load in both)
    run = max(
        (p for p in points["fp8"] if p.concurrency == min(both)), key=lambda p: p.tokens_per_s
    )
    index = next(n for n, p in enumerate(run.run.points) if p.concurrency == run.concurrency)
    changed = with_point(library, run.run.id, index, aggregate_tokens_per_s=Decimal("990"))
    assert "990" in crossover(changed, "en", "qwen3.6-35b-a3b") and "990" not in table


def test_models_without_two_formats_have_no_crossover(library):
    assert crossover(library, "en", "step-3.7-flash") == ""


def test_one_or_two_compares_like_with_like(library):
    assert "Qwen3.5-122B-A10B" in one_or_two(library, "en")
