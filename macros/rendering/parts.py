"""What the pages of records share: texts, links between records, sources, bars of a checkpoint."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from macros.compositions import ceiling_of, has_composition
from macros.fields import Text
from macros.ledger import Ceiling, Load, Step
from macros.library import Library
from macros.records import Checkpoint, Computed, Engine, Measurement, Source
from macros.rendering.badges import evidence_badge, mark
from macros.rendering.blocks import citation
from macros.rendering.markup import EMPTY, Html, breakable, element, escape, join
from macros.rendering.numbers import day, figure, rounded
from macros.rendering.runs import checkpoint_words, engine_name, engine_words
from macros.rendering.words import word

BAR_MODULES = {
    "experts": "experts", "shared": "shared_expert", "gdn": "linear_attention",
    "attention": "attention", "dense_mlp": "dense_mlp", "lm_head": "lm_head", "router": "rest",
    "ngram": "rest", "draft": "draft",
}  # fmt: skip
SPAN = re.compile(r"`([^`]+)`|\{([a-z_][a-z0-9_]*)\}")
PARAGRAPH = re.compile(r"\n\s*\n")
PAGE_KINDS = ("models", "checkpoints", "recipes", "pitfalls", "claims")


def said(text: Text | None, language: str) -> str:
    """Return a bilingual text in an authored language, or nothing."""
    if text is None:
        return ""
    return text.en if language == "en" else text.zh


def inline(text: str, values: Mapping[str, object] | None = None) -> Html:
    """Return a text as HTML: `code` spans and {placeholders}, all else inert."""
    pieces: list[object] = []
    end = 0
    for match in SPAN.finditer(text):
        pieces.append(text[end : match.start()])
        if match.group(1) is not None:
            pieces.append(element("code", match.group(1)))
        elif values is not None and match.group(2) in values:
            pieces.append(values[match.group(2)])
        else:
            pieces.append(match.group(0))
        end = match.end()
    pieces.append(text[end:])
    return join(*pieces)


def prose(text: Text | None, language: str, values: Mapping[str, object] | None = None) -> Html:
    """Return a bilingual text as paragraphs."""
    paragraphs = PARAGRAPH.split(said(text, language).strip())
    return join(
        *(
            element("p", inline(" ".join(part.splitlines()), values))
            for part in paragraphs
            if part.strip()
        )
    )


def written(value: Any, computed: Computed | None = None) -> str:
    """Return a computed value as a text shows it: as stated, or to its decimals."""
    if isinstance(value, list):
        return ", ".join(written(each, computed) for each in value)
    if isinstance(value, bool | str):
        return str(value)
    if computed is not None and computed.decimals is not None:
        return rounded(value, decimals=computed.decimals)
    if isinstance(value, (int, Decimal)):
        return figure(value)
    return rounded(value, decimals=1)


def href_of(reference: str) -> str:
    """Return the address of a record from the language's root: a page, or an anchor on one."""
    kind, _, record_id = reference.partition("/")
    if kind in PAGE_KINDS:
        return f"/{kind}/{record_id}/"
    if kind == "measurements":
        return f"/benchmarks/#{record_id}"
    if kind == "experiments":
        return f"/law/#{record_id}"
    if kind == "causes":
        return f"/judge/#cause-{record_id}"
    return f"/{kind}/#{record_id}"


def name_of(library: Library, reference: str, language: str) -> str:
    """Return how a record is called in a language."""
    record = library.refer(reference)
    if record is None:
        return reference
    if isinstance(record, Measurement):
        engine = engine_words(library, record, language)
        dated = [day(record.measured_on, language)] if record.measured_on else []
        return " · ".join([checkpoint_words(library, record), engine, *dated])
    if isinstance(record, Engine):
        return engine_name(library, record.id, language)
    for field in ("title", "question"):
        text = getattr(record, field, None)
        if isinstance(text, Text):
            return said(text, language)
        if isinstance(text, str):
            return text
    return getattr(record, "name", record.id)


