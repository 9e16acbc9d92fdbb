"""Plain data as compact YAML: what fits stands on one line, and every doubtful text is quoted."""

from __future__ import annotations

import json
import re
from typing import Any

WIDTH = 100
PLAIN = re.compile(r"--?[A-Za-z][\w.+/-]*|[A-Za-z_][\w.+/-]*(?: [\w.+/()|-]+)*", re.ASCII)
WORDS_WITH_A_MEANING = re.compile(r"null|true|false|yes|no|on|off|y|n|nan|inf", re.IGNORECASE)


def to_yaml(value: dict[str, Any], comment: str) -> str:
    """A mapping as YAML text under a comment."""
    head = "".join(f"# {line}\n" for line in comment.splitlines())
    return head + "\n".join(_block(value, 0)) + "\n"


def _block(value: dict[str, Any], depth: int) -> list[str]:
    """The lines of a mapping, each value on the line of its key where it fits."""
    lines = []
    for key, item in value.items():
        start = " " * depth + scalar(key) + ":"
        line = f"{start} {_flow(item)}"
        if not isinstance(item, dict | list) or not item or (len(line) <= WIDTH and depth):
            lines.append(line)
        elif isinstance(item, dict):
            lines += [start, *_block(item, depth + 2)]
        elif len(line) <= WIDTH:
            lines.append(line)
        else:
            lines += [start, *(" " * depth + f"  - {_flow(part)}" for part in item)]
    return lines


def _flow(value: Any) -> str:
    """A value in the short form of one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A text, number, truth value or nothing, quoted where YAML could read something else."""
    if isinstance(value, str):
        plain = PLAIN.fullmatch(value) and not WORDS_WITH_A_MEANING.fullmatch(value)
        return value if plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)
