"""What the pages about the two articles call: figures, verdicts, the ladder, disagreements."""

from collections.abc import Callable

from macros import claims
from macros.compositions import ceiling_of
from macros.functions import call
from macros.law import context_of, kv_format_of
from macros.ledger import LedgerError, Load
from macros.library import Library
from macros.recipes import docker_run
from macros.records import Checkpoint, Claim, Measurement, Point, Recipe
from macros.rendering.badges import finding_badge, verdict_badge
from macros.rendering.bars import BarRow, byte_bar_group, share_bar
from macros.rendering.commands import command, faulty_command
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import figure, gigabytes, rounded, tokens_per_s
from macros.rendering.pages.claims import ARTICLES, VERDICTS, badges, subject_word
from macros.rendering.parts import inline, marks, plain_ceiling, record_link, segments, source_line
from macros.rendering.runs import draft_words, share_of_ceiling, speed_of_point
from macros.rendering.tables import Column, data_table
from macros.rendering.words import COMMAS, word, words_of

FIRST, SECOND = ARTICLES
T = {
    "step": {"en": "Configuration", "zh": "配置"},
    "read": {"en": "Read per step", "zh": "每步读取"},
    "change": {"en": "Change", "zh": "变化"},
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "measured": {"en": "Measured", "zh": "实测"},
    "share": {"en": "Of its ceiling", "zh": "占上限"},
    "gain": {"en": "Gain", "zh": "单步提升"},
    "ladder": {
        "en": "What each step changed in bytes: {span}", "zh": "每一步在字节上改变了什么：{span}",
    },
    "topic": {"en": "Topic", "zh": "主题"},
    "first": {"en": "122B article", "zh": "122B 文章"},
    "second": {"en": "Builder Daily", "zh": "Builder Daily"},
    "disagree": {"en": "Where the two articles disagree", "zh": "两篇文章相互矛盾之处"},
    "verdict": {"en": "Verdict today", "zh": "今天的判定"},
    "verdicts": {"en": "How their statements stand today", "zh": "两篇文章的说法今天是否成立"},
    "both": {"en": "Both", "zh": "合计"},
    "road": {"en": "What one token has to carry", "zh": "一个词元要搬多少"},
    "road_note": {
        "en": "One token, one request, empty context, no drafts; the same road for all.",
        "zh": "一个词元、单个请求、空上下文、无草稿；走的是同一条路。",
    },
    "findings": {"en": "What Diagnose says about this command", "zh": "诊断工具对这条命令的意见"},
    "place": {"en": "Part of the command", "zh": "命令中的位置"},
    "finding": {"en": "Finding", "zh": "问题"},
    "instead": {"en": "Instead", "zh": "应改为"},
    "pitfall": {"en": "Pitfall", "zh": "对应的坑"},
    "printed": {
        "en": "As printed, it stops at unknown flags. Without them it corrupts answers or leaves "
        "the system short of memory. The table below shows what is wrong with it, part by part.",
        "zh": "照原样运行，会停在不认识的参数上；去掉它们，又会破坏回答，或让系统内存吃紧。下面逐"
        "处列出问题。",
    },
}  # fmt: skip

_t = words_of(T)


