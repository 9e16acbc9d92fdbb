"""Components in a browser: they can be read, narrowed down, sorted, typed into and printed."""

import functools
import http.server
import threading

import pytest

from tests.browser.axe import violations
from tests.design import gallery

WIDTHS = (390, 768, 1280, 1920)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A web server that says nothing."""

    def log_message(self, *arguments):
        """Keep quiet."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of the gallery; these tests need no built site."""
    folder = tmp_path_factory.mktemp("gallery")
    gallery.main(folder)
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()


@pytest.fixture
def shown(page, site):
    """The English gallery, open."""
    page.goto(f"{site}en-default.html")
    return page


@pytest.mark.parametrize("scheme", gallery.SCHEMES)
@pytest.mark.parametrize("language", gallery.LANGUAGES)
def test_axe_finds_nothing_in_any_component(page, site, language, scheme):
    page.goto(f"{site}{language}-{scheme}.html")
    assert violations(page) == []


@pytest.mark.parametrize("language", gallery.LANGUAGES)
def test_no_component_makes_the_page_scroll_sideways(page, site, language):
    page.goto(f"{site}{language}-default.html")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [390, 1280])
def test_a_bar_is_as_long_as_its_bytes_at_every_width(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}en-default.html")
    widths = page.evaluate(
        """() => {
          const rows = [...document.querySelectorAll("#pictures ~ .bytes--group .bytes-bar")];
          return rows.slice(0, 3).map((bar) => {
            const parts = [...bar.children].map((part) => part.getBoundingClientRect());
            return (parts.at(-1).right - parts[0].left) / bar.getBoundingClientRect().width;
          });
        }"""
    )
    totals = [sum(b for _, b in gallery.segments(f)) for f in gallery.FORMATS.values()]
    expected = [total / max(totals) for total in totals]
    assert widths == pytest.approx(expected, abs=0.02)  # the thinnest parts keep 3 pixels


def test_text_in_charts_keeps_its_size_on_a_phone(page, site):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{site}en-default.html")
    heights = page.eval_on_selector_all(
        ".chart-plot text", "texts => texts.map((text) => text.getBoundingClientRect().height)"
    )
    assert len(heights) > 20 and min(heights) >= 12


def test_without_programs_lists_are_whole_and_choices_still_work(browser, site):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{site}en-default.html")
    assert page.locator(".filter-form, .panel-own").filter(visible=True).count() == 0
    assert page.locator("[data-filter-item]").filter(visible=True).count() == 3
    page.get_by_text("Compose", exact=True).first.click()
    assert page.get_by_text("services:").first.is_visible()
    page.get_by_text("gpt-oss-120b", exact=True).first.click()
    assert page.locator("[data-panel-answer=model-1]").is_visible()
    assert not page.locator("[data-panel-answer=model-0]").is_visible()
    page.context.close()


def address(page):
    return page.evaluate("location.href")


# Filters


def names(page):
    return page.locator("[data-filter-item] th").filter(visible=True).all_inner_texts()


def test_a_list_is_narrowed_down_by_text_and_by_facets_and_says_how_much_is_left(shown):
    assert shown.locator(".filter-count").inner_text() == "3 of 3 shown"
    shown.get_by_label("Filter by text").fill("intel MTP")
    assert names(shown) == ["Intel INT4 AutoRound, MTP-2"]
    shown.get_by_label("Filter by text").fill("")
    shown.get_by_role("checkbox", name="reported").check(force=True)
    shown.get_by_label("Model", exact=True).select_option("intel")
    assert names(shown) == []
    assert shown.get_by_text("Nothing matches.").is_visible()
    assert shown.locator(".filter-count").inner_text() == "0 of 3 shown"
    shown.get_by_role("button", name="Clear").click()
    assert len(names(shown)) == 3
    assert "?" not in address(shown)


def test_two_answers_of_one_facet_widen_and_two_facets_narrow(shown):
    for name in ("measured", "claimed"):
        shown.get_by_role("checkbox", name=name).check(force=True)
    assert len(names(shown)) == 2
    shown.get_by_label("Model", exact=True).select_option("nvidia")
    assert names(shown) == []


def test_choices_stand_in_the_address_and_come_back(shown):
    shown.get_by_label("Filter by text").fill("int4")
    shown.get_by_role("checkbox", name="measured").check(force=True)
    assert address(shown).endswith("?text=int4&evidence=measured")
    shown.reload()
    assert shown.get_by_label("Filter by text").input_value() == "int4"
    assert names(shown) == ["Intel INT4 AutoRound"]


def test_a_filter_works_by_keyboard_alone(shown):
    shown.get_by_label("Filter by text").focus()
    shown.keyboard.press("Tab")
    shown.keyboard.press("Space")
    assert names(shown) == ["Intel INT4 AutoRound"]
    assert shown.evaluate("document.activeElement.value") == "measured"


