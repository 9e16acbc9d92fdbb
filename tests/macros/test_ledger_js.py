"""The ledger of the browser gives the answers of the ledger of Python, on random questions."""

import json
import math
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from py_mini_racer import MiniRacer

from macros import law, ledger, memory
from macros.compositions import composition_of
from macros.diagnose import bundle
from macros.ledger import Composition, LedgerError, Load
from macros.library import Library
from macros.records import Checkpoint, Drafter, Hardware, Model, Provenance
from macros.rendering.pages import ledger_api

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "docs" / "assets" / "js"
NUM_QUESTIONS = 2500
TOLERANCE = 1e-9

ASK = """
let data;
const prepare = (text) => { data = JSON.parse(text); return true; };
const ask = (text) => {
  const { checkpoint, load, drafter, engine, hardware, formats } = JSON.parse(text);
  const machine = data.hardware[hardware];
  const plain = data.checkpoints[checkpoint];
  const composition = formats ? withFormats(plain, formats, data.formats) : plain;
  const outcome = {};
  const attempt = (name, question) => {
    try { outcome[name] = question(); } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      outcome[name] = { refused: true };
    }
  };
  attempt("ceiling", () => {
    const answer = ceiling(composition, load, { ...machine, drafter });
    const expected = expectedTokensPerS(data.laws[engine], composition, answer, load);
    return { ...answer, expected_tokens_per_s: expected };
  });
  attempt("fit", () => fit(composition, load, {
    capacity_bytes: machine.usable_memory_bytes,
    reserves_bytes: machine.reserves_bytes,
    model_context_tokens: data.models[plain.model].context_tokens,
    drafter,
  }));
  return JSON.stringify(outcome);
};
"""


@pytest.fixture(scope="module")
def ask(library) -> Callable[[dict], dict]:
    """Ask the ledger of the browser, which stands on the file that the site publishes."""
    context = MiniRacer()
    context.eval(bundle(SCRIPTS, ("ledger",)) + ASK)
    context.call("prepare", ledger_api.files(library)[ledger_api.PATH])
    return lambda question: json.loads(context.call("ask", json.dumps(question)))


def different(one: Any, other: Any, at: str = "") -> list[str]:
    """Return where two answers differ by more than the tolerance."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = sorted(one.keys() | other.keys())
        return [d for n in names for d in different(one.get(n), other.get(n), f"{at}.{n}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [d for i, (a, b) in pairs for d in different(a, b, f"{at}[{i}]")]
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (one, other))
    if numbers and math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12):
        return []
    return [] if one == other and type(one) is type(other) else [f"{at}: {one!r} or {other!r}"]


def random_load(choose: random.Random) -> Load:
    """Return a load, now and then one that makes no sense."""
    draft = choose.choice(["none", "none", "mtp", "mtp", "dflash"])
    tokens = 0 if draft == "none" else choose.choice([1, 2, 3, 4, 7, 15])
    length = 1.0 if draft == "none" else choose.uniform(1, tokens + 1)
    if choose.random() < 0.05:
        tokens, length = choose.choice([0, 1]), choose.uniform(0.5, 4)
    return Load(
        choose.choice([0, 0, choose.randrange(2_000), choose.randrange(300_000)]),
        choose.choice([1, 1, 2, 5, 16, choose.randrange(1, 200)]),
        choose.choice(list(ledger.KV_BITS)),
        draft,
        tokens,
        length,
        choose.choice([1, 1, 2, 4]),
    )


def random_drafter(choose: random.Random, model: str) -> Drafter | None:
    """Return a drafter of a model, or none."""
    if choose.random() < 0.3:
        return None
    return Drafter(
        id="drafter",
        name="drafter",
        repository=None,
        model=model,
        method="dflash",
        passes_per_step=choose.choice(["one", "one-per-token"]),
        shares_lm_head=choose.random() < 0.5,
        weight_bytes=choose.randrange(10**8, 4 * 10**9) // 2 * 2,
        provenance=[Provenance(source="x", locator="x", fields=["id"], evidence="claimed")],
    )


def python_answer(
    library: Library, composition: Composition, load_: Load, drafter: Drafter | None, engine: str
) -> dict[str, Any]:
    """Return what the ledger of Python says, in the shape of the browser's answer."""
    machine = library.get(Hardware, "dgx-spark")
    outcome: dict[str, Any] = {}
    try:
        answer = ledger.ceiling(
            composition,
            load_,
            bandwidth_gb_per_s=float(machine.bandwidth_gb_per_s),
            drafter=drafter,
        )
    except LedgerError:
        outcome["ceiling"] = {"refused": True}
    else:
        fitted = law.laws(library)[engine]
        outcome["ceiling"] = {
            **{name: value for name, value in vars(answer).items() if name != "step"},
            "step": {
                "modules": [vars(module) for module in answer.step.modules],
                "state_bytes": answer.step.state_bytes,
                "kv_bytes": answer.step.kv_bytes,
                "weight_bytes": answer.step.weight_bytes,
                "total_bytes": answer.step.total_bytes,
            },
            "expected_tokens_per_s": law.expected_tokens_per_s(fitted, composition, answer, load_),
        }
    return outcome


