"""The pages of claims: what was said, the check, the verdict, and why."""

import re
from collections.abc import Callable

from macros.claims import compute, judge_claim
from macros.library import Library
from macros.records import Claim, Faq, Pitfall, Source
from macros.rendering.badges import badge_legend, mark, verdict_badge
from macros.rendering.blocks import answer, quotation
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.markup import EMPTY, Html, element, join
from macros.rendering.numbers import day, figure, rounded
from macros.rendering.page import Page
from macros.rendering.parts import (
    blocks,
    heading,
    inline,
    links,
    prose,
    record_link,
    said,
    source_line,
    written,
)
from macros.rendering.tables import Column, Row, data_table, facts
from macros.rendering.words import COLONS, bracketed, word, words_of

VERDICTS = ("holds", "holds-with-condition", "superseded", "contradicted", "unverifiable")
T = {
    "lead": {
        "en": "Every statement, others' and ours, is a claim with a check. The verdict is computed "
        "from the check and from the records; if the data change, it changes.",
        "zh": "每一句话，无论出自他人还是我们自己，都是一条带检验的说法。判定由检验与记录计算得出；"
        "数据变了，判定也会变。",
    },
    "said": {"en": "What was said", "zh": "原话"},
    "asserted": {"en": "Stated", "zh": "所述"},
    "computed": {"en": "Computed", "zh": "算得"},
    "check": {"en": "How it is checked", "zh": "如何检验"},
    "function": {"en": "Function", "zh": "函数"},
    "inputs": {"en": "Inputs of the claim", "zh": "说法自带的输入"},
    "against": {"en": "Compared with", "zh": "对照的记录"},
    "requires": {"en": "Holds only if", "zh": "成立的条件"},
    "no_check": {
        "en": "Neither a function nor a record can check it.",
        "zh": "没有函数或记录可以检验。",
    },
    "limit": {"en": "stated as a limit", "zh": "作为上限提出"},
    "later": {"en": "Replaced by", "zh": "后来取代它的"},
    "related": {"en": "Related", "zh": "相关"},
    "disagrees": {"en": "Others say something else", "zh": "与之相左的说法"},
    "used": {"en": "Where this site builds on it", "zh": "本站哪里用到它"},
    "told": {"en": "In its article, part by part", "zh": "在文章中的位置"},
    "source": {"en": "Source", "zh": "出处"},
    "stated_on": {"en": "Stated on", "zh": "提出日期"},
    "claim": {"en": "Claim", "zh": "说法"},
    "verdict": {"en": "Verdict", "zh": "判定"},
    "article_said": {"en": "What it says", "zh": "文中的说法"},
    "today": {"en": "What holds today", "zh": "今天的事实"},
    "subject": {"en": "Subject", "zh": "主题"},
    "by": {"en": "Source", "zh": "来源"},
    "yes": {"en": "yes", "zh": "是"},
    "no": {"en": "no", "zh": "否"},
}  # fmt: skip
SUBJECTS = {
    "ceiling": {"en": "ceiling", "zh": "上限"},
    "kernels": {"en": "kernels", "zh": "内核"},
    "architecture": {"en": "architecture", "zh": "架构"},
    "formats": {"en": "formats", "zh": "格式"},
    "commands": {"en": "commands", "zh": "命令"},
    "advice": {"en": "advice", "zh": "建议"},
    "measurement": {"en": "measurement", "zh": "测量"},
    "startup": {"en": "startup", "zh": "启动"},
    "memory": {"en": "memory", "zh": "内存"},
    "moe-backend": {"en": "MoE backend", "zh": "MoE 后端"},
    "drafts": {"en": "drafts", "zh": "草稿"},
}
ARTICLES = {
    "seed-122b-article": "/articles/122b/",
    "seed-builder-daily": "/articles/builder-daily/",
}
FIRST_LINE = re.compile(r"lines? (\d+)")

_t = words_of(T)


def subject_word(subject: str, language: str) -> str:
    """Return the word of a topic; an unknown topic under its own name."""
    return SUBJECTS[subject][language] if subject in SUBJECTS else subject


