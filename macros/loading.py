"""YAML text becomes plain data that remembers the line of every field."""

import re
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from macros.findings import Finding

EventLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
WORDS = {"null": None, "true": True, "false": False}


@dataclass(frozen=True)
class Document:
    """One YAML file: its path below the root, its data, and the line of every field."""

    path: str
    data: Any
    lines: dict[str, int] = field(repr=False, default_factory=dict)

    def line(self, at: str) -> int:
        """Return the line of a field such as `points[0].results`, or of its nearest parent."""
        while at and at not in self.lines:
            at = parent_of(at)
        return self.lines.get(at, 1)

    def finding(self, *, rule: str, at: str, expected: str, got: object, fix: str) -> Finding:
        """Return a finding at a field of this file."""
        return Finding(self.path, self.line(at), rule, at or "(file)", expected, str(got), fix)


def parent_of(at: str) -> str:
    """Return the field that holds the given one: `a.b[2]` → `a.b` → `a` → ``."""
    cut = max(at.rfind("."), at.rfind("["))
    return at[:cut] if cut > 0 else ""


def join(parent: str, key: str | int) -> str:
    """Return the name of a field inside its parent."""
    if isinstance(key, int):
        return f"{parent}[{key}]"
    return f"{parent}.{key}" if parent else key


def plain_value(spelling: str) -> Any:
    """Return the value of an unquoted scalar; only five plain forms are not text.

    Decimals stay `Decimal`, so that the number of stated decimals is never lost.
    """
    if spelling in WORDS:
        return WORDS[spelling]
    if INTEGER.fullmatch(spelling):
        return int(spelling)
    if DECIMAL.fullmatch(spelling):
        return Decimal(spelling)
    if ISO_DATE.fullmatch(spelling):
        try:
            return date.fromisoformat(spelling)
        except ValueError:
            return spelling
    return spelling


class _Composer:
    """Builds plain data from YAML events and notes lines and faults on the way."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.events = yaml.parse(text, Loader=EventLoader)
        self.lines: dict[str, int] = {}
        self.findings: list[Finding] = []

    def fault(self, line: int, rule: str, at: str, expected: str, got: str, fix: str) -> None:
        self.findings.append(Finding(self.path, line, rule, at or "(file)", expected, got, fix))

    def value(self, event: yaml.Event, at: str) -> Any:
        line = event.start_mark.line + 1
        self.lines.setdefault(at, line)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            self.fault(
                line, "yaml/anchor", at, "no anchors and no aliases", f"&{event.anchor}",
                "write the value out where it is needed",
            )  # fmt: skip
        match event:
            case yaml.ScalarEvent():
                return event.value if event.style else plain_value(event.value)
            case yaml.SequenceStartEvent():
                items = []
                while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
                    items.append(self.value(event, join(at, len(items))))
                return items
            case yaml.MappingStartEvent():
                return self.mapping(at)
        return None

    def mapping(self, at: str) -> dict[str, Any]:
        result: dict[str, Any] = {}
        while not isinstance(key_event := next(self.events), yaml.MappingEndEvent):
            line = key_event.start_mark.line + 1
            key = getattr(key_event, "value", None)
            if not isinstance(key_event, yaml.ScalarEvent):
                self.fault(line, "yaml/key", at, "text as a key", "a list or mapping", "use text")
                self.value(key_event, join(at, "?"))
                key = "?"
            name = join(at, key)
            if key in result:
                self.fault(
                    line, "yaml/duplicate-key", name, f"`{key}` once", "it twice",
                    f"delete one; the first is on line {self.lines[name]}",
                )  # fmt: skip
            self.lines.setdefault(name, line)
            result[key] = self.value(next(self.events), name)
        return result


def load_text(text: str, path: str) -> tuple[Document | None, list[Finding]]:
    """Return the document of a YAML text, or the faults that stop it from being read."""
    composer = _Composer(path, text)
    try:
        data = None
        for event in composer.events:
            if isinstance(event, (yaml.StreamStartEvent, yaml.DocumentStartEvent)):
                continue
            if isinstance(event, (yaml.StreamEndEvent, yaml.DocumentEndEvent)):
                break
            data = composer.value(event, "")
    except yaml.MarkedYAMLError as error:
        line = (error.problem_mark.line if error.problem_mark else 0) + 1
        composer.fault(
            line, "yaml/syntax", "", "valid YAML", error.problem or "unreadable text",
            "check indentation, quotes and colons on this line and the one above",
        )  # fmt: skip
    except yaml.reader.ReaderError as error:
        composer.fault(1, "yaml/syntax", "", "UTF-8 text", error.reason, "save it as UTF-8")
    else:
        if not composer.findings and not isinstance(data, dict):
            composer.fault(1, "yaml/mapping", "", "one mapping", type(data).__name__, "use keys")
    if composer.findings:
        return None, composer.findings
    return Document(path, data, composer.lines), []


def load_file(path: Path, root: Path) -> tuple[Document | None, list[Finding]]:
    """Return the document of a YAML file, or its faults; paths are relative to the root."""
    name = path.relative_to(root).as_posix()
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        return None, [
            Finding(
                name, 1, "yaml/syntax", "(file)", "UTF-8 text", error.reason, "save it as UTF-8"
            )
        ]
    return load_text(text, name)
