"""The page of the law, and the pictures of a model, in Chromium."""

import pytest
from playwright.sync_api import expect

PAGES = ["law/", "models/qwen3.5-122b-a10b/"]


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("path", PAGES)
def test_no_width_makes_the_page_scroll_sideways(page, site, path, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}zh/{path}")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_row_of_the_law_leads_to_its_run(page, site):
    page.goto(f"{site}en/law/")
    link = page.locator("#rows ~ .data a[href*='benchmarks/#']").first
    target = link.get_attribute("href").split("#")[1]
    link.click()
    page.wait_for_url(f"**/benchmarks/#{target}")
    expect(page.locator("dialog[open]")).to_contain_text(target)


def test_a_picture_opens_its_table(page, site):
    page.goto(f"{site}en/models/qwen3.5-122b-a10b/")
    figure = page.locator("#pictures ~ figure").first
    expect(figure.locator("table")).to_be_hidden()
    figure.locator("summary").press("Enter")
    expect(figure.locator("table")).to_be_visible()
    marks = figure.locator("svg svg:has(> path)").count()
    assert marks == figure.locator("tbody tr").count() > 2