def record_link(library: Library, reference: str, language: str) -> Html:
    """Return a link to a record under its own name."""
    record = library.refer(reference)
    name = name_of(library, reference, language)
    shown = breakable(name) if isinstance(record, Checkpoint | Measurement) else inline(name)
    title_language = record.title_language if isinstance(record, Source) else None
    return element("a", shown, href=href_of(reference), lang=title_language)


def links(library: Library, references: list[str], language: str) -> Html:
    """Return a list of links to records; nothing where there are none."""
    if not references:
        return EMPTY
    items = (element("li", record_link(library, each, language)) for each in references)
    return element("ul", *items)


def source_line(library: Library, source_id: str, language: str, locator: str | None = None,
                evidence: str | None = None) -> Html:  # fmt: skip
    """Return the citation of a source record."""
    source = library.find(Source, source_id)
    if source is None:
        return escape(source_id)
    return citation(
        title=source.title, title_language=source.title_language, language=language,
        url=source.url, publisher=source.publisher, published_on=source.published_on,
        retrieved_on=source.retrieved_on, locator=locator, revision=source.revision,
        evidence=evidence,
    )  # fmt: skip


def sources(library: Library, record: Any, language: str) -> Html:
    """Return the sources of a record, each with what it supports."""
    items = []
    for each in record.provenance:
        supported = ", ".join(each.fields)
        items.append(
            element(
                "li",
                source_line(library, each.source, language, each.locator, each.evidence),
                element(
                    "span",
                    f" {word('supports', language)} ",
                    element("code", supported),
                    class_="citation-fields",
                ),
            )
        )
    return element("ul", *items, class_="sources")


def marks(record: Any, language: str) -> Html:
    """Return the badges that warn: inferred compositions and scenarios."""
    found = [
        mark(name, language) for name in ("inferred", "scenario") if getattr(record, name, False)
    ]
    return join(*found, separator=" ")


def best_evidence(record: Any) -> str:
    """Return the weakest evidence word of a record's sources, for its badge."""
    order = ["measured", "reproduced", "reported", "documented", "claimed"]
    return max((each.evidence for each in record.provenance), key=order.index)


def evidence_of(record: Any, language: str) -> Html:
    """Return the evidence badge of a record."""
    return evidence_badge(best_evidence(record), language)


def segments(step: Step) -> list[tuple[str, int]]:
    """Return the parts of a step as the byte bar wants them."""
    parts: dict[str, float] = {}
    for module in step.modules:
        name = BAR_MODULES[module.part]
        parts[name] = parts.get(name, 0) + module.bytes_per_step
    if step.state_bytes:
        parts["state"] = step.state_bytes
    if step.kv_bytes:
        parts["kv_cache"] = step.kv_bytes
    return [(name, round(amount)) for name, amount in parts.items()]


def plain_ceiling(library: Library, checkpoint: Checkpoint, **load: Any) -> Ceiling | None:
    """Return the ceiling of a checkpoint, or None where its composition is not known."""
    if not has_composition(library, checkpoint.id):
        return None
    return ceiling_of(library, checkpoint.id, Load(**load))


def checkpoints_of(library: Library, model_id: str) -> list[Checkpoint]:
    """Return a model's checkpoints, those read least first, unknown ones last."""
    own = [each for each in library.records(Checkpoint) if each.model == model_id]

    def order(checkpoint: Checkpoint) -> tuple[bool, float, str]:
        answer = plain_ceiling(library, checkpoint)
        return answer is None, answer.bytes_per_step if answer else 0.0, checkpoint.id

    return sorted(own, key=order)


def format_words(library: Library, label: str, language: str) -> str:
    """Return a format or a mixture of formats by its written name."""
    formats = library.single("formats").root
    pieces = []
    for piece in label.split(" + "):
        name, _, share = piece.partition(" ")
        written_name = said(formats[name].name, language) if name in formats else name
        pieces.append(f"{written_name} {share}".strip())
    return " + ".join(pieces)


def heading(text: str, anchor: str, level: int = 2) -> str:
    """Return a Markdown heading with a stable anchor."""
    return f"{'#' * level} {escape(text)} {{ #{anchor} }}"


def blocks(*parts: object) -> str:
    """Return Markdown blocks, empty ones left out, separated by blank lines."""
    return "\n\n".join(str(part) for part in parts if part) + "\n"
