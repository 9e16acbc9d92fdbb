"""The page of the law: every row it rests on, the tests that decide, and what speaks against it."""

from decimal import Decimal
from typing import NamedTuple

from macros.claims import compute
from macros.compositions import ceiling_of, composition_of, has_composition
from macros.functions import SPEED_FIELDS
from macros.law import (
    ALL_ENGINES,
    Law,
    Row,
    decode_tokens_per_s,
    error_summary,
    expected_tokens_per_s,
    law_for,
    laws,
    left_out_errors,
    load_of,
    rows,
)
from macros.ledger import LedgerError
from macros.library import Library
from macros.records import (
    Checkpoint,
    Experiment,
    Gain,
    Hardware,
    Measurement,
    PointReference,
)
from macros.rendering.bars import share_bar
from macros.rendering.blocks import answer
from macros.rendering.charts import Point as Mark
from macros.rendering.charts import linear_axis, scatter_plot
from macros.rendering.markup import EMPTY, Html, element, join
from macros.rendering.numbers import figure, percent, rounded
from macros.rendering.page import Page
from macros.rendering.parts import (
    blocks,
    heading,
    links,
    prose,
    record_link,
    said,
    source_line,
    sources,
    written,
)
from macros.rendering.runs import engine_name
from macros.rendering.tables import Column, data_table
from macros.rendering.tables import Row as TableRow
from macros.rendering.words import COLONS, COMMAS, word, words_of

PATH = "law.md"
HARDWARE = "dgx-spark"
MOST_SERIES = 6
BEFORE_US = (
    ("ai-muninn.com-en-blog-dgx-spark-nvfp4-compression-not-compute", "muninn"),
    ("namake-taro-vllm-custom", "namake"),
    ("nvidia-dgx-spark-playbooks-pr-91", "playbooks"),
    ("hf-gadflyii-qwen3-coder-next-nvfp4-discussion-5", "gadfly"),
    ("entrpi-qwen3.5-122b-a10b-on-spark", "entrpi"),
    ("6ixlabs-ai-dgpp-3df149b", "dgpp"),
)

