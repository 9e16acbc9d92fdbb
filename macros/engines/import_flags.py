"""Bring one release of an engine into its tables: `python -m macros import-flags vllm VERSION`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from macros.engines.normalise import normalise
from macros.engines.store import read_tables, write_tables
from macros.engines.tables import fold, unfold
from macros.engines.wheel import read_wheel


def import_flags(folder: Path, version: str, wheel: Path | None = None) -> list[str]:
    """Merge a release into the tables in a folder and name the files that changed."""
    if wheel is not None:
        return merge_reading(folder, version, read_wheel(wheel))
    with tempfile.TemporaryDirectory() as place:
        return merge_reading(folder, version, read_wheel(download(version, Path(place))))


def merge_reading(folder: Path, version: str, reading: dict[str, Any]) -> list[str]:
    """Merge what was read of a release into the tables and name the files that changed."""
    found = reading["meta"]["version"]
    if found != version:
        raise ValueError(f"the wheel holds {found}, not {version}")
    releases = unfold(read_tables(folder))
    releases[version] = normalise(reading)
    return write_tables(folder, fold(releases))


def download(version: str, folder: Path) -> Path:
    """Fetch the wheel of a release with pip and give its path."""
    command = [sys.executable, "-m", "pip", "download", f"vllm=={version}", "--no-deps", "--quiet"]
    subprocess.run([*command, "--only-binary", ":all:", "--dest", str(folder)], check=True)
    return next(folder.glob("vllm-*.whl"))
