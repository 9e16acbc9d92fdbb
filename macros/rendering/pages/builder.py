"""The builder: model, purpose, format and options lead to a command that is a recipe's own."""

from typing import Any

from macros.ledger import Load
from macros.library import Library
from macros.memory import fit
from macros.plans import draft_of, is_known, kv_format_of, served_checkpoint, start_limit
from macros.recipes import (
    OF_THE_FORM,
    Form,
    container_name,
    forms,
    line_templates,
    spelled,
)
from macros.records import Checkpoint, Hardware, Model, Recipe
from macros.rendering import forms as fields
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import gibibytes
from macros.rendering.page import Page
from macros.rendering.pages import ledger_api
from macros.rendering.pages import recipes as recipe_pages
from macros.rendering.parts import blocks, inline, record_link, said
from macros.rendering.words import words_of

PATH = "builder.md"
DATA = "api/v1/builder.json"
CONTEXTS = (8192, 16384, 32768, 65536, 131072, 262144)
REQUESTS = (1, 2, 4, 8, 16, 32, 64)
FLAGS = {
    "vllm": {
        "context": "--max-model-len", "requests": "--max-num-seqs",
        "drafts": "--speculative-config", "caching": "--enable-prefix-caching",
        "text": "--language-model-only", "tools": "--enable-auto-tool-choice",
        "parser": "--tool-call-parser", "kv": "--kv-cache-dtype",
        "fraction": "--gpu-memory-utilization",
    },
    "llama.cpp": {"context": "--ctx-size", "requests": "--parallel"},
}  # fmt: skip

T = {
    "title": {"en": "Build a command", "zh": "生成命令"},
    "lead": {
        "en": "Choose a model and what you need it for. The command comes from a recipe. Your "
        "changes are marked; options that cannot work are disabled, with the reason.",
        "zh": "选择模型与用途。命令取自配方本身；改动之处会标出，行不通的选项会关闭并说明原因。",
    },
    "empty": {"en": "Choose a model.", "zh": "请选择模型。"},
    "model": {"en": "Model", "zh": "模型"},
    "purpose": {"en": "Purpose", "zh": "用途"},
    "recipe": {"en": "Format", "zh": "格式"},
    "form": {"en": "Form", "zh": "形式"},
    "context": {"en": "Longest context", "zh": "最长上下文"},
    "requests": {"en": "Requests at once", "zh": "并发请求"},
    "drafts": {"en": "MTP or DFlash drafts", "zh": "MTP 或 DFlash 草稿"},
    "caching": {"en": "Prefix caching", "zh": "前缀缓存"},
    "input": {"en": "Input", "zh": "输入"},
    "tools": {"en": "Tool calls", "zh": "工具调用"},
    "kv": {"en": "KV cache", "zh": "KV 缓存"},
    "network": {"en": "Who may connect", "zh": "谁可以访问"},
    "on": {"en": "on", "zh": "开"},
    "off": {"en": "off", "zh": "关"},
    "text": {"en": "text only", "zh": "仅文本"},
    "images": {"en": "text and images", "zh": "文本与图像"},
    "local": {"en": "this machine only", "zh": "仅本机"},
    "open": {"en": "the network, with a key", "zh": "网络（需密钥）"},
    "kv_auto": {"en": "BF16", "zh": "BF16"},
    "kv_fp8": {"en": "FP8", "zh": "FP8"},
    "no_purpose": {"en": "{name}: no recipe yet", "zh": "{name}：还没有配方"},
    "no_recipe": {"en": "{name}: no recipe yet", "zh": "{name}：还没有配方"},
    "too_big": {
        "en": "{name}: {size} of weights do not fit one Spark",
        "zh": "{name}：权重 {size}，单台 Spark 放不下",
    },
    "why_no_drafts": {
        "en": "This recipe has no drafts. Choose a recipe with MTP to use them.",
        "zh": "此配方不带草稿。需要时请选择带 MTP 的配方。",
    },
    "why_caching": {
        "en": "MTP drafts and prefix caching together corrupt the answers of this architecture. "
        "Switch one of them off.",
        "zh": "在这种架构上，MTP 草稿与前缀缓存同开会破坏回答。请先关掉其中一个。",
    },
    "why_images": {
        "en": "This model reads text only.",
        "zh": "此模型只读文本。",
    },
    "why_engine": {
        "en": "This engine does not offer this option here.",
        "zh": "此引擎在这里没有这个选项。",
    },
    "why_parser": {
        "en": "The recipe names no parser for tool calls.",
        "zh": "此配方没有给出工具调用的解析器。",
    },
    "why_kv": {
        "en": "The recipe keeps BF16; FP8 fails with some of these models on this machine.",
        "zh": "配方保持 BF16；在这台机器上，其中一些模型用 FP8 会失败。",
    },
    "why_model_end": {
        "en": "{value}: the model's limit is {most}",
        "zh": "{value}：模型上限为 {most}",
    },
    "why_memory": {
        "en": "{value}: needs {needed} of {capacity}",
        "zh": "{value}：需要 {needed}，可用 {capacity}",
    },
    "changed": {"en": "Changed from the recipe", "zh": "与配方不同之处"},
    "unchanged": {"en": "This is the recipe as it stands.", "zh": "与配方完全一致。"},
    "removed": {"en": "without {flag}", "zh": "去掉 {flag}"},
    "now": {"en": "{flag}, was {before}", "zh": "{flag}，原为 {before}"},
    "added": {"en": "{flag} added", "zh": "加上 {flag}"},
    "open_added": {
        "en": "the port is open to the network; the key comes from {variable}, which you set "
        "before (the systemd unit reads it from a file in /etc)",
        "zh": "端口对网络开放；密钥取自 {variable}，请事先设好（systemd 单元从 /etc 下的文件读取）",
    },
    "explain": {
        "en": "Point at a line, or move through the lines with Tab, to read why it is there.",
        "zh": "指向某一行，或用 Tab 逐行移动，即可看到加上它的理由。",
    },
    "no_reason": {
        "en": "Belongs to the form, not to the model.",
        "zh": "属于这种形式，与模型无关。",
    },
    "copy": {"en": "Copy", "zh": "复制"},
    "copied": {"en": "Copied", "zh": "已复制"},
    "whole": {"en": "Full recipe", "zh": "完整配方"},
    "all": {"en": "All recipes", "zh": "全部配方"},
    "memory": {
        "en": "Memory: {needed} of {capacity} for one request at the longest context.",
        "zh": "内存：一个最长上下文的请求需要 {needed}，可用 {capacity}。",
    },
    "memory_unknown": {
        "en": "The memory it needs is not known.",
        "zh": "所需内存未知。",
    },
}  # fmt: skip
PURPOSES = ("interactive", "agents", "offline")
FORMS = ("docker", "compose", "serve", "systemd", "kubernetes")

