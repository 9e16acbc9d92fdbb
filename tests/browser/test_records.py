"""Pitfalls and questions in Chromium: narrow down, share, copy, and never a faulty command."""

import json
import re

import pytest
from playwright.sync_api import expect

LANGUAGES = ("zh", "en", "zh-Hant")


def settle(page):
    """Wait until the page has loaded everything and the theme has started."""
    page.wait_for_load_state("networkidle")


def shown(page):
    """The items of the list that the filter leaves."""
    return page.locator("[data-filter-item]:not([hidden])")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_says_what_bites_on_a_release(page, site, language):
    page.goto(f"{site}{language}/pitfalls/")
    settle(page)
    everything = shown(page).count()
    page.locator("select[name=version]").select_option("0.28.0")
    page.wait_for_url("**/pitfalls/?version=0.28.0")
    assert 0 < shown(page).count() < everything
    expect(page.locator("a[href$='/apc-default-on-028/']")).to_be_visible()
    page.locator("select[name=version]").select_option("0.27.1")
    expect(page.locator("a[href$='/apc-default-on-028/']")).to_be_hidden()
    empty = page.locator(".filter-group:not(:has([data-filter-item]:not([hidden])))")
    for section in empty.all():
        expect(section).to_be_hidden()


def test_an_error_text_finds_its_pitfall(page, site):
    page.goto(f"{site}zh/pitfalls/?text=illegal+instruction")
    settle(page)
    expect(page.locator("input[name=text]")).to_have_value("illegal instruction")
    expect(page.locator("a[href$='/sm121-illegal-instruction/']")).to_be_visible()
    assert 0 < shown(page).count() < 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_remedies_can_be_copied_and_faulty_commands_cannot(page, site, language, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site}{language}/pitfalls/mtp-apc-corruption/")
    settle(page)
    commands = page.locator(".command")
    copy = commands.first.locator("[data-clipboard-target], .md-code__button").first
    copy.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("vllm serve ")
    assert "--no-enable-prefix-caching" in copied
    faulty = page.locator("[data-faulty]")
    assert faulty.count() == 1
    assert faulty.locator("button, [data-clipboard-target], .md-code__button").count() == 0
    errors = page.locator(".error-text")
    assert errors.locator("button, .md-code__button").count() == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_has_an_address_to_share(page, site, language):
    page.goto(f"{site}{language}/faq/#which-format")
    settle(page)
    question = page.locator("#which-format")
    expect(question).to_be_in_viewport()
    own = question.locator("a.headerlink")
    expect(own).to_have_attribute("href", re.compile("#which-format$"))
    data = json.loads(page.locator("script[type='application/ld+json']").text_content())
    names = [entry["name"] for entry in data["mainEntity"]]
    assert len(names) == page.locator(".question").count()
    assert question.inner_text().rstrip("¶").strip() in names


def test_questions_are_narrowed_by_what_a_reader_does(page, site):
    page.goto(f"{site}en/faq/?group=several")
    settle(page)
    expect(page.locator("#two-sparks-slower-than-one")).to_be_visible()
    expect(page.locator("#only-exclamation-marks")).to_be_hidden()
    expect(page.locator("h2#broken")).to_be_hidden()
