"""The search index of a language: lean, cut into words, with the names that mean the same."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from html import escape
from textwrap import wrap

from macros import chinese
from macros.hypertext import pieces
from macros.library import Library
from macros.records import Engine, Hardware, Model

Convert = Callable[[str], str]

OF_RECORDS = {"checkpoints", "claims", "models", "pitfalls", "recipes"}  # folders of their pages
LEFT_OUT = {  # their sections that only list, link or count what other pages say
    "benchmark", "claims", "context", "measured", "measurements", "memory", "mentioned", "modules",
    "next", "pitfalls", "related", "smoke-test", "sources", "speed", "trouble", "used",
}  # fmt: skip
BOOST = {  # by section; a question is a section of a page, and pages count more than sections
    "articles": 0.7, "claims": 0.3, "faq": 2.5, "glossary": 0.5, "guides": 2, "hardware": 2,
    "judge": 2, "models": 2, "sources": 0.2,
}  # fmt: skip
GLOSSARY = "glossary/"
MOST_CHARACTERS = 120  # of a paragraph made of loose text
FIRST_PARAGRAPH = re.compile(r"<p>.*?</p>", re.DOTALL)
STOP_WORDS = [
    "为什么", "什么", "怎么", "怎样", "怎么办", "怎么回事", "如何", "多少", "几个", "哪个",
    "哪些", "哪里", "哪种", "这个", "那个", "一个", "一下", "可以", "能不能", "是否", "是不是",
    "还是", "没有", "有没有", "需要", "应该", "现在", "我的", "一直", "特别", "的话",
]  # fmt: skip
FIELDS = {"title": {"boost": 6.0}, "text": {"boost": 1.0}, "tags": {"boost": 1.0}}
HAN_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")


def entries(docs: Iterable[dict], start: str) -> list[dict]:
    """Return the entries of a language, found by the start of its addresses, without lists."""
    kept = []
    for doc in docs:
        location = doc["location"].removeprefix(start)
        page, _, anchor = location.partition("#")
        folder, _, name = page.partition("/")
        is_list = page == "" or (folder in OF_RECORDS and not name)
        is_left_out = anchor if is_list else folder in OF_RECORDS and anchor in LEFT_OUT
        if location == doc["location"] or is_left_out:
            continue
        text = in_paragraphs(doc["text"])
        if is_list or page == GLOSSARY:
            text = "".join(FIRST_PARAGRAPH.findall(text)[:1])
        boost = BOOST.get(folder, 1)
        kept.append({"location": location, "title": doc["title"], "text": text, "boost": boost})
    return kept


def in_paragraphs(text: str) -> str:
    """Return a text whose loose parts, such as cells of tables, are paragraphs of a line or two.

    The theme shows whole paragraphs, and of a text without any it would show everything.
    """
    depth, written = 0, []
    for piece in pieces(text):
        if isinstance(piece, str):
            loose = depth == 0 and piece.strip()
            lines = wrap(piece, MOST_CHARACTERS, break_long_words=False) if loose else []
            written.append("".join(f"<p>{line}</p>" for line in lines) if loose else piece)
        else:
            depth += -1 if piece["close"] else 1
            written.append(piece[0])
    return "".join(written)


def term_entries(library: Library, language: str) -> list[dict]:
    """Return an entry for every term of the glossary, in an authored language."""
    glossary = library.single("terms").glossary
    return [
        {
            "location": f"{GLOSSARY}#{name}",
            "title": escape(getattr(term.term, language)),
            "text": f"<p>{escape(getattr(term.explanation, language))}</p>",
            "boost": BOOST["glossary"],
        }
        for name, term in glossary.items()
    ]


def in_words(entry: dict, convert: Convert | None = None) -> dict:
    """Return an entry whose Chinese is cut into words, and converted if that is asked for."""
    cut = partial(chinese.cut_words, convert=convert)
    texts = {key: chinese.convert_html(entry[key], cut) for key in ("title", "text")}
    return entry | texts


def aliases(library: Library, language: str, convert: Convert) -> dict[str, str]:
    """Return what else to look for in a language when a query holds a name of the same thing."""
    terms = library.single("terms")
    found: dict[str, str] = {}
    for group in terms.synonyms:
        _add(found, group, [name for name in group if name.isascii() == (language == "en")])
    for term in terms.glossary.values():
        names = [term.term.en, term.term.zh, *term.aliases, *term.avoid]
        _add(found, names, [term.term.en if language == "en" else term.term.zh])
    for record_class in (Model, Engine, Hardware):
        for record in library.records(record_class):
            _add(found, record.nicknames, [record.name])
    if language == "zh-Hant":
        found = {name: convert(target) for name, target in found.items()}
    return {convert(name): target for name, target in found.items()} | found


def _add(found: dict[str, str], names: Iterable[str], targets: list[str]) -> None:
    for name in names:
        others = " ".join(target for target in targets if target.lower() != name.lower())
        if others:
            found.setdefault(name.lower(), others)


def stop_words(language: str, convert: Convert) -> list[str]:
    """Return the words of a question that say nothing of what it asks."""
    return [convert(word) if language == "zh-Hant" else word for word in STOP_WORDS]


def other_script(docs: Iterable[dict], convert: Convert, *, to_simplified: bool) -> dict[str, str]:
    """Return how characters are written in the other script, and words where those are not enough.

    The entries are those of the Simplified original, cut into words.
    """
    words = {
        word
        for doc in docs
        for key in ("title", "text")
        for word in HAN_WORD.findall(doc[key].replace(chinese.WORD_BREAK, " "))
    }
    pairs = [(word, convert(word)) for word in sorted(words)]
    if to_simplified:
        pairs = [(after, before) for before, after in pairs]
    character = chinese.simplified if to_simplified else chinese.traditional
    characters = {
        each: character(each) for each in sorted({*"".join(words), *"".join(map(convert, words))})
    }
    listed = {before: after for before, after in pairs if character(before) != after}
    characters = {before: after for before, after in characters.items() if before != after}
    return characters | listed


# The theme's search worker -----------------------------------------------------------------------

WORKER = "assets/javascripts/workers/search.*.min.js"
QUERY_READER = "assets/js/search_query.js"
PATCHES = {
    re.compile(
        r"(constructor\(\{config:(\w),docs:\w,options:\w\}\)\{)"
    ): r"\1searchConfig=preparedSearch(\2);",
    re.compile(
        r'(search\((\w)\)\{if\()\2=\2\.replace\(new RegExp\("\\\\p\{sc=Han\}\+","gu"\),'
        r'.*?\.join\("\* "\)\),\2=\w+\(\2\)(,!\2\))'
    ): r"\1\2=searchQuery(\2,searchConfig,this.index.invertedIndex)\3",
}


def mended_worker(text: str, query_reader: str) -> str | None:
    """Return the theme's worker with our reader of queries; None if it is not the one we know."""
    for pattern, replacement in PATCHES.items():
        text, num_found = pattern.subn(replacement, text, count=1)
        if not num_found:
            return None
    return f"let searchConfig;\n{query_reader}\n{text}"
