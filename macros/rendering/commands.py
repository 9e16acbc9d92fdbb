"""Commands to copy, one argument a line, and faulty ones that are only quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Whitespace

from macros.rendering.markup import EMPTY, Html, classes, element, escape, join
from macros.rendering.words import word

SPACES = re.compile(r"(\s+)")
CONTINUES = "\\\n"


class CommandTab(NamedTuple):
    """One form of a command: docker run, Compose, vllm serve and so on."""

    label: str
    code: str
    syntax: str = "bash"
    note: object = None


def command(
    *, code: str, syntax: str = "bash", label: str | None = None, scrolls: bool = False
) -> Html:
    """Return a command with its highlighting; the theme adds the copy button."""
    return element(
        "div",
        element("p", label, class_="command-label") if label else EMPTY,
        element("pre", element("code", *_lines(code, syntax), tabindex="0" if scrolls else None)),
        class_=classes("highlight", "command", "command--scrolls" if scrolls else None),
    )


def command_tabs(*, tabs: Sequence[CommandTab], name: str, language: str) -> Html:
    """Return forms of one command behind tabs without JavaScript; a page has each `name` once."""
    if not tabs:
        raise ValueError("no form of the command")
    identities = [f"{name}-{number}" for number, _ in enumerate(tabs, start=1)]
    radios = (
        element("input", type="radio", name=name, id=identity, checked=identity == identities[0])
        for identity in identities
    )
    labels = (
        element("label", tab.label, for_=identity)
        for tab, identity in zip(tabs, identities, strict=True)
    )
    blocks = (
        element(
            "div",
            element("p", tab.label, class_="command-print-label"),
            command(code=tab.code, syntax=tab.syntax),
            element("p", tab.note, class_="data-note") if tab.note else EMPTY,
            class_="tabbed-block",
            data_search_exclude=number > 0,  # the forms say the same; one is enough to be found
        )
        for number, tab in enumerate(tabs)
    )
    return element(
        "div",
        *radios,
        element("div", *labels, class_="tabbed-labels"),
        element("div", *blocks, class_="tabbed-content"),
        class_="tabbed-set tabbed-alternate command-tabs",
        data_tabs=f"1:{len(tabs)}",
        role="group",
        aria_label=word("command", language),
    )


def faulty_command(
    *, code: str, why: object, language: str, source: object = None, syntax: str = "bash"
) -> Html:
    """Return a command that must not be run: marked, without a copy button, with its fault."""
    origin = join(word("quoted_from", language), source, separator=" ") if source else None
    return element(
        "figure",
        element("figcaption", word("do_not_copy", language), class_="faulty-label"),
        element(
            "div",
            element("pre", element("code", *_lines(code, syntax))),
            class_="highlight no-copy",
        ),
        element("p", why, class_="faulty-why"),
        element("p", origin, class_="faulty-source") if origin else EMPTY,
        class_="faulty no-copy",
        data_faulty=True,
    )


def _lines(code: str, syntax: str) -> Iterator[Html]:
    """Yield each line as one element that ends in its own line break, so that copies keep it."""
    parts: list[Html] = []
    for css_class, text in _tokens(code.strip("\n"), syntax):
        for piece in text.splitlines(keepends=True):
            if piece == CONTINUES:
                space = parts.pop() if parts and parts[-1] == " " else EMPTY
                mark = element("span", piece[0], class_=css_class or None)
                parts.append(element("span", space, mark, class_="continues"))
                yield element("span", *parts, "\n", class_="line")
                parts = []
                continue
            words = join(*(_word(word) for word in SPACES.split(piece)))
            parts.append(element("span", words, class_=css_class) if css_class else words)
            if piece.endswith("\n"):
                yield element("span", *parts, class_="line")
                parts = []
    if parts:
        yield element("span", *parts, class_="line")


def _word(text: str) -> Html:
    """Return a word that a browser would break after a hyphen as one that it keeps whole."""
    return element("span", text, class_="word") if "-" in text else escape(text)


def _tokens(code: str, syntax: str) -> Iterator[tuple[str, str]]:
    lexer = get_lexer_by_name(syntax, stripnl=False, ensurenl=False)
    for token, text in lexer.get_tokens(code):
        yield "" if token is Whitespace else STANDARD_TYPES.get(token, ""), text