def python_fit(
    library: Library, checkpoint: str, load_: Load, drafter: Drafter | None
) -> dict[str, Any]:
    """Return what Python says about memory."""
    try:
        machine = library.get(Hardware, "dgx-spark")
        return vars(memory.fit(library, checkpoint, load_, machine, drafter))
    except LedgerError:
        return {"refused": True}


def question_of(checkpoint: str, load_: Load, drafter: Drafter | None, engine: str) -> dict:
    """Return a question as the browser gets it."""
    return {
        "checkpoint": checkpoint,
        "load": vars(load_),
        "drafter": None if drafter is None else drafter.model_dump(mode="json"),
        "engine": engine,
        "hardware": "dgx-spark",
    }


def test_browser_and_python_agree_on_random_questions(library, ask):
    choose = random.Random(3)
    known = sorted(json.loads(ledger_api.files(library)[ledger_api.PATH])["checkpoints"])
    engines = sorted(law.laws(library))
    refused = 0
    for number in range(NUM_QUESTIONS):
        checkpoint, load_ = choose.choice(known), random_load(choose)
        composition = composition_of(library, checkpoint)
        drafter = random_drafter(choose, composition.model) if load_.draft == "dflash" else None
        engine = choose.choice(engines)
        found = ask(question_of(checkpoint, load_, drafter, engine))
        wanted = python_answer(library, composition, load_, drafter, engine)
        wanted["fit"] = python_fit(library, checkpoint, load_, drafter)
        assert different(found, wanted) == [], (number, checkpoint, load_)
        refused += "refused" in found["ceiling"]
    assert 0.02 * NUM_QUESTIONS < refused < 0.6 * NUM_QUESTIONS  # both kinds were compared


def test_the_comparison_sees_a_difference_of_one_part_in_a_hundred_million():
    assert different({"a": [1.0, None, True]}, {"a": [1.0, None, True]}) == []
    assert different({"a": [1.0]}, {"a": [1.00000001]}) == [".a[0]: 1.0 or 1.00000001"]
    assert different({"a": None}, {"a": 0}) and different({"a": 1}, {"a": True})
    assert different({}, {"a": 1.0})


def test_a_changed_format_counts_as_in_a_checkpoint_that_has_it(library, ask):
    choose = random.Random(5)
    formats = library.single("formats").root
    engines = sorted(law.laws(library))
    candidates = [
        each for each in library.records(Checkpoint)
        if each.id in ledger_api.data(library)["checkpoints"]
        and "draft_lm_head" not in (each.formats or {})
    ]  # fmt: skip
    for _ in range(300):
        checkpoint = choose.choice(candidates)
        model = library.get(Model, checkpoint.model)
        modules = composition_of(library, checkpoint.id).modules
        names = [m.name for m in modules]
        chosen = {
            choose.choice(names): choose.choice(list(formats))
            for _ in range(choose.randrange(1, 4))
        }
        changed = checkpoint.model_copy(update={"formats": {**checkpoint.formats, **chosen}})
        composition = ledger.compose(changed, model, formats)
        load_ = random_load(choose)
        engine = choose.choice(engines)
        drafter = random_drafter(choose, model.id) if load_.draft == "dflash" else None
        question = question_of(checkpoint.id, load_, drafter, engine) | {"formats": chosen}
        found = ask(question)
        wanted = python_answer(library, composition, load_, drafter, engine)
        assert different(found["ceiling"], wanted["ceiling"]) == [], (checkpoint.id, chosen, load_)


def test_the_published_file_is_small_and_exact(library):
    text = ledger_api.files(library)[ledger_api.PATH]
    published = json.loads(text)
    bits = library.single("formats").root
    assert {n: Decimal(str(f["read_bits"])) for n, f in published["formats"].items()} == {
        name: each.read_bits for name, each in bits.items()
    }
    assert len(text) < 600_000
