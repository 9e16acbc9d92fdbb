"""Legends for pages of prose: what the words of a vocabulary mean."""

from collections.abc import Callable

from macros.library import Library
from macros.rendering.badges import badge_legend


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return the legends that pages of prose may call."""

    def legend(kind: str) -> str:
        return badge_legend(kind=kind, language=language)

    return {"legend": legend}
