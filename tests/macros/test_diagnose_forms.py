"""How people write and paste: every form is read, nothing unrelated told, every place exact."""

import time
from collections.abc import Callable
from functools import cache

import pytest
import yaml

from macros import library as library_module
from macros.diagnose import Diagnoser, knowledge
from tests.conftest import ROOT

FORMS = yaml.safe_load((ROOT / "tests/cases/diagnose/forms/forms.yaml").read_text("utf-8"))


@cache
def diagnoser() -> Diagnoser:
    """Return the diagnosis over the data of this project."""
    return Diagnoser(knowledge(library_module.load(ROOT)[0]))


def made(findings: list[dict]) -> set[tuple[str, str]]:
    """Return pitfall and severity of every finding."""
    return {(each["pitfall"], each["severity"]) for each in findings}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_a_form_is_read_as_it_is_meant(form):
    result = diagnoser().diagnose(form["text"], form.get("engine_version"))
    told = made(result["findings"])
    expected = form.get("expected", [])
    wanted = {(e["pitfall"], e["severity"]) for e in expected if not e.get("optional")}
    assert wanted - told == set()
    allowed = {each["pitfall"] for each in expected if each["severity"] == "error"}
    assert {pitfall for pitfall, severity in told if severity == "error"} <= allowed
    assert {pitfall for pitfall, _ in told}.isdisjoint(form.get("never", []))
    if form.get("at_most") == "info":
        assert {severity for _, severity in told} <= {"info"}
    if "version_told" in form:
        version = result["engine_version"]
        assert (version["text"] or version["stated"]) == form["version_told"]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["id"])
def test_the_text_of_a_finding_is_what_stands_at_its_place(form):
    lines = form["text"].split("\n")
    for finding in diagnoser().diagnose(form["text"], form.get("engine_version"))["findings"]:
        line = lines[finding["line"] - 1]
        assert finding["text"].strip()
        assert line[finding["column"] - 1 :].startswith(finding["text"])


@pytest.mark.parametrize(
    ("flag", "fix"),
    [
        ("--num-scheduler-steps 8", "Delete it; the V1 engine has no multi-step scheduling."),
        ("--frobnicate", "Delete it, or look it up with `vllm serve --help=all`."),
        ("--context-length 8192", "That is SGLang's name; write `--max-model-len`."),
        ("--max-model-lenght 8192", "Write `--max-model-len`."),
        ("-tp2", "Write `-tp 2`."),
    ],
)
def test_the_nearest_flag_is_near_or_not_named(flag, fix):
    text = f"vllm serve openai/gpt-oss-120b {flag}"
    findings = diagnoser().diagnose(text, "0.28.0")["findings"]
    (error,) = [each for each in findings if each["severity"] == "error"]
    assert error["fix"]["en"] == fix


CASES = ROOT / "tests" / "cases" / "diagnose"
ANY_TEXT = {
    "Windows line ends": lambda text: text.replace("\n", "\r\n"),
    "fence": lambda text: f"Command:\n```bash\n{text}\n```\nthanks",
    "line numbers": lambda text: "\n".join(
        f"{number:3d}  {line}" for number, line in enumerate(text.split("\n"), 1)
    ),
    "indented": lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
    "blank end": lambda text: f"{text}\n\n\n",
}
LOG_ONLY = {
    "compose": lambda text: "\n".join(f"vllm-1  | {line}" for line in text.split("\n")),
    "time": lambda text: "\n".join(
        f"2026-08-12T10:00:00.12345678{number % 10}Z {line}"
        for number, line in enumerate(text.split("\n"))
    ),
    "journal": lambda text: "\n".join(
        f"Aug 12 10:00:00 spark docker[123]: {line}" for line in text.split("\n")
    ),
    "worker": lambda text: "\n".join(
        f"(EngineCore_DP0 pid=288) ERROR 08-12 10:00:00 [core.py:877] {line}"
        for line in text.split("\n")
    ),
    "colours": lambda text: "\n".join(
        f"\x1b[1;36m(EngineCore_DP0 pid=288)\x1b[0;0m {line}" for line in text.split("\n")
    ),
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "question": lambda text: f"My server dies with this, any idea?\n\n{text}\n\nThanks!",
}


def changed(change: Callable[[str], str], pattern: str) -> list[tuple[str, set]]:
    """Return what a change of form loses or adds above info, by case."""
    differences = []
    for path in sorted(CASES.glob(pattern)):
        version = yaml.safe_load(path.read_text("utf-8"))["engine_version"]
        text = path.with_suffix(".txt").read_text("utf-8").rstrip("\n")
        before = made(diagnoser().diagnose(text, version)["findings"])
        after = made(diagnoser().diagnose(change(text), version)["findings"])
        added = {each for each in after - before if each[1] != "info"}
        if before - after or added:
            differences.append((path.stem, (before - after) | added))
    return differences


@pytest.mark.parametrize("name", ANY_TEXT)
def test_the_form_of_a_paste_changes_no_finding(name):
    assert changed(ANY_TEXT[name], "*.yaml") == []


@pytest.mark.parametrize("name", LOG_ONLY)
def test_what_a_collector_puts_before_a_line_changes_no_finding(name):
    assert changed(LOG_ONLY[name], "log-*.yaml") == []


@pytest.mark.parametrize(
    "text",
    [
        "A=(a b)\n" + 'A+=("${A[@]}")\n' * 40 + 'vllm serve a/b "${A[@]}"',
        "A=ab\n" + 'A="$A$A"\n' * 60 + "vllm serve a/b $A",
        "vllm serve a/b " + " ".join(f"--unknown-flag-{number}" for number in range(3000)),
    ],
    ids=["array", "variable", "flags"],
)
def test_a_text_that_multiplies_itself_ends_in_time(text):
    start = time.perf_counter()
    assert diagnoser().diagnose(text)["findings"]
    assert time.perf_counter() - start < 5
