"""What a release of an engine knows: flags, values, JSON keys, variables and log lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from macros.engines.runs import contains, version_key

Table = Mapping[str, Any]
NAME_IN_TEMPLATE = re.compile(r"%(?:\.\d+)?[sdfr]|\{[^{}]*\}")


def property_at(entry: Table, name: str, version: str) -> Any:
    """Return a property of an entry as it was in a release."""
    for change in (entry.get("earlier") or {}).get(name, []):
        if version_key(version) <= version_key(change["last_version"]):
            return change["value"]
    return entry.get(name)


def canonical(flag: str, flags: Table) -> tuple[str, Table] | None:
    """Return the entry that a spelling names: itself, an alias, or the `--no-` of a switch."""
    spelled = "--" + flag.removeprefix("--").replace("_", "-")
    for candidate in (spelled, "--" + spelled.removeprefix("--no-")):
        if candidate in flags:
            return candidate, flags[candidate]
    for name, entry in flags.items():
        if spelled in (entry.get("aliases") or []):
            return name, entry
    return None


def flags_of(flags: Table, version: str) -> list[str]:
    """Return the flags of a release."""
    return [name for name, entry in flags.items() if contains(entry["versions"], version)]


def values_of(choices: Table, name: str, version: str) -> list[str]:
    """Return the values of a named set in a release; an unknown set is empty."""
    return [value for value, runs in choices.get(name, {}).items() if contains(runs, version)]


def last_version(runs: list[list[str | None]], releases: list[str]) -> str | None:
    """Return the last release of some runs, or None where they reach the newest."""
    last = runs[-1][1]
    return last if last != releases[-1] else None


def keys_of(configs: Table, name: str, version: str) -> list[str]:
    """Return the keys of a JSON value's class in a release."""
    entries = configs.get(name, {})
    return [key for key, entry in entries.items() if contains(entry["versions"], version)]


@cache
def _pattern(template: str) -> re.Pattern[str]:
    pieces = (re.escape(piece) for piece in NAME_IN_TEMPLATE.split(template.removesuffix(".")))
    return re.compile(".*?".join(pieces) + r"\.?", re.S)


def fits_template(line: str, template: str) -> bool:
    """Tell whether a line can come from a log template, whose names stand for anything."""
    return bool(_pattern(template).fullmatch(line))


def logs_of(logs: Table, version: str) -> list[str]:
    """Return the log templates of a release."""
    return [template for template, entry in logs.items() if contains(entry["versions"], version)]
