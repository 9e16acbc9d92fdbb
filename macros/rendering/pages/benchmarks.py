"""All measured points: one compact file, the table over it, and an anchor for every run."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from macros.best import evidence_of_points
from macros.compositions import ceiling_of, composition_of, has_composition
from macros.law import context_of, engine_family, expected_tokens_per_s, law_for, load_of
from macros.ledger import LedgerError
from macros.library import Library
from macros.records import Checkpoint, Engine, Measurement, Model, Point, Results, Source
from macros.rendering import forms
from macros.rendering.badges import evidence_badge
from macros.rendering.blocks import draft_words
from macros.rendering.markup import EMPTY, Html, element, join
from macros.rendering.numbers import day, figure
from macros.rendering.page import Page
from macros.rendering.pages.ledger_api import compact
from macros.rendering.parts import blocks, prose
from macros.rendering.runs import (
    checkpoint_words,
    dated,
    engine_words,
    speed_of_point,
)
from macros.rendering.words import word, words_of, words_under

PATH = "benchmarks.md"
DATA_PATH = "api/v1/benchmarks.json"
DRAFTS = ("none", "mtp", "dflash", "dspark", "eagle3", "ngram", "unknown")
EVIDENCE = ("measured", "reproduced", "reported", "documented", "claimed")
FACETS = (
    "model", "checkpoint", "format", "engine", "version", "draft", "concurrency", "context",
    "content", "since", "evidence", "nodes",
)  # fmt: skip
COLUMNS = (
    "checkpoint", "decode", "e2e", "unspecified", "together", "peak", "prefill", "ttft", "tpot",
    "concurrency", "context", "draft", "acceptance", "engine", "model", "format", "content",
    "nodes", "date", "evidence",
)  # fmt: skip

T = {
    "title": {"en": "Benchmarks", "zh": "实测"},
    "lead": {
        "en": "{points} points of {runs} runs, each with its conditions, its source and its share "
        "of the ceiling. Different kinds of speed never share a column.",
        "zh": "{runs} 次测试共 {points} 个数据点，均附条件、来源与占上限的比例。口径不同的速度不放"
        "在同一列。",
    },
    "tool": {"en": "Table of all points", "zh": "全部数据点"},
    "empty": {
        "en": "No point meets all conditions. Remove a filter or clear all.",
        "zh": "没有数据点符合全部条件。请去掉一个条件，或全部清除。",
    },
    "count": {"en": "{shown} of {total} points", "zh": "显示 {shown} 个数据点，共 {total} 个"},
    "page": {"en": "Page {page} of {pages}", "zh": "第 {page} 页，共 {pages} 页"},
    "previous": {"en": "Previous", "zh": "上一页"},
    "next": {"en": "Next", "zh": "下一页"},
    "columns": {"en": "Columns", "zh": "显示的列"},
    "csv": {"en": "Save as CSV", "zh": "存为 CSV"},
    "compare": {"en": "Compare", "zh": "比较"},
    "compare_this": {"en": "Compare {name}", "zh": "比较 {name}"},
    "compare_hint": {
        "en": "Tick two rows to compare them side by side.",
        "zh": "勾选两行即可并排比较。",
    },
    "compare_one": {
        "en": "One row is ticked; tick another one.",
        "zh": "已勾选一行，请再勾选一行。",
    },
    "compare_open": {"en": "Compare both", "zh": "比较这两行"},
    "compare_drop": {"en": "Untick", "zh": "取消勾选"},
    "differs": {"en": "differs", "zh": "不同"},
    "close": {"en": "Close", "zh": "关闭"},
    "details_of": {"en": "Details of {name}", "zh": "{name} 的详情"},
    "not_found": {
        "en": "The address names a run that is not on record: {run}.",
        "zh": "网址所指的测试未收录：{run}。",
    },
    "over_ceiling": {
        "en": "of the ceiling with independent routing; tokens that share experts can exceed it",
        "zh": "占独立路由时上限的比例；多个词元选中同一专家时，可以超过这个上限",
    },
    "unit_tokens": {"en": "tokens", "zh": "词元"},
    "col_checkpoint": {"en": "Checkpoint", "zh": "检查点"},
    "col_model": {"en": "Model", "zh": "模型"},
    "col_format": {"en": "Format", "zh": "格式"},
    "col_engine": {"en": "Engine", "zh": "引擎"},
    "col_version": {"en": "Version", "zh": "版本"},
    "col_nodes": {"en": "Sparks", "zh": "台数"},
    "col_concurrency": {"en": "Concurrency", "zh": "并发"},
    "col_context": {"en": "Context", "zh": "上下文"},
    "col_draft": {"en": "Drafts", "zh": "草稿"},
    "col_acceptance": {"en": "Acceptance length", "zh": "接受长度"},
    "col_content": {"en": "Content", "zh": "内容"},
    "col_decode": {"en": "Decode only", "zh": "仅解码"},
    "col_e2e": {"en": "End to end", "zh": "端到端"},
    "col_unspecified": {"en": "Meaning not stated", "zh": "口径未说明"},
    "col_together": {"en": "All together", "zh": "合计"},
    "col_peak": {"en": "Peak", "zh": "峰值"},
    "col_prefill": {"en": "Prefill", "zh": "预填充"},
    "col_ttft": {"en": "TTFT", "zh": "TTFT"},
    "col_tpot": {"en": "TPOT", "zh": "TPOT"},
    "col_date": {"en": "Date", "zh": "日期"},
    "col_since": {"en": "Measured since", "zh": "测量日期不早于"},
    "col_evidence": {"en": "Evidence", "zh": "证据"},
    "d_conditions": {"en": "Conditions", "zh": "条件"},
    "pair": {"en": "{term}: {value}", "zh": "{term}：{value}"},
    "d_results": {"en": "Results as stated", "zh": "结果（按来源所述）"},
    "d_server": {"en": "Server", "zh": "服务"},
    "d_caveats": {"en": "Reservations", "zh": "保留意见"},
    "d_note": {"en": "Note", "zh": "说明"},
    "d_sources": {"en": "Sources", "zh": "来源"},
    "d_points": {"en": "All points of this run", "zh": "此次测试的全部数据点"},
    "d_input": {"en": "Prompt", "zh": "输入"},
    "d_output": {"en": "Output", "zh": "输出"},
    "d_cached": {"en": "Cached before the prompt", "zh": "输入前已缓存"},
    "d_kv_pool": {"en": "KV pool", "zh": "KV 池"},
    "d_ceiling": {"en": "Ceiling of one request", "zh": "单个请求的上限"},
    "d_expected": {"en": "Expected", "zh": "预期"},
    "d_image": {"en": "Image", "zh": "镜像"},
    "d_build": {"en": "Build", "zh": "构建"},
    "d_arguments": {"en": "Arguments", "zh": "参数"},
    "d_environment": {"en": "Environment", "zh": "环境变量"},
    "d_as_stated": {"en": "As the source says", "zh": "来源原文"},
    "d_tool": {"en": "Tool", "zh": "测量工具"},
    "d_counting": {"en": "Tokens counted by", "zh": "词元计数方式"},
    "d_drafter": {"en": "Drafter", "zh": "草稿模型"},
    "d_parallelism": {"en": "Parallelism", "zh": "并行方式"},
    "d_duplicates": {"en": "Probably the same server", "zh": "可能是同一服务"},
    "d_contradicts": {"en": "Contradicts", "zh": "与此矛盾"},
    "d_replaced": {"en": "Replaced by", "zh": "已被取代"},
    "d_judge": {"en": "Judge this speed", "zh": "判断这个速度"},
    "d_calculate": {"en": "Calculate its ceiling", "zh": "计算其上限"},
    "counting_usage": {"en": "usage field", "zh": "usage 字段"},
    "counting_stream_chunks": {"en": "stream chunks", "zh": "流式数据块"},
    "counting_unknown": {"en": "not stated", "zh": "未说明"},
    "all_runs": {"en": "All runs by model", "zh": "按模型列出的全部测试"},
    "tables": {
        "en": "Each model page has its points as a table.",
        "zh": "各模型页面以表格列出其数据点。",
    },
}  # fmt: skip

_t = words_of(T)


# Data ------------------------------------------------------------------------------------------


def files(library: Library) -> dict[str, str]:
    """Return the file with every point, run and source."""
    return {DATA_PATH: compact(data(library))}


def data(library: Library) -> dict[str, Any]:
    """Return runs as objects and their points as columns; stated figures keep their decimals."""
    runs = sorted(library.records(Measurement), key=lambda run: (dated(run), run.id), reverse=True)
    used = {each.source for run in runs for each in run.provenance}
    return {
        "models": {each.id: each.name for each in library.records(Model)},
        "engines": {
            each.id: {"name": each.name, "family": engine_family(library, each.id)}
            for each in library.records(Engine)
        },
        "sources": {
            each.id: _filled(
                {"title": each.title, "url": each.url, "publisher": each.publisher,
                 "on": _plain(each.published_on)}
            )
            for each in library.records(Source)
            if each.id in used
        },
        "runs": [_run(library, run) for run in runs],
        "points": _columns(_point(library, i, run, index, point)
                           for i, run in enumerate(runs) for index, point in enumerate(run.points)),
    }  # fmt: skip


def _run(library: Library, run: Measurement) -> dict[str, Any]:
    checkpoint = library.find(Checkpoint, run.checkpoint)
    return _filled(
        {
            "id": run.id,
            "model": run.model,
            "checkpoint": run.checkpoint,
            "name": checkpoint_words(library, run),
            "format": checkpoint.quantization if checkpoint else None,
            "nodes": run.num_nodes,
            "parallelism": run.parallelism,
            "on": _plain(run.measured_on),
            "engine": run.engine.name,
            "version": run.engine.version,
            "build": run.engine.build,
            "image": run.engine.image,
            "arguments": _plain(run.engine.arguments),
            "environment": _plain(run.engine.environment),
            "engine_as_stated": run.engine.arguments_as_stated,
            "draft": run.draft.method,
            "draft_tokens": run.draft.num_tokens,
            "drafter": run.draft.drafter,
            "draft_as_stated": run.draft.as_stated,
            "counting": run.counting,
            "metric_as_stated": run.metric_as_stated,
            "tool": run.tool,
            "caveats": run.caveats,
            "caveat_as_stated": run.caveat_as_stated,
            "noted": run.note is not None,
            "duplicates": run.duplicates,
            "contradicts": run.contradicts,
            "replaced": run.superseded_by,
            "evidence": evidence_of_points(run),
            "sources": [[each.source, each.locator, each.evidence] for each in run.provenance],
        }
    )


def _point(
    library: Library, run_index: int, run: Measurement, index: int, point: Point
) -> dict[str, Any]:
    stated = (point.context_tokens, point.input_tokens, point.output_tokens)
    results = {
        name: str(value)
        for name in Results.model_fields
        if name != "ranges" and (value := getattr(point.results, name)) is not None
    }
    ceiling, expected = _derived(library, run, point)
    return {
        "run": run_index,
        "index": index,
        "concurrency": point.concurrency,
        "context": None if stated == (None, None, None) else context_of(point),
        "cached": point.context_tokens,
        "input": point.input_tokens,
        "output": point.output_tokens,
        "content": point.content,
        "content_as_stated": point.content_as_stated,
        "load_as_stated": point.load_as_stated,
        "acceptance": _plain(point.acceptance_length),
        "kv_pool": point.kv_cache_tokens,
        "caveats": point.caveats or None,
        "caveat_as_stated": point.caveat_as_stated,
        "ranges": {n: [str(v) for v in pair] for n, pair in point.results.ranges.items()} or None,
        "ceiling": ceiling,
        "expected": expected,
        **results,
    }


def _derived(library: Library, run: Measurement, point: Point) -> tuple[float | None, float | None]:
    """Return ceiling and expected speed of one request under the point's load, where known."""
    load = load_of(run, point)
    if load is None or not has_composition(library, run.checkpoint):
        return None, None
    try:
        answer = ceiling_of(library, run.checkpoint or "", load, run.hardware)
    except LedgerError:
        return None, None
    law = law_for(library, run.engine.name)
    composition = composition_of(library, run.checkpoint or "")
    expected = expected_tokens_per_s(law, composition, answer, load) if law else None
    return round(answer.ceiling_tokens_per_s, 3), None if expected is None else round(expected, 2)


