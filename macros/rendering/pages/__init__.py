"""One module a section of the site; each has `pages(library, language) -> {path: Page}`.

A module may also have `files(library) -> {path: text}` for what has no language, and
`macros(library, language) -> {name: function}` for pages of prose.
"""

import importlib
import pkgutil
from types import ModuleType


def sections() -> list[ModuleType]:
    """Return the modules of this package, in the order of their names."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}") for name in names]
