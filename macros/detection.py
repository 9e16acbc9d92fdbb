"""How a pitfall is recognised in a pasted command or log."""

from typing import Any

from pydantic import ConfigDict

from macros.fields import Strict


class Detection(Strict):
    """A rule over a command or a log."""

    model_config = ConfigDict(extra="allow")

    severity: Any = None
