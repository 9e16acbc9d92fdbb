"""The builder in Chromium: from a model to a command, by keyboard, on a phone, in the address."""

import pytest
from playwright.sync_api import expect

from macros.library import load
from macros.records import Recipe
from macros.rendering.pages.recipes import recipe_forms
from tests.browser.axe import violations
from tests.conftest import ROOT

RECIPE = "qwen3.6-35b-a3b-redhat-nvfp4-mtp1"
AGENTS = "qwen3.6-35b-a3b-nvidia-nvfp4-agents"
STATE = "[data-tool-state]"
CODE = "[data-code]"


@pytest.fixture(scope="module")
def library():
    """The records of the project."""
    found, findings = load(ROOT)
    assert findings == []
    return found


def shown(page) -> str:
    """Return the command that the page shows."""
    expect(page.locator(CODE)).to_be_visible()
    return page.locator(CODE).text_content()


def test_it_starts_empty_and_leads_to_a_command(page, site):
    page.goto(f"{site}en/builder/")
    expect(page.locator(STATE)).to_have_text("Choose a model.")
    expect(page.locator("[data-tool-result]")).to_be_hidden()
    page.get_by_label("Model").select_option("qwen3.6-35b-a3b")
    expect(page.locator(STATE)).to_be_hidden()
    assert "docker run" in shown(page)
    assert "recipe=" in page.url


@pytest.mark.parametrize("language", ["zh", "en", "zh-Hant"])
def test_every_form_is_the_recipe_page_s_own(page, site, library, language):
    recipe = library.get(Recipe, RECIPE)
    page.goto(f"{site}{language}/builder/?recipe={RECIPE}")
    for form in recipe_forms(library, recipe):
        page.locator("#field-form").select_option(form.name)
        assert shown(page) == form.text
    page.goto(f"{site}{language}/recipes/{RECIPE}/")
    copied = page.locator(".command-tabs pre code").first.text_content()
    assert copied == recipe_forms(library, recipe)[0].text.strip("\n")


def test_a_change_is_shown_and_kept_in_the_address(page, site):
    page.goto(f"{site}en/builder/?recipe={RECIPE}")
    expect(page.locator("[data-changes]")).to_contain_text("This is the recipe as it stands.")
    page.get_by_label("Longest context").select_option("32768")
    expect(page.locator("[data-changes]")).to_contain_text("--max-model-len 32768, was 131072")
    expect(page.locator(".builder-line--changed")).to_contain_text(["--max-model-len 32768"])
    assert "context=32768" in page.url
    page.reload()
    assert "--max-model-len 32768" in shown(page)
    page.locator(".tool-form .filter-clear").click()
    expect(page.locator(STATE)).to_have_text("Choose a model.")


def test_what_cannot_work_is_closed_with_its_reason(page, site):
    page.goto(f"{site}en/builder/?recipe={RECIPE}")
    caching = page.get_by_label("Prefix caching")
    expect(caching).to_be_disabled()
    expect(page.locator("#why-caching")).to_contain_text("corrupt the answers")
    page.get_by_label("MTP or DFlash drafts").select_option("off")
    expect(caching).to_be_enabled()
    caching.select_option("on")
    text = shown(page)
    assert "--speculative-config" not in text
    assert "--enable-prefix-caching" in text and "--no-enable-prefix-caching" not in text
    page.goto(f"{site}en/builder/?model=qwen3.5-122b-a10b")
    closed = page.locator("#field-recipe option:disabled")
    expect(closed.filter(has_text="do not fit one Spark")).not_to_have_count(0)


def test_opening_the_port_asks_for_a_key(page, site):
    page.goto(f"{site}en/builder/?recipe={RECIPE}")
    assert "--publish 127.0.0.1:8000:8000" in shown(page)
    page.get_by_label("Who may connect").select_option("open")
    assert "--publish 8000:8000" in shown(page)
    assert "--env VLLM_API_KEY" in shown(page)
    expect(page.locator("[data-changes]")).to_contain_text("VLLM_API_KEY")


def test_a_keyboard_reads_why_a_line_stands_there(page, site):
    page.goto(f"{site}en/builder/?recipe={RECIPE}")
    page.locator("[data-key='--gpu-memory-utilization']").focus()
    expect(page.locator("[data-reason]")).to_contain_text("The memory plan needs no more.")
    page.keyboard.press("Tab")
    expect(page.locator("[data-key='--enable-prefix-caching']")).to_be_focused()
    expect(page.locator("[data-reason]")).to_contain_text("Prefix caching keeps the state")


def test_the_command_is_copied_whole(page, site, library):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site}en/builder/?recipe={AGENTS}")
    shown(page)
    page.locator("[data-copy]").click()
    expect(page.locator("[data-copy]")).to_have_text("Copied")
    form = recipe_forms(library, library.get(Recipe, AGENTS))[0]
    assert page.evaluate("navigator.clipboard.readText()") == form.text


def test_a_phone_shows_it_without_sideways_scrolling(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}zh/builder/?recipe={RECIPE}")
    shown(page)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page, site, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}en/builder/?recipe={RECIPE}")
    shown(page)
    assert violations(page) == []