T = {
    "title": {"en": "Bytes set the ceiling", "zh": "字节决定上限"},
    "headline": {
        "en": "Bytes set the ceiling and explain the factor between formats. Kernels and launches "
        "decide which {low} to {high} of it you get.",
        "zh": "字节决定上限，也解释了不同格式之间的倍数。"
        "内核与启动开销决定你能达到其中的 {low} 到 {high}。",
    },
    "reason": {
        "en": "Two numbers, a usable bandwidth and a time for each layer, describe {rows} points "
        "from {sources} sources, each of one request without drafts. When each source is "
        "predicted from the others, the median error is {error}.",
        "zh": "{sources} 个来源的 {rows} 个单请求、无草稿数据点，只用两个数就能说明：可用带宽，以"
        "及每层的固定时间。逐一用其余来源预测每个来源时，误差中位数为 {error}。",
    },
    "two_numbers": {"en": "Two numbers for each engine", "zh": "每个引擎两个数"},
    "formula": {
        "en": "The time of a step is its bytes over the usable bandwidth, plus a fixed time for "
        "each layer. The bytes come from the ledger; the two numbers are fitted to the rows "
        "below, each run counting once. The fixed time stands for launches and small kernels. The "
        "last two columns show the error for sources that the fit has not seen.",
        "zh": "一步的时间等于字节除以可用带宽，再加上每层的固定时间。字节来自账本，两个数由下表各"
        "行拟合，每次测试只计一次。固定时间代表启动开销与小内核。最后两列是拟合时未用到的来源的误"
        "差。",
    },
    "engine": {"en": "Engine", "zh": "引擎"},
    "all_engines": {"en": "All engines", "zh": "全部引擎"},
    "usable": {"en": "Usable bandwidth", "zh": "可用带宽"},
    "fixed": {"en": "Time per layer", "zh": "每层时间"},
    "points": {"en": "Points", "zh": "数据点"},
    "sources_count": {"en": "Sources", "zh": "来源"},
    "median_error": {"en": "Median error", "zh": "误差中位数"},
    "worst_error": {"en": "Worst error", "zh": "最大误差"},
    "left_median": {"en": "Unseen, median", "zh": "未见来源，中位数"},
    "left_worst": {"en": "Unseen, worst", "zh": "未见来源，最大"},
    "against_bytes": {"en": "Speed against bytes", "zh": "速度与字节"},
    "against_bytes_about": {
        "en": "Every point of one request without drafts, by the bytes of its step. The dashed "
        "curve is the ceiling at {bandwidth} GB/s.",
        "zh": "每个单请求、无草稿的数据点，横轴为一步的字节。虚线是带宽 {bandwidth} GB/s 时的上限"
        "。",
    },
    "against_expected": {"en": "Measured against expected", "zh": "实测与预期"},
    "against_expected_about": {
        "en": "The same points against what the law of their engine expects. On the dashed line "
        "both are equal.",
        "zh": "同样的数据点，横轴是按其引擎的定律预期的速度。落在虚线上表示两者相等。",
    },
    "ceiling_curve": {"en": "ceiling", "zh": "上限"},
    "equal_curve": {"en": "measured = expected", "zh": "实测 = 预期"},
    "bytes": {"en": "Read per step", "zh": "每步读取"},
    "measured": {"en": "Measured", "zh": "实测"},
    "expected": {"en": "Expected", "zh": "预期"},
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "share": {"en": "Share", "zh": "占上限"},
    "error": {"en": "Error", "zh": "误差"},
    "rows": {"en": "Every row", "zh": "全部数据点"},
    "rows_note": {
        "en": "One request, no drafts, one Spark, composition known. An error above 0 means that "
        "the engine was faster than expected.",
        "zh": "单个请求、无草稿、单台 Spark、组成已知。误差大于 0 表示引擎比预期更快。",
    },
    "above": {"en": "Points above their ceiling", "zh": "高于上限的数据点"},
    "above_note": {
        "en": "The law is not fitted to these points, because nothing can read their bytes that "
        "fast. Each record says why its point is not what it seems.",
        "zh": "拟合定律时不用这些点，因为没有什么能这么快读完这些字节。每个点为何名不副实，记录里"
        "都有说明。",
    },
    "above_none": {
        "en": "No point of one request without drafts is above its ceiling.",
        "zh": "没有一个单请求、无草稿的数据点高于自己的上限。",
    },
    "reservation": {"en": "Reservation", "zh": "保留意见"},
    "by_format": {"en": "Errors by format", "zh": "按格式看误差"},
    "format": {"en": "Format", "zh": "格式"},
    "mean_error": {"en": "Median error", "zh": "误差中位数"},
    "for": {
        "en": "What decides: tests that could have failed",
        "zh": "决定性的检验：结果本可能不利于定律",
    },
    "against": {"en": "What speaks against it", "zh": "不利的证据"},
    "against_note": {
        "en": "These are the facts that fit the law least, and how far each goes.",
        "zh": "以下是与定律最不相符的事实，以及各自能说明到什么程度。",
    },
    "gain": {"en": "Step", "zh": "变化"},
    "before": {"en": "Before", "zh": "之前"},
    "after": {"en": "After", "zh": "之后"},
    "by_bytes": {"en": "By bytes", "zh": "按字节"},
    "by_law": {"en": "By the law", "zh": "按定律"},
    "seen": {"en": "Measured", "zh": "实测"},
    "strength": {"en": "Strength", "zh": "强度"},
    "strong": {"en": "strong", "zh": "强"},
    "medium": {"en": "medium", "zh": "中"},
    "weak": {"en": "weak", "zh": "弱"},
    "others": {"en": "Who said it before", "zh": "谁先说过"},
    "others_note": {
        "en": "Others count bytes in public, too. This site is the first to do so systematically, "
        "with tests: every module of every checkpoint, compared with all measurements on record.",
        "zh": "公开按字节计算的不只我们。本站是第一个做得系统、并加以检验的："
        "每个检查点的每个模块都算清，再与收录的全部实测对照。",
    },
    "muninn": {
        "en": "The author of the 122B article later stated the rule as well, in part 32 of the "
        "series, and showed it on a model without GDN.",
        "zh": "122B 那篇文章的作者后来在系列第 32 篇亲自写下了这条规则，并用一个没有 GDN 的模型加"
        "以印证。",
    },
    "namake": {
        "en": "A table of bytes by layer for gpt-oss-120b, and the ceiling from it.",
        "zh": "gpt-oss-120b 的逐层字节表，以及由此得出的上限。",
    },
    "playbooks": {
        "en": "Derives a speed from the bytes of a step in NVIDIA’s own playbooks.",
        "zh": "在 NVIDIA 自己的 playbooks 中由一步的字节推出速度。",
    },
    "gadfly": {
        "en": "Names the ignore list of the quantization as the cause of a slow NVFP4 file.",
        "zh": "指出某个 NVFP4 文件之所以慢，是因为量化时的忽略列表。",
    },
    "entrpi": {
        "en": "Counts the bytes of each change on the 122B, and measures each on one machine.",
        "zh": "逐项计算 122B 每处改动的字节，并在同一台机器上逐项实测。",
    },
    "dgpp": {
        "en": "Counts the modules of the published 122B files from their headers.",
        "zh": "从文件头逐一统计已发布的 122B 文件的模块。",
    },
}  # fmt: skip


