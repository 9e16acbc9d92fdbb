"""A hundred thousand mutated texts and hostile logs: no exception and no hang."""

import json
import random
import time
from pathlib import Path

import pytest

from macros import library as library_module
from macros.diagnose import Diagnoser, knowledge
from tests.conftest import ROOT

CASES = ROOT / "tests" / "cases" / "diagnose"
NUM_INPUTS = 100_000
NUM_IN_A_CALL = 500
MAX_LETTERS = 20_000
FIVE_MEGABYTES = 5_000_000
BITS = [
    "\\", "\n", '"', "'", "`", "${", "}", "{", "[", "]", "#", " ", "\t", "--", "-", "=", "\u0000",
    "\u201c", "\u2013", "😀", "$(", "\\\n", ">", "<", "|", "&", "(", ")", "<script>", "__proto__",
    "é", "--speculative-config", '{"a":{"b":', "%", "*", "- ", ": ", "image:", "|\n", "[Service]\n",
]  # fmt: skip
VERSIONS = [None, None, "0.19.1", "0.28.0", "nightly", "0.99.0", "<script>"]
PROGRAM = """
const fuzz = (pairs) => {
  let slowest = [0, ""];
  for (const [text, version] of JSON.parse(pairs)) {
    const start = Date.now();
    const result = diagnose(text, table, { engineVersion: version });
    for (const finding of result.findings) {
      if (!(finding.line >= 1 && finding.column >= 1)) throw new Error(`no place: ${text}`);
      applyEdits(text, finding.edits);
    }
    const took = Date.now() - start;
    if (took > slowest[0]) slowest = [took, text.slice(0, 200)];
  }
  return slowest;
};
"""


@pytest.fixture(scope="module")
def diagnoser() -> Diagnoser:
    """Return the diagnosis over the data of this project."""
    ready = Diagnoser(knowledge(library_module.load(ROOT)[0]))
    ready.context.eval(PROGRAM)
    return ready


def seeds() -> list[str]:
    """Return real commands and logs to start from."""
    paths: list[Path] = [*CASES.glob("*.txt"), *CASES.glob("healthy/*.log")]
    return [path.read_text("utf-8") for path in sorted(paths)]


def mutated(chance: random.Random, texts: list[str]) -> str:
    """Return a text with one to six random changes."""
    text = chance.choice(texts)
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(text))
        match chance.randrange(5):
            case 0:
                text = text[:at] + chance.choice(BITS) + text[at:]
            case 1:
                text = text[:at] + text[at + chance.randint(1, 12) :]
            case 2:
                other = chance.choice(texts)
                text = text[:at] + other[chance.randint(0, len(other)) :]
            case 3:
                text += text[at:]
            case 4:
                text = text[:at] + chance.choice(BITS) * chance.randint(1, 50) + text[at:]
        text = text[:MAX_LETTERS]
    return text


@pytest.mark.bench
def test_no_input_breaks_the_diagnosis(diagnoser):
    chance, texts = random.Random(20261129), seeds()
    slowest = (0, "")
    for _ in range(NUM_INPUTS // NUM_IN_A_CALL):
        pairs = [(mutated(chance, texts), chance.choice(VERSIONS)) for _ in range(NUM_IN_A_CALL)]
        took = diagnoser.context.call("fuzz", json.dumps(pairs), timeout_sec=120)
        slowest = max(slowest, tuple(took))
    print(f"slowest of {NUM_INPUTS}: {slowest[0]} ms")
    assert slowest[0] < 2000, slowest[1]


HOSTILE = {
    "metrics": "INFO [loggers.py:1] Engine 000: Avg generation throughput: 45.6 tokens/s\n",
    "errors": "ValueError: something Error Exception\n",
    "traceback": '  File "x.py", line 3, in foo Error\n',
    "one line": "a",
    "backslashes": "\\",
    "quotes": '"',
    "newlines": "\n",
    "flags": "--a vllm serve ",
    "open braces": '{"a":',
    "open variables": "${A:-",
    "lists": "- - - a\n",
    "commands": "user@host:~$ vllm serve a\n",
    "exports": "export A=B\nvllm serve $A --x\n",
    "markup": "<script>alert(1)</script>\n",
}  # fmt: skip


@pytest.mark.bench
@pytest.mark.parametrize("name", HOSTILE)
def test_five_megabytes_take_about_a_second(diagnoser, name):
    piece = HOSTILE[name]
    text = "vllm serve a/b --max-num-seqs 4\n" + piece * (FIVE_MEGABYTES // len(piece))
    start = time.perf_counter()
    diagnoser.diagnose(text)
    took = time.perf_counter() - start
    print(f"{name}: {took:.2f} s")
    assert took < 4
