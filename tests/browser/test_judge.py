"""The judge in Chromium: the verdicts of Python, from the keyboard, on a phone, in every state."""

from decimal import Decimal

import pytest
from playwright.sync_api import expect

from macros.judge import judge
from macros.ledger import Load
from macros.library import load
from macros.records import Cause
from tests.browser.axe import LOOKS, violations
from tests.conftest import ROOT

NVFP4 = "nvidia-qwen3.5-122b-a10b-nvfp4"
INT4 = "intel-qwen3.5-122b-a10b-int4-autoround"
STATE = "[data-tool-state]"
VERDICT = ".verdict-line"
LANGUAGES = ["zh", "en", "zh-Hant"]


@pytest.fixture(scope="module")
def library():
    """The records of the project."""
    found, findings = load(ROOT)
    assert findings == []
    return found


def test_it_starts_empty_and_judges_what_is_typed(page, site, library):
    page.goto(f"{site}en/judge/")
    expect(page.locator(STATE)).to_contain_text("Choose a checkpoint")
    page.locator("#field-model").select_option("qwen3.5-122b-a10b")
    page.locator("#field-checkpoint").select_option(NVFP4)
    page.locator("#field-tokens-per-s").focus()
    page.keyboard.type("14,2")
    expect(page.locator(VERDICT)).to_contain_text("14.2 tok/s")
    found = judge(library, NVFP4, Decimal("14.2"), Load(), "vllm")
    words = {"normal": "Normal", "slow": "Slow", "excellent": "Excellent"}[found.verdict]
    expect(page.locator(VERDICT)).to_contain_text(words)
    share = page.locator("[data-answer] .share-number").inner_text()
    assert int(share.rstrip("%")) == pytest.approx(100 * found.share_of_ceiling, abs=0.51)
    page.wait_for_url("**tokens-per-s=14%2C2**")
    page.reload()
    expect(page.locator(VERDICT)).to_contain_text("14.2 tok/s")


@pytest.mark.parametrize("speed", ["1.5", "8.1", "15.4", "20.5", "55"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_verdict_and_its_causes_are_those_of_python(page, site, library, speed, language):
    page.goto(f"{site}{language}/judge/?checkpoint={NVFP4}&tokens-per-s={speed}")
    found = judge(library, NVFP4, Decimal(speed), Load(), "vllm")
    expect(page.locator(f".verdict-line--{found.verdict}")).to_be_visible()
    titles = page.locator("[data-causes] .cause h3").all_inner_texts()
    wanted = [library.get(Cause, each.cause).title for each in found.likely_causes]
    if language == "zh-Hant":
        assert len(titles) == len(wanted)
    else:
        assert titles == [each.en if language == "en" else each.zh for each in wanted]


def test_like_measurements_lead_to_the_runs(page, site, library):
    page.goto(f"{site}en/judge/?checkpoint={INT4}&tokens-per-s=28")
    found = judge(library, INT4, Decimal(28), Load(), "vllm")
    links = page.locator("[data-similar] tbody a")
    expect(links).to_have_count(len(found.similar_measurements))
    first = found.similar_measurements[0]
    links.first.click()
    page.wait_for_url(f"**/benchmarks/#{first.measurement}-{first.point}")
    expect(page.locator("dialog[open]")).to_contain_text(f"{first.measurement}-{first.point}")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("&tokens-per-s=fast", "must be a number above 0"),
        ("&tokens-per-s=0", "must be a number above 0"),
        ("&tokens-per-s=20&concurrency=x", "must be a whole number of 1 or more"),
        ("&tokens-per-s=20&draft=mtp&draft-tokens=1&acceptance-length=2.5", "must be from 1 to 2"),
    ],
)
def test_a_field_without_sense_is_named(page, site, query, words):
    page.goto(f"{site}en/judge/?checkpoint={INT4}{query}")
    expect(page.locator(STATE)).to_contain_text(words)
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)
    expect(page.locator("[data-tool-result]")).to_be_hidden()


def test_it_says_when_it_cannot_load(page, site, faults):
    page.route("**/api/v1/judge.json", lambda route: route.fulfill(status=500))
    page.goto(f"{site}en/judge/")
    expect(page.locator(STATE)).to_contain_text("could not load its data")
    faults.clear()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_width_makes_the_page_scroll_sideways(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}zh/judge/?checkpoint={NVFP4}&tokens-per-s=8.1&draft=none")
    expect(page.locator(VERDICT)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_axe_finds_nothing_in_the_result(page, site, language, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{site}{language}/judge/?checkpoint={NVFP4}&tokens-per-s=8.1")
    expect(page.locator(VERDICT)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert violations(page) == []


def test_without_scripts_norms_and_causes_can_be_read(browser, site, library):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}en/judge/")
    expect(page.locator("section.cause")).to_have_count(len(library.kinds["causes"]))
    expect(page.locator("form.tool-form")).to_be_hidden()
    expect(page.locator("table").first).to_contain_text("vLLM")
    context.close()
