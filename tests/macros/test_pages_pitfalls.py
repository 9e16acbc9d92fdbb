"""Pages of pitfalls, questions, terms, sources and rules: inert, linked both ways, whole."""

import json
import re
import shutil
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import markdown
import pytest

from macros import checks
from macros.library import load
from macros.pitfalls import biting_releases
from macros.records import Faq, Pitfall, Source
from macros.rendering import render_pages
from macros.rendering.pages import faq, glossary, hardware, pitfalls, rules, sources
from macros.rendering.words import words_under

ROOT = Path(__file__).resolve().parents[2]
HEALTHY = ROOT / "tests" / "cases" / "healthy"
LANGUAGES = ("zh", "en")
EXTENSIONS = ["attr_list", "md_in_html", "tables", "toc"]
LINK = re.compile(r'href="/([^"#?]*)')
COPYABLE = re.compile(r'<div class="highlight command">.*?</pre>')
HOSTILE = "<script>alert(1)</script> </script> *a* _b_ [c](d) {{ e }} {% f %} | & 'g' #h"
MODULES = (faq, glossary, hardware, pitfalls, rules, sources)


@pytest.fixture(scope="module")
def library():
    """The project's own data."""
    found, findings = load(ROOT)
    assert findings == []
    return found


@pytest.fixture(scope="module", params=LANGUAGES)
def pages(request, library):
    """The language, and every generated page in it by its path."""
    return request.param, render_pages(library, request.param)


class Ids(HTMLParser):
    """The ids of a page, and the elements that are open."""

    def __init__(self, html):
        super().__init__()
        self.ids, self.tags = [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == "id"]


def html_of(page):
    return markdown.markdown(page.markdown, extensions=EXTENSIONS)


def test_anchors_are_unique(pages):
    _, found = pages
    for path in ("faq.md", "glossary.md", "rules.md", "sources/index.md", "pitfalls/index.md"):
        ids = Ids(html_of(found[path])).ids
        assert len(ids) == len(set(ids)), path


def test_links_to_pitfalls_lead_back(pages, library):
    language, found = pages
    lists = {path for path in found if path.endswith("index.md")}
    lists |= {"index.md", "glossary.md", "rules.md"}
    for path, page in found.items():
        if path in lists or not path.startswith(("recipes/", "models/", "claims/", "pitfalls/")):
            continue
        own = "/" + path.removesuffix(".md") + "/"
        for target in set(LINK.findall(page.markdown)):
            if not target.startswith("pitfalls/") or target == "pitfalls/":
                continue
            back = found[target.rstrip("/") + ".md"].markdown
            assert f'href="{own}"' in back, f"{language}: {path} links to {target} without way back"


def test_questions_lead_to_pitfalls_and_back(pages, library):
    _, found = pages
    linked = 0
    for entry in library.records(Faq):
        for reference in entry.related:
            if reference.startswith("pitfalls/"):
                linked += 1
                assert f'href="/faq/#{entry.id}"' in found[f"{reference}.md"].markdown
                assert f'href="/{reference}/"' in found["faq.md"].markdown
    assert linked > 60


def test_every_category_and_group_has_words(library):
    assert {each.category for each in library.records(Pitfall)} <= set(words_under("category"))
    assert {each.group for each in library.records(Faq)} <= set(words_under("faq"))
    assert {each.kind for each in library.records(Source)} <= set(words_under("source_kind"))


def test_there_are_sixty_questions_and_those_of_the_article_come_first(library):
    groups = faq.grouped(library)
    assert sum(len(entries) for entries in groups.values()) == len(list(library.records(Faq))) >= 60
    assert [entry.id for entry in groups["first"]] == [
        "why-14-toks", "config-or-kernel-gap", "nvfp4-decode-ceiling", "gpt-oss-or-qwen",
        "122-billion-parameters-14-toks",
    ]  # fmt: skip
    assert set(groups) == {"first", *words_under("faq")}


def test_structured_data_holds_every_question_without_marks(pages, library):
    _, found = pages
    (text,) = re.findall(r"<script[^>]*>(.*?)</script>", html_of(found["faq.md"]), re.DOTALL)
    data = json.loads(text)
    assert data["@type"] == "FAQPage"
    assert len(data["mainEntity"]) == len(list(library.records(Faq)))
    for question in data["mainEntity"]:
        words = question["name"] + question["acceptedAnswer"]["text"]
        assert question["acceptedAnswer"]["text"]
        assert not re.search(r"`|\{[a-z_0-9]+\}", words)


