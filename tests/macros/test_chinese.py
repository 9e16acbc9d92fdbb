"""Simplified Chinese becomes the Traditional Chinese of Taiwan; code and quotations stay."""

from pathlib import Path

import pytest

from macros import chinese

FOLDER = Path(__file__).parents[2] / "data" / "zh-hant"
CONVERT = chinese.traditional_converter(FOLDER)


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [
        ("内存带宽", "記憶體頻寬"),
        ("单台机器", "單台機器"),
        ("容器镜像", "容器映像檔"),
        ("激活参数", "活躍參數"),
        ("平台与后台", "平台與後台"),
        ("通过缓存发布", "透過快取發布"),
        ("通过全部规则", "通過全部規則"),
        ("推理模型的推理引擎", "推理模型的推論引擎"),
        ("执行 1–3 天后只对页缓存", "執行 1–3 天後只對分頁快取"),
        ("循环状态的并发数", "循環狀態的並行數"),
        ("数据类型与质量", "資料類型與品質"),
        ("推理引擎的优化器", "推論引擎的最佳化器"),
        ("他说“缓存”", "他說「快取」"),
        ("plain “ASCII” text", "plain 「ASCII」 text"),
        ("GB10", "GB10"),
    ],
)
def test_words_are_those_of_taiwan(simplified, traditional):
    assert CONVERT(simplified) == traditional


@pytest.mark.parametrize("name", ["words.txt", "variants.txt"])
def test_list_of_words_has_one_pair_a_line_and_no_word_twice(name):
    pairs = [line.split("\t") for line in (FOLDER / name).read_text("utf-8").splitlines()]
    assert all(len(pair) == 2 for pair in pairs)
    assert len({first for first, _ in pairs}) == len(pairs)


def test_every_word_of_the_list_comes_out_as_it_stands_there():
    lines = (FOLDER / "words.txt").read_text("utf-8").splitlines()
    pairs = dict(line.split("\t") for line in lines)
    assert {word: CONVERT(word) for word in pairs} == pairs


@pytest.mark.parametrize(
    "kept",
    [
        "<code>内存</code>",
        "<pre><span>内存</span> <span>缓存</span></pre>",
        "<kbd>内存</kbd>",
        "<script>'内存'</script>",
        '<q lang="zh">内存 <em>缓存</em> 内存</q>',
        '<span class="a notranslate b">内存<br>缓存</span>',
        '<span lang="zh">内<span>存</span>缓存</span>',
        "<!-- 内存 -->",
        '<a href="/内存/">x</a>',
    ],
)
def test_code_and_quotations_stay(kept):
    assert chinese.convert_html(f"内存{kept}内存", CONVERT) == f"記憶體{kept}記憶體"


def test_structured_data_for_search_engines_is_converted():
    before = '<script type="application/ld+json">{"name":"内存"}</script>'
    assert chinese.convert_html(before, CONVERT) == before.replace("内存", "記憶體")


def test_text_in_attributes_is_converted():
    before = '<html lang="zh-Hant"><img alt="内存" data-x="内存" data-say-no="缓存">'
    after = '<html lang="zh-Hant"><img alt="記憶體" data-x="内存" data-say-no="快取">'
    assert chinese.convert_html(before, CONVERT) == after


def test_a_larger_than_sign_in_an_attribute_does_not_end_the_tag():
    before = '<a title="a > 内存" href="x">内存</a>'
    assert chinese.convert_html(before, CONVERT) == '<a title="a > 記憶體" href="x">記憶體</a>'


def words(text: str) -> list[str]:
    """Return the words between the invisible breaks."""
    return [word for word in text.split(chinese.WORD_BREAK) if word]


def test_simplified_text_is_cut_into_words():
    assert words(chinese.cut_words("内存带宽")) == ["内存", "带宽"]


def test_traditional_text_is_cut_into_the_same_words():
    assert words(chinese.cut_words("字节与内存带宽", CONVERT)) == ["位元組", "與", "記憶體", "頻寬"]


def test_cutting_loses_nothing():
    text = "GB10 的内存带宽是 273 GB/s，通过缓存发布。"
    assert chinese.cut_words(text).replace(chinese.WORD_BREAK, "") == text
    cut = chinese.cut_words(text, CONVERT).replace(chinese.WORD_BREAK, "")
    assert cut == CONVERT(text)


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("快吗？\n很快", "快吗？很快"),
        ("一\n二", "一二"),
        ("说：\nGB10", "说：GB10"),
        ("用\nGB10", "用\nGB10"),
        ("GB10\n的", "GB10\n的"),
        ("one\ntwo", "one\ntwo"),
        ("“引”\n文", "“引”文"),
    ],
)
def test_line_ends_inside_chinese_leave_no_space(text, joined):
    assert chinese.join_lines(text) == joined


def test_line_ends_in_code_stay():
    code = "<pre>一\n二</pre>"
    assert chinese.convert_html(code, chinese.join_lines) == code
