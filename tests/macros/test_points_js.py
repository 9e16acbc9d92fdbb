"""The CSV of the table of points: one cell a value, and no cell that a spreadsheet would run."""

import csv
import io
import json
from pathlib import Path

import pytest
from py_mini_racer import MiniRacer

from macros.diagnose import bundle

SCRIPTS = Path(__file__).resolve().parents[2] / "docs" / "assets" / "js"
SAVE = """
const save = (name) => csvOf(
  [{
    run: { id: "run", name, sources: [], engine: "own", version: null, draft: null },
    values: { index: 0 },
  }],
  ["checkpoint", "engine"], { own: { name } },
);
"""


@pytest.fixture(scope="module")
def save():
    """Return the CSV of one point whose checkpoint and engine have a name."""
    context = MiniRacer()
    context.eval(bundle(SCRIPTS, ("lists", "points")) + SAVE)
    yield lambda name: next(csv.DictReader(io.StringIO(context.call("save", name))))
    context.close()


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://example.org","a")', "\t=1"]
)
def test_text_that_looks_like_a_formula_stays_text(save, name):
    row = save(name)
    assert (row["checkpoint"], row["engine"]) == (f"'{name}", f"'{name}"), json.dumps(row)


@pytest.mark.parametrize("name", ["Intel/Qwen3.5", 'a "quoted", name', "two\nlines", "a=1"])
def test_other_text_is_kept_as_it_is(save, name):
    assert save(name)["checkpoint"] == name


@pytest.mark.parametrize(
    ("column", "found"),
    [("decode", {"field": "decode_tokens_per_s", "ends": [17, 18]}), ("ttft", None)],
)
def test_a_range_stands_where_no_single_figure_is_stated(column, found):
    context = MiniRacer()
    context.eval(bundle(SCRIPTS, ("lists", "points")))
    row = "{ values: { ranges: { decode_tokens_per_s: [17, 18] } } }"
    text = context.eval(f'JSON.stringify(rangeOf({row}, "{column}"))')
    context.close()
    assert json.loads(text) == found