def test_no_placeholder_stays_on_the_page(pages):
    _, found = pages
    text = unescape(
        re.sub(r"<code>.*?</code>|<script.*?</script>|<[^>]+>", "", found["faq.md"].markdown)
    )
    assert not re.search(r"\{[a-z_0-9]+\}", text)


def test_faulty_commands_are_marked_and_never_to_copy(pages, library):
    _, found = pages
    for pitfall in library.records(Pitfall):
        text = found[f"pitfalls/{pitfall.id}.md"].markdown
        copyable = [unescape(re.sub(r"<[^>]+>", "", each)) for each in COPYABLE.findall(text)]
        assert len(copyable) == len(pitfall.commands)
        assert text.count("data-faulty") == len(pitfall.faulty_commands)
        for command in pitfall.faulty_commands:
            assert pitfalls.folded(command) not in copyable


def test_copied_commands_are_those_of_the_record(pages, library):
    _, found = pages
    for pitfall in library.records(Pitfall):
        text = found[f"pitfalls/{pitfall.id}.md"].markdown
        copied = [unescape(re.sub(r"<[^>]+>", "", each)) for each in COPYABLE.findall(text)]
        unfolded = [re.sub(r" \\\n\s*", " ", each) for each in copied]
        assert unfolded == [command.rstrip("\n") for command in pitfall.commands]


def test_the_symptom_stands_before_the_cause(pages, library):
    _, found = pages
    for pitfall in library.records(Pitfall):
        text = found[f"pitfalls/{pitfall.id}.md"].markdown
        anchors = ["{ #symptom }", "{ #remedy }", "{ #cause }", "{ #affects }", "{ #sources }"]
        places = [text.index(anchor) for anchor in anchors]
        assert places == sorted(places)


def test_contradictions_are_shown(pages, library):
    _, found = pages
    shown = [each for each in library.records(Pitfall) if each.contradictions]
    assert len(shown) == 10
    for pitfall in shown:
        text = found[f"pitfalls/{pitfall.id}.md"].markdown
        assert text.count('class="contradiction"') == len(pitfall.contradictions)


def test_what_bites_on_a_release(library):
    def ids(release):
        return {
            each.id
            for each in library.records(Pitfall)
            if release in biting_releases(library, each)
        }

    assert "apc-default-on-028" in ids("0.28.0")
    assert "apc-default-on-028" not in ids("0.27.1")
    assert "sm121-exclamation-marks" in ids("0.19.1")
    assert "sm121-exclamation-marks" not in ids("0.20.0")
    assert "power-low-state" in ids("0.28.0")


def test_every_rule_has_a_chinese_sentence():
    assert {rule.__name__ for rule in checks.rules()} == set(rules.CHINESE)


def test_every_rule_has_a_name():
    nameless = [rule.__name__ for rule in checks.rules() if not rules.names_of(rule)]
    assert nameless == []


def test_every_source_has_its_place(pages, library):
    _, found = pages
    ids = Ids(html_of(found["sources/index.md"])).ids
    assert {source.id for source in library.records(Source)} <= set(ids)


def hostile_library(folder):
    """The small library with a hostile text wherever a pitfall, question or term has one."""
    shutil.copytree(HEALTHY / "data", folder / "data")
    quoted = json.dumps(HOSTILE)
    for name in ("pitfalls/small-pitfall", "faq/small-question", "sources/small-source"):
        path = folder / "data" / f"{name}.yaml"
        text = re.sub(
            r"^(  (?:en|zh)|title|locator): .*$", rf"\1: {quoted}", path.read_text(), flags=re.M
        )
        if name.startswith("pitfalls"):
            lists = ("error_text", "faulty_commands", "commands")
            extra = "".join(f"{each}:\n  - {quoted}\n" for each in lists)
            text = text.replace("reviewed_on:", extra + "reviewed_on:")
        path.write_text(text)
    found, findings = load(folder)
    assert findings == []
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_text_is_only_shown(language, tmp_path):
    library = hostile_library(tmp_path)
    for module in MODULES:
        for path, page in module.pages(library, language).items():
            html = html_of(page)
            tags = Ids(html).tags
            assert tags.count("script") == (1 if path == "faq.md" else 0), path
            assert "<em>" not in html
            assert 'href="d"' not in html
            if path != "faq.md":
                assert "{{" not in page.markdown
                assert "{%" not in page.markdown
