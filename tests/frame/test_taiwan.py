"""Traditional pages speak as an engineer in Taiwan does, and keep code, ids and quotations."""

import re
from functools import cache

import opencc
import pytest

from macros import chinese
from tests.conftest import ROOT
from tests.frame.test_built_site import of_language, parse_site

LINES = (ROOT / "tests" / "frame" / "taiwan.txt").read_text("utf-8").splitlines()
PAIRS = dict(line.split("\t") for line in LINES)
CONVERT = chinese.traditional_converter(ROOT / "data" / "zh-hant")
SHARED = {"並行", "撤銷", "文件", "支持", "函數"}  # words of Taiwan, too, in another sense
OTHERS = {"控制代碼", "原文本身"}  # contain a word of the mainland by chance
CODE = re.compile(r"<code[^>]*>(.*?)</code>", re.DOTALL)
QUOTATION = re.compile(r'<(q|cite|span|a)\b[^>]* lang="zh"[^>]*>(.*?)</\1>', re.DOTALL)


@pytest.mark.parametrize("simplified", PAIRS)
def test_a_term_of_the_field_comes_out_as_in_taiwan(simplified):
    assert CONVERT(simplified) == PAIRS[simplified]


@cache
def words_of_the_mainland() -> dict[str, str]:
    """Return the words of the mainland in Traditional characters, with the words for them."""
    only_characters = opencc.OpenCC("s2tw").convert
    words = {only_characters(simplified): taiwan for simplified, taiwan in PAIRS.items()}
    return {word: taiwan for word, taiwan in words.items() if word != taiwan and word not in SHARED}


def mainland_words_in(text: str) -> dict[str, str]:
    """Return the words of the mainland in a text, each with its place."""
    own = sorted({*PAIRS.values(), *OTHERS}, key=len, reverse=True)
    text = re.sub("|".join(own), "□", text)
    return {
        word: text[max(text.index(word) - 12, 0) :][:30]
        for word in words_of_the_mainland()
        if word in text
    }


def test_words_of_the_mainland_are_seen():
    assert set(mainland_words_in("內存的帶寬；用戶端與演算法")) == {"內存", "帶寬"}
    assert len(words_of_the_mainland()) > 120


def test_no_traditional_page_holds_a_word_of_the_mainland(built_site):
    pages = of_language(parse_site(built_site), "zh-Hant")
    found = {
        path: words
        for path, page in pages.items()
        if (words := mainland_words_in("\n".join([page.title, page.description, *page.text])))
    }
    assert found == {}


def test_ids_code_and_quotations_are_those_of_the_original(built_site):
    pages = parse_site(built_site)
    for path, page in of_language(pages, "zh").items():
        assert pages[f"zh-Hant/{path}"].ids == page.ids, path
        original, derived = (
            (built_site / language / path / "index.html").read_text("utf-8")
            for language in ("zh", "zh-Hant")
        )
        assert CODE.findall(derived) == CODE.findall(original), path
        assert QUOTATION.findall(derived) == QUOTATION.findall(original), path
