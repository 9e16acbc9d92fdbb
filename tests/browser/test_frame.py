"""The frame in Chromium: languages, search, copying, addresses that do not exist."""

import re

import pytest
from playwright.sync_api import expect

LANGUAGES = {"zh": "简体中文", "en": "English", "zh-Hant": "繁體中文"}
PAIRS = [(here, there) for here in LANGUAGES for there in LANGUAGES if here != there]
LISTS_AND_TOOLS = (
    "articles", "benchmarks", "builder", "calculator", "checkpoints", "claims", "diagnose",
    "engines", "engines/changes", "engines/images", "faq", "glossary", "guides/before-you-report",
    "guides/first-hour", "guides/several-sparks", "hardware", "judge", "law", "models", "pitfalls",
    "recipes", "rules", "sources",
)  # fmt: skip


def settle(page):
    """Wait until the page has loaded everything and the theme has started."""
    page.wait_for_load_state("networkidle")


def choose(page, language):
    """Choose a language in the header."""
    page.locator(".md-header .md-select").hover()
    page.locator(f".md-select__link[hreflang='{language}']").click()


def search(page, text):
    """Type a query as a reader does."""
    page.locator("[data-md-component=search-query]").click()
    page.keyboard.insert_text(text)
    page.keyboard.press("End")  # the search listens to keys
    expect(page.locator(".md-search-result__meta")).not_to_have_text("")


@pytest.mark.parametrize(("here", "there"), PAIRS)
def test_switch_of_language_keeps_the_place(page, site, here, there):
    page.goto(f"{site}{here}/contribute/?a=1#b")
    settle(page)
    choose(page, there)
    page.wait_for_url(f"{site}{there}/contribute/?a=1#b")
    settle(page)
    expect(page.locator("html")).to_have_attribute("lang", there)
    expect(page.locator(".md-select__link[aria-current]")).to_have_attribute("hreflang", there)


def test_switch_of_language_keeps_what_was_entered_into_a_tool(page, site):
    page.goto(f"{site}en/calculator/")
    settle(page)
    page.get_by_label("Model").select_option("qwen3.5-122b-a10b")
    page.wait_for_function("location.search !== ''")
    state = page.evaluate("location.search")
    choose(page, "zh-Hant")
    page.wait_for_url(re.compile("/zh-Hant/calculator/"))
    settle(page)
    assert page.evaluate("location.search") == state
    expect(page.get_by_label("模型", exact=True)).to_have_value("qwen3.5-122b-a10b")


def test_instant_navigation_stays_inside_a_language(page, site):
    page.goto(f"{site}en/contribute/")
    settle(page)
    page.evaluate("window.sameDocument = true")
    page.locator(".md-tabs__link").first.click()
    page.wait_for_url(f"{site}en/")
    settle(page)
    assert page.evaluate("window.sameDocument") is True
    expect(page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh-CN", "zh"), ("zh-TW", "zh-Hant"), ("zh-HK", "zh-Hant"), ("en-GB", "en")],
)
def test_first_page_leads_to_the_language_of_the_browser(browser, site, locale, language):
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(site)
    page.wait_for_url(f"{site}{language}/")
    context.close()


def test_first_page_asks_where_no_language_fits(browser, site):
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    page.goto(site)
    page.get_by_role("link", name="繁體中文").click()
    page.wait_for_url(f"{site}zh-Hant/")
    context.close()


def test_first_page_lists_all_languages_without_scripts(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site)
    assert page.locator("a").all_inner_texts() == list(LANGUAGES.values())
    context.close()


def test_chosen_language_is_remembered(page, site):
    page.goto(f"{site}en/")
    settle(page)
    choose(page, "zh-Hant")
    page.wait_for_url(f"{site}zh-Hant/")
    page.goto(site)
    page.wait_for_url(f"{site}zh-Hant/")


def test_page_offers_the_language_of_the_browser_and_moves_nobody(browser, site):
    context = browser.new_context(locale="zh-TW")
    page = context.new_page()
    page.goto(f"{site}en/contribute/")
    settle(page)
    offer = page.locator("[data-language-offer]:visible")
    expect(offer).to_have_count(1)
    expect(offer).to_have_attribute("lang", "zh-Hant")
    assert page.url == f"{site}en/contribute/"
    offer.get_by_role("button").click()
    expect(offer).to_have_count(0)
    page.reload()
    settle(page)
    expect(offer).to_have_count(0)
    context.close()


