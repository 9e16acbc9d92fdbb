"""Every fact has a source, and the source allows the evidence word."""

from collections.abc import Iterator
from difflib import get_close_matches

from macros.findings import Finding, listed
from macros.library import Library
from macros.records import Source

NOT_FACTS = {
    "id", "name", "nicknames", "model", "checkpoint", "title", "summary", "note", "provenance",
    "related", "reviewed_on", "category", "order", "group", "question", "values", "duplicates",
    "contradicts", "superseded_by", "withdrawn", "caveats", "next", "pitfalls", "measurements",
    "reasons", "purpose", "status", "hardware", "num_nodes", "detect", "scenario", "inferred",
    "unknown", "corrected", "contradictions", "composition", "counting", "metric", "served_name",
    "planned_concurrency", "planned_context_tokens", "load_as", "steps", "proof_lines", "base",
    "severity", "how_to_check", "checkpoint_as_stated", "faulty_commands", "text_only",
    "published_size_contains_draft", "draft_acceptance_length", "repository", "model_path",
    "url", "extra_flags", "extra_environment", "open_source", "commands", "applies", "low_ratio",
    "high_ratio", "error_text", "parallelism", "tool", "metric_as_stated", "caveat_as_stated",
    "reported_on", "advice", "story",
    "side", "strength", "gains",
}  # fmt: skip

OWN = ("id", "provenance")


def every_fact_has_a_source(library: Library) -> Iterator[Finding]:
    """Every filled field that states a fact is listed by an entry of `provenance`."""
    for entries in library.kinds.values():
        for entry in entries.values():
            record = entry.record
            if not hasattr(record, "provenance"):
                continue
            covered = {field for source in record.provenance for field in source.fields}
            for name in entry.document.data:
                value = getattr(record, name, None)
                if name in NOT_FACTS or name in covered or value in (None, [], {}, False):
                    continue
                yield entry.document.finding(
                    rule="provenance/uncovered-field",
                    at=name,
                    expected="an entry of `provenance` that lists it under `fields`",
                    got="none",
                    fix=f"add `{name}` to `provenance[0].fields`, or name another source",
                )


def provenance_names_fields(library: Library) -> Iterator[Finding]:
    """An entry of `provenance` lists only fields that the record has."""
    for entries in library.kinds.values():
        for entry in entries.values():
            for index, source in enumerate(getattr(entry.record, "provenance", [])):
                for position, name in enumerate(source.fields):
                    first = name.split(".")[0].split("[")[0]
                    known = [each for each in type(entry.record).model_fields if each not in OWN]
                    if first in type(entry.record).model_fields:
                        continue
                    near = get_close_matches(first, known, n=1)
                    yield entry.document.finding(
                        rule="provenance/unknown-field",
                        at=f"provenance[{index}].fields[{position}]",
                        expected=f"a field of this record: {listed(known, first)}",
                        got=name,
                        fix=f"write `{near[0]}`" if near else "correct the name of the field",
                    )


def lost_source_is_only_a_claim(library: Library) -> Iterator[Finding]:
    """What rests on a source without address is at most `claimed`."""
    for entries in library.kinds.values():
        for entry in entries.values():
            for index, each in enumerate(getattr(entry.record, "provenance", [])):
                source = library.find(Source, each.source)
                if source and source.kind == "unlocated" and each.evidence != "claimed":
                    yield entry.document.finding(
                        rule="provenance/unlocated",
                        at=f"provenance[{index}].evidence",
                        expected="claimed, because the source has no address",
                        got=each.evidence,
                        fix="write `claimed`, or find the address",
                    )


def locator_finds_the_place(library: Library) -> Iterator[Finding]:
    """A fact names its place in the source; only a lost source and our own work have none."""
    for entries in library.kinds.values():
        for entry in entries.values():
            for index, each in enumerate(getattr(entry.record, "provenance", [])):
                source = library.find(Source, each.source)
                if each.locator or source is None or source.kind in ("unlocated", "own-work"):
                    continue
                yield entry.document.finding(
                    rule="provenance/no-locator",
                    at=f"provenance[{index}].locator",
                    expected="the heading, post, file or line that states it",
                    got="null",
                    fix="look the place up in the source and write it down",
                )


def source_has_an_address(library: Library) -> Iterator[Finding]:
    """A source has an address unless it is a package, our own work, or marked as unlocated."""
    for document, source in library.all(Source):
        if source.url is None and source.kind not in ("unlocated", "package", "own-work"):
            yield document.finding(
                rule="provenance/no-address",
                at="url",
                expected="an address, or `kind: unlocated`",
                got="null",
                fix="add the address, or mark the source as unlocated",
            )
