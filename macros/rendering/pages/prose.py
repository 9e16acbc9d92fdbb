"""What pages of prose may call."""

from collections.abc import Callable

from macros.library import Library
from macros.rendering import parts


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return a link to a record under its own name, in the language of the page."""
    return {"record_link": lambda reference: str(parts.record_link(library, reference, language))}
