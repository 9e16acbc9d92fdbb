"""The search index of a language is lean, cut into words, and knows other names and scripts."""

from pathlib import Path

import pytest

from macros import chinese, search
from macros.library import load

ROOT = Path(__file__).resolve().parents[2]
LIBRARY, _ = load(ROOT)
CONVERT = chinese.traditional_converter(ROOT / "data" / "zh-hant")


def doc(location, text="<p>one</p><p>two</p>", title="title"):
    """Return an entry as the search plugin writes it."""
    return {"location": location, "title": title, "text": text}


def test_an_index_holds_its_own_language_and_leaves_out_what_only_lists():
    docs = [
        doc("zh/pitfalls/a/"),
        doc("zh/pitfalls/a/#cause"),
        doc("zh/pitfalls/a/#sources"),
        doc("zh/guides/b/#memory"),
        doc("zh/pitfalls/#speed-of"),
        doc("en/pitfalls/a/"),
    ]
    assert [entry["location"] for entry in search.entries(docs, "zh/")] == [
        "pitfalls/a/",
        "pitfalls/a/#cause",
        "guides/b/#memory",
    ]


def test_loose_text_becomes_paragraphs_and_blocks_stay():
    loose = " ".join(["word"] * 60)
    text = search.in_paragraphs(f"{loose}<p>{loose}</p> <ul><li>{loose}</li></ul>")
    assert text.count("<p>") == 4
    assert f"<p>{loose}</p>" in text and f"<li>{loose}</li>" in text
    assert text.replace("</p><p>", " ").replace("<p>", "").replace("</p>", "").count("word") == 180


def test_every_term_is_an_entry_of_its_own():
    entries = {entry["location"]: entry for entry in search.term_entries(LIBRARY, "zh")}
    assert entries["glossary/#kv-cache"]["title"] == "KV 缓存"
    assert search.entries([doc("zh/glossary/")], "zh/")[0]["text"] == "<p>one</p>"


def test_a_list_keeps_its_first_paragraph_and_sections_their_weight():
    (listed,) = search.entries([doc("en/models/")], "en/")
    assert listed["text"] == "<p>one</p>"
    docs = [doc(f"en/{path}/") for path in ("models/a", "claims/a", "about")]
    model, claim, other = search.entries(docs, "en/")
    assert model["boost"] > other["boost"] == 1 > claim["boost"]


@pytest.mark.parametrize(
    ("language", "name", "target"),
    [
        ("en", "带宽", "memory bandwidth"),
        ("en", "頻寬", "memory bandwidth"),
        ("zh", "bandwidth", "内存带宽"),
        ("zh", "頻寬", "内存带宽"),
        ("zh-Hant", "bandwidth", "記憶體頻寬"),
        ("zh-Hant", "带宽", "記憶體頻寬"),
        ("zh-Hant", "显存", "記憶體"),
        ("zh", "ds4", "DeepSeek-V4-Flash"),
    ],
)
def test_names_of_the_same_thing_lead_to_the_word_of_the_language(language, name, target):
    assert target in search.aliases(LIBRARY, language, CONVERT)[name]


def test_the_other_script_is_written_by_words_where_characters_fail():
    docs = [search.in_words(doc("zh/", "内存里的内容，后来发布了缓存"))]
    to_traditional = search.other_script(docs, CONVERT, to_simplified=False)
    assert to_traditional["内存"] == "記憶體"
    assert to_traditional["缓存"] == "快取"
    to_simplified = search.other_script(docs, CONVERT, to_simplified=True)
    assert to_simplified["記憶體"] == "内存"
    assert to_simplified["後"] == "后"


def test_an_unknown_worker_is_not_touched():
    assert search.mended_worker("function () {}", "") is None