_t = words_of(T)


def files(library: Library) -> dict[str, str]:
    """Return the recipes as pieces that builder.js puts together."""
    return {DATA: ledger_api.compact(data(library))}


def data(library: Library) -> dict[str, Any]:
    """Return every recipe with its forms, its options and what they change."""
    return {
        "of_the_form": list(OF_THE_FORM),
        "templates": {name: line_templates(name) for name in FORMS},
        "recipes": {
            recipe.id: recipe_data(library, recipe)
            for recipe in recipe_pages.best_first(library, library.records(Recipe))
        },
    }


def recipe_data(library: Library, recipe: Recipe) -> dict[str, Any]:
    """Return one recipe: where it belongs, its options as they stand, its forms in pieces."""
    checkpoint = library.get(Checkpoint, recipe.checkpoint)
    model = library.get(Model, checkpoint.model)
    limit_s = start_limit(library, recipe)
    local = forms(recipe, checkpoint, limit_s)
    network = forms(recipe, checkpoint, limit_s, network=True)
    draft = draft_of(recipe)
    served = served_checkpoint(recipe)
    return {
        "model": model.id,
        "purpose": recipe.purpose,
        "nodes": recipe.num_nodes,
        "checkpoint": served if is_known(library, served) else None,
        "hybrid": _hybrid(model),
        "vision": "vision" in model.architecture,
        "draft_tokens": draft.num_tokens or 0 if draft.method == "mtp" else 0,
        "mtp": draft.method == "mtp",
        "fixed_caching": "--enable-prefix-caching" in recipe.reasons,
        "flags": FLAGS["llama.cpp" if recipe.engine.name == "llama.cpp" else "vllm"],
        "key_variable": "LLAMA_API_KEY" if recipe.engine.name == "llama.cpp" else "VLLM_API_KEY",
        "kv_format": kv_format_of(recipe),
        "arguments": {
            flag: None if value is True else value if value is False else spelled(value)
            for flag, value in recipe.engine.arguments.items()
        },
        "forms": [_form(one, other) for one, other in zip(local, network, strict=True)],
    }


def _hybrid(model: Model) -> bool:
    layers = model.architecture.get("layer_type_counts") or {}
    return bool({"linear_attention", "mamba2", "mamba", "kda"} & set(layers))


