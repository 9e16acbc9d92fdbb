"""One page of questions in the words people use, grouped by what the reader is doing."""

import json

from macros.claims import compute
from macros.library import Library
from macros.records import Faq
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import day
from macros.rendering.page import Page
from macros.rendering.parts import (
    PARAGRAPH,
    SPAN,
    blocks,
    inline,
    prose,
    record_link,
    said,
    written,
)
from macros.rendering.words import COLONS, COMMAS, word, words_of, words_under

T = {
    "lead": {
        "en": "Short answers with numbers that are computed from the records. Each question has "
        "an address of its own.",
        "zh": "简短的回答，数字由记录算出。每个问题都有自己的网址，可直接分享。",
    },
    "first": {
        "en": "The 122B article’s questions, answered today",
        "zh": "122B 文章的问题，今天的回答",
    },
    "group": {"en": "What you are doing", "zh": "你正在做什么"},
    "more": {"en": "Read on", "zh": "延伸阅读"},
    "answered": {"en": "Answered on {date}", "zh": "回答于 {date}"},
    "link": {"en": "Link to this question", "zh": "此问题的链接"},
}  # fmt: skip
FIRST = "first"
NUM_FIRST = 10
SAFE_IN_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

_t = words_of(T)


def group_words(name: str, language: str) -> str:
    """Return the heading of a group."""
    return _t(FIRST, language) if name == FIRST else word(f"faq.{name}", language)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of questions."""
    title = word("section.faq", language)
    lead = _t("lead", language)
    groups = grouped(library)
    jumps = (
        element("li", element("a", group_words(name, language), href=f"#{name}", class_="tag"))
        for name in groups
    )
    sections = (
        element(
            "section",
            element("h2", group_words(name, language), id=name),
            *(_question(library, each, language) for each in entries),
            class_="filter-group",
        )
        for name, entries in groups.items()
    )
    facet = Facet(
        "group", _t("group", language),
        [(name, group_words(name, language)) for name in words_under("faq")],
    )  # fmt: skip
    body = filterable(name="faq", facets=[facet], body=join(*sections), language=language)
    parts = (
        f"# {title}",
        lead,
        element("ul", *jumps, class_="jumps"),
        body,
        structured_data(library, groups, language),
    )
    return {"faq.md": Page(blocks(*parts), title, lead)}


def grouped(library: Library) -> dict[str, list[Faq]]:
    """Return the questions by group in their order; those of the lowest orders come first."""
    entries = sorted(library.records(Faq), key=lambda each: (each.order, each.id))
    found = {FIRST: [each for each in entries if each.order < NUM_FIRST]}
    for name in words_under("faq"):
        found[name] = [each for each in entries if each.group == name and each.order >= NUM_FIRST]
    return {name: each for name, each in found.items() if each}


def values_of(library: Library, entry: Faq) -> dict[str, str]:
    """Return the computed placeholders of a question and its answer."""
    return {
        name: written(compute(library, value, []), value) for name, value in entry.values.items()
    }


def _question(library: Library, entry: Faq, language: str) -> Html:
    values = values_of(library, entry)
    permanent = element(
        "a", "¶", href=f"#{entry.id}", class_="headerlink", title=_t("link", language)
    )
    separator = COMMAS[language]
    more = join(
        *(record_link(library, each, language) for each in entry.related), separator=separator
    )
    colon = COLONS[language]
    return element(
        "section",
        element("h3", inline(said(entry.question, language), values), permanent, id=entry.id),
        prose(entry.answer, language, values),
        element("p", _t("more", language), colon, more, class_="question-more") if more else None,
        element(
            "p", _t("answered", language, date=day(entry.reviewed_on, language)),
            class_="question-more",
        ),
        class_="question",
        **filter_attributes(group=entry.group),
    )  # fmt: skip


def plain(text: str, values: dict[str, str]) -> str:
    """Return a text without marks, its placeholders filled in."""
    filled = SPAN.sub(lambda match: match[1] or values.get(match[2], match[0]), text)
    return "\n\n".join(" ".join(part.split()) for part in PARAGRAPH.split(filled))


def structured_data(library: Library, groups: dict[str, list[Faq]], language: str) -> Html:
    """Return all questions and answers as search engines read them."""
    questions = []
    for entry in (each for entries in groups.values() for each in entries):
        values = values_of(library, entry)
        answer = plain(said(entry.answer, language), values)
        questions.append(
            {
                "@type": "Question",
                "name": plain(said(entry.question, language), values),
                "acceptedAnswer": {"@type": "Answer", "text": answer},
            }
        )
    data = {"@context": "https://schema.org", "@type": "FAQPage", "mainEntity": questions}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(SAFE_IN_SCRIPT)
    return element("script", Html(text), type="application/ld+json")