class Judged(NamedTuple):
    """A row of the law with what is derived from it; speeds in tokens a second."""

    row: Row
    measured: float
    ceiling: float
    expected: float

    @property
    def error(self) -> float:
        """Return measured over expected, less one."""
        return self.measured / self.expected - 1


_t = words_of(T)


def judged_rows(library: Library) -> list[Judged]:
    """Return every row of the law, the fastest first."""
    bandwidth = float(library.get(Hardware, HARDWARE).bandwidth_gb_per_s) * 1e9
    found = []
    for row in rows(library):
        law = law_for(library, row.engine)
        if law is None:
            continue
        expected = 1 / law.step_s(row.num_bytes, row.num_layers)
        found.append(Judged(row, 1 / row.step_s, bandwidth / row.num_bytes, expected))
    return sorted(found, key=lambda each: (-each.measured, each.row.run, each.row.point))


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of the law."""
    found = judged_rows(library)
    title = _t("title", language)
    if not found:
        return {}
    headline = _headline(found, language)
    parts = (
        f"# {title}",
        answer(headline=headline, reason=_reason(library, found, language), language=language),
        heading(_t("two_numbers", language), "law"),
        _t("formula", language),
        _laws(library, language),
        heading(_t("against_bytes", language), "picture"),
        speed_by_bytes(library, found, language),
        speed_by_expectation(library, found, language),
        heading(_t("for", language), "tests"),
        *_experiments(library, "for", language),
        heading(_t("against", language), "against"),
        _t("against_note", language),
        *_experiments(library, "against", language),
        heading(_t("rows", language), "rows"),
        _t("rows_note", language),
        _table(library, found, language),
        heading(_t("by_format", language), "formats"),
        _formats(library, found, language),
        heading(_t("above", language), "above"),
        _above(library, language),
        heading(_t("others", language), "others"),
        _t("others_note", language),
        _others(library, language),
    )
    return {PATH: Page(blocks(*parts), title, headline)}


def _headline(found: list[Judged], language: str) -> str:
    shares = [each.measured / each.ceiling for each in found]
    low, high = percent(min(shares)), percent(max(shares))
    return _t("headline", language, low=low, high=high)


def _reason(library: Library, found: list[Judged], language: str) -> str:
    whole = laws(library)[ALL_ENGINES]
    summary = error_summary(left_out_errors([each.row for each in found]).values())
    return _t(
        "reason", language, rows=len(found), sources=whole.num_sources,
        error=percent(summary[0], decimals=1) if summary else "–",
    )  # fmt: skip


def _engine(library: Library, engine: str, language: str) -> str:
    """Return how an engine or all of them are called."""
    if engine == ALL_ENGINES:
        return _t("all_engines", language)
    return engine_name(library, engine, language)


def _laws(library: Library, language: str) -> Html:
    points = rows(library)
    body = []
    for engine, law in laws(library).items():
        own = [row for row in points if engine in (ALL_ENGINES, row.engine)]
        left = error_summary(left_out_errors(own).values())
        body.append(_law_cells(library, engine, law, left, language))
    columns = [
        Column(_t("engine", language)),
        Column(_t("usable", language), "GB/s", number=True),
        Column(_t("fixed", language), "ms", number=True),
        Column(_t("points", language), number=True),
        Column(_t("sources_count", language), number=True),
        *(
            Column(_t(key, language), "%", number=True)
            for key in ("median_error", "worst_error", "left_median", "left_worst")
        ),
    ]
    return data_table(
        columns=columns, rows=body, caption=_t("two_numbers", language), language=language,
        show_caption=False,
    )  # fmt: skip


def _law_cells(
    library: Library, engine: str, law: Law, left: tuple[float, float] | None, language: str
) -> tuple[object, ...]:
    def share(value: float | None) -> str | None:
        return None if value is None else percent(value, decimals=1, unit=False)

    return (
        _engine(library, engine, language),
        rounded(law.usable_gb_per_s, decimals=0),
        rounded(law.fixed_ms_per_layer, decimals=3),
        str(law.num_rows),
        str(law.num_sources),
        share(law.median_error),
        share(law.worst_error),
        share(left[0] if left else None),
        share(left[1] if left else None),
    )


# Pictures --------------------------------------------------------------------------------------


def _marks(library: Library, found: list[Judged], language: str, *, expected: bool) -> list[Mark]:
    """Return one mark a run, its first point, by engine; the rarest engines stand together."""
    first = {each.row.run: each for each in reversed(found)}
    names = [_engine(library, each.row.engine, language) for each in first.values()]
    common = sorted(set(names), key=lambda name: (-names.count(name), name))[:MOST_SERIES]
    marks = []
    for each, name in zip(first.values(), names, strict=True):
        x = each.expected if expected else each.row.num_bytes / 1e9
        label = library.get(Checkpoint, each.row.checkpoint).name
        marks.append(
            Mark(round(x, 2), round(each.measured, 2), name, label, False,
                 f"/benchmarks/#{each.row.run}-{each.row.point}")
        )  # fmt: skip
    kept = [mark for mark in marks if mark.series in common]
    return sorted(kept, key=lambda mark: (common.index(mark.series), mark.x))


def speed_by_bytes(library: Library, found: list[Judged], language: str) -> Html:
    """Return measured speeds against the bytes of a step, under the curve of the ceiling."""
    marks = _marks(library, found, language, expected=False)
    bandwidth = float(library.get(Hardware, HARDWARE).bandwidth_gb_per_s)
    most = max(mark.y for mark in marks)
    return scatter_plot(
        marks,
        x_axis=linear_axis(_t("bytes", language), "GB", max(mark.x for mark in marks)),
        y_axis=linear_axis(_t("measured", language), "tok/s", most * 1.15),
        title=_t("against_bytes", language),
        description=_t("against_bytes_about", language, bandwidth=rounded(bandwidth, decimals=0)),
        language=language,
        curve=lambda gigabytes: bandwidth / gigabytes,
        curve_label=_t("ceiling_curve", language),
        note=_t("against_bytes_about", language, bandwidth=rounded(bandwidth, decimals=0)),
    )


def speed_by_expectation(library: Library, found: list[Judged], language: str) -> Html:
    """Return measured speeds against expected ones, beside the line where both are equal."""
    marks = _marks(library, found, language, expected=True)
    most = max(max(mark.x, mark.y) for mark in marks)
    return scatter_plot(
        marks,
        x_axis=linear_axis(_t("expected", language), "tok/s", most),
        y_axis=linear_axis(_t("measured", language), "tok/s", most),
        title=_t("against_expected", language),
        description=_t("against_expected_about", language),
        language=language,
        curve=lambda speed: speed,
        curve_label=_t("equal_curve", language),
        note=_t("against_expected_about", language),
    )


# Experiments -----------------------------------------------------------------------------------


def _experiments(library: Library, side: str, language: str) -> list[object]:
    own = [each for each in library.records(Experiment) if each.side == side]
    parts: list[object] = []
    for each in sorted(own, key=lambda each: (each.order, each.id)):
        values = {name: written(compute(library, computed, []), computed)
                  for name, computed in each.values.items()}  # fmt: skip
        parts += [
            heading(said(each.title, language), each.id, level=3),
            element(
                "p", f"{_t('strength', language)}{COLONS[language]}",
                element("b", _t(each.strength, language)), class_="data-note",
            ),
            prose(each.text, language, values),
            _gains(library, each, language),
            links(library, each.related, language),
            element("details", element("summary", word("source", language)),
                    sources(library, each, language), class_="behind"),
        ]  # fmt: skip
    return parts


class Change(NamedTuple):
    """What a gain changed: by bytes alone, by the law, and as measured; ratios less one."""

    by_bytes: float | None
    by_law: float | None
    seen: float


def speed_at(library: Library, place: PointReference) -> Decimal:
    """Return the speed of one request that a point states, the upper end of a range."""
    results = library.get(Measurement, place.measurement).points[place.point].results
    stated = (
        getattr(results, name) or results.ranges.get(name, [None, None])[1] for name in SPEED_FIELDS
    )
    return next(speed for speed in stated if speed is not None)


def predicted_at(library: Library, place: PointReference) -> tuple[float, float] | None:
    """Return (ceiling, expected speed) of a point under its own load, where they are known."""
    run = library.get(Measurement, place.measurement)
    load = load_of(run, run.points[place.point])
    law = law_for(library, run.engine.name)
    if load is None or law is None or not has_composition(library, run.checkpoint):
        return None
    try:
        found = ceiling_of(library, run.checkpoint or "", load, run.hardware)
    except LedgerError:
        return None
    composition = composition_of(library, run.checkpoint or "")
    expected = expected_tokens_per_s(law, composition, found, load)
    return found.ceiling_tokens_per_s, expected


def change_of(library: Library, gain: Gain) -> Change:
    """Return what the ledger and the law predict for a step, and what was measured."""
    before, after = predicted_at(library, gain.before), predicted_at(library, gain.after)
    seen = float(speed_at(library, gain.after) / speed_at(library, gain.before)) - 1
    if before is None or after is None:
        return Change(None, None, seen)
    return Change(after[0] / before[0] - 1, after[1] / before[1] - 1, seen)


def signed(ratio: float | None) -> str | None:
    """Return a change in percent with its sign."""
    if ratio is None:
        return None
    number = percent(ratio, decimals=0, unit=False)
    return number if number.startswith("−") or number == "0" else f"+{number}"


def _gains(library: Library, experiment: Experiment, language: str) -> Html:
    if not experiment.gains:
        return EMPTY

    def place(reference: PointReference) -> Html:
        return element(
            "a", figure(speed_at(library, reference)),
            href=f"/benchmarks/#{reference.measurement}-{reference.point}",
        )  # fmt: skip

    body = []
    for gain in experiment.gains:
        change = change_of(library, gain)
        body.append(
            (
                said(gain.title, language), place(gain.before), place(gain.after),
                signed(change.by_bytes), signed(change.by_law), signed(change.seen),
            )
        )  # fmt: skip
    return data_table(
        columns=[
            Column(_t("gain", language)),
            Column(_t("before", language), "tok/s", number=True),
            Column(_t("after", language), "tok/s", number=True),
            Column(_t("by_bytes", language), "%", number=True),
            Column(_t("by_law", language), "%", number=True),
            Column(_t("seen", language), "%", number=True),
        ],
        rows=body, caption=said(experiment.title, language), language=language, show_caption=False,
    )  # fmt: skip


# Tables ----------------------------------------------------------------------------------------


def _table(library: Library, found: list[Judged], language: str) -> Html:
    body = []
    for each in found:
        run = f"{each.row.run}-{each.row.point}"
        error = signed(each.error)
        body.append(
            TableRow(
                (
                    record_link(library, f"checkpoints/{each.row.checkpoint}", language),
                    _engine(library, each.row.engine, language),
                    rounded(each.row.num_bytes / 1e9, decimals=2),
                    rounded(each.ceiling, decimals=1),
                    rounded(each.expected, decimals=1),
                    element("a", rounded(each.measured, decimals=1), href=f"/benchmarks/#{run}"),
                    share_bar(each.measured / each.ceiling, language=language),
                    error,
                )
            )
        )
    return data_table(
        columns=[
            Column(word("checkpoint", language)),
            Column(_t("engine", language)),
            Column(_t("bytes", language), "GB", number=True),
            Column(_t("ceiling", language), "tok/s", number=True),
            Column(_t("expected", language), "tok/s", number=True),
            Column(_t("measured", language), "tok/s", number=True),
            Column(_t("share", language)),
            Column(_t("error", language), "%", number=True),
        ],
        rows=body, caption=_t("rows", language), language=language, show_caption=False,
        sortable=True,
    )  # fmt: skip


def _formats(library: Library, found: list[Judged], language: str) -> Html:
    """Return the errors by the format of the checkpoint, so that a bias of one shows."""
    groups: dict[str, list[float]] = {}
    for each in found:
        checkpoint = library.get(Checkpoint, each.row.checkpoint)
        groups.setdefault(checkpoint.quantization, []).append(each.error)
    body = []
    for name, errors in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        middle = sorted(errors)[len(errors) // 2]
        worst = max(errors, key=abs)
        body.append((name, str(len(errors)), signed(middle), signed(worst)))
    return data_table(
        columns=[
            Column(_t("format", language)),
            Column(_t("points", language), number=True),
            Column(_t("mean_error", language), "%", number=True),
            Column(_t("worst_error", language), "%", number=True),
        ],
        rows=body, caption=_t("by_format", language), language=language, show_caption=False,
    )  # fmt: skip


def points_above(library: Library) -> list[tuple[Measurement, int, float, float]]:
    """Return (run, point, speed, bound) of plain points of one request above their bound."""
    found = []
    for run in library.records(Measurement):
        if run.draft.method != "none" or not has_composition(library, run.checkpoint):
            continue
        for index, point in enumerate(run.points):
            load = load_of(run, point)
            speed = decode_tokens_per_s(point)
            if load is None or load.concurrency != 1 or speed is None:
                continue
            bound = ceiling_of(library, run.checkpoint or "", load, run.hardware)
            if speed > bound.highest_tokens_per_s:
                found.append((run, index, speed, bound.highest_tokens_per_s))
    return found


def _above(library: Library, language: str) -> Html:
    codes = library.single("terms").caveats
    body = []
    for run, index, speed, bound in points_above(library):
        own = [*run.caveats, *run.points[index].caveats]
        body.append(
            (
                record_link(library, f"checkpoints/{run.checkpoint}", language),
                _engine(library, run.engine.name, language),
                rounded(bound, decimals=1),
                element("a", rounded(speed, decimals=1), href=f"/benchmarks/#{run.id}-{index}"),
                COMMAS[language].join(said(codes[code].label, language) for code in own),
            )
        )
    table = data_table(
        columns=[
            Column(word("checkpoint", language)),
            Column(_t("engine", language)),
            Column(_t("ceiling", language), "tok/s", number=True),
            Column(_t("measured", language), "tok/s", number=True),
            Column(_t("reservation", language)),
        ],
        rows=body, caption=_t("above", language), language=language, show_caption=False,
        empty=_t("above_none", language),
    )  # fmt: skip
    return join(element("p", _t("above_note", language)) if body else EMPTY, table)


def _others(library: Library, language: str) -> Html:
    items = (
        element("li", _t(key, language), " ", source_line(library, source, language))
        for source, key in BEFORE_US
    )
    return join(element("ul", *items, class_="sources"))
