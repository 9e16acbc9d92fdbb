"""Read the command line of a release out of a downloaded wheel, without importing or running it."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any

from macros.engines.extract import extract


def read_wheel(path: Path) -> dict[str, Any]:
    """The raw reading of the sources in a wheel."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(path) as wheel:
        members = [
            name
            for name in wheel.namelist()
            if (name.endswith(".py") and name.startswith("vllm/"))
            or name.endswith(".dist-info/METADATA")
        ]
        wheel.extractall(folder, members)
        return extract(Path(folder))
