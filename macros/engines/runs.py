"""Runs of releases: `[["0.17.0", null]]` means from 0.17.0 to the newest release that is known."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

Run = list[str | None]


@functools.cache
def version_key(version: str) -> tuple[int, ...]:
    """The numbers of a release, for ordering."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


def to_runs(versions: Iterable[str], releases: list[str]) -> list[Run]:
    """The runs in which the given versions stand next to each other among all releases."""
    wanted = set(versions)
    runs: list[Run] = []
    open_run = False
    for release in releases:
        if release not in wanted:
            open_run = False
        elif open_run:
            runs[-1][1] = release
        else:
            runs.append([release, release])
            open_run = True
    if open_run:
        runs[-1][1] = None
    return runs


def from_runs(runs: list[Run], releases: list[str]) -> list[str]:
    """All releases that lie in one of the runs."""
    return [release for release in releases if contains(runs, release)]


def contains(runs: list[Run], version: str) -> bool:
    """Whether a version lies in one of the runs."""
    key = version_key(version)
    return any(
        version_key(first) <= key and (last is None or key <= version_key(last))
        for first, last in runs
    )