def test_what_a_filter_says_is_in_the_script_of_the_page(page, site):
    page.goto(f"{site}zh-Hant-default.html")
    assert page.locator(".filter-count").inner_text() == "顯示 3 項，共 3 項"


# Sorting


def column(page, number):
    cells = page.locator(f"table[data-sortable] tbody tr > :nth-child({number})")
    return cells.all_inner_texts()


def test_a_table_is_sorted_from_the_largest_and_back_and_the_unknown_stays_last(shown):
    heading = shown.get_by_role("columnheader", name="TTFT")
    shown.get_by_role("button", name="TTFT").click()
    assert [text.strip()[:6] for text in column(shown, 6)] == ["1042.5", "764.70", "–\nnot "]
    assert heading.get_attribute("aria-sort") == "descending"
    shown.get_by_role("button", name="TTFT").click()
    assert [text.strip()[:6] for text in column(shown, 6)] == ["764.70", "1042.5", "–\nnot "]
    assert heading.get_attribute("aria-sort") == "ascending"


def test_a_bar_is_sorted_by_its_ratio_and_the_order_comes_back(shown):
    shown.get_by_role("button", name="Share").click()
    shown.get_by_role("button", name="Share").click()
    assert address(shown).endswith("?sort=-5")
    shown.reload()
    assert [text.split("%")[0].strip() for text in column(shown, 5)] == ["129", "84", "71"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("131\u202f072", 131072),
        ("−3.5", -3.5),
        ("84%", 84),
        ("–", None),
        (" vLLM 0.9 ", "vLLM 0.9"),
    ],
)
def test_a_cell_is_compared_as_what_it_says(shown, text, key):
    assert (
        shown.evaluate(
            "async (text) => (await import('./assets/lists.js')).sortKey(text)", arg=text
        )
        == key
    )


# The panel of the first screen


@pytest.mark.parametrize(
    ("typed", "state", "said"),
    [
        ("", "empty", "One request, no drafts: see how much of the ceiling you get."),
        ("fast", "error", "Enter a number above 0, such as 14.2."),
        ("-3", "error", "Enter a number above 0, such as 14.2."),
        ("28.3", "result", "71% of this checkpoint’s ceiling of 39.9 tok/s."),
        ("28,3", "result", "71% of this checkpoint’s ceiling of 39.9 tok/s."),
        ("59", "above", "Above the ceiling of 39.9 tok/s"),
    ],
)
def test_ones_own_speed_is_read_against_the_ceiling(shown, typed, state, said):
    field = shown.get_by_label("Your own speed").first
    field.fill("1")
    field.fill(typed)
    form = shown.locator(".panel-own").first
    assert form.get_attribute("data-state") == state
    assert form.locator("output").inner_text().startswith(said)
    assert (field.get_attribute("aria-invalid") == "true") is (state == "error")


def test_the_model_and_the_speed_come_back_with_the_address(shown):
    shown.get_by_text("Qwen3.6-27B", exact=True).first.click()
    shown.get_by_label("Your own speed").filter(visible=True).fill("12.5")
    assert address(shown).endswith("?model=model-3&speed=12.5")
    shown.reload()
    answer = shown.locator("[data-panel-answer=model-3]")
    assert answer.is_visible()
    assert answer.locator("output").inner_text().startswith("31%")


def test_the_panel_works_by_keyboard_and_shows_where_one_is(shown):
    shown.locator(".panel-radio").first.focus()
    shown.keyboard.press("ArrowRight")
    assert shown.locator("[data-panel-answer=model-1]").is_visible()
    outline = (
        shown.locator(".panel-models label").nth(1).evaluate("e => getComputedStyle(e).outline")
    )
    assert "solid" in outline


# Badges, commands, print


def test_a_badge_shows_its_meaning_when_it_has_the_focus(shown):
    badge = shown.locator(".answer .badge").first
    shown.locator(".answer").evaluate("e => e.querySelector('.badge').focus({focusVisible: true})")
    assert badge.evaluate("e => getComputedStyle(e, '::after').content").startswith('"Others')


def test_no_flag_is_broken_in_two_on_a_phone(page, site):
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{site}en-default.html")
    broken = page.eval_on_selector_all(
        ".command-tabs .tabbed-block:first-child .word",
        """words => words.filter((word) => word.textContent.startsWith("--"))
          .filter((word) => word.getClientRects().length !== 1 || word.clientHeight > 30)
          .map((word) => word.textContent)""",
    )
    assert broken == []


def test_print_shows_every_form_and_every_row_and_keeps_the_colours(page, site):
    page.goto(f"{site}en-slate.html?text=nvidia")
    page.emulate_media(media="print")
    assert page.get_by_text("services:").first.is_visible()
    assert page.locator("[data-filter-item]").filter(visible=True).count() == 3
    assert not page.locator(".filter-form").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    part = page.locator(".bytes-part").first
    assert part.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact"
    assert page.locator(".behind table").first.is_visible()
