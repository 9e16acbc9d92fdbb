"""HTML made from Python values: escaped, on one line, and inert inside Markdown."""

from __future__ import annotations

import re

IN_ATTRIBUTES = "&<>\"'`[]{}\\|\n\r\t"
IN_TEXT = IN_ATTRIBUTES + "*_~^=:@#$!+"
ATTRIBUTE_ESCAPES = {ord(character): f"&#{ord(character)};" for character in IN_ATTRIBUTES}
TEXT_ESCAPES = {ord(character): f"&#{ord(character)};" for character in IN_TEXT}
DATE = re.compile(r"(\b\d{4}-\d{2}(?:-\d{2})?\b)")
VOID_ELEMENTS = frozenset(
    {"br", "hr", "img", "input", "circle", "line", "path", "polyline", "rect"}
)


class Html(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


EMPTY = Html("")


def escape(value: object) -> Html:
    """Return `value` as HTML text that neither HTML nor Markdown nor Jinja reads as markup."""
    return value if isinstance(value, Html) else Html(str(value).translate(TEXT_ESCAPES))


def join(*parts: object, separator: str = "") -> Html:
    """Return the escaped parts as one piece; None and empty parts vanish."""
    pieces = [escape(part) for part in parts if part is not None]
    return Html(separator.join(piece for piece in pieces if piece))


def breakable(text: str) -> Html:
    """Return a name that a browser may break after a slash, but not within a date."""
    parts = DATE.split(text)  # every second one is a date
    parts[::2] = [join(*part.split("/"), separator=Html("/<wbr>")) for part in parts[::2]]
    parts[1::2] = [element("span", part, class_="nowrap") for part in parts[1::2]]
    return join(*parts)


def element(tag: str, *children: object, **attributes: object) -> Html:
    """Return one element; `data_x` is `data-x`, True is a bare attribute, None is none."""
    opening = "".join([tag, *(_attribute(name, value) for name, value in attributes.items())])
    if tag in VOID_ELEMENTS and not children:
        return Html(f"<{opening}>" if tag in {"br", "hr", "img", "input"} else f"<{opening}/>")
    return Html(f"<{opening}>{join(*children)}</{tag}>")


def classes(*names: str | None) -> str:
    """Return the given class names, absent ones left out, as one attribute value."""
    return " ".join(name for name in names if name)


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return (
        f" {spelled}"
        if value is True
        else f' {spelled}="{str(value).translate(ATTRIBUTE_ESCAPES)}"'
    )
