"""The calculator: the bytes of a step, the ceiling and the memory of any checkpoint and load."""

from macros.compositions import composition_of
from macros.law import expected_tokens_per_s, law_for
from macros.ledger import Load, resident_bytes
from macros.library import Library
from macros.records import Checkpoint, Model
from macros.rendering import forms
from macros.rendering.bars import MODULES, module_word
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import rounded
from macros.rendering.page import Page
from macros.rendering.pages import ledger_api
from macros.rendering.parts import (
    BAR_MODULES,
    blocks,
    checkpoints_of,
    heading,
    marks,
    plain_ceiling,
    record_link,
    said,
)
from macros.rendering.tables import Column, data_table
from macros.rendering.words import word, words_of

PATH = "calculator.md"
EXAMPLES = (
    ("checkpoint=intel-qwen3.5-122b-a10b-int4-autoround", ""),
    (
        "checkpoint=nvidia-qwen3.5-122b-a10b-nvfp4"
        "&format-gdn_in=fp8-block&format-gdn_out=fp8-block",
        "what_if",
    ),
)  # fmt: skip

T = {
    "title": {"en": "Calculator", "zh": "计算器"},
    "lead": {
        "en": "How many bytes a step reads, how fast that lets it be, and whether it fits: for "
        "any checkpoint and load, by the same ledger as on the rest of this site.",
        "zh": "一步要读取多少字节、因此最快多快、内存是否放得下：任选检查点与负载，与全站使用同一"
        "套账本。",
    },
    "empty": {
        "en": "Choose a model and a checkpoint.",
        "zh": "请选择模型与检查点。",
    },
    "ceiling": {"en": "Ceiling of one request", "zh": "单个请求的上限"},
    "aggregate": {"en": "Ceiling of all requests", "zh": "全部请求的上限"},
    "expected": {"en": "Expected in vLLM", "zh": "vLLM 预期"},
    "weights": {"en": "Weights alone would allow", "zh": "只算权重时"},
    "step": {"en": "Read per step", "zh": "每步读取"},
    "token": {"en": "Read per token", "zh": "每词元读取"},
    "of_all": {"en": "{value} for all requests", "zh": "全部请求合计 {value}"},
    "memory": {"en": "Memory", "zh": "内存"},
    "fits": {
        "en": "It fits: {total} of {capacity}.",
        "zh": "放得下：需要 {total}，可用 {capacity}。",
    },
    "not_fits": {
        "en": "It does not fit: {total} of {capacity}.",
        "zh": "放不下：需要 {total}，可用 {capacity}。",
    },
    "each_machine": {"en": "on each Spark", "zh": "每台"},
    "kv_unknown": {
        "en": "The KV cache of this model is not known; it is left out of all sums.",
        "zh": "此模型的 KV 缓存未知，未计入任何合计。",
    },
    "resident": {"en": "Weights in memory", "zh": "载入的权重"},
    "kv_kept": {"en": "KV cache kept", "zh": "KV 缓存占用"},
    "state_kept": {"en": "State kept", "zh": "状态占用"},
    "reserve": {"en": "Engine reserve", "zh": "引擎预留"},
    "reserve_range": {
        "en": "{middle}, logged {low} to {high}",
        "zh": "{middle}，记录为 {low} 到 {high}",
    },
    "max_context": {"en": "Longest context", "zh": "最长上下文"},
    "max_concurrency": {"en": "Most requests at once", "zh": "最多并发请求"},
    "utilization": {"en": "Memory fraction to pass", "zh": "应设的内存比例"},
    "kv_flag": {"en": "KV bytes to pass", "zh": "应设的 KV 字节数"},
    "what_if": {"en": "What if a module had another format?", "zh": "如果某个模块换一种格式？"},
    "what_if_note": {
        "en": "Change the format of a row. The bar, the ceiling and the memory follow.",
        "zh": "改变某一行的格式，条形图、上限与内存随之变化。",
    },
    "what_if_on": {
        "en": "What if (formats changed: {count}). As published, the ceiling is {speed}.",
        "zh": "假设：改变了 {count} 处格式。按发布时的格式，上限为 {speed}。",
    },
    "as_published": {"en": "As published", "zh": "恢复原格式"},
    "module": {"en": "Module", "zh": "模块"},
    "format": {"en": "Format", "zh": "格式"},
    "parameters": {"en": "Parameters", "zh": "参数量"},
    "million": {"en": "million", "zh": "百万"},
    "per_step": {"en": "Read per step", "zh": "每步读取"},
    "format_of": {"en": "Format of {module}", "zh": "{module} 的格式"},
    "share": {"en": "Share", "zh": "占比"},
    "to_checkpoint": {"en": "Page of this checkpoint", "zh": "此检查点的页面"},
    "to_judge": {"en": "Judge a measured speed", "zh": "判断实测速度"},
    "scenario": {"en": "scenario", "zh": "假设"},
    "link_note": {
        "en": "Several Sparks: the bytes are divided evenly. The link between the machines is "
        "left out, so the ceiling is somewhat too high.",
        "zh": "多台 Spark：字节平均分摊，未计入互联开销，因此上限会偏高。",
    },
    "example": {"en": "For example", "zh": "例如"},
    "example_what_if": {"en": "with FP8 instead of BF16 in GDN", "zh": "把 GDN 从 BF16 换成 FP8"},
    "all": {"en": "The ceiling of every checkpoint", "zh": "全部检查点的上限"},
    "all_note": {
        "en": "One request, empty context, no drafts, one Spark.",
        "zh": "单个请求、空上下文、无草稿、单台 Spark。",
    },
}  # fmt: skip

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of the calculator."""
    title, lead = _t("title", language), _t("lead", language)
    parts = (
        f"# {title}",
        lead,
        _tool(library, language),
        heading(_t("all", language), "all"),
        _t("all_note", language),
        _table(library, language),
    )
    return {PATH: Page(blocks(*parts), title, lead)}


def _tool(library: Library, language: str) -> Html:
    sentences = {key: _t(key, language) for key in T} | forms.load_errors(language)
    sentences |= {f"module_{name}": module_word(name, language) for name in MODULES}
    formats = library.single("formats").root
    sentences |= {f"format_{name}": said(each.name, language) for name, each in formats.items()}
    sentences |= {f"part_{part}": name for part, name in BAR_MODULES.items()}
    sentences |= {name: word(name, language) for name in ("total", "unknown", "tokens")}
    form = forms.form(
        *forms.checkpoint_fields(library, language),
        *forms.load_fields(library, language),
        label=_t("title", language),
        language=language,
    )
    return join(
        forms.tool(
            name="calculator", data_href=f"/{ledger_api.PATH}", form=form, result=_result(language),
            sentences=sentences, language=language, data_modules=" ".join(MODULES),
            data_judge="../judge/", data_checkpoints="../checkpoints/",
        ),
        _examples(library, language),
    )  # fmt: skip


def _result(language: str) -> Html:
    """Return the places that the script fills."""
    return join(
        element("div", data_answer=True, aria_live="polite"),
        element("div", data_bar=True),
        element("h2", _t("what_if", language), id="what-if"),
        element("p", _t("what_if_note", language)),
        element("div", data_modules=True),
        element("h2", _t("memory", language), id="memory"),
        element("div", data_memory=True),
    )


def _examples(library: Library, language: str) -> Html:
    """Return links that fill the form, for checkpoints that are on record."""
    made = []
    for query, key in EXAMPLES:
        record = library.find(Checkpoint, query.split("&")[0].removeprefix("checkpoint="))
        if record is None:
            continue
        label = f"{record.name} {_t('example_what_if', language)}" if key else record.name
        made.append(element("li", element("a", label, href=f"?{query}")))
    if not made:
        return Html("")
    return element(
        "div",
        element("p", _t("example", language)),
        element("ul", *made),
        class_="tool-examples",
    )


def _table(library: Library, language: str) -> Html:
    law = law_for(library, "vllm")
    rows = []
    for model in sorted(library.records(Model), key=lambda each: each.name.casefold()):
        for checkpoint in checkpoints_of(library, model.id):
            found = plain_ceiling(library, checkpoint)
            if found is None:
                continue
            composition = composition_of(library, checkpoint.id)
            expected = expected_tokens_per_s(law, composition, found, Load()) if law else None
            name = join(record_link(library, f"checkpoints/{checkpoint.id}", language),
                        marks(checkpoint, language), separator=" ")  # fmt: skip
            rows.append(
                (
                    name,
                    model.name,
                    rounded(found.bytes_per_step / 1e9, decimals=2),
                    rounded(found.ceiling_tokens_per_s, decimals=1),
                    rounded(expected, decimals=0) if expected else None,
                    rounded(resident_bytes(composition, draft=False) / 2**30, decimals=1),
                )
            )
    return data_table(
        columns=[
            Column(word("checkpoint", language)),
            Column(forms.T["model"][language]),
            Column(_t("token", language), "GB", number=True),
            Column(word("ceiling", language), "tok/s", number=True),
            Column(_t("expected", language), "tok/s", number=True),
            Column(_t("resident", language), "GiB", number=True),
        ],
        rows=rows, caption=_t("all", language), language=language, show_caption=False,
        sortable=True,
    )  # fmt: skip