def claim_values(library: Library, claim: Claim) -> dict[str, object]:
    """Return the computed placeholders of a claim's texts."""
    return {
        name: written(compute(library, value, claim.against), value)
        for name, value in claim.values.items()
    }


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return a page for each claim, and their filterable list."""
    made = {
        f"claims/{claim.id}.md": _page(library, claim, language) for claim in library.records(Claim)
    }
    made["claims/index.md"] = _index(library, language)
    return made


def badges(claim: Claim, language: str) -> Html:
    """Return the verdict, and the mark of our own inference."""
    inferred = mark("inferred", language) if claim.inferred else None
    return join(verdict_badge(claim.verdict, language), inferred, separator=" ")


def _page(library: Library, claim: Claim, language: str) -> Page:
    values = claim_values(library, claim)
    title = said(claim.title, language)
    parts: list[object] = [
        f"# {inline(title, values)}",
        answer(
            headline=join(verdict_badge(claim.verdict, language)),
            reason=_one_paragraph(said(claim.reason, language), values), language=language,
            badges=mark("inferred", language) if claim.inferred else None,
            dated=claim.reviewed_on,
        ),
        heading(_t("said", language), "said"),
    ]  # fmt: skip
    if claim.quote:
        cite = record_source(library, claim, language)
        parts.append(
            quotation(text=claim.quote.text, text_language=claim.quote.language, source=cite)
        )
    else:
        parts.append(element("p", record_source(library, claim, language)))
    parts.append(_facts(library, claim, language))
    if claim.check:
        parts += [heading(_t("check", language), "check"), _check(library, claim, language)]
    if claim.superseded_by:
        parts += [heading(_t("later", language), "later"),
                  links(library, claim.superseded_by, language)]  # fmt: skip
    for key, references in (
        ("disagrees", opposed_to(library, claim)), ("related", claim.related),
    ):  # fmt: skip
        if references:
            parts += [heading(_t(key, language), key), links(library, references, language)]
    if used := used_on(library, claim, language):
        parts += [heading(_t("used", language), "used"), element("ul", *used)]
    return Page(
        blocks(*parts), title, _description(claim, language, values),
        library.document(f"claims/{claim.id}").path,
    )  # fmt: skip


def opposed_to(library: Library, claim: Claim) -> list[str]:
    """Return the claims that a claim disagrees with, or that disagree with it."""
    own = f"claims/{claim.id}"
    others = {f"claims/{each.id}" for each in library.records(Claim) if own in each.disagrees_with}
    return sorted(others | set(claim.disagrees_with))


def used_on(library: Library, claim: Claim, language: str) -> list[Html]:
    """Return where the site builds on a claim: its article's page, and records that name it."""
    found = []
    if address := ARTICLES.get(claim.source):
        link = element("a", _t("told", language), href=f"{address}#{claim.id}")
        found.append(element("li", link))
    references = [f"models/{claim.asserts.subject.get('model')}"]
    for kind, record_class in (("faq", Faq), ("pitfalls", Pitfall)):
        references += [
            f"{kind}/{record.id}"
            for record in library.records(record_class)
            if f"claims/{claim.id}" in record.related
        ]
    named = (each for each in references if library.refer(each))
    return found + [element("li", record_link(library, each, language)) for each in named]


def _one_paragraph(text: str, values: dict[str, object]) -> Html:
    return inline(" ".join(text.split()) if "\n" in text else text, values)


def _description(claim: Claim, language: str, values: dict[str, object]) -> str:
    verdict = word(f"verdict.{claim.verdict}", language)
    text = f"{verdict}{COLONS[language]}{said(claim.reason, language)}"
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return " ".join(text.split())


def record_source(library: Library, claim: Claim, language: str) -> Html:
    """Return where a claim stands: its source and the place in it."""
    return source_line(library, claim.source, language, claim.locator)


def asserted(claim: Claim, language: str) -> object:
    """Return the asserted value as printed, with the quantity that names its unit."""
    value = claim.asserts.value
    if value is None:
        return None
    if isinstance(value, bool):
        return yes_or_no(value, language)
    shown = figure(value) if not isinstance(value, str) else value
    limit = bracketed(_t("limit", language), language) if claim.asserts.limit else ""
    return join(element("code", claim.asserts.quantity), " = ", shown, limit)


def yes_or_no(value: bool, language: str) -> str:
    """Return the word for a truth value."""
    return _t("yes" if value else "no", language)


def _facts(library: Library, claim: Claim, language: str) -> Html:
    entries: list[tuple[object, object]] = []
    if not (claim.check and isinstance(claim.asserts.value, bool)):  # else beside what is computed
        entries.append((_t("asserted", language), asserted(claim, language)))
    if claim.stated_on:
        entries.append((_t("stated_on", language), day(claim.stated_on, language)))
    return facts(entries, language=language) if entries else EMPTY


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return rounded(value, decimals=3)
    return str(value)


def _check(library: Library, claim: Claim, language: str) -> Html:
    judgement = judge_claim(library, claim)
    assert claim.check is not None
    inputs = ", ".join(f"{name} = {_shown(value)}" for name, value in claim.check.with_.items())
    computed: object = None
    if isinstance(judgement.computed, bool):
        computed = yes_or_no(judgement.computed, language)
    elif judgement.computed is not None:
        computed = element("code", _shown(judgement.computed))
    entries: list[tuple[object, object]] = [
        (_t("function", language), element("code", claim.check.function)),
        (_t("inputs", language), element("code", inputs) if inputs else None),
        (_t("computed", language), computed),
    ]
    if isinstance(claim.asserts.value, bool):
        entries.insert(2, (_t("asserted", language), asserted(claim, language)))
    if claim.requires:
        needed = ", ".join(f"{name} = {_shown(value)}" for name, value in claim.requires.items())
        entries.append((_t("requires", language), element("code", needed)))
    if claim.against:
        entries.append((_t("against", language), links(library, claim.against, language)))
    return facts(entries, language=language)


