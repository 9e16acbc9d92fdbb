"""JSON Schema for editors and the template of a new record, made from the classes."""

import json
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from macros.records import KINDS, SINGLE_FILES

SINGULAR = {
    "sources": "source", "hardware": "hardware", "engines": "engine", "models": "model",
    "checkpoints": "checkpoint", "drafters": "drafter", "measurements": "measurement",
    "recipes": "recipe", "pitfalls": "pitfall", "faq": "faq", "claims": "claim", "causes": "cause",
    "experiments": "experiment",
}  # fmt: skip


def schemas() -> dict[str, str]:
    """Return {file name: JSON Schema text} for every kind of file."""
    classes = {SINGULAR[kind]: record_class for kind, record_class in KINDS.items()}
    classes |= SINGLE_FILES
    return {
        f"{name}.schema.json": json.dumps(
            record_class.model_json_schema(by_alias=True), indent=1, ensure_ascii=False
        )
        + "\n"
        for name, record_class in sorted(classes.items())
    }


def template(kind: str, record_id: str) -> str:
    """Return a commented file with every field of a kind, in order."""
    record_class = KINDS[kind]
    lines = [f"# {(record_class.__doc__ or '').strip()}"]
    for name, info in record_class.model_fields.items():
        lines += _field_lines(info.alias or name, info, record_id, indent=0)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _field_lines(name: str, info: FieldInfo, record_id: str, *, indent: int) -> list[str]:
    pad = "  " * indent
    note = f"  # {info.description}" if info.description else ""
    optional = not info.is_required()
    mark = "# " if optional else ""
    if name == "id":
        return [f"{pad}id: {record_id}"]
    inner = _model_inside(info.annotation)
    if inner is None:
        return [f"{pad}{mark}{name}: {_example(info)}{note}"]
    is_list = str(info.annotation).startswith(("list", "typing.Annotated[list"))
    lines = [f"{pad}{mark}{name}:{note}"]
    for position, (child, child_info) in enumerate(inner.model_fields.items()):
        child_name = child_info.alias or child
        value = _example(child_info)
        bullet = ("- " if position == 0 else "  ") if is_list else ""
        wanted = child_info.is_required() and not optional
        child_mark = "" if wanted else "# "
        lines.append(f"{pad}  {child_mark}{bullet}{child_name}: {value}")
        if wanted:
            below = _field_lines(child_name, child_info, record_id, indent=indent + 1 + is_list)
            lines += below[1:]
    return lines


def _model_inside(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in get_args(annotation):
        if found := _model_inside(inner):
            return found
    return None


def _example(info: FieldInfo) -> str:
    """Return what stands behind a field in a template: its default, its choices, or nothing."""
    if not info.is_required():
        return "null" if info.default is None else json.dumps(info.default, default=str)
    text = str(info.annotation)
    if "Literal" in text:
        choices = [str(choice) for choice in get_args(info.annotation) if isinstance(choice, str)]
        return f"{choices[0]}  # {' | '.join(choices)}" if choices else ""
    return ""
