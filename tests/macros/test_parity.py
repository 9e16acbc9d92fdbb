"""A text that changes in one language only is found, and only a person can bless it."""

import shutil
from pathlib import Path

import pytest

from macros import __main__ as command_line
from macros.checks import parity
from macros.library import load

ROOT = Path(__file__).resolve().parents[2]
PITFALL = Path("data", "pitfalls", "small-pitfall.yaml")
PAGES = (Path("docs", "en", "page.md"), Path("docs", "zh", "page.md"))
WORDS = Path("macros", "rendering", "words.py")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small project whose texts are all in the lock."""
    shutil.copytree(ROOT / "tests" / "cases" / "healthy" / "data", tmp_path / "data")
    for path, words in zip(PAGES, ("Read this.", "请读。"), strict=True):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(f"# Page {{ #page }}\n\n## A {{ #a }}\n\n{words}\n", "utf-8")
    (tmp_path / WORDS).parent.mkdir(parents=True)
    (tmp_path / WORDS).write_text(
        'T = {"wait": {"en": "Wait, "\n "please", "zh": "请稍候"}}', "utf-8"
    )
    monkeypatch.setattr(command_line, "ROOT", tmp_path)
    command_line.write_lock()
    return tmp_path


def change(root, path, before, after):
    """Replace a part of a file that must be there."""
    text = (root / path).read_text("utf-8")
    assert before in text
    (root / path).write_text(text.replace(before, after), "utf-8")


def found(root):
    """Return (path, field) of every text that changed alone."""
    library, faults = load(root)
    assert faults == []
    return [(each.path, each.field) for each in parity.languages_change_together(library)]


def test_nothing_is_found_where_nothing_changed(root):
    assert found(root) == []


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("The server compiles.", "The server waits.", "cause.zh"),
        ("等待即可。", "等。", "remedy.en"),
    ],
)
def test_a_change_of_one_language_points_at_the_other(root, before, after, field):
    change(root, PITFALL, before, after)
    assert found(root) == [(PITFALL.as_posix(), field)]


@pytest.mark.parametrize(("changed", "other"), [PAGES, PAGES[::-1]])
def test_a_section_of_prose_points_at_the_other_page(root, changed, other):
    change(root, changed, "\n\n## A", "\n\nMore.\n\n## A")
    assert found(root) == [(other.as_posix(), "#page")]


def test_a_section_of_prose_is_shown_by_its_first_words(root):
    for path in PAGES:
        change(root, path, "# Page", "---\ntitle: Page\n---\n\n# Page")
        change(root, path, "\n\n## A", "\n\nWords.\n\n## A")
    command_line.write_lock()
    change(root, PAGES[0], "{ #page }", "{ #page }\n\nMore.")
    library, _ = load(root)
    assert [each.got for each in parity.languages_change_together(library)] == ["Words."]


@pytest.mark.parametrize(
    ("before", "after", "field"), [("please", "then", "wait.zh"), ("请稍候", "等", "wait.en")]
)
def test_a_word_of_the_interface_points_at_the_other(root, before, after, field):
    change(root, WORDS, before, after)
    assert found(root) == [(WORDS.as_posix(), field)]


RULE = 'def wait_is_short(library):\n    """A wait is short."""\n'


def test_the_sentence_of_a_rule_points_at_the_other_language(root):
    checks, table = root / "macros" / "checks" / "waits.py", root / parity.RULES
    checks.parent.mkdir()
    table.parent.mkdir()
    checks.write_text(RULE, "utf-8")
    table.write_text('CHINESE = {"wait_is_short": "等待很短。"}\n', "utf-8")
    command_line.write_lock()
    assert found(root) == []
    checks.write_text(RULE.replace("short.", "long."), "utf-8")
    assert found(root) == [(parity.RULES, "wait_is_short.zh")]


def test_spacing_and_order_are_no_change(root):
    change(root, PAGES[0], "Read this.", "Read\nthis.")
    change(root, PAGES[0], "# Page { #page }\n\n", "")
    text = (root / PAGES[0]).read_text("utf-8")
    (root / PAGES[0]).write_text(f"{text}\n# Page {{ #page }}\n", "utf-8")
    assert found(root) == []


def test_a_change_of_both_is_remembered_by_fix(root, capsys):
    change(root, PITFALL, "The server compiles.", "The server waits.")
    change(root, PITFALL, "服务正在编译。", "服务正在等待。")
    assert found(root) == []
    assert command_line.write_lock()
    change(root, PITFALL, "The server waits.", "The server compiles.")
    assert found(root) == [(PITFALL.as_posix(), "cause.zh")]


def test_fix_blesses_nothing_and_bless_only_what_is_named(root, capsys):
    change(root, PITFALL, "The server compiles.", "The server waits.")
    change(root, PAGES[1], "请读。", "读。")
    assert not command_line.write_lock()
    assert len(found(root)) == 2
    assert command_line.main(["bless", str(root / PITFALL)]) == 0
    assert found(root) == [(PAGES[0].as_posix(), "#a")]
    assert command_line.main(["bless", str(root / PAGES[1])]) == 0
    assert found(root) == []


def test_blessing_an_unknown_file_names_the_nearest(root, capsys):
    assert command_line.main(["bless", "data/pitfalls/small-pitfal.yaml"]) == 2
    assert "did you mean data/pitfalls/small-pitfall.yaml" in capsys.readouterr().err


def test_every_text_of_the_project_is_in_the_lock():
    library, _ = load(ROOT)
    lock = (ROOT / parity.LOCK).read_text("utf-8")
    assert lock == parity.renewed_lock(library), "run: python -m macros fix"
