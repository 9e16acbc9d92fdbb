"""The judge of the browser gives the judgements of the judge of Python, on random questions."""

import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

from macros.arithmetic import stated_interval
from macros.diagnose import bundle
from macros.judge import judge
from macros.ledger import LedgerError, Load
from macros.records import Engine
from macros.rendering.pages import judge_api, ledger_api

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "docs" / "assets" / "js"
NUM_QUESTIONS = 700

ASK = """
let data, judging;
const prepare = (one, other) => {
  [data, judging] = [one, other].map((text) => JSON.parse(text));
  return true;
};
const ask = (text) => {
  try { return JSON.stringify(judge(data, judging, JSON.parse(text))); } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    return JSON.stringify({ refused: true });
  }
};
"""


@pytest.fixture(scope="module")
def ask(library) -> Callable[[dict], dict]:
    """Ask the judge of the browser, which stands on the files that the site publishes."""
    context = MiniRacer()
    context.eval(bundle(SCRIPTS, ("ledger", "judge")) + ASK)
    published = ledger_api.files(library)[ledger_api.PATH], judge_api.files(library)[judge_api.PATH]
    context.call("prepare", *published)
    return lambda question: json.loads(context.call("ask", json.dumps(question)))


def same(one: Any, other: Any) -> bool:
    """Whether two answers agree, numbers to nine digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[n], other[n]) for n in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in (one, other)):
        return math.isclose(one, other, rel_tol=1e-9)
    return one == other


def random_load(choose: random.Random) -> Load:
    """Return a load, drafted or not, now and then one that makes no sense."""
    draft = choose.choice(["none", "none", "none", "mtp", "dflash"])
    tokens = 0 if draft == "none" else choose.choice([1, 2, 3, 7])
    length = 1.0 if draft == "none" else choose.uniform(1, tokens + 1.1)
    return Load(
        choose.choice([0, 512, 2048, choose.randrange(200_000)]),
        choose.choice([1, 1, 1, 2, 4, 16]), choose.choice(["bf16", "fp8"]), draft, tokens, length,
        choose.choice([1, 1, 1, 2]),
    )  # fmt: skip


def test_browser_and_python_judge_alike(library, ask):
    choose = random.Random(7)
    known = json.loads(ledger_api.files(library)[ledger_api.PATH])["checkpoints"]
    measured = json.loads(judge_api.files(library)[judge_api.PATH])["points"]
    engines = [each.id for each in library.records(Engine)]
    seen: Counter[str] = Counter()
    for number in range(NUM_QUESTIONS):
        checkpoint = choose.choice(list(choose.choice([known, measured])))
        load_, engine = random_load(choose), choose.choice([*engines, "vllm", "vllm", "vllm"])
        typed = f"{10 ** choose.uniform(0, 2.3):.{choose.randrange(3)}f}".replace("0.00", "0.01")
        if Decimal(typed) <= 0:
            continue
        question = {"checkpoint": checkpoint, "tokens_per_s": typed, "engine": engine}
        stated = choose.random() < 0.7
        found = ask(question | {"load": vars(load_), "acceptance_is_stated": stated})
        try:
            wanted = asdict(
                judge(
                    library, checkpoint, Decimal(typed), load_, engine, acceptance_is_stated=stated
                )
            )
        except LedgerError:
            wanted = {"refused": True}
        assert same(found, wanted), (number, checkpoint, typed, load_, engine, found, wanted)
        seen[wanted.get("verdict", "refused")] += 1
        seen["causes"] += bool(wanted.get("likely_causes"))
        seen["percentile"] += wanted.get("percentile") is not None
        seen["similar"] += bool(wanted.get("similar_measurements"))
    names = ("impossible", "excellent", "normal", "slow", "something-is-wrong", "refused")
    for name in (*names, "causes", "percentile", "similar"):
        assert seen[name] > 5, seen  # every kind of answer was compared


@pytest.mark.parametrize("text", ["55", "55.0", "0.05", "1e2", "1.5e1", "2.50E1", "5e-1", "12e-1"])
def test_a_figure_stands_for_the_same_interval_however_it_is_written(text):
    context = MiniRacer()
    context.eval(bundle(SCRIPTS, ("ledger", "judge")))
    low, high = stated_interval(Decimal(text))
    assert context.call("lowestStated", text) == pytest.approx(low, rel=1e-12)
    assert (low, high) == stated_interval(Decimal(f"{Decimal(text):f}"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1.0}, {"a": 1.0 + 1e-7}), ({"a": [1]}, {"a": []}), ({"a": "slow"}, {"a": "normal"}),
        ({"a": None}, {"a": 0.5}), ({}, {"a": None}), ([1, 2], [2, 1]),
    ],
)  # fmt: skip
def test_the_comparison_sees_differences(one, other):
    assert not same(one, other)


def test_every_cause_is_published(library):
    published = json.loads(judge_api.files(library)[judge_api.PATH])
    assert [each["id"] for each in published["causes"]] == list(library.kinds["causes"])
    assert len(json.dumps(published)) < 400_000
