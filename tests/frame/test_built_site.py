"""The built site: every language complete, every link true, nothing fetched from elsewhere."""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit
from xml.etree import ElementTree

import opencc
import pytest

from tests.conftest import ROOT, SITE_URL, SOURCE_URL

LANGUAGES = ("zh", "en", "zh-Hant")
UNCONVERTED = {"pre", "code", "kbd", "samp", "script", "style"}
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"}
XHTML = "{http://www.w3.org/1999/xhtml}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@dataclass
class Parsed:
    """What a test needs of a page."""

    path: str
    language: str | None = None
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)
    edit: str | None = None
    description: str = ""
    title: str = ""
    text: list[str] = field(default_factory=list)
    shared: dict[str, str] = field(default_factory=dict)


class Reader(HTMLParser):
    """Reads a page; `text` leaves out code and what is marked as another language."""

    def __init__(self, page: Parsed) -> None:
        super().__init__()
        self.page = page
        self.skipped: list[str] = []
        self.tag = ""

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        page, self.tag = self.page, tag
        if tag == "html":
            page.language = values.get("lang")
        elif tag not in VOID and (self.skipped or tag in UNCONVERTED or "lang" in values):
            self.skipped.append(tag)
        if identifier := values.get("id"):
            page.ids.add(identifier)
        if tag == "a" and values.get("rel") == "edit":
            page.edit = values["href"]
        elif tag == "a" and "href" in values:
            page.links.append(values["href"] or "")
        elif tag == "link" and values.get("rel") not in ("canonical", "prev", "next"):
            page.resources.append(values["href"])
        elif "src" in values:
            page.resources.append(values["src"])
        if tag == "meta" and values.get("name") == "description":
            page.description = values["content"]
        if tag == "meta" and values.get("property", "").startswith("og:"):
            page.shared[values["property"]] = values["content"]

    def handle_endtag(self, tag):
        if self.skipped and self.skipped[-1] == tag:
            self.skipped.pop()

    def handle_data(self, data):
        if self.tag == "title" and not self.page.title:
            self.page.title = data
        if not self.skipped:
            self.page.text.append(data)


