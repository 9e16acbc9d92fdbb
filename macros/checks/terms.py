"""Texts keep to the words of the glossary."""

import re
from collections.abc import Iterator

from macros.checks.parity import Side, pairs_by_file
from macros.checks.texts import CODE
from macros.findings import Finding
from macros.library import Library
from macros.records import Term

NOT_WORDS = re.compile(rf"```.*?```|{{[{{%].*?[}}%]}}|\]\([^)]*\)|{CODE.pattern}", re.DOTALL)


def texts_avoid_what_the_glossary_avoids(library: Library) -> Iterator[Finding]:
    """No text uses a variant that the glossary tells to avoid."""
    glossary = library.single("terms").glossary if "terms" in library.singles else {}
    instead = {variant: term for term in glossary.values() for variant in term.avoid}
    if not instead:
        return
    variants = re.compile("|".join(map(_pattern, sorted(instead, key=len, reverse=True))))
    for pairs in pairs_by_file(library).values():
        for pair in pairs:
            for language, side in (("en", pair.en), ("zh", pair.zh)):
                for found in variants.finditer(NOT_WORDS.sub("`", side.text)):
                    yield _finding(pair.at, language, side, found, instead[found[0]])


def _pattern(variant: str) -> str:
    return rf"\b{re.escape(variant)}\b" if variant.isascii() else re.escape(variant)


def _finding(at: str, language: str, side: Side, found: re.Match, term: Term) -> Finding:
    word = getattr(term.term, language)
    start = max(found.start() - 10, 0)
    return Finding(
        path=side.path,
        line=side.line,
        rule="terms/avoid",
        field=at if at.startswith("#") else f"{at}.{language}",
        expected=f"`{word}`, as the glossary has it",
        got=f"…{' '.join(found.string[start : found.end() + 10].split())}…",
        fix=f"write `{word}`; what is code goes between backticks",
    )
