"""Both languages say the same, in clean typography."""

import re
from calendar import month_name
from collections import Counter
from collections.abc import Iterator

import pangu

from macros.fields import Text
from macros.findings import Finding
from macros.library import Library
from macros.loading import Document, join

CODE = re.compile(r"`[^`]+`")
PLACEHOLDER = re.compile(r"\{[a-z_][a-z0-9_.]*\}")
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
HAN = r"[\u3400-\u9fff]"
WITHOUT_SPACE = re.compile(r"[“”…]+")  # the spacing library has its own taste for these
HALF_WIDTH = re.compile(rf"{HAN}\s?[,;:!?](?=\s|{HAN}|$)|{HAN}\.(?=\s|$)")
MARKUP = re.compile(
    r"^#{1,6} |^\|.*\|$|<[a-zA-Z/][^>]*>|!?\[[^]\n]*\]\([^)\n]*\)|\*\*[^*\s][^*\n]*\*\*", re.M
)


def texts_of(
    document: Document, data: object = None, at: str = ""
) -> Iterator[tuple[str, str, str]]:
    """Yield (field, English, Chinese) of every bilingual text of a file."""
    data = document.data if data is None else data
    if isinstance(data, dict):
        if set(data) == set(Text.model_fields) and all(isinstance(t, str) for t in data.values()):
            yield at, data["en"], data["zh"]
            return
        for key, value in data.items():
            yield from texts_of(document, value, join(at, key)) if value is not None else ()
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from texts_of(document, value, join(at, index)) if value is not None else ()


def documents(library: Library) -> list[Document]:
    """Return the files that may hold bilingual texts."""
    kinds = [entry for entries in library.kinds.values() for entry in entries.values()]
    topics = [entry for entries in library.topics.values() for entry in entries.values()]
    return [entry.document for entry in [*kinds, *library.singles.values(), *topics]]


def _anchors(text: str) -> list[str]:
    """Return what must be equal in both languages: code spans and placeholders, sorted."""
    return sorted(CODE.findall(text) + PLACEHOLDER.findall(CODE.sub("", text)))


def _numbers(text: str) -> Counter[str]:
    """Return the numbers of a text outside of code; the name of a month is its number."""
    plain = PLACEHOLDER.sub("", CODE.sub("", text))
    for number, month in enumerate(month_name):
        plain = re.sub(rf"\b{month}\b", str(number), plain) if month else plain
    return Counter(number.replace(",", "") for number in DIGITS.findall(plain))


def languages_carry_the_same_facts(library: Library) -> Iterator[Finding]:
    """Code spans and placeholders are the same in both languages."""
    for document in documents(library):
        for at, english, chinese in texts_of(document):
            if _anchors(english) != _anchors(chinese):
                yield document.finding(
                    rule="bilingual/parity",
                    at=f"{at}.zh",
                    expected=f"the same code and placeholders as `en`: {_anchors(english)}",
                    got=_anchors(chinese),
                    fix="bring both texts to the same facts; write quantities as {field}",
                )


def languages_carry_the_same_numbers(library: Library) -> Iterator[Finding]:
    """Numbers outside of code are the same in both languages."""
    for document in documents(library):
        for at, english, chinese in texts_of(document):
            missing, extra = (
                _numbers(english) - _numbers(chinese),
                _numbers(chinese) - _numbers(english),
            )
            if {n for n in missing if len(n) > 1} or {n for n in extra if len(n) > 1}:
                yield document.finding(
                    rule="bilingual/numbers",
                    at=f"{at}.zh",
                    expected=f"the numbers of `en`: {' '.join(sorted(_numbers(english)))}",
                    got=" ".join(sorted(_numbers(chinese))) or "none",
                    fix="bring both texts to the same numbers",
                )


def chinese_is_chinese(library: Library) -> Iterator[Finding]:
    """A Chinese text contains Han characters, an English text none outside of code."""
    for document in documents(library):
        for at, english, chinese in texts_of(document):
            plain = CODE.sub("", chinese)
            if not re.search(HAN, plain) and re.search(
                r"[A-Za-z]{4,} [A-Za-z]{3,} [a-z]{2,}", plain
            ):
                yield document.finding(
                    rule="bilingual/leak", at=f"{at}.zh", expected="Chinese text",
                    got=chinese[:60], fix="write this text in Chinese",
                )  # fmt: skip
            if re.search(HAN, CODE.sub("", english)):
                yield document.finding(
                    rule="bilingual/leak", at=f"{at}.en", expected="English text",
                    got=english[:60], fix="write this text in English",
                )  # fmt: skip


def chinese_typography(library: Library) -> Iterator[Finding]:
    """Chinese has a space between Han and Latin and full-width punctuation."""
    for document in documents(library):
        for at, _, chinese in texts_of(document):
            if MARKUP.search(CODE.sub("", chinese)):
                continue  # which has its own rule
            plain = " ".join(PLACEHOLDER.sub("0", CODE.sub("x", chinese)).split())
            plain = WITHOUT_SPACE.sub("，", plain)
            start, fix = _missing_space(plain), "put a space between Han and Latin or digits"
            if start is None and (found := HALF_WIDTH.search(plain)):
                start, fix = found.start(), "use full-width punctuation: ，。；：！？"
            if start is not None:
                yield document.finding(
                    rule="typography/chinese", at=f"{at}.zh",
                    expected="clean Chinese typography",
                    got=f"…{plain[max(start - 6, 0) : start + 8]}…", fix=fix,
                )  # fmt: skip


def _missing_space(text: str) -> int | None:
    """Return where the spacing library would put a space, or None where it changes nothing."""
    spaced = pangu.space_text(text)
    if spaced == text:
        return None
    return next(
        at for at, (one, other) in enumerate(zip(text, spaced, strict=False)) if one != other
    )


def texts_are_text(library: Library) -> Iterator[Finding]:
    """A text holds no headings, tables, links, bold or HTML; `code` is the only markup."""
    for document in documents(library):
        for at, english, chinese in texts_of(document):
            for language, text in (("en", english), ("zh", chinese)):
                if found := MARKUP.search(CODE.sub("", text)):
                    yield document.finding(
                        rule="texts/markup", at=f"{at}.{language}",
                        expected="text without headings, tables, links, bold and HTML",
                        got=found.group(0)[:60], fix=_in_words(found.group(0)),
                    )  # fmt: skip


def _in_words(markup: str) -> str:
    """Return what to do about markup: a link becomes a related record."""
    if "](" in markup:
        return "say it in words; name the record under `related`, or the source in `provenance`"
    return "say it in words; pages add the form"


def texts_are_finished(library: Library) -> Iterator[Finding]:
    """No text is a placeholder for one."""
    for document in documents(library):
        for at, english, chinese in texts_of(document):
            for language, text in (("en", english), ("zh", chinese)):
                if text.strip().rstrip(".").upper() in ("TODO", "TBD", "XXX", "N/A", "?"):
                    yield document.finding(
                        rule="texts/unfinished", at=f"{at}.{language}", expected="a text",
                        got=text, fix="write it, or delete the field where it may be left out",
                    )  # fmt: skip
