"""HTML as a sequence of tags and the texts between them."""

import re
from collections.abc import Iterator

TAG = re.compile(
    r"""<!--.*?-->|<!doctype[^>]*>|"""
    r"""<(?P<close>/?)(?P<name>[a-z][a-z0-9-]*)\b(?P<attributes>(?:[^>"']|"[^"]*"|'[^']*')*)>""",
    re.IGNORECASE | re.DOTALL,
)
VOID_TAGS = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"}


def pieces(html: str) -> Iterator[str | re.Match]:
    """Yield every text and every tag of a page, in order; joined, they are the page."""
    position = 0
    for tag in TAG.finditer(html):
        yield html[position : tag.start()]
        yield tag
        position = tag.end()
    yield html[position:]
