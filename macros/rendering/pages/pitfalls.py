"""The pages of pitfalls: the symptom first, then what to do, then why and whom it bites."""

from collections.abc import Iterable

from macros.library import Library
from macros.pitfalls import biting_releases, folded, mentions, releases
from macros.records import Contradiction, Engine, Model, Pitfall, Source
from macros.rendering.badges import severity_badge
from macros.rendering.blocks import Card, cards, notice
from macros.rendering.commands import command, faulty_command
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.markup import EMPTY, Html, element, join
from macros.rendering.numbers import day, span, version_range
from macros.rendering.page import Page
from macros.rendering.parts import (
    blocks,
    format_words,
    heading,
    href_of,
    inline,
    links,
    prose,
    record_link,
    said,
    source_line,
)
from macros.rendering.tables import facts
from macros.rendering.words import COLONS, COMMAS, WORDS, word, words_of, words_under

T = {
    "lead": {
        "en": "Search for words of the error, or choose the release you run. What remains can "
        "affect you.",
        "zh": "输入报错中的文字，或选择正在使用的版本，剩下的就是可能踩到的坑。",
    },
    "version": {"en": "Affects vLLM", "zh": "影响的 vLLM 版本"},
    "model": {"en": "Model", "zh": "模型"},
    "severity": {"en": "Severity", "zh": "严重程度"},
    "category": {"en": "Subject", "zh": "主题"},
    "symptom": {"en": "What you see", "zh": "现象"},
    "error": {"en": "The program prints", "zh": "程序会打印"},
    "remedy": {"en": "What to do", "zh": "怎么办"},
    "not_so": {"en": "Not like this", "zh": "不要这样做"},
    "why_faulty": {
        "en": "It runs into this pitfall; the cause is below.",
        "zh": "这样写会踩到这个坑，原因见下文。",
    },
    "cause": {"en": "Why", "zh": "原因"},
    "affects": {"en": "What it affects", "zh": "影响范围"},
    "engine": {"en": "Engine", "zh": "引擎"},
    "releases": {"en": "Releases", "zh": "发布版本"},
    "on_record": {"en": "Of the releases on record", "zh": "已收录的版本中"},
    "all_releases": {"en": "all", "zh": "全部"},
    "stated": {"en": "As the sources put it", "zh": "来源的说法"},
    "component": {"en": "Component", "zh": "组件"},
    "component.NVIDIA driver": {"en": "NVIDIA driver", "zh": "NVIDIA 驱动"},
    "component.DGX Spark firmware": {"en": "DGX Spark firmware", "zh": "DGX Spark 固件"},
    "component.ConnectX-7 firmware": {"en": "ConnectX-7 firmware", "zh": "ConnectX-7 固件"},
    "models": {"en": "Models", "zh": "模型"},
    "checkpoints": {"en": "Checkpoints", "zh": "检查点"},
    "formats": {"en": "Formats", "zh": "格式"},
    "others": {"en": "Others", "zh": "其他"},
    "hardware": {"en": "Hardware", "zh": "硬件"},
    "reported": {"en": "First reported", "zh": "首次报告"},
    "reviewed": {"en": "Last reviewed", "zh": "最近复核"},
    "corrected": {"en": "What we corrected", "zh": "我们更正了什么"},
    "contradictions": {"en": "Where sources disagree", "zh": "来源之间的分歧"},
    "assessment": {"en": "Our reading", "zh": "我们的判断"},
    "related": {"en": "Related", "zh": "相关"},
    "mentioned": {"en": "Mentioned by", "zh": "提到它的页面"},
    "sources": {"en": "Sources", "zh": "来源"},
    "when_seen": {"en": "state when last seen", "zh": "最近一次查看时的状态"},
    "fixed": {"en": "fixed in {version}", "zh": "{version} 已修复"},
    "since": {"en": "since {version}", "zh": "{version} 起"},
    "open": {"en": "not known to be fixed", "zh": "未见修复"},
}  # fmt: skip

