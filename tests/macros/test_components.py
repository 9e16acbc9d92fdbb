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
    yield ui.share_bar(0.66, language=language, what=text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_is_shown_and_does_nothing(language):
    for html in samples(HOSTILE, language):
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
    assert spoken == "Sehyo: 8.10 GB. 专家 2.00 GB; GDN / Mamba 6.00 GB; KV 缓存 0.10 GB"


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
