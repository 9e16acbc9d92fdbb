"""The table of all points in Chromium: narrowed, sorted, opened, compared, saved, and linked to."""

import csv
import gzip
import io
import json

import pytest
from playwright.sync_api import expect

from macros.library import load
from macros.records import Measurement
from macros.rendering.runs import share_of_ceiling
from tests.browser.axe import LOOKS, violations
from tests.conftest import ROOT

ROWS = "[data-table] tbody tr"
MODEL = "qwen3.5-122b-a10b"
LANGUAGES = ["zh", "en", "zh-Hant"]


@pytest.fixture(scope="module")
def library():
    """The records of the project."""
    found, findings = load(ROOT)
    assert findings == []
    return found


@pytest.fixture(scope="module")
def runs(library) -> list[Measurement]:
    """All runs."""
    return list(library.records(Measurement))


def open_table(page, site, rest="", language="en"):
    """Open the page and wait for its rows."""
    page.goto(f"{site}{language}/benchmarks/{rest}")
    expect(page.locator("[data-count]")).not_to_be_empty()


def count(page) -> tuple[int, int]:
    """Return how many points are shown, and of how many."""
    words = page.locator("[data-count]").inner_text().split()
    return int(words[0]), int(words[2])


def column(page, name: str) -> list[str]:
    """Return the cells of a column by its heading."""
    heading = page.locator(f"[data-column={name}]")
    index = heading.evaluate("cell => cell.cellIndex")
    return page.locator(f"{ROWS} > :nth-child({index + 1})").all_inner_texts()


def test_every_point_is_there(page, site, runs):
    open_table(page, site)
    total = sum(len(run.points) for run in runs)
    assert count(page) == (total, total)
    assert page.locator(ROWS).count() == 50


def test_facets_and_words_narrow_the_table_and_stand_in_the_address(page, site, runs):
    open_table(page, site)
    page.locator("#field-model").select_option(MODEL)
    page.locator("#field-engine").select_option("vllm")
    own = sum(
        len(run.points) for run in runs if run.model == MODEL and run.engine.name == "vllm"
    )  # fmt: skip
    assert count(page)[0] == own
    page.get_by_label("Filter by text").fill("albond")
    narrowed = count(page)[0]
    assert 0 < narrowed < own
    page.reload()
    expect(page.locator("[data-count]")).not_to_be_empty()
    assert count(page)[0] == narrowed
    assert f"model={MODEL}" in page.url and "text=albond" in page.url
    page.locator(".filter-clear").click()
    total = count(page)[1]
    expect(page.locator("[data-count]")).to_contain_text(f"{total} of {total}")
    assert "?" not in page.url


def test_it_says_when_nothing_matches(page, site):
    open_table(page, site, "?text=nothing-is-called-like-this")
    expect(page.locator("[data-table]")).to_contain_text("No point meets all conditions")


def test_sorting_puts_numbers_in_order_and_unknown_ones_last(page, site, runs):
    open_table(page, site, f"?model={MODEL}")
    page.locator("[data-column=decode] button").click()
    shown = [cell.split("\n")[0].strip() for cell in column(page, "decode")]
    numbers = [float(cell) for cell in shown if cell[0].isdigit()]
    assert numbers == sorted(numbers, reverse=True)
    best = max(
        float(point.results.decode_tokens_per_s)
        for run in runs for point in run.points
        if run.model == MODEL and point.results.decode_tokens_per_s
    )  # fmt: skip
    assert numbers[0] == best
    page.locator("[data-column=decode] button").click()
    shown = [cell.split("\n")[0].strip() for cell in column(page, "decode")]
    assert shown[0][0].isdigit()
    assert "sort=decode" in page.url
    expect(page.locator("[data-column=decode]")).to_have_attribute("aria-sort", "ascending")


def test_a_share_of_the_ceiling_stands_beside_a_speed(page, site, library, runs):
    run, index, share = next(
        (run, index, share)
        for run in runs for index, point in enumerate(run.points)
        if point.results.decode_tokens_per_s
        and (share := share_of_ceiling(library, run, point)) is not None
    )  # fmt: skip
    open_table(page, site, f"?text={run.id}")
    cell = page.locator(f"[data-row='{run.id}-{index}'] .share-number").first
    assert int(cell.inner_text().rstrip("%")) == pytest.approx(100 * share, abs=0.51)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_to_a_run_opens_it(page, site, runs, language):
    run = next(run for run in runs if run.engine.arguments and len(run.points) > 1)
    open_table(page, site, f"#{run.id}", language)
    dialog = page.locator("dialog[open]")
    expect(dialog).to_contain_text(next(iter(run.engine.arguments)))
    expect(dialog.locator(".run-dialog code").or_(dialog.locator("code")).last).to_have_text(
        f"{run.id}-0"
    )
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert "#" not in page.url


