"""The diagnosis in Chromium: the findings of the command line, in every state."""

import json
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.conftest import ROOT

CASES = sorted((ROOT / "tests" / "cases" / "diagnose").glob("*.yaml"))
STATE = "[data-tool-state]"
TEXT = "#field-text"
FINDING = ".finding"
WRONG = "vllm serve openai/gpt-oss-120b --gpu-memory-utilization 0.75 --max-model-lenght 4096"
LANGUAGES = ["zh", "en", "zh-Hant"]


PROGRAM = """
import json, sys
from pathlib import Path
from macros.diagnose import Diagnoser, knowledge
from macros.library import load
from tests.browser.axe import violations
texts = json.load(sys.stdin)
diagnoser = Diagnoser(knowledge(load(Path.cwd())[0]))
json.dump([diagnoser.diagnose(text)["findings"] for text in texts], sys.stdout)
"""  # in a process of its own: V8 and the browser's driver do not share a thread


@pytest.fixture(scope="module")
def inputs() -> dict[str, str]:
    """The text of every case."""
    return {path.stem: path.with_suffix(".txt").read_text("utf-8").strip("\n") for path in CASES}


@pytest.fixture(scope="module")
def made(inputs) -> dict[str, list[dict]]:
    """The findings of Python on every case."""
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, input=json.dumps(list(inputs.values())),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return dict(zip(inputs, json.loads(result.stdout), strict=True))


def seen(page) -> list[tuple]:
    """Return severity, place, message and fix of every finding on the page."""
    return page.locator(FINDING).evaluate_all(
        """items => items.map(item => [
            item.className.split("--")[1],
            item.querySelector(".finding-place").textContent,
            item.querySelector(".finding-message").textContent,
            item.querySelector(".finding-fix").firstChild === null ? "" :
              [...item.querySelector(".finding-fix").childNodes]
                .filter(node => node.nodeName !== "BUTTON")
                .map(node => node.textContent).join("").trim(),
        ])"""
    )


def as_seen(findings: list[dict], language: str) -> list[list[str]]:
    """Return findings in the words and the order of the page."""
    place = {"en": "line {line}, column {column}", "zh": "第 {line} 行，第 {column} 个字符"}[
        language
    ]
    order = ["error", "warning", "info"]
    return [
        [
            each["severity"],
            place.format(**each),
            each["message"][language].replace("`", ""),
            each["fix"][language].replace("`", ""),
        ]
        for each in sorted(
            findings, key=lambda each: (order.index(each["severity"]), each["start"])
        )
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_page_and_command_line_agree(page, site, inputs, made, language):
    page.goto(f"{site}{language}/diagnose/")
    expect(page.locator(STATE)).to_be_visible()
    chosen = list(inputs)[:: 3 if language == "en" else 12]
    for name in chosen:
        text = inputs[name]
        page.fill(TEXT, "")
        expect(page.locator(STATE)).to_have_attribute("data-tool-state", "empty")
        page.fill(TEXT, text)
        wanted = as_seen(made[name], language)
        expect(page.locator(FINDING)).to_have_count(len(wanted))
        assert seen(page) == wanted, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_is_shown(page, site, language):
    page.goto(f"{site}{language}/diagnose/")
    expect(page.locator(STATE)).to_have_attribute("data-tool-state", "empty")
    page.fill(TEXT, "hello world")
    expect(page.locator(STATE)).to_have_attribute("data-tool-state", "error")
    page.fill(TEXT, WRONG)
    expect(page.locator(".finding--error")).to_have_count(1)
    expect(page.locator(STATE)).to_be_hidden()


def test_it_works_offline_and_from_the_keyboard(page, site, faults):
    page.goto(f"{site}en/diagnose/")
    expect(page.locator(STATE)).to_have_attribute("data-tool-state", "empty")
    page.context.set_offline(True)
    page.locator(TEXT).focus()
    page.keyboard.insert_text(WRONG)
    expect(page.locator(".finding--error")).to_contain_text(
        "No release of vLLM has --max-model-lenght."
    )
    page.locator(".finding--error .finding-place").focus()
    page.keyboard.press("Enter")
    selected = page.evaluate("document.getSelection().toString()")
    assert selected in ("--max-model-lenght", "")
    page.locator(".finding--error .finding-fix button").focus()
    page.keyboard.press("Enter")
    expect(page.locator(TEXT)).to_have_value(WRONG.replace("lenght", "len"))
    expect(page.locator(".finding--error")).to_have_count(0)
    page.context.set_offline(False)
    faults[:] = [
        each for each in faults if "DISCONNECTED" not in each
    ]  # the browser asks for its icon


def test_the_text_stays_behind_the_number_sign(page, site):
    page.goto(f"{site}en/diagnose/")
    page.fill(TEXT, WRONG + " # 机器")
    page.locator("#field-version").select_option("0.28.0")
    page.wait_for_url("**#text=*version=0.28.0")
    assert "?" not in page.url
    page.reload()
    expect(page.locator(TEXT)).to_have_value(WRONG + " # 机器")
    expect(page.locator("#field-version")).to_have_value("0.28.0")


def test_no_markup_of_a_text_is_ever_read(page, site):
    page.goto(f"{site}en/diagnose/")
    hostile = "<img src=x onerror=alert(1)>"
    page.fill(TEXT, f"vllm serve '{hostile}' --foo='{hostile}' --served-model-name \"{hostile}\"")
    expect(page.locator(".finding--error").first).to_be_visible()
    assert page.locator("[data-tool-result] img").count() == 0
    assert hostile in page.locator("[data-tool-result]").inner_text()


def test_a_log_says_what_it_holds(page, site):
    log = (ROOT / "tests/cases/diagnose/healthy/0.33.0-nvfp4-mtp.log").read_text("utf-8")
    page.goto(f"{site}en/diagnose/")
    page.fill(TEXT, log)
    expect(page.locator("[data-concluded]")).to_contain_text("1,012,480")
    expect(page.locator("[data-concluded]")).to_contain_text("0.33.0")
    expect(page.locator(".finding--error")).to_have_count(0)
    page.fill(
        TEXT,
        "ValueError: the first\nRuntimeError: Engine core initialization failed.",
    )
    expect(page.locator("[data-concluded]")).to_contain_text("1: ValueError: the first")


def test_an_example_and_a_clear(page, site):
    page.goto(f"{site}en/diagnose/")
    page.locator("[data-example]").first.click()
    expect(page.locator(FINDING).first).to_be_visible()
    page.locator(".filter-clear").click()
    expect(page.locator(STATE)).to_have_attribute("data-tool-state", "empty")


@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_accessible(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}zh/diagnose/")
    page.fill(TEXT, WRONG)
    expect(page.locator(".finding--error")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