def _form(local: Form, network: Form) -> dict[str, Any]:
    changed = {
        key: text
        for (key, text), (_, before) in zip(network.lines, local.lines, strict=True)
        if text != before
    }
    return {
        "name": local.name,
        "before": local.before,
        "network_before": network.before,
        "lines": [list(line) for line in local.lines],
        "network_lines": changed,
        "separator": local.separator,
        "after": local.after,
    }


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of the builder."""
    title, lead = _t("title", language), _t("lead", language)
    if next(library.records(Recipe), None) is None:
        return {}
    return {
        PATH: Page(
            blocks(
                f"# {title}",
                lead,
                _tool(library, language),
                element("p", element("a", _t("all", language), href="/recipes/")),
            ),
            title,
            lead,
        )
    }


def _tool(library: Library, language: str) -> Html:
    sentences = {key: _t(key, language) for key in T}
    recipes = list(library.records(Recipe))
    return fields.tool(
        name="builder", data_href=f"/{DATA}", form=_form_fields(library, language),
        result=join(_result(language), _texts(library, recipes, language)),
        sentences=sentences, language=language,
        data_ledger=f"../../{ledger_api.PATH}", data_recipes="../recipes/",
    )  # fmt: skip


def _form_fields(library: Library, language: str) -> Html:
    """Return the questions in the order in which they narrow down."""
    used = {library.get(Checkpoint, each.checkpoint).model for each in library.records(Recipe)}
    models = sorted((library.get(Model, each) for each in used), key=lambda each: each.name.lower())
    none = [("", fields.T["choose"][language])]
    on_off = [(name, _t(name, language)) for name in ("on", "off")]
    numbers = {
        "context": [(str(each), f"{each:,}".replace(",", "\u202f")) for each in CONTEXTS],
        "requests": [(str(each), str(each)) for each in REQUESTS],
    }
    made = [
        ("model", [*none, *((each.id, each.name) for each in models)]),
        ("purpose", [(name, recipe_pages.purpose_word(name, language)) for name in PURPOSES]),
        ("recipe", none),
        ("context", numbers["context"]),
        ("requests", numbers["requests"]),
        ("drafts", on_off),
        ("caching", on_off),
        ("input", [(name, _t(name, language)) for name in ("text", "images")]),
        ("tools", on_off),
        ("kv", [("auto", _t("kv_auto", language)), ("fp8", _t("kv_fp8", language))]),
        ("network", [(name, _t(name, language)) for name in ("local", "open")]),
        ("form", none),
    ]
    return fields.form(
        *(
            element(
                "p",
                element("label", _t(name, language), for_=f"field-{name}"),
                fields.choice(name, options),
                element("span", class_="field-why", id=f"why-{name}", hidden=True),
                class_="field",
            )
            for name, options in made
        ),
        label=_t("title", language),
        language=language,
    )


def _result(language: str) -> Html:
    """Return the places that the script fills."""
    return join(
        element("p", data_about=True),
        element(
            "div",
            element("button", _t("copy", language), type="button", class_="button", data_copy=True),
            element("pre", element("code", data_code=True), class_="builder-code"),
            class_="highlight no-copy builder-command",
        ),
        element("p", _t("explain", language), class_="data-note", data_reason=True,
                aria_live="polite"),
        element("p", data_note=True, class_="data-note"),
        element("h2", _t("changed", language), id="changed"),
        element("ul", data_changes=True),
        element("p", data_memory=True),
    )  # fmt: skip


def _texts(library: Library, recipes: list[Recipe], language: str) -> Html:
    """Return what the script shows and does not make up: titles, reasons, labels."""
    made: list[Html] = []

    def keep(key: str, *content: object) -> None:
        made.append(element("span", *content, data_text=key))

    for engine in ("vllm", "llama.cpp"):
        topics = library.topics.get(engine, {})
        if "reasons" in topics:
            for flag, text in topics["reasons"].record.root.items():
                keep(f"flag {engine} {flag}", inline(text[language]))
    for recipe in recipes:
        keep(f"title {recipe.id}", inline(said(recipe.title, language)))
        keep(f"about {recipe.id}", recipe_pages.headline(library, recipe, language))
        keep(f"link {recipe.id}", record_link(library, f"recipes/{recipe.id}", language))
        keep(f"engine {recipe.id}", "llama.cpp" if recipe.engine.name == "llama.cpp" else "vllm")
        name = container_name(recipe)
        for flag, reason in recipe.reasons.items():
            keep(f"flag {recipe.id} {flag}", inline(said(reason, language)))
        for form in recipe_pages.recipe_forms(library, recipe):
            keep(f"tab {recipe.id} {form.name}", recipe_pages.tab_label(recipe, form, language))
            note = recipe_pages.tab_note(recipe, form, language, name)
            if note:
                keep(f"note {recipe.id} {form.name}", note)
    for key, text in impossible(library, language):
        keep(key, text)
    return element("div", *made, hidden=True, data_texts=True, data_search_exclude=True)


def impossible(library: Library, language: str) -> list[tuple[str, str]]:
    """Return (key, sentence) of each downloadable checkpoint of a model that has no recipe."""
    recipes = list(library.records(Recipe))
    taken = {each.checkpoint for each in recipes}
    models = {library.get(Checkpoint, each).model for each in taken}
    hardware = library.get(Hardware, "dgx-spark")
    found = []
    for checkpoint in library.records(Checkpoint):
        if checkpoint.model not in models or checkpoint.id in taken:
            continue
        if not checkpoint.repository or checkpoint.scenario or checkpoint.conversion:
            continue
        key = f"closed {checkpoint.model} {checkpoint.id}"
        size = None
        if is_known(library, checkpoint.id):
            plan = fit(library, checkpoint.id, Load(), hardware)
            size = plan.weight_bytes if plan.weight_bytes > plan.capacity_bytes else None
        if size:
            text = _t("too_big", language, name=checkpoint.name, size=gibibytes(size, decimals=0))
        else:
            text = _t("no_recipe", language, name=checkpoint.name)
        found.append((key, text))
    return found
