"""All records by kind and id, each with the file it came from."""

import re
import types
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from macros.findings import Finding
from macros.loading import Document, join, load_file
from macros.records import KINDS, SINGLE_FILES, EngineTopic

Record = TypeVar("Record", bound=BaseModel)
KIND_OF_CLASS = {record_class: kind for kind, record_class in KINDS.items()}


@dataclass(frozen=True)
class Entry:
    """A record and its file."""

    document: Document
    record: Any


@dataclass(frozen=True)
class Library:
    """All well-formed records; the entries of a kind are sorted by id.

    `derived` remembers what was computed from exactly these records; a changed copy starts empty.
    """

    root: Path
    kinds: dict[str, dict[str, Entry]]
    singles: dict[str, Entry]
    topics: dict[str, dict[str, Entry]]
    derived: dict[Hashable, Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def remember(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return what `compute` gives, computed once for this library."""
        if key not in self.derived:
            self.derived[key] = compute()
        return self.derived[key]

    def all(self, record_class: type[Record]) -> Iterator[tuple[Document, Record]]:
        """Yield every record of a class with its file."""
        for entry in self.kinds[KIND_OF_CLASS[record_class]].values():
            yield entry.document, entry.record

    def records(self, record_class: type[Record]) -> Iterator[Record]:
        """Yield every record of a class."""
        for _, record in self.all(record_class):
            yield record

    def get(self, record_class: type[Record], record_id: str) -> Record:
        """Return a record by id; KeyError where there is none."""
        return self.kinds[KIND_OF_CLASS[record_class]][record_id].record

    def find(self, record_class: type[Record], record_id: str | None) -> Record | None:
        """Return a record by id, or None."""
        entry = self.kinds[KIND_OF_CLASS[record_class]].get(record_id or "")
        return entry.record if entry else None

    def refer(self, reference: str) -> Any | None:
        """Return the record that `kind/id` names, or None."""
        kind, _, record_id = reference.partition("/")
        entry = self.kinds.get(kind, {}).get(record_id)
        return entry.record if entry else None

    def document(self, reference: str) -> Document:
        """Return the file of `kind/id`; KeyError where there is none."""
        kind, _, record_id = reference.partition("/")
        return self.kinds[kind][record_id].document

    def single(self, name: str) -> Any:
        """Return the record of a file that exists once, such as `formats`."""
        return self.singles[name].record

    def topic(self, engine: str, name: str) -> Any:
        """Return a topic of an engine, such as `flags` of `vllm`; KeyError where there is none."""
        return self.topics[engine][name].record

    @property
    def num_records(self) -> int:
        """Return how many files were read."""
        by_kind = sum(len(entries) for entries in self.kinds.values())
        return by_kind + len(self.singles) + sum(len(topics) for topics in self.topics.values())


def _has(data: Any, key: str | int) -> bool:
    """Tell whether a mapping has a key, or a list a place."""
    if isinstance(data, dict):
        return key in data
    return isinstance(data, list) and isinstance(key, int) and key < len(data)


def field_name(location: tuple[str | int, ...], data: Any) -> str:
    """Return the field a validation error points at, without the names of union branches."""
    at = ""
    for key in location:
        if _has(data, key):
            data, at = data[key], join(at, key)
        elif isinstance(data, dict) and isinstance(key, str) and "[" not in key and "(" not in key:
            return join(at, key)
    return at


def value_at(data: Any, location: tuple[str | int, ...]) -> Any:
    """Return the value a location leads to, as far as it exists."""
    for key in location:
        if _has(data, key):
            data = data[key]
    return data


def spelled(value: Any) -> str:
    """Return a value as its file spells it, with its kind where that is the fault."""
    match value:
        case None:
            return "null"
        case bool():
            return f"{str(value).lower()} (yes or no)"
        case str():
            return repr(value)
        case dict() | list():
            return f"a {'mapping' if isinstance(value, dict) else 'list'} of {len(value)}"
        case _:
            return f"{value} ({'date' if hasattr(value, 'isoformat') else 'number'})"


def model_at(annotation: Any, location: tuple[str | int, ...]) -> type[BaseModel] | None:
    """Return the class that describes the mapping at the parent of a location."""
    current: Any = annotation
    for key in location:
        current = _class_inside(current)
        if current is None:
            return None
        if isinstance(key, str) and key in current.model_fields:
            current = current.model_fields[key].annotation
    return _class_inside(current)


def _class_inside(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (list, dict, Union, types.UnionType) or get_args(annotation):
        for inner in get_args(annotation):
            if found := _class_inside(inner):
                return found
    return None


def schema_finding(document: Document, record_class: type[BaseModel], error: Any) -> Finding:
    """Return the finding for one error of the schema."""
    location, kind = error["loc"], error["type"]
    at = field_name(location, document.data)
    value = value_at(document.data, location)
    expected, fix = error["msg"], "correct the value"
    rule = f"schema/{kind.replace('_', '-')}"
    if kind == "missing":
        at = join(field_name(location[:-1], document.data), location[-1])
        expected, fix = "this field", f"add `{location[-1]}:`, or null where the class allows it"
        return document.finding(rule=rule, at=at, expected=expected, got="nothing", fix=fix)
    if kind == "extra_forbidden":
        owner = model_at(record_class, location[:-1])
        names = [f.alias or n for n, f in owner.model_fields.items()] if owner else []
        near = get_close_matches(str(location[-1]), names, n=1)
        expected = f"one of {', '.join(names)}" if names else "no such field"
        fix = f"rename to `{near[0]}`" if near else "delete it"
        got = repr(location[-1])
        return document.finding(rule=rule, at=at, expected=expected, got=got, fix=fix)
    if kind == "string_type":
        expected, fix = "text", f'quote it: "{value}"'
    elif kind == "literal_error":
        expected = f"one of {error['ctx']['expected'].replace(' or ', ', ')}"
        near = get_close_matches(str(value), re.findall("'(.*?)'", expected), n=1)
        fix = f"write `{near[0]}`" if near else "choose one of the list"
    elif kind == "string_pattern_mismatch":
        expected, fix = f"text like {error['ctx']['pattern']}", "correct the spelling"
    elif kind in ("is_instance_of", "decimal_type", "int_type", "bool_type", "date_type"):
        expected = error["msg"].removeprefix("Input should be ")
        fix = "write the value without quotes" if isinstance(value, str) else "correct the value"
    if value == "":
        fix = "fill it in"
    return document.finding(rule=rule, at=at, expected=expected, got=spelled(value), fix=fix)


def validate(document: Document, record_class: type[Record]) -> tuple[Record | None, list[Finding]]:
    """Return the record of a document, or every fault of its schema."""
    try:
        return record_class.model_validate(document.data), []
    except ValidationError as error:
        findings = [schema_finding(document, record_class, each) for each in error.errors()]
        return None, sorted(set(findings))


def class_for(relative: Path) -> tuple[str, str, type[BaseModel]] | None:
    """Return (group, key, class) of a data file by where it lies."""
    parts = relative.with_suffix("").parts
    if len(parts) == 1 and parts[0] in SINGLE_FILES:
        return "single", parts[0], SINGLE_FILES[parts[0]]
    if len(parts) == 3 and parts[0] == "engines":
        return "topic", f"{parts[1]}/{parts[2]}", EngineTopic
    if len(parts) > 1 and parts[0] in KINDS:
        return parts[0], parts[-1], KINDS[parts[0]]
    return None


def load(root: Path) -> tuple[Library, list[Finding]]:
    """Read all data below `root/data`; faulty files yield findings and are left out."""
    kinds: dict[str, dict[str, Entry]] = {kind: {} for kind in KINDS}
    singles: dict[str, Entry] = {}
    topics: dict[str, dict[str, Entry]] = {}
    findings: list[Finding] = []
    data = root / "data"
    for path in sorted(data.rglob("*.yaml")):
        relative = path.relative_to(data)
        place = class_for(relative)
        if place is None:
            continue
        group, key, record_class = place
        document, faults = load_file(path, root)
        record = None
        if document is not None:
            record, faults = validate(document, record_class)
        findings += faults
        if document is None or record is None:
            continue
        entry = Entry(document, record)
        if group == "single":
            singles[key] = entry
        elif group == "topic":
            engine, _, name = key.partition("/")
            topics.setdefault(engine, {})[name] = entry
        else:
            if record.id != key:
                findings.append(
                    document.finding(
                        rule="identity/file-name",
                        at="id",
                        expected=f"{key} (the file's name)",
                        got=record.id,
                        fix="rename the file or the id",
                    )
                )
            if key in kinds[group]:
                first = kinds[group][key].document
                findings.append(
                    document.finding(
                        rule="identity/unique",
                        at="id",
                        expected=f"an id of its own; {first.path}:1 has it",
                        got=key,
                        fix="choose another id",
                    )
                )
            kinds[group][key] = entry
    return Library(root, kinds, singles, topics), findings
