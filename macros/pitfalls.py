"""Pitfalls as data: the releases that they bite, who names them, and what their commands start."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from macros.engines.runs import version_key
from macros.library import Library
from macros.recipes import parsed_arguments
from macros.records import Pitfall

NAMING_FIELDS = ("related", "against", "superseded_by")
NAMING_LISTS = {"pitfalls": "pitfalls", "measurements": "measurements", "next": "recipes"}
IMAGE = re.compile(r"^(?:\S+/)?vllm(?:-openai)?:\S+$")
ASSIGNMENT = re.compile(r"^([A-Z][A-Z0-9_]*)=(.*)$", re.DOTALL)
WORD = re.compile(r"""(?:[^\s"']|"(?:[^"\\]|\\.)*"|'[^']*')+""")
SEPARATORS = {"|", "||", "&&", ";", "&"}


@dataclass(frozen=True)
class Launch:
    """A server that a command starts: its image, variables and flags."""

    image: str | None
    variables: dict[str, str]
    flags: dict[str, list[str]]


def releases(library: Library, engine: str = "vllm") -> list[str]:
    """Return the releases of an engine on record, oldest first; none where there is no table."""
    return list(library.topic(engine, "releases").root) if engine in library.topics else []


def biting_releases(library: Library, pitfall: Pitfall, engine: str = "vllm") -> list[str]:
    """Return the releases that a pitfall affects; all where it is no fault of the engine."""
    known = releases(library, engine)
    affects = pitfall.affects
    if affects.engine != engine:
        return known if affects.engine is None else []
    first, fixed = affects.first_version, affects.fixed_version
    return [
        release
        for release in known
        if (first is None or version_key(release) >= version_key(first))
        and (fixed is None or version_key(release) < version_key(fixed))
    ]


def named_by(record: Any) -> Iterator[str]:
    """Yield every `kind/id` that a record names as related."""
    for field in NAMING_FIELDS:
        yield from getattr(record, field, None) or []
    for field, kind in NAMING_LISTS.items():
        yield from (f"{kind}/{each}" for each in getattr(record, field, None) or [])


def mentions(library: Library) -> dict[str, list[str]]:
    """Return, for every record that others name, who names it, in the order of the kinds."""
    found: dict[str, list[str]] = {}
    for kind, entries in library.kinds.items():
        for record_id, entry in entries.items():
            for reference in dict.fromkeys(named_by(entry.record)):
                found.setdefault(reference, []).append(f"{kind}/{record_id}")
    return found


def simple_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a shell line; nothing where it does not parse."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return
    current: list[str] = []
    for word in [*words, ";"]:
        if word in SEPARATORS:
            if current:
                yield current
            current = []
        else:
            current.append(word)


def launches(text: str) -> list[Launch]:
    """Return the vLLM servers that a shell line starts, or the variables that it only sets."""
    found = []
    for words in simple_commands(text):
        if words[0] == "export":
            found.append(Launch(None, _assignments(words[1:]), {}))
            continue
        image = next((word for word in words if IMAGE.match(word)), None)
        start = _after(words, ["vllm", "serve"])
        if image and start is None and not any(word.startswith("--entrypoint") for word in words):
            start = words.index(image) + 1
        if start is not None:
            found.append(
                Launch(image, _assignments(words[:start]), parsed_arguments(words[start:]))
            )
    return found


def _assignments(words: list[str]) -> dict[str, str]:
    pairs = (ASSIGNMENT.match(word) for word in words)
    return {pair[1]: pair[2] for pair in pairs if pair}


def _after(words: list[str], pattern: list[str]) -> int | None:
    for start in range(len(words) - len(pattern) + 1):
        if words[start : start + len(pattern)] == pattern:
            return start + len(pattern)
    return None


def folded(command: str, width: int = 72) -> str:
    """Return a long command that starts one server with one argument a line, else the command."""
    alone = len(list(simple_commands(command))) == 1 and launches(command)
    if len(command) <= width or "\n" in command or not alone:
        return command
    pieces: list[str] = []
    for word in WORD.findall(command):
        if pieces and not re.match(r"--?[a-zA-Z]", word) and not IMAGE.match(word):
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
    return " \\\n  ".join(pieces)