def ladder(library: Library, language: str, *runs: str) -> Html:
    """Return runs as steps: bytes of a step and their change, measured speed, share and gain."""
    rows: list[list[object]] = []
    speeds: list[str] = []
    last_speed, last_bytes = None, None
    for run_id in runs:
        run = library.get(Measurement, run_id)
        point = run.points[0]
        speed = speed_of_point(point)
        if speed is None:
            raise ValueError(f"{run_id} states no speed")
        read = _bytes_of_step(library, run, point)
        share = share_of_ceiling(library, run, point)
        gain = None if last_speed is None else 100 * (float(speed.value) / last_speed - 1)
        change = None if None in (read, last_bytes) else (read - last_bytes) / 1e9
        drafts = draft_words(run.draft.method, run.draft.num_tokens, language)
        rows.append(
            [
                join(
                    record_link(library, f"checkpoints/{run.checkpoint}", language),
                    element("div", drafts, class_="data-note"),
                ),
                gigabytes(read, unit=False) if read else None,
                _signed(change, decimals=2),
                element("a", figure(speed.value), href=f"/benchmarks/#{run.id}"),
                share_bar(share, language=language) if share is not None else None,
                _signed(gain, decimals=1),
            ]
        )
        speeds.append(figure(speed.value))
        last_speed, last_bytes = float(speed.value), read
    span = f"{speeds[0]} → {tokens_per_s(speeds[-1])}"
    return data_table(
        columns=[
            Column(_t("step", language)),
            Column(_t("read", language), "GB", number=True),
            Column(_t("change", language), "GB", number=True),
            Column(_t("measured", language), "tok/s", number=True),
            Column(_t("share", language)),
            Column(_t("gain", language), "%", number=True),
        ],
        rows=rows, caption=_t("ladder", language).format(span=span), language=language,
    )  # fmt: skip


def _signed(value: float | None, *, decimals: int) -> str | None:
    if value is None:
        return None
    return f"{'+' if value > 0 else ''}{rounded(value, decimals=decimals)}"


def _bytes_of_step(library: Library, run: Measurement, point: Point) -> int | None:
    """Return what a step of a run reads, which does not depend on how many drafts are taken."""
    load = Load(context_of(point), point.concurrency or 1, kv_format_of(run))
    if run.draft.method in ("mtp", "dflash"):
        load = Load(
            load.context_tokens, load.concurrency, load.kv_format,
            run.draft.method, run.draft.num_tokens or 0,
        )  # fmt: skip
    try:
        return round(ceiling_of(library, run.checkpoint or "", load).bytes_per_step)
    except LedgerError:
        return None  # the file or its drafter is not known


def disagreements(library: Library, language: str) -> Html:
    """Return the pairs of claims in which the articles say different things, from the records."""

    def cell(claim: Claim) -> Html:
        quote = claim.quote
        return join(
            record_link(library, f"claims/{claim.id}", language),
            element("div", element("q", quote.text, lang=quote.language), class_="claim-quote")
            if quote
            else None,
            badges(claim, language),
            separator=" ",
        )

    pairs = claims.disagreements(library, FIRST, SECOND)
    return data_table(
        columns=[Column(_t("topic", language)), Column(_t("first", language)),
                 Column(_t("second", language))],
        rows=[(shared_subjects(one, other, language), cell(one), cell(other))
              for one, other in pairs],
        caption=_t("disagree", language), language=language, show_caption=False,
    )  # fmt: skip


def shared_subjects(one: Claim, other: Claim, language: str) -> str:
    """Return what two claims are both about, or all that they are about."""
    common = [each for each in one.subjects if each in other.subjects]
    named = common or sorted({*one.subjects, *other.subjects})
    return COMMAS[language].join(subject_word(each, language) for each in named)


def article_verdicts(library: Library, language: str) -> Html:
    """Return how many claims of each article got which verdict."""
    count = {
        (source, verdict): sum(
            claim.source == source and claim.verdict == verdict for claim in library.records(Claim)
        )
        for source in ARTICLES
        for verdict in VERDICTS
    }
    rows = [
        (verdict_badge(verdict, language), str(count[FIRST, verdict]), str(count[SECOND, verdict]),
         str(count[FIRST, verdict] + count[SECOND, verdict]))
        for verdict in VERDICTS
    ]  # fmt: skip
    totals = [sum(count[source, verdict] for verdict in VERDICTS) for source in ARTICLES]
    return data_table(
        columns=[Column(_t("verdict", language)), Column(_t("first", language), number=True),
                 Column(_t("second", language), number=True),
                 Column(_t("both", language), number=True)],
        rows=rows, footer=(word("total", language), *map(str, totals), str(sum(totals))),
        caption=_t("verdicts", language), language=language, show_caption=False,
    )  # fmt: skip