@cache
def parse_site(folder: Path) -> dict[str, Parsed]:
    """Return every page of the site by its address below the site."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        address = path.relative_to(folder).as_posix().removesuffix("index.html")
        page = Parsed(address)
        Reader(page).feed(path.read_text("utf-8"))
        pages[address] = page
    return pages


@pytest.fixture
def pages(built_site) -> dict[str, Parsed]:
    """Every page of the built site."""
    return parse_site(built_site)


def of_language(pages: dict[str, Parsed], language: str) -> dict[str, Parsed]:
    """Return the pages of a language by their address below it."""
    start = f"{language}/"
    return {
        path.removeprefix(start): page for path, page in pages.items() if path.startswith(start)
    }


def test_every_language_has_the_same_pages(pages):
    assert set(of_language(pages, "en")) == set(of_language(pages, "zh"))
    assert set(of_language(pages, "zh-Hant")) == set(of_language(pages, "zh"))
    assert len(of_language(pages, "zh")) > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_names_its_language_and_describes_itself(pages, language):
    for page in of_language(pages, language).values():
        assert page.language == language, page.path
        assert page.description, page.path
        assert page.title, page.path


LOCALES = {"zh": "zh_CN", "en": "en_US", "zh-Hant": "zh_TW"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_says_what_to_show_of_a_shared_link(pages, built_site, language):
    for path, page in of_language(pages, language).items():
        shown = page.shared
        assert page.title.startswith(shown["og:title"]) or not path, page.path
        assert shown["og:description"] == page.description, page.path
        assert shown["og:url"] == f"{SITE_URL}{language}/{path}"
        assert shown["og:locale"] == LOCALES[language]
        assert (built_site / shown["og:image"].removeprefix(SITE_URL)).is_file()
        assert shown["og:image"].endswith(f".{language}.png")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_a_title_of_its_own(pages, language):
    titles: dict[str, list[str]] = {}
    for path, page in of_language(pages, language).items():
        titles.setdefault(page.title, []).append(path)
    assert {title: paths for title, paths in titles.items() if len(paths) > 1} == {}


def test_every_link_inside_the_site_leads_to_a_page_and_its_anchor(pages, built_site):
    broken = set()
    for page in pages.values():
        for link in page.links:
            target = urlsplit(urljoin(SITE_URL + page.path, link))
            if f"{target.scheme}://{target.netloc}{target.path}".startswith(SITE_URL):
                path = unquote(target.path).removeprefix(urlsplit(SITE_URL).path)
                anchor = unquote(target.fragment)
                if path in pages:
                    found = not anchor or anchor in pages[path].ids
                else:
                    found = (built_site / path).is_file()
                if not found:
                    broken.add((page.path, link))
    assert broken == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_of_a_record_leads_back_to_its_list(pages, built_site, language):
    leaves = [path for path in of_language(pages, language) if re.fullmatch(r"models/[^/]+/", path)]
    assert leaves
    for path in leaves:
        text = (built_site / language / path / "index.html").read_text("utf-8")
        assert '<a href="../" class="md-path__link"' in text, path
        active = re.search(r'md-tabs__item--active">\s*<a href="([^"]*)"', text)
        assert active and active[1] == "../", path


def test_nothing_is_fetched_from_elsewhere(pages):
    foreign = {
        (page.path, resource)
        for page in pages.values()
        for resource in page.resources
        if not urljoin(SITE_URL + page.path, resource).startswith(SITE_URL)
    }
    assert foreign == set()


def test_every_resource_exists(pages, built_site):
    missing = set()
    for page in pages.values():
        for resource in page.resources:
            path = urlsplit(urljoin(SITE_URL + page.path, resource)).path
            if not (built_site / unquote(path).removeprefix(urlsplit(SITE_URL).path)).is_file():
                missing.add((page.path, resource))
    assert missing == set()


def test_every_page_is_edited_where_its_text_stands(pages):
    for language in LANGUAGES:
        for page in of_language(pages, language).values():
            if page.edit:
                path = page.edit.removeprefix(SOURCE_URL)
                assert (ROOT / path).is_file(), page.path
    assert pages["zh-Hant/"].edit == f"{SOURCE_URL}docs/zh/index.md"


@cache
def simplified_only(character: str) -> bool:
    """Whether a character is written only in Simplified Chinese."""
    try:
        character.encode("big5hkscs")
    except UnicodeEncodeError:
        return opencc.OpenCC("s2t").convert(character) != character
    return False


def test_traditional_pages_hold_no_simplified_character(pages):
    leaks = {}
    for path, page in of_language(pages, "zh-Hant").items():
        text = page.title + page.description + "".join(page.text)
        if found := {character for character in set(text) if simplified_only(character)}:
            leaks[path] = found
    assert leaks == {}
    assert any(map(simplified_only, "".join(pages["zh/"].text)))  # the rule sees such characters


def search_index(folder: Path, language: str) -> list[dict]:
    """Return the entries of a search index."""
    return json.loads((folder / language / "search" / "search_index.json").read_text("utf-8"))[
        "docs"
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_search_index_holds_the_pages_of_its_language(pages, built_site, language):
    entries = search_index(built_site, language)
    found = {entry["location"].split("#")[0] for entry in entries}
    assert found == set(of_language(pages, language))
    assert not (built_site / "search").exists()


def test_chinese_is_cut_into_words_for_search(built_site):
    def words(language):
        text = " ".join(entry["text"] for entry in search_index(built_site, language))
        return set(re.split(r"[\s\u200b<>]+", text))

    assert {"带宽", "内存"} <= words("zh")
    assert {"頻寬", "記憶體"} <= words("zh-Hant")


def test_map_of_the_site_leads_to_the_maps_of_the_languages(built_site):
    root = ElementTree.parse(built_site / "sitemap.xml").getroot()
    assert [each.text for each in root.iter(f"{MAP}loc")] == [
        f"{SITE_URL}{language}/sitemap.xml" for language in LANGUAGES
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_map_of_a_language_names_every_page_in_all_languages(pages, built_site, language):
    root = ElementTree.parse(built_site / language / "sitemap.xml").getroot()
    found = {}
    for url in root.iter(f"{MAP}url"):
        links = {link.get("hreflang"): link.get("href") for link in url.iter(f"{XHTML}link")}
        found[url.findtext(f"{MAP}loc")] = links
    assert found == {
        f"{SITE_URL}{language}/{path}": {other: f"{SITE_URL}{other}/{path}" for other in LANGUAGES}
        for path in of_language(pages, language)
    }


def test_unfound_page_and_first_page_speak_three_languages(built_site):
    for name in ("404.html", "index.html"):
        text = (built_site / name).read_text("utf-8")
        for language in LANGUAGES:
            assert f'hreflang="{language}"' in text
