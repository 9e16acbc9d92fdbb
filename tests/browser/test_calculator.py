"""The calculator in Chromium: from the keyboard, on a phone, out of the address, in every state."""

import pytest
from playwright.sync_api import expect

from macros.compositions import ceiling_of
from macros.ledger import Load
from macros.library import load
from tests.browser.axe import LOOKS, violations
from tests.conftest import ROOT

INT4 = "intel-qwen3.5-122b-a10b-int4-autoround"
NVFP4 = "nvidia-qwen3.5-122b-a10b-nvfp4"
STATE = "[data-tool-state]"
SPEED = ".speed--large .speed-value"


@pytest.fixture(scope="module")
def library():
    """The records of the project."""
    found, findings = load(ROOT)
    assert findings == []
    return found


def shown_speed(page, other_than: float | None = None) -> float:
    """Return the ceiling that the page shows, once it is another than before."""
    expect(page.locator(SPEED)).to_be_visible()
    if other_than is not None:
        expect(page.locator(SPEED)).not_to_contain_text(f"{other_than}\u00a0")
    return float(page.locator(SPEED).inner_text().split("\u00a0")[0])


def test_it_starts_empty_and_answers_after_the_first_choice(page, site):
    page.goto(f"{site}en/calculator/")
    expect(page.locator(STATE)).to_have_text("Choose a model and a checkpoint.")
    expect(page.locator("[data-tool-result]")).to_be_hidden()
    page.get_by_label("Model").select_option("qwen3.5-122b-a10b")
    expect(page.locator(STATE)).to_be_hidden()
    assert shown_speed(page) > 10
    assert "checkpoint=" in page.url


@pytest.mark.parametrize("language", ["zh", "en", "zh-Hant"])
def test_it_shows_what_the_ledger_says(page, site, library, language):
    page.goto(
        f"{site}{language}/calculator/?checkpoint={INT4}&context-tokens=32768&concurrency=4"
        "&kv-format=fp8&draft=mtp&draft-tokens=2&acceptance-length=2.25"
    )
    answer = ceiling_of(library, INT4, Load(32768, 4, "fp8", "mtp", 2, 2.25))
    assert shown_speed(page) == pytest.approx(answer.ceiling_tokens_per_s, abs=0.05)
    assert f"{answer.bytes_per_step / 1e9:.2f}" in page.locator(".bytes-total").inner_text()
    rows = page.locator("[data-modules] tbody tr")
    assert rows.count() == len(answer.step.modules) + 2  # and state and KV cache


def test_a_keyboard_is_enough_and_the_address_keeps_the_state(page, site):
    page.goto(f"{site}en/calculator/?checkpoint={INT4}")
    before = shown_speed(page)
    page.get_by_label("Context").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("131072")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.locator("#field-kv-format")).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert shown_speed(page, other_than=before) < before
    page.wait_for_url("**kv-format=fp8**")
    assert "context-tokens=131072" in page.url
    after = shown_speed(page)
    page.reload()
    assert shown_speed(page) == after
    expect(page.locator("#field-checkpoint")).to_have_value(INT4)


def test_what_if_changes_one_module_and_goes_back(page, site, library):
    page.goto(f"{site}en/calculator/?checkpoint={NVFP4}")
    published = shown_speed(page)
    select = page.get_by_label("Format of gdn_in")
    select.focus()
    select.select_option("fp8-block")
    expect(page.locator(".what-if-on")).to_contain_text(f"{published}")
    changed = shown_speed(page, other_than=published)
    assert changed > published
    assert "format-gdn_in=fp8-block" in page.url
    expect(page.get_by_label("Format of gdn_in")).to_be_focused()
    page.reload()
    assert shown_speed(page) == changed
    page.get_by_role("button", name="As published").click()
    assert shown_speed(page) == published
    assert "format-" not in page.url


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("&concurrency=0", "“Requests at once” must be a whole number of 1 or more"),
        ("&context-tokens=99999999999", "“Context” must be a whole number of 0 or more"),
        ("&draft=mtp&draft-tokens=2&acceptance-length=4", "must be from 1 to 3"),
    ],
)
def test_a_field_without_sense_is_named(page, site, query, words):
    page.goto(f"{site}en/calculator/?checkpoint={INT4}{query}")
    expect(page.locator(STATE)).to_contain_text(words)
    expect(page.locator(STATE)).to_have_attribute("data-tool-state", "error")
    expect(page.locator("[aria-invalid=true]")).to_have_count(1)
    expect(page.locator("[data-tool-result]")).to_be_hidden()


def test_an_unknown_checkpoint_of_the_address_is_said(page, site):
    page.goto(f"{site}en/calculator/?checkpoint=nobody-nothing")
    expect(page.locator(STATE)).to_contain_text("nobody-nothing")


def test_a_repository_in_any_case_is_found(page, site):
    page.goto(f"{site}en/calculator/?checkpoint=INTEL/qwen3.5-122B-a10b-int4-autoround")
    expect(page.locator("#field-checkpoint")).to_have_value(INT4)


def test_it_says_that_it_loads_and_when_it_cannot(page, site, faults):
    waiting = []
    page.route("**/api/v1/ledger.json", lambda route: waiting.append(route))
    with page.expect_request("**/api/v1/ledger.json"):
        page.goto(f"{site}en/calculator/", wait_until="domcontentloaded")
    expect(page.locator(STATE)).to_have_text("Loading…")
    waiting[0].fulfill(status=500)
    expect(page.locator(STATE)).to_contain_text("could not load its data")
    faults.clear()


def test_memory_says_what_does_not_fit(page, site):
    page.goto(f"{site}en/calculator/?checkpoint={INT4}&context-tokens=262144&concurrency=64")
    expect(page.locator(".fit--no")).to_be_visible()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_width_makes_the_page_scroll_sideways(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}zh/calculator/?checkpoint={INT4}&draft=mtp")
    expect(page.locator(SPEED)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_axe_finds_nothing_in_the_result(page, site, language, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{site}{language}/calculator/?checkpoint={NVFP4}&draft=mtp&format-gdn_in=fp8-block")
    expect(page.locator(SPEED)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert violations(page) == []


def test_without_scripts_a_table_gives_the_ceilings(browser, site, library):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}en/calculator/")
    row = page.locator("tr", has=page.locator(f"a[href$='/checkpoints/{INT4}/']"))
    answer = ceiling_of(library, INT4)
    assert f"{answer.ceiling_tokens_per_s:.1f}" in row.inner_text()
    expect(page.locator("form.tool-form")).to_be_hidden()
    context.close()


def test_it_starts_again_after_instant_navigation(page, site):
    page.goto(f"{site}en/calculator/?checkpoint={INT4}")
    shown_speed(page)
    page.locator(".md-header__title, .md-logo").first.click()
    page.wait_for_url(f"{site}en/")
    page.go_back()
    assert shown_speed(page) > 10


def test_the_page_fetches_only_its_own_json(page, site):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}en/calculator/?checkpoint={INT4}")
    shown_speed(page)
    own = [each.removeprefix(site) for each in asked if each.endswith(".json")]
    assert "api/v1/ledger.json" in own
    assert all(each.startswith(site) for each in asked)