def test_a_link_to_a_point_opens_that_point(page, site, runs):
    run = next(run for run in runs if len(run.points) > 2)
    open_table(page, site, f"#{run.id}-2")
    expect(page.locator("dialog[open]")).to_contain_text(f"{run.id}-2")


def test_an_unknown_run_is_said(page, site):
    open_table(page, site, "#2026-01-01-nobody")
    expect(page.locator("[data-tool-state]")).to_contain_text("2026-01-01-nobody")


def test_a_keyboard_opens_a_row_and_comes_back_to_it(page, site):
    open_table(page, site)
    button = page.locator(f"{ROWS} .opens").nth(2)
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("dialog[open]")).to_be_visible()
    assert "#" in page.url
    page.keyboard.press("Escape")
    expect(button).to_be_focused()


def test_two_rows_are_compared_with_their_differences_marked(page, site):
    open_table(page, site, f"?model={MODEL}&sort=-decode")
    page.locator(".tick input").nth(0).check()
    expect(page.locator("[data-compare]")).to_contain_text("tick another one")
    page.locator(".tick input").nth(5).check()
    page.get_by_role("button", name="Compare both").click()
    table = page.locator(".compare-table")
    rows = table.locator("tbody tr").all()
    assert len(rows) > 5
    for row in rows:
        one, other = row.locator("td").all_inner_texts()
        assert (one != other) == ("differs" in (row.get_attribute("class") or ""))
    assert "compare=" in page.url
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("button", name="Compare both")).to_be_visible()


def test_columns_are_chosen(page, site):
    open_table(page, site)
    page.get_by_text("Columns", exact=True).click()
    page.locator("label.chip", has_text="TTFT").click()
    expect(page.locator("[data-column=ttft]")).to_be_visible()
    page.locator("label.chip", has_text="Evidence").click()
    expect(page.locator("[data-column=evidence]")).to_have_count(0)
    page.reload()
    expect(page.locator("[data-column=ttft]")).to_be_visible()
    expect(page.locator("[data-column=evidence]")).to_have_count(0)


def test_the_csv_holds_what_is_shown(page, site):
    open_table(page, site, f"?model={MODEL}&sort=-decode")
    shown = count(page)[0]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    text = download.value.path().read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == shown
    assert rows[0]["decode_tokens_per_s"] == column(page, "decode")[0].split("\n")[0]
    assert "evidence" in rows[0] and "ttft_ms" not in rows[0]


def test_pages_follow_each_other(page, site):
    open_table(page, site)
    first = page.locator(f"{ROWS}").first.get_attribute("data-row")
    page.get_by_role("button", name="Next", exact=True).click()
    assert page.locator(f"{ROWS}").first.get_attribute("data-row") != first
    assert "page=2" in page.url
    page.reload()
    expect(page.locator("[data-pages]")).to_contain_text("Page 2")


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_no_width_makes_the_page_scroll_sideways(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    open_table(page, site, "", "zh")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize(("language", "scheme"), LOOKS)
def test_axe_finds_nothing_in_table_and_details(page, site, runs, language, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    open_table(page, site, "", language)
    page.wait_for_load_state("networkidle")
    assert violations(page) == []
    page.locator(f"{ROWS} .opens").first.click()
    assert violations(page) == []


def test_without_scripts_every_run_and_point_has_its_anchor(browser, site, runs):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}en/benchmarks/")
    ids = set(page.locator(".all-runs [id]").evaluate_all("all => all.map((each) => each.id)"))
    wanted = {run.id for run in runs}
    wanted |= {f"{run.id}-{index}" for run in runs for index in range(len(run.points))}
    assert wanted - ids == set()
    expect(page.locator(f"[id='{runs[0].id}']")).to_be_visible()
    context.close()


def test_the_data_cannot_be_loaded(page, site, faults):
    page.route("**/api/v1/benchmarks.json", lambda route: route.fulfill(status=500))
    page.goto(f"{site}en/benchmarks/")
    expect(page.locator("[data-tool-state]")).to_contain_text("could not load its data")
    expect(page.locator(".all-runs")).to_be_visible()
    faults.clear()


def test_the_file_is_small(built_site):
    text = (built_site / "api" / "v1" / "benchmarks.json").read_bytes()
    assert len(json.loads(text)["points"]["run"]) > 900
    assert len(gzip.compress(text)) < 150_000