def road(library: Library, language: str, *checkpoint_ids: str) -> Html:
    """Return what a token carries over the same road, file by file: the road by bytes."""
    rows = []
    for checkpoint_id in checkpoint_ids:
        checkpoint = library.get(Checkpoint, checkpoint_id)
        answer = plain_ceiling(library, checkpoint)
        if answer is None:
            raise ValueError(f"{checkpoint_id} has no known composition")
        rows.append(
            BarRow(
                checkpoint.name, segments(answer.step), f"/checkpoints/{checkpoint.id}/",
                tokens_per_s(str(answer.ceiling_tokens_per_s), decimals=1),
                marks(checkpoint, language) or None,
            )
        )  # fmt: skip
    return byte_bar_group(
        rows=rows, caption=_t("road", language), language=language,
        figure_heading=_t("ceiling", language), note=_t("road_note", language),
    )  # fmt: skip


def stated(library: Library, claim_id: str) -> Html:
    """Return the figure of a claim as it was printed, linked to the claim."""
    value = library.get(Claim, claim_id).asserts.value
    if value is None or isinstance(value, bool):
        raise ValueError(f"{claim_id} states no figure")
    shown = value if isinstance(value, str) else figure(value)
    return element("a", shown, href=f"/claims/{claim_id}/")


def said(library: Library, claim_id: str) -> Html:
    """Return the words of a claim in their own language, linked to the claim."""
    quote = library.get(Claim, claim_id).quote
    if quote is None:
        raise ValueError(f"{claim_id} has no quotation")
    words = element("q", quote.text, lang=quote.language)
    return element("a", words, href=f"/claims/{claim_id}/", class_="said")


def faulty(library: Library, language: str, source: str, code: str) -> Html:
    """Return a command as an article prints it, marked as faulty, with what Diagnose finds."""
    from macros.diagnose import Diagnoser, knowledge  # loads a JavaScript engine

    found = Diagnoser(knowledge(library)).diagnose(code)["findings"]
    rows = [
        (
            element("code", finding["text"]),
            join(finding_badge(finding["severity"], language), " ",
                 inline(finding["message"][language])),
            inline(finding["fix"][language]),
            record_link(library, f"pitfalls/{finding['pitfall']}", language)
            if finding["pitfall"]
            else None,
        )
        for finding in found
    ]  # fmt: skip
    table = data_table(
        columns=[Column(_t("place", language)), Column(_t("finding", language)),
                 Column(_t("instead", language)), Column(_t("pitfall", language))],
        rows=rows, caption=_t("findings", language), language=language,
    )  # fmt: skip
    shown = faulty_command(
        code=code, why=_t("printed", language), language=language,
        source=source_line(library, source, language),
    )  # fmt: skip
    return Html(f"{shown}\n\n{table}")


def recipe_command(library: Library, recipe_id: str) -> Html:
    """Return the `docker run` form of a recipe."""
    recipe = library.get(Recipe, recipe_id)
    form = docker_run(recipe, library.get(Checkpoint, recipe.checkpoint))
    return command(code=form.text, syntax=form.syntax)


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return numbers, quotations, verdicts, the ladder and the road for pages of prose."""

    def number(function: str, decimals: int = 1, **inputs: object) -> str:
        value = call(library, function, inputs)
        return str(value) if isinstance(value, str) else rounded(float(value), decimals=decimals)

    return {
        "number": number,
        "stated": lambda claim: stated(library, claim),
        "said": lambda claim: said(library, claim),
        "article": lambda source: source_line(library, source, language),
        "article_verdicts": lambda: article_verdicts(library, language),
        "ladder": lambda *runs: ladder(library, language, *runs),
        "disagreements": lambda: disagreements(library, language),
        "road": lambda *checkpoints: road(library, language, *checkpoints),
        "faulty": lambda source, caller: faulty(library, language, source, caller().strip()),
        "recipe_command": lambda recipe: recipe_command(library, recipe),
    }
