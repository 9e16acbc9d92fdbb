"""The tables of an engine as files: one YAML file a topic."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from macros.engines.tables import TOPICS
from macros.engines.yaml_text import to_yaml

COMMENTS = {
    "releases": "Releases of vLLM whose command line is known.",
    "flags": "Flags of `vllm serve`, each with the runs of releases that have it.",
    "configs": "Keys of the JSON values that flags take, by configuration class.",
    "environment": "Environment variables; `declared: false` marks one used outside the table.",
    "choices": "Values that a flag, key or variable takes, each with its runs of releases.",
    "logs": "Templates of log lines and errors about backends and settings.",
}
HOW = (
    "\nMade by `python -m macros import-flags`; do not edit."
    "\nA run that ends with null reaches the newest release; `earlier` holds former values."
)


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_tables(folder: Path) -> dict[str, Any]:
    """All tables of an engine; an empty folder gives empty tables."""
    tables = {}
    for topic in TOPICS:
        path = folder / f"{topic}.yaml"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        tables[topic] = (yaml.load(text, LOADER) if text else None) or {}
    return tables


def write_tables(folder: Path, tables: dict[str, Any]) -> list[str]:
    """Write the tables and name the files whose text changed."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for topic in TOPICS:
        path = folder / f"{topic}.yaml"
        text = to_yaml(tables[topic], COMMENTS[topic] + HOW)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(path.name)
    return changed
