"""The small types that records are made of."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
)


class Strict(BaseModel):
    """A mapping that takes the named fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _decimal(value: Any) -> Any:
    """Take a whole number where a decimal is meant; a yes or no stays wrong."""
    return Decimal(value) if isinstance(value, int) and not isinstance(value, bool) else value


SLUG = r"^[a-z0-9][a-z0-9.+-]*$"
URL = r"^https?://\S+$"
SHA = r"^[0-9a-f]{7,40}$"
MONTH = r"^20[0-9]{2}(-(0[1-9]|1[0-2]))?$"
REPOSITORY = r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$"
REFERENCE = r"^[a-z]+/[A-Za-z0-9/.+_-]+$"
VERSION = r"^[0-9]+(\.[0-9]+)*([.+-]?[A-Za-z0-9]+)*$"
NAME = r"^[a-z][a-z0-9_]*$"

Slug = Annotated[str, StringConstraints(pattern=SLUG, max_length=120)]
Line = Annotated[str, StringConstraints(min_length=1)]
Url = Annotated[str, StringConstraints(pattern=URL)]
Sha = Annotated[str, StringConstraints(pattern=SHA)]
Month = Annotated[str, StringConstraints(pattern=MONTH)]
Repository = Annotated[str, StringConstraints(pattern=REPOSITORY)]
Reference = Annotated[str, StringConstraints(pattern=REFERENCE)]
Name = Annotated[str, StringConstraints(pattern=NAME)]
Number = Annotated[Decimal, BeforeValidator(_decimal), WithJsonSchema({"type": "number"})]
Positive = Annotated[
    Decimal, BeforeValidator(_decimal), Field(gt=0), WithJsonSchema({"type": "number"})
]
Ratio = Annotated[
    Decimal, BeforeValidator(_decimal), Field(ge=0, le=1), WithJsonSchema({"type": "number"})
]
Bytes = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Version = Annotated[str, StringConstraints(pattern=VERSION)]

Evidence = Literal["measured", "reproduced", "reported", "documented", "claimed"]
Verdict = Literal["holds", "holds-with-condition", "superseded", "contradicted", "unverifiable"]


class Text(Strict):
    """The same text in both authored languages; quantities are `{field}` placeholders."""

    en: Line
    zh: Line
