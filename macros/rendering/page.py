"""What a generated page is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """A page before MkDocs sees it; `edit_path` is the data file it was made from."""

    markdown: str
    title: str
    description: str = ""
    edit_path: str | None = None
