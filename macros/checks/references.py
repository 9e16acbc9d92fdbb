"""Every id that a record names exists."""

from collections.abc import Iterator
from difflib import get_close_matches

from macros.findings import Finding, renamed
from macros.library import Library
from macros.loading import Document, join
from macros.records import KIND_OF_FIELD, Checkpoint, Claim, Measurement

NOT_IDS = {"architecture", "requires", "applies", "detect", "related"}


def named_record_exists(library: Library) -> Iterator[Finding]:
    """A field that names a record names one that exists."""
    for kind, entries in library.kinds.items():
        for entry in entries.values():
            yield from _walk(library, kind, entry.document, entry.document.data, "")


def _walk(
    library: Library, kind: str, document: Document, data: object, at: str
) -> Iterator[Finding]:
    if isinstance(data, list):
        for index, item in enumerate(data):
            yield from _walk(library, kind, document, item, join(at, index))
        return
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        name = join(at, key)
        if key in NOT_IDS and kind != "recipes":
            continue
        target = KIND_OF_FIELD.get(key)
        if key == "name" and at == "engine":
            target = "engines"
        if target and not isinstance(value, dict):
            for index, each in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(each, str) and each not in library.kinds[target]:
                    where = join(name, index) if isinstance(value, list) else name
                    yield _unknown(library, document, where, target, each)
        elif not (at == "engine" and key in ("arguments", "environment")):
            yield from _walk(library, kind, document, value, name)


def _unknown(library: Library, document: Document, at: str, kind: str, got: str) -> Finding:
    return document.finding(
        rule="reference/unknown",
        at=at,
        expected=f"the id of a record in data/{kind}/",
        got=got,
        fix=renamed(got, library.kinds[kind], f"add data/{kind}/{got}.yaml or correct the id"),
    )


def mixed_reference_exists(library: Library) -> Iterator[Finding]:
    """A `kind/id` reference names a kind and a record that exist."""
    for entries in library.kinds.values():
        for entry in entries.values():
            record = entry.record
            for name in ("related", "against", "superseded_by", "disagrees_with"):
                value = getattr(record, name, None)
                for index, reference in enumerate(value if isinstance(value, list) else []):
                    kind, _, record_id = reference.partition("/")
                    if record_id in library.kinds.get(kind, {}):
                        continue
                    near = get_close_matches(record_id, library.kinds.get(kind, {}), n=1)
                    yield entry.document.finding(
                        rule="reference/unknown",
                        at=f"{name}[{index}]",
                        expected="`kind/id` of a record",
                        got=reference,
                        fix=f"write `{kind}/{near[0]}`" if near else "correct the reference",
                    )


def model_is_that_of_the_checkpoint(library: Library) -> Iterator[Finding]:
    """Where a record names a model and a checkpoint, the checkpoint is one of that model."""
    named = [
        (document, "", run.model, run.checkpoint) for document, run in library.all(Measurement)
    ]
    for document, claim in library.all(Claim):
        model, checkpoint_id = map(claim.asserts.subject.get, ("model", "checkpoint"))
        if isinstance(model, str) and isinstance(checkpoint_id, str):
            named.append((document, "asserts.subject.", model, checkpoint_id))
    for document, checkpoint in library.all(Checkpoint):
        if checkpoint.conversion:
            named.append((document, "", checkpoint.model, checkpoint.conversion.checkpoint))
    for document, at, model, checkpoint_id in named:
        checkpoint = library.find(Checkpoint, checkpoint_id)
        if checkpoint and checkpoint.model != model:
            yield document.finding(
                rule="reference/other-model", at=f"{at}model",
                expected=f"{checkpoint.model}, the model of {checkpoint.id}", got=model,
                fix=f"write `{checkpoint.model}`, or name another checkpoint",
            )  # fmt: skip
