"""No page breaks a rule of axe, in any language, in light and in dark colours.

A Traditional page has the elements of its Simplified one, so that a few pages speak for all.
"""

import pytest

from tests.browser.axe import violations

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
COLOURS = ["color-contrast", "link-in-text-block"]


@pytest.mark.parametrize(
    ("path", "language"),
    [(path, language) for path in PAGES for language in ("zh", "en")]
    + [(path, "zh-Hant") for path in PAGES[:3]],
)
def test_axe_finds_nothing(page, site, path, language):
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(f"{site}{language}/{path}")
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    assert violations(page, runOnly=COLOURS) == []


def test_axe_finds_nothing_on_the_first_page(browser, site):
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    page.goto(site)
    assert violations(page) == []
    context.close()
