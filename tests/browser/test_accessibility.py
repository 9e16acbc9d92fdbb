"""No page breaks a rule of axe, in any language, in light and in dark colours."""

import pytest
from axe_playwright_python.sync_playwright import Axe

PAGES = ["", "contribute/"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["zh", "en", "zh-Hant"])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(page, site, path, language, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{site}{language}/{path}")
    page.wait_for_load_state("networkidle")
    violations = Axe().run(page).response["violations"]
    assert [
        f"{each['id']}: {node['html'][:200]}" for each in violations for node in each["nodes"]
    ] == []


def test_axe_finds_nothing_on_the_first_page(browser, site):
    context = browser.new_context(locale="fr-FR")
    page = context.new_page()
    page.goto(site)
    assert Axe().run(page).response["violations"] == []
    context.close()