def _columns(points: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return rows as columns; a column that no row fills is left out."""
    rows = list(points)
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    return {
        name: values for name, values in columns.items() if any(v is not None for v in values)
    }  # fmt: skip


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    """Return the entries that say something."""
    return {k: v for k, v in values.items() if v not in (None, [], {}, False)}


def _plain(value: Any) -> Any:
    """Return a value as JSON can carry it; decimals as text, so that none is lost."""
    match value:
        case Decimal():
            return str(value)
        case dict():
            return {name: _plain(each) for name, each in value.items()}
        case list():
            return [_plain(each) for each in value]
        case None | bool() | int() | str():
            return value
        case _:
            return value.isoformat()


# Pages -----------------------------------------------------------------------------------------


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of all benchmarks."""
    runs = list(library.records(Measurement))
    num_points = sum(len(run.points) for run in runs)
    title = _t("title", language)
    lead = _t("lead", language, points=num_points, runs=len(runs))
    parts = (f"# {title}", lead, _tool(library, language), _all_runs(library, runs, language))
    return {PATH: Page(blocks(*parts), title, lead)}


def _tool(library: Library, language: str) -> Html:
    sentences = {key: _t(key, language) for key in T if key not in ("title", "lead")}
    sentences["engine_not_stated"] = word("engine.not_stated", language)
    sentences |= {f"draft_{each}": draft_words(each, None, language) for each in DRAFTS}
    sentences |= {
        f"evidence_{each}": word(f"evidence.{each}", language) for each in EVIDENCE
    } | {
        f"evidence_{each}_meaning": word(f"evidence.{each}.meaning", language) for each in EVIDENCE
    }  # fmt: skip
    for kind in ("metric", "content"):
        sentences |= {
            f"{kind}_{name}": word(f"{kind}.{name}", language) for name in words_under(kind)
        }
    names = ("unknown", "any", "of_ceiling", "not_stated", "tokens", "no_address")
    sentences |= {name: word(name, language) for name in names}
    for code, caveat in library.single("terms").caveats.items():
        sentences[f"caveat_{code}"] = caveat.label.en if language == "en" else caveat.label.zh
        text = caveat.explanation.en if language == "en" else caveat.explanation.zh
        sentences[f"caveat_{code}_meaning"] = text
    form = forms.form(
        element(
            "p",
            element("label", word("filter_text", language), for_="field-text"),
            element("input", type="search", id="field-text", name="text", autocomplete="off"),
            class_="filter-text",
        ),
        *(
            forms.field(name, _t(f"col_{name}", language),
                        forms.choice(name, [("", word("any", language))]))
            for name in FACETS
        ),
        label=_t("tool", language),
        language=language,
    )  # fmt: skip
    return forms.tool(
        name="benchmarks", data_href=f"/{DATA_PATH}", form=form, result=_result(language),
        sentences=sentences, language=language, data_models="../models/",
        data_checkpoints="../checkpoints/", data_judge="../judge/",
        data_calculator="../calculator/",
    )  # fmt: skip


def _result(language: str) -> Html:
    """Return the places that the script fills."""
    boxes = (
        element(
            "label",
            element("input", type="checkbox", name="column", value=name),
            element("span", _t(f"col_{name}", language)),
            class_="chip",
        )
        for name in COLUMNS
    )
    return join(
        element(
            "div",
            element("p", role="status", data_count=True),
            element("button", _t("csv", language), type="button", class_="button", data_csv=True),
            element(
                "details",
                element("summary", _t("columns", language)),
                element("div", *boxes, role="group", aria_label=_t("columns", language)),
                class_="behind columns",
                data_columns=True,
            ),
            class_="points-bar",
        ),
        element("p", data_compare=True, class_="points-compare", role="status"),
        element(
            "div", class_="data-scroll points", role="region", tabindex="0",
            aria_label=_t("tool", language), data_table=True,
        ),
        element("div", class_="points-pages", data_pages=True),
        element("dialog", class_="md-typeset run-dialog", data_dialog=True),
    )  # fmt: skip


def _all_runs(library: Library, runs: list[Measurement], language: str) -> Html:
    """Return every run with its anchor; the script hides the list and opens runs itself."""
    parts: list[object] = []
    for model in sorted(library.records(Model), key=lambda each: each.name.casefold()):
        own = [run for run in runs if run.model == model.id]
        if not own:
            continue
        parts.append(
            element("h3", element("a", model.name, href=f"/models/{model.id}/#measurements"))
        )
        parts.append(element("ul", *(_static_run(library, run, language) for run in own)))
    return element(
        "section",
        element("h2", _t("all_runs", language)),
        element("p", _t("tables", language)),
        *parts,
        class_="all-runs",
        data_static_runs=True,
        data_search_exclude=True,
    )  # fmt: skip


def _static_run(library: Library, run: Measurement, language: str) -> Html:
    on = day(run.measured_on, language) if run.measured_on else word("not_stated", language)
    head = (
        element("b", checkpoint_words(library, run)),
        engine_words(library, run, language),
        draft_words(run.draft.method, run.draft.num_tokens, language),
        on,
        evidence_badge(evidence_of_points(run), language, compact=True),
    )
    notes = [prose(each.note, language) for each in (run, *run.points) if each.note]
    return element(
        "li",
        join(*head, separator=" · "),
        element("br"),
        join(*(_static_point(run, i, p, language) for i, p in enumerate(run.points)),
             separator=" · "),
        element("div", *notes, data_note=run.id) if notes else EMPTY,
        id=run.id,
    )  # fmt: skip


def _static_point(run: Measurement, index: int, point: Point, language: str) -> Html:
    speed = speed_of_point(point)
    identity = f"{run.id}-{index}"
    if speed is None:
        return element("span", word("unknown", language), id=identity)
    load = "" if point.concurrency is None else f" ×{point.concurrency}"
    text = f"{figure(speed.value)}\u00a0tok/s {word(f'metric.{speed.field}', language)}{load}"
    return element("a", text, href=f"/models/{run.model}/#{identity}", id=identity)
