"""All records by kind and id, each with the file it came from."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from macros.faults import Ids, schema_findings
from macros.findings import Finding, listed
from macros.loading import Document, load_file
from macros.records import KINDS, SINGLE_FILES, EngineTopic

Record = TypeVar("Record", bound=BaseModel)
OTHER_FILES = ("texts.lock", "zh-hant/*.txt")  # which are no records
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


def validate(
    document: Document, record_class: type[Record], ids: Ids | None = None
) -> tuple[Record | None, list[Finding]]:
    """Return the record of a document, or every fault of its schema; `ids` help to name one."""
    try:
        return record_class.model_validate(document.data), []
    except ValidationError as error:
        return None, schema_findings(document, record_class, error.errors(), ids or {})


def class_for(relative: Path) -> tuple[str, str, type[BaseModel]] | None:
    """Return (group, key, class) of a data file by where it lies."""
    parts = relative.with_suffix("").parts
    if relative.suffix != ".yaml":
        return None
    if len(parts) == 1 and parts[0] in SINGLE_FILES:
        return "single", parts[0], SINGLE_FILES[parts[0]]
    if len(parts) == 3 and parts[0] == "engines":
        return "topic", f"{parts[1]}/{parts[2]}", EngineTopic
    if len(parts) > 1 and parts[0] in KINDS:
        return parts[0], parts[-1], KINDS[parts[0]]
    return None


def _unread(relative: Path) -> Iterator[Finding]:
    """Yield the finding for a file that nobody reads; hidden files may lie about."""
    ignored = any(part.startswith((".", "#")) for part in relative.parts) or relative.name.endswith(
        "~"
    )
    if ignored or any(relative.match(pattern) for pattern in OTHER_FILES):
        return
    yaml_name = relative.with_suffix(".yaml")
    kind = get_close_matches(relative.parts[0], KINDS, n=1)
    expected = f"data/<kind>/<id>.yaml, with a kind of {listed(KINDS, relative.parts[0])}"
    if class_for(yaml_name):
        expected, fix = "the ending .yaml", f"rename it to {yaml_name.name}"
    elif len(relative.parts) > 1 and kind:
        fix = f"move it to data/{kind[0]}/"
    else:
        fix = "move it below the folder of its kind, or out of data/"
    yield Finding(
        path=Path("data", relative).as_posix(),
        line=1,
        rule="identity/unread-file",
        field="(file)",
        expected=expected,
        got=relative.as_posix(),
        fix=fix,
    )


def load(root: Path) -> tuple[Library, list[Finding]]:
    """Read all data below `root/data`; faulty files yield findings and are left out."""
    kinds: dict[str, dict[str, Entry]] = {kind: {} for kind in KINDS}
    singles: dict[str, Entry] = {}
    topics: dict[str, dict[str, Entry]] = {}
    findings: list[Finding] = []
    data = root / "data"
    paths = sorted(path for path in data.rglob("*") if path.is_file())
    ids = {kind: [path.stem for path in paths if (data / kind) in path.parents] for kind in KINDS}
    for path in paths:
        relative = path.relative_to(data)
        place = class_for(relative)
        if place is None:
            findings += _unread(relative)
            continue
        group, key, record_class = place
        document, faults = load_file(path, root)
        record = None
        if document is not None:
            record, faults = validate(document, record_class, ids)
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
