"""Pages made from records: (library, language) → {path: Page}; opens no file, knows no MkDocs."""

from collections.abc import Callable

from macros.library import Library
from macros.rendering.explanations import explainer
from macros.rendering.page import Page
from macros.rendering.pages import sections

__all__ = ["Page", "explainer", "macros", "render_files", "render_pages"]


def render_pages(library: Library, language: str) -> dict[str, Page]:
    """Return every generated page of an authored language by its path below the language."""
    pages: dict[str, Page] = {}
    for section in sections():
        if hasattr(section, "pages"):
            pages |= section.pages(library, language)
    return pages


def render_files(library: Library) -> dict[str, str]:
    """Return the files without a language, such as the JSON of the API, by their path."""
    files: dict[str, str] = {}
    for section in sections():
        if hasattr(section, "files"):
            files |= section.files(library)
    return files


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return the functions that pages of prose may call."""
    functions: dict[str, Callable[..., str]] = {}
    for section in sections():
        if hasattr(section, "macros"):
            functions |= section.macros(library, language)
    return functions