def test_offered_language_opens_the_same_page(browser, site):
    context = browser.new_context(locale="zh-CN")
    page = context.new_page()
    page.goto(f"{site}en/contribute/#x")
    settle(page)
    page.locator("[data-language-offer]:visible a").click()
    page.wait_for_url(f"{site}zh/contribute/#x")
    context.close()


@pytest.mark.parametrize(
    ("language", "query"), [("zh", "带宽"), ("zh-Hant", "頻寬"), ("en", "bandwidth")]
)
def test_search_finds_in_the_language_of_the_reader(page, site, language, query):
    page.goto(f"{site}{language}/")
    settle(page)
    search(page, query)
    first = page.locator(".md-search-result__link").first
    expect(first).to_be_visible()
    hit = page.locator(".md-search-result__item mark").first
    expect(hit).to_have_text(query, ignore_case=True)
    first.click()
    page.wait_for_url(re.compile(re.escape(f"{site}{language}/")))
    expect(page.locator("article.md-content__inner")).to_contain_text(query, ignore_case=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_search_for_a_model_leads_to_its_page(page, site, language):
    page.goto(f"{site}{language}/")
    settle(page)
    search(page, "Qwen3.5-122B")
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile(rf"/{language}/models/qwen3.5-122b-a10b/"))


@pytest.mark.parametrize("query", ["带宽", "頻寬"])
def test_search_for_a_name_of_another_language_finds_pages_of_this_one(page, site, query):
    page.goto(f"{site}en/")
    settle(page)
    search(page, query)
    first = page.locator(".md-search-result__link").first
    expect(first).to_have_attribute("href", re.compile("/en/"))
    hit = page.locator(".md-search-result__item mark").first
    expect(hit).to_have_text("bandwidth", ignore_case=True)


@pytest.mark.parametrize(
    "query", ["--kv-cache-dtype", "-kv-cache-dtype fp8", "kv-cache-dtype:^~*+"]
)
def test_search_takes_a_pasted_flag(page, site, query):
    page.goto(f"{site}en/")
    settle(page)
    search(page, query)
    expect(page.locator(".md-search-result__link").first).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_recipe_can_be_copied(page, site, context, language):
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.rstrip("/")[:-7])
    page.goto(f"{site}{language}/recipes/qwen3.6-35b-a3b-redhat-nvfp4-mtp1/")
    settle(page)
    block = page.locator("pre:has(> code)").first
    block.hover()
    block.locator("xpath=..").get_by_role("button").first.click()
    command = block.locator("code").inner_text().strip()
    page.wait_for_function(
        "text => navigator.clipboard.readText().then(t => t.trim() === text)", arg=command
    )


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_list_and_no_tool_scrolls_sideways_on_a_phone(page, site, language):
    page.set_viewport_size({"width": 390, "height": 844})
    widths = {}
    for path in LISTS_AND_TOOLS:
        page.goto(f"{site}{language}/{path}/")
        page.wait_for_function("document.querySelector('.filter-form[hidden]') === null")
        widths[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: width for path, width in widths.items() if width > 390} == {}


def test_unknown_address_answers_in_the_language_of_the_reader_first(browser, site):
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    page.goto(f"{site}zh/no/such/page/")
    settle(page)
    expect(page.locator("article section").first).to_have_attribute("lang", "en")
    expect(page.locator(".md-header .md-ellipsis").first).to_have_text("GB10 Ledger")
    expect(page.locator(".md-tabs")).to_be_hidden()
    context.close()


def test_unknown_address_answers_in_three_languages(page, site, faults):
    response = page.goto(f"{site}en/no/such/page/")
    settle(page)
    assert response.status == 404
    for language, name in LANGUAGES.items():
        section = page.locator(f"article section[lang='{language}']")
        expect(section.get_by_role("link", name=name)).to_be_visible()
    assert all("no/such/page" in fault or "404" in fault for fault in faults), faults
    faults.clear()
    page.locator("article a[hreflang=en]").click()
    page.wait_for_url(f"{site}en/")
