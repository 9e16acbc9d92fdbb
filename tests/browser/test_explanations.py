"""A term is explained where it occurs first: by pointer, keyboard, on a phone, and not in print."""

import pytest

LANGUAGES = ("zh", "en", "zh-Hant")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_term_says_what_it_means_and_leads_to_its_entry(page, site, language):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{site}{language}/guides/first-hour/")
    page.wait_for_load_state("networkidle")
    terms = page.locator("article a.explained")
    assert terms.count() > 2
    hrefs = terms.evaluate_all("all => all.map((term) => term.getAttribute('href'))")
    assert len(set(hrefs)) == len(hrefs)
    page.locator("article h2").first.click()
    page.keyboard.press("Tab")
    for _ in range(12):
        if page.evaluate("document.activeElement.classList.contains('explained')"):
            break
        page.keyboard.press("Tab")
    meaning, shown, width = page.evaluate(
        """() => {
          const term = document.activeElement;
          const note = getComputedStyle(term, "::after");
          return [term.title, note.content, document.documentElement.scrollWidth];
        }"""
    )
    assert meaning and shown.strip('"') == meaning.replace('"', '\\\\"')
    assert width == 390
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{language}/glossary/#*")
    entry = page.locator(page.evaluate("location.hash").replace(".", "\\\\."))
    assert meaning[:20] in entry.inner_text()


def test_nothing_is_explained_in_headings_code_and_the_glossary_itself(page, site):
    page.goto(f"{site}en/glossary/")
    assert page.locator("a.explained").count() == 0
    page.goto(f"{site}en/guides/first-hour/")
    assert page.locator(":is(h1, h2, h3, code, pre, figure, table) a.explained").count() == 0


def test_print_shows_no_marks(page, site):
    page.goto(f"{site}en/guides/first-hour/")
    page.emulate_media(media="print")
    line = page.locator("a.explained").first.evaluate("e => getComputedStyle(e).textDecorationLine")
    assert line == "none"
