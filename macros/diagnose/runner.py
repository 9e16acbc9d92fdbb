"""Run the diagnosis modules in V8 and call them like functions."""

from __future__ import annotations

import asyncio
import json
import re
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from py_mini_racer import MiniRacer

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "assets" / "js" / "diagnose"
MODULES = ("shell", "yaml", "engine", "command", "facts", "rules", "log", "index")
TIMEOUT_S = 60


def bundle(folder: Path = FOLDER, names: Iterable[str] = MODULES) -> str:
    """The modules as one script: V8 alone loads no modules, so that imports and `export` go."""
    parts = []
    for name in names:
        source = (folder / f"{name}.js").read_text(encoding="utf-8")
        source = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
        parts.append(re.sub(r"^export ", "", source, flags=re.MULTILINE))
    return "\n".join(parts)


def limit() -> int | None:
    """Return the seconds that a call may take; V8 takes no limit where an event loop runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return TIMEOUT_S
    return None


class Diagnoser:
    """The diagnosis with its tables, made ready once for many texts."""

    def __init__(self, tables: dict[str, Any], folder: Path = FOLDER) -> None:
        self.context = MiniRacer()
        self.close = weakref.finalize(self, self.context.close)  # else V8 can hang at exit
        self.context.eval(bundle(folder))
        self.context.eval("let table;")
        self.context.eval(
            "const prepare = (text) => { table = prepareTable(JSON.parse(text)); return true; };"
            "const run = (text, version) =>"
            " JSON.stringify(diagnose(text, table, { engineVersion: version }));"
            "const parse = (text) => JSON.stringify(readCommands(text, table.engine).launches);"
        )
        self.context.call("prepare", json.dumps(tables, ensure_ascii=False))

    def diagnose(self, text: str, engine_version: str | None = None) -> dict[str, Any]:
        """Everything that rules and tables say about a text."""
        return json.loads(self.context.call("run", text, engine_version, timeout_sec=limit()))

    def parse_command(self, text: str) -> list[dict[str, Any]]:
        """The launches of a text with image, options, variables, flags and model."""
        return json.loads(self.context.call("parse", text, timeout_sec=limit()))