SECTIONS = {"causes": "judge", "measurements": "benchmarks"}  # whose page is called otherwise

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return a page for each pitfall, and their list."""
    naming = mentions(library)
    made = {
        f"pitfalls/{pitfall.id}.md": _page(library, pitfall, language, naming)
        for pitfall in library.records(Pitfall)
    }
    made["pitfalls/index.md"] = _index(library, language)
    return made


def plain(text: str) -> str:
    """Return a text without the marks of code, for titles and descriptions."""
    return text.replace("`", "")


def state_words(pitfall: Pitfall, language: str) -> str | None:
    """Return since when and until when a pitfall of the engine bites, in a few words."""
    affects = pitfall.affects
    if affects.engine is None:
        return None
    if affects.fixed_version:
        return _t("fixed", language, version=affects.fixed_version)
    if affects.first_version:
        return _t("since", language, version=affects.first_version)
    return None


def _page(library: Library, pitfall: Pitfall, language: str, naming: dict[str, list[str]]) -> Page:
    title = said(pitfall.title, language)
    parts: list[object] = [
        f"# {inline(title)}",
        element("p", *_badges(pitfall, language), class_="record-badges"),
        heading(_t("symptom", language), "symptom"),
        prose(pitfall.symptom, language),
        _error_text(pitfall, language),
        heading(_t("remedy", language), "remedy"),
        prose(pitfall.remedy, language),
        *(command(code=folded(line)) for line in pitfall.commands),
    ]
    if pitfall.faulty_commands:
        parts += [
            heading(_t("not_so", language), "faulty"),
            *(
                faulty_command(code=folded(line), why=_t("why_faulty", language), language=language)
                for line in pitfall.faulty_commands
            ),
        ]
    parts += [heading(_t("cause", language), "cause"), prose(pitfall.cause, language)]
    for number, each in enumerate(pitfall.contradictions, start=1):
        if number == 1:
            parts.append(heading(_t("contradictions", language), "contradictions"))
        parts.append(_contradiction(library, each, language))
    if pitfall.corrected:
        parts.append(
            notice(
                text=prose(pitfall.corrected, language),
                language=language,
                title=_t("corrected", language),
            )
        )
    parts += [
        heading(_t("affects", language), "affects"),
        facts(_affects(library, pitfall, language), language=language),
    ]
    reference = f"pitfalls/{pitfall.id}"
    others = [each for each in naming.get(reference, []) if each not in pitfall.related]
    if pitfall.related:
        parts += [heading(_t("related", language), "related"),
                  links(library, pitfall.related, language)]  # fmt: skip
    if others:
        parts += [heading(_t("mentioned", language), "mentioned"),
                  _by_kind(library, others, language)]  # fmt: skip
    parts += [
        heading(_t("sources", language), "sources"),
        sources_with_state(library, pitfall, language),
    ]
    return Page(
        blocks(*parts), plain(title), plain(said(pitfall.symptom, language)),
        library.document(reference).path,
    )  # fmt: skip


def _by_kind(library: Library, references: list[str], language: str) -> Html:
    """Return links to records under the names of their kinds."""
    kinds = dict.fromkeys(each.partition("/")[0] for each in references)
    parts = (
        (
            element("p", word(f"section.{SECTIONS.get(kind, kind)}", language)),
            links(library, [each for each in references if each.startswith(f"{kind}/")], language),
        )
        for kind in kinds
    )
    return element("div", *(part for pair in parts for part in pair), class_="mentions")


def _badges(pitfall: Pitfall, language: str) -> Iterable[object]:
    state = state_words(pitfall, language)
    yield severity_badge(pitfall.severity, language)
    yield " "
    yield element(
        "a", word(f"category.{pitfall.category}", language),
        href=f"/pitfalls/#{pitfall.category}", class_="tag",
    )  # fmt: skip
    if state:
        yield " "
        yield element("span", f"vLLM {state}", class_="tag")


def _error_text(pitfall: Pitfall, language: str) -> Html:
    """Return the lines that a program prints; a reader compares them and does not run them."""
    if not pitfall.error_text:
        return EMPTY
    return element(
        "div",
        element("p", _t("error", language), class_="command-label"),
        element(
            "div",
            element("pre", element("code", "\n".join(pitfall.error_text), tabindex="0")),
            class_="highlight no-copy",
        ),
        class_="error-text no-copy",
    )


def _contradiction(library: Library, contradiction: Contradiction, language: str) -> Html:
    cited = (element("li", source_line(library, each, language)) for each in contradiction.sources)
    return element(
        "div",
        element("p", element("strong", inline(said(contradiction.question, language)))),
        element(
            "ul", *(element("li", inline(said(each, language))) for each in contradiction.says)
        ),
        element(
            "p", f"{_t('assessment', language)}{COLONS[language]}",
            inline(said(contradiction.assessment, language)),
        ),
        element("ul", *cited, class_="sources"),
        class_="contradiction",
    )  # fmt: skip


def _affects(library: Library, pitfall: Pitfall, language: str) -> list[tuple[object, object]]:
    affects = pitfall.affects
    comma = COMMAS[language]
    entries: list[tuple[object, object]] = []

    def listed(kind: str, ids: list[str]) -> None:
        if ids:
            linked = (record_link(library, f"{kind}/{each}", language) for each in ids)
            entries.append((_t(kind, language), join(*linked, separator=comma)))

    listed("hardware", affects.hardware)
    if affects.engine:
        engine = library.find(Engine, affects.engine)
        entries.append((_t("engine", language), engine.name if engine else affects.engine))
        range_ = version_range(affects.first_version, affects.fixed_version, language)
        known = affects.first_version or affects.fixed_version
        entries.append((_t("releases", language), range_ if known else None))
        biting = biting_releases(library, pitfall, affects.engine)
        if biting:
            every = len(biting) == len(releases(library, affects.engine))
            named = _t("all_releases", language) if every else span(biting[0], biting[-1])
            entries.append((_t("on_record", language), named))
    if affects.versions_as_stated:
        stated = element("span", affects.versions_as_stated, lang="en")
        entries.append((_t("stated", language), stated))
    for each in affects.components:
        bounds = each.first_version or each.fixed_version
        range_ = version_range(each.first_version, each.fixed_version, language)
        key = f"component.{each.name}"
        name = _t(key, language) if key in T else each.name
        text = f"{name}{comma}{range_}" if bounds else name
        entries.append((_t("component", language), text))
    listed("models", affects.models)
    listed("checkpoints", affects.checkpoints)
    if affects.formats:
        names = (format_words(library, each, language) for each in affects.formats)
        entries.append((_t("formats", language), join(*names, separator=comma)))
    if affects.models_as_stated:
        others = (element("span", each, lang="en") for each in affects.models_as_stated)
        entries.append((_t("others", language), join(*others, separator=comma)))
    if pitfall.reported_on:
        entries.append((_t("reported", language), day(pitfall.reported_on, language)))
    entries.append((_t("reviewed", language), day(pitfall.reviewed_on, language)))
    return entries


def state_of_source(source: Source | None, language: str) -> Html:
    """Return whether an issue or a pull request was open, closed or merged when last seen."""
    if source is None or source.state is None:
        return EMPTY
    first = source.state.split(" ")[0]
    known = f"source_state.{first}" in WORDS
    text = word(f"source_state.{first}", language) if known else source.state
    return element("span", f" {text}", class_=f"tag tag--{first}", title=_t("when_seen", language))


def sources_with_state(library: Library, pitfall: Pitfall, language: str) -> Html:
    """Return the sources of a pitfall, each with its state, its date and what it supports."""
    items = (
        element(
            "li",
            source_line(library, each.source, language, each.locator, each.evidence),
            state_of_source(library.find(Source, each.source), language),
            element(
                "span",
                f" {word('supports', language)} ",
                element("code", ", ".join(each.fields)),
                class_="citation-fields",
            ),
        )
        for each in pitfall.provenance
    )
    return element("ul", *items, class_="sources")


def _index(library: Library, language: str) -> Page:
    title = word("section.pitfalls", language)
    found = list(library.records(Pitfall))
    order = words_under("category")
    present = [name for name in order if any(each.category == name for each in found)]
    sections = (
        element(
            "section",
            element("h2", word(f"category.{name}", language), id=name),
            cards(
                [_card(library, each, language) for each in found if each.category == name],
                language=language,
            ),
            class_="filter-group",
        )
        for name in present
    )
    body = filterable(
        name="pitfalls", facets=_facets(library, found, present, language),
        body=join(*sections), language=language,
    )  # fmt: skip
    lead = _t("lead", language)
    return Page(blocks(f"# {title}", lead, body), title, lead)


def _facets(
    library: Library, found: list[Pitfall], categories: list[str], language: str
) -> list[Facet]:
    severities = [name for name in words_under("severity") if "." not in name]
    models = sorted({model for each in found for model in each.affects.models})
    named = [(each, library.get(Model, each).name) for each in models]
    return [
        Facet("severity", _t("severity", language),
              [(name, word(f"severity.{name}", language)) for name in severities]),
        Facet("version", _t("version", language),
              [(each, each) for each in reversed(releases(library))]),
        Facet("model", _t("model", language), sorted(named, key=lambda pair: pair[1].lower())),
        Facet("category", _t("category", language),
              [(name, word(f"category.{name}", language)) for name in categories]),
    ]  # fmt: skip


def _card(library: Library, pitfall: Pitfall, language: str) -> Card:
    state = state_words(pitfall, language)
    lines = (element("code", line, class_="card-error") for line in pitfall.error_text)
    return Card(
        title=inline(said(pitfall.title, language)),
        href=href_of(f"pitfalls/{pitfall.id}"),
        badges=join(
            severity_badge(pitfall.severity, language, compact=True),
            element("span", f"vLLM {state}", class_="tag") if state else None,
            separator=" ",
        ),
        text=join(inline(said(pitfall.symptom, language)), *lines, separator=" "),
        attributes=filter_attributes(
            severity=pitfall.severity, category=pitfall.category,
            version=biting_releases(library, pitfall), model=pitfall.affects.models,
        ),
    )  # fmt: skip
