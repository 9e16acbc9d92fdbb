"""One page of all sources: what they are, when they were read, and what rests on them."""

from macros.library import Library
from macros.records import Source
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.markup import EMPTY, Html, element
from macros.rendering.page import Page
from macros.rendering.pages.pitfalls import state_of_source
from macros.rendering.parts import blocks, inline, record_link, said, source_line
from macros.rendering.words import word, words_of, words_under

T = {
    "lead": {
        "en": "Every fact here names where it was read. If the address of a source is lost, what "
        "rests on it counts as claimed at most.",
        "zh": "这里的每一项事实都写明出处。原址已失的来源，其内容最多只算“仅为声称”。",
    },
    "kind": {"en": "Kind", "zh": "种类"},
    "supports": {"en": "Records that cite it: {number}", "zh": "{number} 条记录引用"},
    "nothing": {"en": "No record cites it yet", "zh": "尚无记录引用"},
}  # fmt: skip

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the list of sources."""
    title, lead = word("section.sources", language), _t("lead", language)
    cited = citing(library)
    found = sorted(library.records(Source), key=lambda each: each.title.lower())
    present = [name for name in words_under("source_kind")
               if any(each.kind == name for each in found)]  # fmt: skip
    items = (_item(library, each, cited.get(each.id, []), language) for each in found)
    facet = Facet(
        "kind", _t("kind", language),
        [(name, word(f"source_kind.{name}", language)) for name in present],
    )  # fmt: skip
    body = filterable(
        name="sources", facets=[facet], body=element("ul", *items, class_="cited-list"),
        language=language,
    )  # fmt: skip
    return {"sources/index.md": Page(blocks(f"# {title}", lead, body), title, lead)}


def citing(library: Library) -> dict[str, list[str]]:
    """Return, for every source, the records that name it; a drafter stands with its model."""
    found: dict[str, list[str]] = {}
    for kind, entries in library.kinds.items():
        for record_id, entry in entries.items():
            named = [each.source for each in getattr(entry.record, "provenance", [])]
            named += [source for each in getattr(entry.record, "contradictions", [])
                      for source in each.sources]  # fmt: skip
            if kind == "claims":
                named.append(entry.record.source)
            shown = f"models/{entry.record.model}" if kind == "drafters" else f"{kind}/{record_id}"
            for source in dict.fromkeys(named):
                found.setdefault(source, []).append(shown)
    return found


def _item(library: Library, source: Source, records: list[str], language: str) -> Html:
    linked = (element("li", record_link(library, each, language)) for each in records)
    supported = (
        element(
            "details",
            element("summary", _t("supports", language, number=len(records))),
            element("ul", *linked),
            class_="behind",
            data_search_exclude=True,
        )
        if records
        else element("p", _t("nothing", language), class_="data-note")
    )
    return element(
        "li",
        element("span", word(f"source_kind.{source.kind}", language), class_="tag"),
        " ",
        source_line(library, source.id, language),
        state_of_source(source, language),
        element("p", inline(said(source.note, language)), class_="data-note")
        if source.note
        else EMPTY,
        supported,
        class_="cited",
        id=source.id,
        **filter_attributes(kind=source.kind),
    )
