"""No page breaks a rule of axe, in any language, in light and in dark colours."""

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = [
    "",
    "recipes/",
    "models/",
    "models/qwen3.5-122b-a10b/",
    "checkpoints/",
    "pitfalls/",
    "pitfalls/mtp-apc-corruption/",
    "articles/builder-daily/",
    "claims/",
    "faq/",
    "law/",
    "articles/122b/",
    "guides/first-hour/",
    "contribute/",
]
COLOURS = {"runOnly": ["color-contrast", "link-in-text-block"]}


def violations(page, options: dict | None = None) -> list[str]:
    """Return what axe finds, one line for each element."""
    found = Axe().run(page, options=options).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize("language", ["zh", "en", "zh-Hant"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(page, site, path, language):
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{site}{language}/{path}")
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    assert violations(page, COLOURS) == []


def test_axe_finds_nothing_on_the_first_page(browser, site):
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    page.goto(site)
    assert violations(page) == []
    context.close()
