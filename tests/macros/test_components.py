"""Components are inert: any text that comes in is shown, and nothing else happens."""

import re
from html.parser import HTMLParser

import markdown
import pytest

from macros.rendering import components as ui
from macros.rendering import words

GB = 10**9
LANGUAGES = ("zh", "en")
HOSTILE = """<script>alert("1")</script> *a* _b_ `c` [d](e) {{ f }} {% g %} | \\ & 'h' :i: $j$\nk"""
SEGMENTS = [("linear_attention", 6 * GB), ("experts", 2 * GB), ("kv_cache", GB // 10)]


class Reader(HTMLParser):
    """What a browser would find: elements in balance, attributes and text."""

    VOID = frozenset({"br", "hr", "img", "input"})

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return "".join(self.texts)

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def read(html):
    reader = Reader(html)
    assert reader.open == []
    return reader


def through_markdown(text):
    return markdown.markdown(text, extensions=["tables", "attr_list", "md_in_html", "def_list"])


def samples(text, language):
    """Return every component with `text` wherever it takes text."""
    yield ui.byte_bar(segments=SEGMENTS, scale_bytes=10 * GB, label=text, language=language)
    yield ui.byte_bar_group(
        rows=[ui.BarRow(text, SEGMENTS, href=text, figure=text, note=text)],
        caption=text,
        figure_heading=text,
        note=text,
        bandwidth_gb_per_s=273,
        language=language,
    )
    yield ui.data_table(
        columns=[ui.Column(text, unit=text), ui.Column(text, number=True)],
        rows=[ui.Row([text, text], {"data_facet": text})],
        footer=[text, None],
        caption=text,
        note=text,
        sortable=True,
        language=language,
    )
    yield ui.facts([(text, text), (text, None)], language=language)
    yield ui.answer(
        headline=text,
        reason=text,
        question=text,
        badges=text,
        dated="2026-11",
        action=text,
        language=language,
    )
    yield ui.doors([ui.Door(text, text, text)])
    yield ui.cards(
        [ui.Card(text, text, text, text, [(text, text)]), ui.Card(text)], language=language
    )
    yield ui.notice(text=text, title=text, language=language)
    yield ui.quotation(text=text, text_language="en", source=text)
    yield ui.command_tabs(
        tabs=[ui.CommandTab(text, text, note=text)], name="command", language=language
    )
    yield ui.faulty_command(code=text, why=text, source=text, language=language)
    yield ui.filterable(
        name="list",
        facets=[
            ui.Facet("few", text, [(text, text)]),
            ui.Facet("many", text, [(text, text)] * 9),
        ],
        body=ui.element("p", text, **ui.filter_attributes(few=text, many=[text, text])),
        language=language,
    )
    axis = ui.linear_axis(text, text, 10)
    points = [ui.Point(1, 2, text, text, named=True), ui.Point(3, 4, text, text)]
    for chart in (ui.scatter_plot, ui.step_chart):
        yield chart(
            points,
            x_axis=axis,
            y_axis=axis,
            title=text,
            description=text,
            note=text,
            language=language,
        )


def inline_samples(text, language):
    """Return every component that stands inside a line of text."""
    yield ui.share_bar(0.66, language=language, what=text)
    yield ui.speed(
        "55.9",
        concurrency=1,
        draft=text,
        measured_on=None,
        evidence="claimed",
        href=text,
        language=language,
    )
    yield ui.citation(
        title=text,
        title_language="en",
        url=text,
        publisher=text,
        locator=text,
        revision="5636536703fb",
        evidence="reported",
        language=language,
    )
    yield ui.citation(title=text, title_language="en", url=None, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_is_shown_and_does_nothing(language):
    for html in [*samples(HOSTILE, language), *inline_samples(HOSTILE, language)]:
        page = read(html)
        assert HOSTILE in page.text or any(
            HOSTILE in (v or "") for _, a in page.tags for v in a.values()
        )
        assert not page.all("script")
        assert "{{" not in html and "{%" not in html and "\n" not in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_markdown_leaves_a_component_as_it_is(language):
    for html in samples(HOSTILE, language):
        assert html in through_markdown(f"Before.\n\n{html}\n\n**After.**")


@pytest.mark.parametrize("language", LANGUAGES)
def test_markdown_leaves_a_component_inside_a_line_as_it_is(language):
    for html in inline_samples(HOSTILE, language):
        assert html in through_markdown(f"Before *this* {html} and **after**.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_badge_survives_a_cell_of_a_markdown_table(language):
    badge = ui.evidence_badge("reported", language)
    assert badge in through_markdown(f"| a | b |\n| - | - |\n| {badge} | c |")


def test_markup_of_ours_is_not_escaped_twice():
    inner = ui.element("b", "a & b")
    assert ui.element("p", inner) == "<p><b>a &#38; b</b></p>"


def test_plain_text_made_from_markup_is_escaped_again_and_so_cannot_slip_through():
    assert "&#60;b&#62;" in ui.element("p", f"{ui.element('b', 'x')}")


@pytest.mark.parametrize("key", words.WORDS)
def test_every_word_is_there_in_both_languages_without_stray_spaces(key):
    assert set(words.WORDS[key]) == set(words.LANGUAGES)
    assert all(text and text == text.strip() for text in words.WORDS[key].values())


@pytest.mark.parametrize("key", words.WORDS)
def test_chinese_words_hold_no_half_width_punctuation_beside_han(key):
    assert not re.search(
        r"[\u4e00-\u9fff][,.;:!?()]|[,.;:!?()][\u4e00-\u9fff]", words.WORDS[key]["zh"]
    )


# The byte bar


def widths(html):
    return [float(w) for w in re.findall(r'module--[a-z-]+" style="width:([0-9.]+)%', html)]


def test_segments_are_as_long_as_their_bytes_on_the_scale():
    html = ui.byte_bar(segments=SEGMENTS, scale_bytes=10 * GB, label="x", language="en")
    assert widths(html) == [20.0, 60.0, 1.0]


def test_segments_keep_the_order_of_the_modules_and_add_up_per_module():
    segments = [("lm_head", GB), ("experts", GB), ("lm_head", GB), ("state", 0)]
    html = ui.byte_bar(segments=segments, scale_bytes=4 * GB, label="x", language="en")
    assert re.findall(r"bytes-part module--([a-z-]+)", html) == ["experts", "lm-head"]
    assert widths(html) == [25.0, 50.0]


def test_the_bar_says_its_numbers_in_words():
    html = ui.byte_bar(segments=SEGMENTS, scale_bytes=10 * GB, label="Sehyo", language="zh")
    (bar,) = [a for a in read(html).all("div") if a.get("role") == "img"]
    spoken = bar["aria-label"].replace("\u00a0", " ")
    assert spoken == "Sehyo · 8.10 GB · 专家 2.00 GB · GDN / Mamba 6.00 GB · KV 缓存 0.10 GB"


def test_the_table_behind_the_bar_holds_every_number_and_the_total():
    html = ui.byte_bar(segments=SEGMENTS, scale_bytes=10 * GB, label="x", language="en")
    body = html[html.index("<table") :]
    assert re.findall(r'<td class="number">([0-9.]+)</td>', body) == [
        "2.00", "24.7", "6.00", "74.1", "0.10", "1.2", "8.10", "100.0",
    ]  # fmt: skip


def test_a_group_shares_one_scale_and_one_legend():
    rows = [ui.BarRow("a", [("experts", 10 * GB)]), ui.BarRow("b", [("attention", 5 * GB)])]
    html = ui.byte_bar_group(rows=rows, caption="x", language="en")
    assert widths(html) == [100.0, 50.0]
    assert len(re.findall("bytes-legend", html)) == 1


def test_the_axis_of_a_group_tells_the_ceiling_of_each_tick():
    rows = [ui.BarRow("a", [("experts", 10 * GB)])]
    text = read(
        ui.byte_bar_group(rows=rows, caption="x", language="en", bandwidth_gb_per_s=273)
    ).text.replace("\u00a0", " ")
    assert "4 GB68 tok/s" in text and "10 GB27 tok/s" in text


def test_a_bar_beyond_the_scale_of_its_group_is_cut_and_says_so_with_its_whole_number():
    rows = [ui.BarRow("a", [("experts", 5 * GB)]), ui.BarRow("b", [("dense_mlp", 50 * GB)])]
    html = ui.byte_bar_group(rows=rows, caption="x", language="en", scale_bytes=10 * GB)
    assert widths(html) == [50.0, 500.0]
    assert html.count("bytes-row--cut") == html.count("bar cut short") == 1
    assert "50.00\u00a0GB" in html


@pytest.mark.parametrize(
    ("totals", "scale"),
    [
        ([2, 3, 4, 5, 6, 7, 18, 51], 18),
        ([2, 3, 4, 5, 6, 7, 18, 36], 36),
        ([2, 18, 51], 51),
        ([7], 7),
    ],
)
def test_only_in_a_long_list_one_that_dwarfs_all_others_leaves_the_scale(totals, scale):
    from macros.rendering.bars import common_scale_bytes

    assert common_scale_bytes(totals) == scale


def test_an_unknown_module_and_a_bar_longer_than_its_scale_are_faults():
    with pytest.raises(KeyError, match="gdn is no module"):
        ui.byte_bar(segments=[("gdn", 1)], scale_bytes=2, label="x", language="en")
    with pytest.raises(ValueError, match="do not fit a scale of 2"):
        ui.byte_bar(segments=[("experts", 3)], scale_bytes=2, label="x", language="en")


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [(13, [0, 5, 10]), (10, [0, 2, 4, 6, 8, 10]), (54, [0, 10, 20, 30, 40, 50]), (7, [0, 2, 4, 6])],
)
def test_ticks_are_round_and_few(scale, ticks):
    from macros.rendering.bars import nice_ticks

    assert nice_ticks(scale * GB) == [tick * GB for tick in ticks]


def test_an_empty_group_and_an_empty_table_say_so():
    assert "Nothing here yet." in ui.byte_bar_group(rows=[], caption="x", language="en")
    assert "这里还没有内容。" in ui.data_table(columns=[], rows=[], caption="x", language="zh")


# The share of a ceiling


@pytest.mark.parametrize(
    ("ratio", "width", "number", "over"),
    [(0.704, "70.4", "70%", False), (1, "100.0", "100%", False), (1.38, "100.0", "138%", True)],
)
def test_a_share_is_drawn_to_scale_and_marked_above_the_ceiling(ratio, width, number, over):
    html = ui.share_bar(ratio, language="en")
    assert f"width:{width}%" in html and number in html
    assert ("share--over" in html) is over


# Badges


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["evidence", "verdict", "severity", "finding", "mark"])
def test_a_badge_gives_its_word_first_and_its_meaning_on_focus(kind, language):
    for name in words.words_under(kind):
        html = ui.badge(kind=kind, name=name, language=language)
        badge = read(html).all("span")[0]
        meaning = words.word(f"{kind}.{name}.meaning", language)
        assert read(html).text == words.word(f"{kind}.{name}", language)
        assert badge["title"] == meaning and meaning in badge["aria-label"]
        assert badge["tabindex"] == "0"


def test_badges_cover_the_vocabularies_of_the_records():
    from typing import get_args

    from macros import fields

    assert words.words_under("evidence") == get_args(fields.Evidence)
    assert words.words_under("verdict") == get_args(fields.Verdict)


def test_a_status_is_an_evidence_word_or_untested():
    assert "badge--mark" in ui.status_badge("untested", "en")
    assert "badge--evidence" in ui.status_badge("reported", "en")


# Tables


def test_a_table_has_a_caption_row_headers_and_its_unit_once():
    html = ui.data_table(
        columns=[ui.Column("Model"), ui.Column("Speed", "tok/s", number=True)],
        rows=[["a", "14.0"], ["b", None]],
        caption="Speeds",
        language="en",
    )
    page = read(html)
    assert html.count("tok/s") == 1
    assert [a["scope"] for a in page.all("th")] == ["col", "col", "row", "row"]
    assert page.all("div")[1] == {
        "class": "data-scroll", "role": "region", "tabindex": "0", "aria-label": "Speeds",
    }  # fmt: skip
    assert "not known" in page.text


def test_a_row_with_too_few_cells_is_a_fault():
    with pytest.raises(ValueError, match="1 cells under 2 columns"):
        ui.data_table(
            columns=[ui.Column("a"), ui.Column("b")], rows=[["x"]], caption="c", language="en"
        )


# Speeds, answers and sources


def test_a_speed_stands_with_its_load_drafts_date_and_evidence():
    html = ui.speed(
        "55.90",
        concurrency=1,
        draft=ui.draft_words("mtp", 1, "en"),
        measured_on="2026-05-04",
        evidence="claimed",
        language="en",
    )
    text = read(html).text.replace("\u00a0", " ")
    assert text == "55.90 tok/s 1 request · MTP, 1 draft token · 2026-05-04 claimed"


@pytest.mark.parametrize(
    ("method", "num_tokens", "english", "chinese"),
    [
        ("none", None, "no drafts", "无草稿"),
        (None, None, "drafts not stated", "草稿未说明"),
        ("unknown", 2, "drafts not stated", "草稿未说明"),
        ("mtp", 2, "MTP, 2 draft tokens", "MTP，2 个草稿词元"),
        ("eagle3", None, "EAGLE-3", "EAGLE-3"),
    ],
)
def test_drafts_are_named_or_said_to_be_unknown(method, num_tokens, english, chinese):
    assert ui.draft_words(method, num_tokens, "en").replace("\u00a0", " ") == english
    assert ui.draft_words(method, num_tokens, "zh").replace("\u00a0", " ") == chinese


@pytest.mark.parametrize(
    ("concurrency", "english", "chinese"),
    [
        (1, "1 request", "单个请求"),
        (32, "32 requests at once", "32 个并发请求"),
        (None, "load not stated", "并发未说明"),
    ],
)
def test_the_load_is_stated_or_said_to_be_unknown(concurrency, english, chinese):
    assert ui.concurrency_words(concurrency, "en").replace("\u00a0", " ") == english
    assert ui.concurrency_words(concurrency, "zh").replace("\u00a0", " ") == chinese


def test_an_answer_comes_before_its_reason_and_its_date():
    html = ui.answer(headline="36 tok/s", reason="Because.", dated="2026-11-29", language="en")
    assert read(html).text == "36 tok/sBecause.as of 2026-11-29"


def test_a_citation_names_the_language_of_its_title_and_a_short_revision():
    html = ui.citation(
        title="dgx-spark-benchmarks",
        title_language="en",
        publisher="Django de Vreng",
        published_on="2026-08-20",
        url="https://example.org/",
        revision="5636536703fb6fe6a4992f68162b93fa03e7f15e",
        language="zh",
    )
    page = read(html)
    assert page.all("a")[0]["lang"] == "en"
    assert "5636536" in page.text and "5636536703fb" not in page.text
    assert "2026 年 8 月 20 日" in page.text.replace("\u00a0", " ")


def test_a_source_without_an_address_is_no_link_and_says_so():
    html = ui.citation(title="x", title_language="en", url=None, language="en")
    assert not read(html).all("a") and "address lost" in read(html).text


# Commands

COMMAND = (
    "docker run --rm \\\n  --gpus all \\\n  vllm/vllm-openai:v0.33.0 \\\n  --max-model-len 131072"
)


def test_a_command_is_the_same_text_when_copied_from_the_page():
    assert read(ui.command(code=COMMAND)).text == COMMAND


def test_every_form_of_a_command_is_on_the_page_and_one_is_chosen():
    tabs = [ui.CommandTab("docker run", COMMAND), ui.CommandTab("Compose", "a: 1", "yaml")]
    page = read(ui.command_tabs(tabs=tabs, name="c", language="en"))
    assert ["checked" in a for a in page.all("input")] == [True, False]
    assert [a["for"] for a in page.all("label")] == [a["id"] for a in page.all("input")]
    assert len(page.all("code")) == 2


def test_a_faulty_command_is_marked_and_has_no_copy_button():
    page = read(ui.faulty_command(code=COMMAND, why="No such flag.", language="en"))
    (figure,) = page.all("figure")
    assert "data-faulty" in figure and "no-copy" in figure["class"].split()
    assert page.text.startswith("Do not copy") and COMMAND in page.text


# Filters


def test_a_filter_is_hidden_until_a_program_can_run_it_and_the_list_is_whole():
    items = ui.element("p", "one", **ui.filter_attributes(evidence="reported", model=["a", "b"]))
    html = ui.filterable(
        name="runs",
        facets=[ui.Facet("evidence", "Evidence", [("reported", "reported")])],
        body=items,
        language="en",
    )
    page = read(html)
    (form,) = page.all("form")
    assert "hidden" in form and form["role"] == "search"
    assert any(a.get("data-facet-model") == "a b" for a in page.all("p"))
    assert page.all("fieldset")[0]["data-facet"] == "evidence"


def test_a_facet_with_many_answers_becomes_a_list_to_choose_from():
    options = [(str(n), str(n)) for n in range(7)]
    html = ui.filterable(
        name="x", facets=[ui.Facet("model", "Model", options)], body=ui.EMPTY, language="en"
    )
    assert len(read(html).all("option")) == 8 and not read(html).all("fieldset")


# Charts


def chart(points, **options):
    return ui.scatter_plot(
        points,
        x_axis=ui.linear_axis("Bytes", "GB", 20),
        y_axis=ui.linear_axis("Speed", "tok/s", 50),
        title="t",
        description="d",
        language="en",
        **options,
    )


def test_a_point_stands_where_its_numbers_are():
    html = chart([ui.Point(5, 40, "plain", "a")])
    assert '<svg x="25.00%" y="20.00%"' in html


def test_a_curve_stays_inside_the_axes():
    html = chart([ui.Point(5, 40, "plain", "a")], curve=lambda x: 273 / x, curve_label="ceiling")
    (line,) = [a["points"] for a in read(html).all("polyline")]
    heights = [float(pair.split(",")[1]) for pair in line.split()]
    assert min(heights) >= 0 and max(heights) <= 100 and heights == sorted(heights)


def test_a_chart_has_words_and_a_table_behind_it():
    page = read(chart([ui.Point(5, 40.5, "plain", "a"), ui.Point(6, 30, "drafts", "b")]))
    (plot,) = [a for a in page.all("svg") if a.get("role") == "img"]
    assert plot["aria-label"] == "t. d"
    assert "a · plain" in page.text and "40.5" in page.text


def test_more_series_than_shapes_are_a_fault():
    with pytest.raises(ValueError, match="7 series"):
        chart([ui.Point(1, 1, str(n), "a") for n in range(7)])


def test_a_record_holds_until_the_next_one():
    from datetime import date

    days = [date(2026, 3, 19).toordinal(), date(2026, 5, 4).toordinal()]
    html = ui.step_chart(
        [ui.Point(days[0], 10, "s", "a"), ui.Point(days[1], 20, "s", "b")],
        x_axis=ui.date_axis("Date", date(2026, 3, 19), date(2026, 5, 31)),
        y_axis=ui.linear_axis("Speed", "tok/s", 20),
        title="t",
        description="d",
        language="en",
    )
    (line,) = [a["points"] for a in read(html).all("polyline")]
    heights = [float(pair.split(",")[1]) for pair in line.split()]
    assert heights == [50, 50, 0, 0]
    assert "2026-05-04" in read(html).text


def test_an_axis_of_days_has_few_ticks_and_holds_the_last_day():
    from datetime import date

    axis = ui.date_axis("Date", date(2026, 2, 28), date(2026, 6, 24))
    assert [text for _, text in axis.ticks] == ["2026-02", "2026-04", "2026-06"]
    assert axis.low <= date(2026, 2, 28).toordinal() and axis.high >= date(2026, 6, 24).toordinal()
    assert len(ui.date_axis("Date", date(2025, 3, 1), date(2026, 11, 29)).ticks) <= 4


@pytest.mark.parametrize(
    ("high", "ticks"), [(50, ["0", "10", "20", "30", "40", "50"]), (7, ["0", "2", "4", "6", "8"])]
)
def test_an_axis_ends_at_a_round_number_that_holds_its_values(high, ticks):
    assert [text for _, text in ui.linear_axis("x", "u", high).ticks] == ticks


def test_a_search_finds_a_command_once_and_no_numbers_without_their_words():
    class Searchable(Reader):
        """The text that the theme's search reads."""

        def handle_data(self, data):
            if not self.hidden:
                super().handle_data(data)

        def handle_starttag(self, tag, attributes):
            super().handle_starttag(tag, attributes)
            self.marks.append("data-search-exclude" in dict(attributes))

        def handle_endtag(self, tag):
            super().handle_endtag(tag)
            self.marks.pop()

        @property
        def hidden(self):
            return any(self.marks)

        def __init__(self, html):
            self.marks = []
            super().__init__(html)

    tabs = [ui.CommandTab("docker run", COMMAND), ui.CommandTab("vllm serve", COMMAND)]
    assert Searchable(ui.command_tabs(tabs=tabs, name="c", language="en")).text.count("--gpus") == 1
    bar = ui.byte_bar(segments=SEGMENTS, scale_bytes=10 * GB, label="x", language="en")
    assert Searchable(bar).text.replace("\u00a0", " ") == "x8.10 GB"
