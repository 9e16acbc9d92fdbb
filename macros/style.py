"""The form of data files: order of fields, spacing, quotes. Never a value."""

import os
import re
import tempfile
from pathlib import Path

from pydantic import BaseModel, ValidationError

from macros.loading import Document

PLAIN_VALUE = re.compile(r"(:\s+|-\s+)([^\s\"'#\[{|>][^#]*?)(\s*(#.*)?)$")
TOP_KEY = re.compile(r"^([A-Za-z_\"][^:#]*):(\s|$)")


def tidy(text: str, record_class: type[BaseModel], document: Document | None) -> str:
    """Return the text with its top fields in the order of the class and clean spacing."""
    if document is not None:
        text = _quoted(text, record_class, document)
    head, blocks = _blocks(text)
    names = [info.alias or name for name, info in record_class.model_fields.items()]
    if names and "root" not in names:
        known = {name: position for position, name in enumerate(names)}
        blocks.sort(key=lambda block: known.get(block[0], len(known)))
    lines = head + [line for _, block in blocks for line in block]
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines) + "\n"


def _blocks(text: str) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the comment lines at the top and the (key, lines) of every top field."""
    head: list[str] = []
    blocks: list[tuple[str, list[str]]] = []
    pending: list[str] = []
    for line in text.splitlines():
        match = TOP_KEY.match(line)
        if match:
            blocks.append((match.group(1).strip('"'), [*pending, line]))
            pending = []
        elif line.startswith("#") and blocks:
            pending.append(line)
        elif blocks:
            blocks[-1][1].extend([*pending, line])
            pending = []
        else:
            head.append(line)
    if blocks:
        blocks[-1][1].extend(pending)
    return head, blocks


def _quoted(text: str, record_class: type[BaseModel], document: Document) -> str:
    """Put quotes around plain numbers and dates where the class wants text."""
    try:
        record_class.model_validate(document.data)
        return text
    except ValidationError as error:
        faults = [each for each in error.errors() if each["type"] == "string_type"]
    lines = text.splitlines()
    for fault in faults:
        at = ""
        for key in fault["loc"]:
            at = f"{at}[{key}]" if isinstance(key, int) else (f"{at}.{key}" if at else str(key))
        index = document.lines.get(at, 0) - 1
        if index >= 0:
            lines[index] = PLAIN_VALUE.sub(r'\1"\2"\3', lines[index])
    return "\n".join(lines) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a failure leaves the old one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, path.stat().st_mode if path.exists() else 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
