"""A text that changed in one language only is found; `data/texts.lock` knows the pairs."""

import ast
import re
from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from macros.checks.texts import documents, texts_of
from macros.findings import Finding
from macros.library import Library
from macros.loading import Document

LOCK = Path("data", "texts.lock")
RULES = "macros/rendering/pages/rules.py"
LANGUAGES = {"en": "English", "zh": "Chinese"}
OTHER = {"en": "zh", "zh": "en"}
HEADING = re.compile(r"^#+ .*\{ *#([\w-]+) *\}\s*$", re.M)
FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.M | re.S)
LENGTH = 8  # of a hash; a pair is the English one and the Chinese one


class Side(NamedTuple):
    """A text in one language and where it stands."""

    text: str
    path: str
    line: int

    @property
    def hash(self) -> str:
        """Return what the lock remembers of the text; spacing does not count."""
        return sha256(" ".join(self.text.split()).encode()).hexdigest()[:LENGTH]


class Pair(NamedTuple):
    """A text in both languages."""

    at: str
    en: Side
    zh: Side

    @property
    def hashes(self) -> str:
        """Return what the lock remembers of the pair."""
        return self.en.hash + self.zh.hash


def pairs_by_file(library: Library) -> dict[str, list[Pair]]:
    """Return the bilingual texts of data files, sections of prose, and words of the interface."""
    pairs = {document.path: _pairs_of_data(document) for document in documents(library)}
    folder = library.root / "docs" / "en"
    for page in sorted(folder.rglob("*.md")):
        path = page.relative_to(folder).as_posix()
        pairs[f"docs/en/{path}"] = _pairs_of_prose(library.root, path)
    for module in sorted((library.root / "macros" / "rendering").rglob("*.py")):
        path = module.relative_to(library.root).as_posix()
        pairs[path] = _pairs_of_code(module.read_text("utf-8"), path)
    if RULES in pairs:
        pairs[RULES] += _pairs_of_rules(library.root)
    return {path: found for path, found in pairs.items() if found}


def _pairs_of_data(document: Document) -> list[Pair]:
    return [
        Pair(
            at,
            Side(english, document.path, document.line(f"{at}.en")),
            Side(chinese, document.path, document.line(f"{at}.zh")),
        )
        for at, english, chinese in texts_of(document)
    ]


def _pairs_of_prose(root: Path, path: str) -> list[Pair]:
    english, chinese = (_sections(root, f"docs/{language}/{path}") for language in LANGUAGES)
    nothing = Side("", f"docs/zh/{path}", 1)
    return [
        Pair(f"#{anchor}", side, chinese.get(anchor, nothing)) for anchor, side in english.items()
    ]


def _pairs_of_code(code: str, path: str) -> list[Pair]:
    """Return the words of a module: what it writes as `"key": {"en": …, "zh": …}`."""
    tables = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Dict))
    pairs = []
    for table in tables:
        for key, value in _constants(table, ast.Dict):
            words = {language: text.value for language, text in _constants(value, ast.Constant)}
            if set(words) == set(LANGUAGES):
                sides = (Side(words[language], path, value.lineno) for language in LANGUAGES)
                pairs.append(Pair(key, *sides))
    return pairs


def _pairs_of_rules(root: Path) -> list[Pair]:
    """Return the sentence of every rule: its docstring, and what the page of rules says for it."""
    sentences = {}
    for module in sorted((root / "macros" / "checks").glob("*.py")):
        path = module.relative_to(root).as_posix()
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and (words := ast.get_docstring(node)):
                sentences[node.name] = Side(words, path, node.lineno)
    tables = ast.walk(ast.parse((root / RULES).read_text("utf-8")))
    return [
        Pair(name, sentences[name], Side(words.value, RULES, words.lineno))
        for table in tables
        if isinstance(table, ast.Dict)
        for name, words in _constants(table, ast.Constant)
        if name in sentences
    ]


def _constants(table: ast.Dict, kind: type[ast.expr]) -> Iterator[tuple[str, ast.expr]]:
    """Yield (key, value) of a dict literal where the key is a constant and the value of a kind."""
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(value, kind):
            yield key.value, value


def _sections(root: Path, path: str) -> dict[str, Side]:
    """Return the sections of a page by the anchor of their heading."""
    page = root / path
    text = page.read_text("utf-8") if page.exists() else ""
    starts = [(0, "top"), *((match.start(), match[1]) for match in HEADING.finditer(text))]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return {
        anchor: Side(text[start:end], path, text.count("\n", 0, start) + 1)
        for (start, anchor), end in zip(starts, ends, strict=True)
        if text[start:end].strip()
    }


def read_lock(root: Path) -> dict[str, list[str]]:
    """Return the remembered pairs of every file; none where nothing was remembered yet."""
    path = root / LOCK
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {name: hashes.split() for name, hashes in (line.split(": ") for line in lines)}


def renewed_lock(library: Library, blessed: Collection[str] = ()) -> str:
    """Return the lock with all texts of today, but one-sided changes only of blessed files."""
    before, lines = read_lock(library.root), []
    for path, pairs in sorted(pairs_by_file(library).items()):
        hashes = {pair.hashes for pair in pairs}
        if path not in blessed:
            for pair, old, _ in _one_sided(pairs, before.get(path, [])):
                hashes = hashes - {pair.hashes} | {old}
        lines.append(f"{path}: {' '.join(sorted(hashes))}\n")
    return "".join(lines)


def _one_sided(pairs: list[Pair], locked: list[str]) -> Iterator[tuple[Pair, str, str]]:
    """Yield (pair, its old hashes, language that stayed) where only one language changed."""
    gone = set(locked) - {pair.hashes for pair in pairs}
    for pair in pairs:
        for old in sorted(gone) if pair.hashes not in locked else ():
            if old.startswith(pair.en.hash):
                yield pair, old, "en"
                break
            if old.endswith(pair.zh.hash):
                yield pair, old, "zh"
                break


def _first_words(text: str) -> str:
    """Return how a text begins, after front matter and headings."""
    lines = FRONT_MATTER.sub("", text).splitlines()
    words = " ".join(line for line in lines if not line.startswith("#")).split()
    return " ".join(words)[:60] or "nothing but a heading"


def languages_change_together(library: Library) -> Iterator[Finding]:
    """A text changes in both languages, or someone confirms that both still say the same."""
    locked = read_lock(library.root)
    for path, pairs in pairs_by_file(library).items():
        for pair, _, stayed in _one_sided(pairs, locked.get(path, [])):
            side: Side = getattr(pair, stayed)
            changed = OTHER[stayed]
            yield Finding(
                path=side.path,
                line=side.line,
                rule="bilingual/one-sided",
                field=pair.at if pair.at.startswith("#") else f"{pair.at}.{stayed}",
                expected=f"{LANGUAGES[stayed]} that changed together with the {LANGUAGES[changed]}",
                got=_first_words(side.text),
                fix=f"bring `{stayed}` to the new `{changed}`; if both already say the same,"
                f" run: python -m macros bless {path}",
            )