def claim_row(library: Library, claim: Claim, language: str, *, filtered: bool = False) -> Row:
    """Return a claim as a row: the claim, who said it, its verdict."""
    source = library.find(Source, claim.source)
    attributes: dict[str, object] = {"id": claim.id}
    if filtered:
        attributes |= filter_attributes(
            verdict=claim.verdict, subject=claim.subjects, source=claim.source
        )
    return Row(
        [
            record_link(library, f"claims/{claim.id}", language),
            element("span", source.title if source else claim.source,
                    lang=source.title_language if source else None),
            badges(claim, language),
        ],
        attributes,
    )  # fmt: skip


def _index(library: Library, language: str) -> Page:
    claims = list(library.records(Claim))
    title = word("section.claims", language)
    used = {subject for claim in claims for subject in claim.subjects}
    sources = {claim.source for claim in claims}
    found = {each: source for each in sources if (source := library.find(Source, each))}
    titles = {each: source.title for each, source in found.items()}
    languages = {each: source.title_language for each, source in found.items()}
    table = data_table(
        columns=[Column(_t("claim", language)), Column(_t("by", language)),
                 Column(_t("verdict", language))],
        rows=[claim_row(library, claim, language, filtered=True) for claim in claims],
        caption=title, language=language, show_caption=False,
    )  # fmt: skip
    facets = [
        Facet("verdict", _t("verdict", language),
              [(each, word(f"verdict.{each}", language)) for each in VERDICTS]),
        Facet("subject", _t("subject", language),
              sorted((each, subject_word(each, language)) for each in used)),
        Facet("source", _t("by", language), sorted(titles.items(), key=lambda pair: pair[1]),
              languages),
    ]  # fmt: skip
    body = filterable(name="claims", facets=facets, body=table, language=language)
    lead = _t("lead", language)
    counts = verdict_counts(library, language)
    legend = badge_legend(kind="verdict", language=language)
    return Page(blocks(f"# {title}", lead, counts, body, legend), title, lead)


def verdict_counts(library: Library, language: str, source: str | None = None) -> Html:
    """Return how many claims got which verdict, of all sources or one."""
    items = []
    for verdict in VERDICTS:
        number = sum(
            claim.verdict == verdict and source in (None, claim.source)
            for claim in library.records(Claim)
        )
        if number:
            items.append(element("li", verdict_badge(verdict, language), " ", str(number)))
    return element("ul", *items, class_="counts") if items else EMPTY


def line_of(claim: Claim) -> int:
    """Return the first line of the source that a claim's locator names, for order."""
    match = FIRST_LINE.search(claim.locator)
    return int(match.group(1)) if match else 10**6


def _caption(library: Library, claims: list[Claim], language: str) -> str:
    """Return a name for a table of claims that no other table on the page has."""
    first = said(claims[0].title, language).replace("`", "")
    for name, value in claim_values(library, claims[0]).items():
        first = first.replace(f"{{{name}}}", str(value))
    return f"{word('section.claims', language)}{COLONS[language]}{first}"


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return what the pages about the articles call."""

    def claims_of(source: str, *ids: str) -> str:
        """A table of an article's claims in its own order, or of the named ones."""
        own = [claim for claim in library.records(Claim) if claim.source == source]
        chosen = [claim for claim in own if not ids or claim.id in ids]
        if missing := set(ids) - {claim.id for claim in chosen}:
            raise ValueError(f"no such claims of {source}: {', '.join(sorted(missing))}")
        chosen.sort(key=lambda claim: ids.index(claim.id) if ids else line_of(claim))
        rows = []
        for claim in chosen:
            quote = (
                element("q", claim.quote.text, lang=claim.quote.language) if claim.quote else None
            )
            cells = (
                join(record_link(library, f"claims/{claim.id}", language),
                     element("div", quote, class_="claim-quote") if quote else None,
                     element("div", badges(claim, language), class_="claim-verdict")),
                prose(claim.reason, language, claim_values(library, claim)),
            )  # fmt: skip
            rows.append(Row(cells, {"id": claim.id}))
        return data_table(
            columns=[Column(_t("article_said", language)), Column(_t("today", language))],
            rows=rows, caption=_caption(library, chosen, language), language=language,
            show_caption=False, stacked=True,
        )  # fmt: skip

    def claim_counts(source: str) -> str:
        return verdict_counts(library, language, source)

    return {"claims_of": claims_of, "claim_counts": claim_counts}
