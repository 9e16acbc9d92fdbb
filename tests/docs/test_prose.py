"""Pages of prose say the same in both languages, and no number in them was typed."""

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from macros import __main__ as command_line

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS / "en").as_posix() for path in (DOCS / "en").rglob("*.md"))
CODE = re.compile(r"^```.*?^```$", re.M | re.S)
CALL = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.S)
QUOTED = re.compile(r"<(q|span|blockquote) [^>]*\blang=.*?</\1>", re.S)
HEADING = re.compile(r"^(#+) .*$", re.M)
ANCHOR = re.compile(r"\{ #([\w-]+) \}$")
LINK = re.compile(r"\]\(([^)]+)\)|(?:href|src)=\"([^\"]+)\"")
WITH_UNIT = re.compile(r"\d[\d.,–]*\s*(?:tok/s|TFLOP/s|GB/s|GB|GiB)(?![\w-])")
READING = ("ceiling", "fit", "judge")  # commands of ours that need no file and write none
TYPED: set[tuple[str, str]] = set()  # (page, figure) that no record can give; none is needed yet

each_page = pytest.mark.parametrize("page", PAGES)


def read(language: str, page: str) -> str:
    """Return a page of prose."""
    return (DOCS / language / page).read_text("utf-8")


def without_code(text: str) -> str:
    """Return a page without its code blocks."""
    return CODE.sub("", text)


def sections(text: str) -> list[str]:
    """Return a page cut before each heading; code is no place for headings."""
    cuts = [match.start() for match in HEADING.finditer(CODE.sub(lambda m: "`" * len(m[0]), text))]
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def headings(text: str) -> list[tuple[int, str | None]]:
    """Return level and anchor of every heading."""
    found = HEADING.finditer(without_code(text))
    return [(len(each[1]), (ANCHOR.search(each[0]) or [None, None])[1]) for each in found]


def calls(section: str) -> Counter[str]:
    """Return the macro calls of a section, however they are spaced."""
    return Counter(" ".join(call.split()) for call in CALL.findall(section))


def links(section: str) -> Counter[str]:
    """Return where the links of a section lead."""
    return Counter(one or other for one, other in LINK.findall(without_code(section)))


def typed_numbers(page: str, text: str) -> list[str]:
    """Return numbers with a unit that nobody computed and nobody is quoted with."""
    for foreign in (CODE, CALL, QUOTED):
        text = foreign.sub(" … ", text)
    found = [each.strip() for each in WITH_UNIT.findall(text)]
    return [each for each in found if (page, each) not in TYPED]


def commands(text: str) -> list[list[str]]:
    """Return the calls of our own command line in the code blocks of a page."""
    lines = [line for block in CODE.findall(text) for line in block.splitlines()]
    return [shlex.split(line)[3:] for line in lines if line.startswith("python -m macros ")]


def test_both_languages_have_the_same_pages():
    chinese = sorted(
        path.relative_to(DOCS / "zh").as_posix() for path in (DOCS / "zh").rglob("*.md")
    )
    assert chinese == PAGES and len(PAGES) >= 8


@each_page
def test_headings_have_anchors_and_they_are_the_same(page):
    english, chinese = headings(read("en", page)), headings(read("zh", page))
    assert english == chinese
    anchors = [anchor for level, anchor in english if level > 1 or anchor]
    assert len(set(anchors)) == len(anchors) and None not in anchors


@each_page
@pytest.mark.parametrize("part", [calls, links], ids=lambda part: part.__name__)
def test_sections_call_and_link_the_same(page, part):
    english, chinese = sections(read("en", page)), sections(read("zh", page))
    assert [part(each) for each in english] == [part(each) for each in chinese]


@each_page
def test_code_is_the_same(page):
    assert CODE.findall(read("en", page)) == CODE.findall(read("zh", page))


@each_page
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_number_is_typed(page, language):
    assert typed_numbers(page, read(language, page)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It runs at 14 tok/s.", ["14 tok/s"]),
        ("每秒 1,024.5 GB/s。", ["1,024.5 GB/s"]),
        ('As <q lang="zh-Hant">速度穩定在 14 tok/s</q> says.', []),
        ('It reads {{ number("x", 1) }} GB.', []),
        ("```sh\necho 14 GB\n```", []),
        ("a 35B model, 4 bits, 600 seconds", []),
    ],
)
def test_a_typed_number_would_be_found(text, found):
    assert typed_numbers("any.md", text) == found


def test_a_difference_in_one_section_would_be_found():
    english = '## A { #a }\n{{ road("x") }}\n## B { #b }\n[here](c.md)\n'
    moved = '## A { #a }\n[here](c.md)\n## B { #b }\n{{ road("x") }}\n'
    assert sections(english) != sections(moved)
    assert [calls(each) for each in sections(english)] != [calls(each) for each in sections(moved)]
    assert [links(each) for each in sections(english)] != [links(each) for each in sections(moved)]
    assert headings(english) == headings(moved) == [(2, "a"), (2, "b")]


@pytest.mark.parametrize(
    "words",
    [words for page in PAGES for words in commands(read("en", page)) if words[0] in READING],
    ids=" ".join,
)
def test_commands_of_ours_run(words, capsys):
    assert command_line.main(words) == 0
    assert "tok/s" in capsys.readouterr().out


@each_page
def test_page_is_built_in_every_language(page, built_site):
    address = page.removesuffix("index.md") if page.endswith("index.md") else page[:-3] + "/"
    for language in ("en", "zh", "zh-Hant"):
        html = (built_site / language / address / "index.html").read_text("utf-8")
        assert "{{" not in html.partition("<main")[2].partition("</main")[0].replace("{{.", "")
        for _, anchor in headings(read("en", page)):
            assert anchor is None or f'id="{anchor}"' in html
