"""Where a term of the glossary occurs first on a page, it says what it means."""

import re
from dataclasses import dataclass

from macros.hypertext import VOID_TAGS, pieces
from macros.library import Library
from macros.rendering.markup import element
from macros.rendering.parts import said

READ = {"p", "li", "dd"}  # what is read from left to right
LEFT_ALONE = {
    "a", "button", "code", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "kbd", "label",
    "nav", "pre", "samp", "script", "style", "summary", "svg", "textarea", "th",
}  # fmt: skip
NOT_PROSE = re.compile(r"\slang=|class=\"[^\"]*\b(?:badge|headerlink|panel)\b|\shidden\b")
IN_PARENTHESES = re.compile(r"\s*[（(]([^）)]+)[）)]")
PLAIN = re.compile(r"[`{}]")


@dataclass(frozen=True)
class Explainer:
    """The names of all terms in a language, and what they mean."""

    names: re.Pattern
    terms: dict[str, tuple[str, str]]  # name → id and explanation

    def explain(self, content: str) -> str:
        """Return a page's content in which each term is explained where it occurs first."""
        explained: set[str] = set()
        inside: list[str] = []  # the elements around a text, each with whether it may be touched
        shown = []

        def mark(match: re.Match) -> str:
            written = (match[0], match[0].lower())
            forms = (form for text in written for form in (text, text.removesuffix("s")))
            identifier, meaning = self.terms[next(form for form in forms if form in self.terms)]
            if identifier in explained:
                return match[0]
            explained.add(identifier)
            link = {"href": f"/glossary/#{identifier}", "title": meaning, "class_": "explained"}
            return str(element("a", match[0], **link))

        for piece in pieces(content):
            if isinstance(piece, str):
                readable = READ.intersection(inside) and "" not in inside
                shown.append(self.names.sub(mark, piece) if readable else piece)
                continue
            shown.append(piece[0])
            name = (piece["name"] or "").lower()
            if not name or name in VOID_TAGS or piece[0].endswith("/>"):
                continue
            if piece["close"]:
                del inside[-1:]
            else:
                alone = name in LEFT_ALONE or NOT_PROSE.search(piece["attributes"])
                inside.append("" if alone else name)
        return "".join(shown)


def explainer(library: Library, language: str) -> Explainer:
    """Return what explains the terms of the glossary in an authored language."""
    terms: dict[str, tuple[str, str]] = {}
    for identifier, term in library.single("terms").glossary.items():
        if not term.everyday:
            written = said(term.term, language)
            meaning = PLAIN.sub("", said(term.explanation, language))
            for name in (IN_PARENTHESES.sub("", written), *IN_PARENTHESES.findall(written)):
                terms.setdefault(name, (identifier, meaning))
    longest_first = sorted(terms, key=len, reverse=True)
    return Explainer(re.compile("|".join(map(_pattern, longest_first))), terms)


def _pattern(name: str) -> str:
    """Return the pattern of a name; a Latin one is a word of its own, and may be plural."""
    if not name.isascii():
        return re.escape(name)
    folded = re.escape(name) if name != name.lower() else f"(?i:{re.escape(name)})"
    return rf"(?<![A-Za-z0-9_./-]){folded}s?(?![A-Za-z0-9_]|-[A-Za-z])"
