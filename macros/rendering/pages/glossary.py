"""One page of the words of the field: how they are written here, and what they mean."""

from macros.library import Library
from macros.records import Term
from macros.rendering.filters import filter_attributes, filterable
from macros.rendering.markup import Html, element, join
from macros.rendering.page import Page
from macros.rendering.parts import blocks, inline, said
from macros.rendering.words import COLONS, COMMAS, word, words_of

T = {
    "lead": {
        "en": "The words of this site, each in one spelling, with the names that others use.",
        "zh": "本站用词，每个只有一种写法，并附上别处的叫法。",
    },
    "also": {"en": "Also called", "zh": "别称"},
    "other": {"en": "Chinese", "zh": "英文"},
}  # fmt: skip
OTHER = {"en": "zh-Hans", "zh": "en"}

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of all terms."""
    title, lead = word("section.glossary", language), _t("lead", language)
    glossary = library.single("terms").glossary
    ordered = sorted(glossary.items(), key=lambda pair: pair[1].term.en.lower())
    terms = element("dl", *(_term(name, term, language) for name, term in ordered), class_="terms")
    body = filterable(name="glossary", facets=[], body=terms, language=language)
    return {"glossary.md": Page(blocks(f"# {title}", lead, body), title, lead)}


def _term(name: str, term: Term, language: str) -> Html:
    colon = COLONS[language]
    comma = COMMAS[language]
    foreign = term.term.zh if language == "en" else term.term.en
    others = []
    if foreign != said(term.term, language):
        named = element("span", foreign, lang=OTHER[language])
        others.append(join(_t("other", language), colon, named))
    if term.aliases:
        aliases = (element("span", alias, lang=_script(alias)) for alias in term.aliases)
        others.append(join(_t("also", language), colon, join(*aliases, separator=comma)))
    separator = "; " if language == "en" else "；"
    return element(
        "div",
        element("dt", said(term.term, language)),
        element("dd", inline(said(term.explanation, language))),
        element("dd", join(*others, separator=separator), class_="term-others") if others else None,
        class_="term",
        id=name,
        **filter_attributes(),
    )  # fmt: skip


def _script(text: str) -> str:
    """Return the language of an alias, which no conversion may touch."""
    return "en" if text.isascii() else "zh"
