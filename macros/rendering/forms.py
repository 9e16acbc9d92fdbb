"""The frame and the fields of the tools: hidden until their script runs, alike on every page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from macros.compositions import has_composition
from macros.ledger import KV_BITS
from macros.library import Library
from macros.records import Checkpoint, Drafter, Model
from macros.rendering.markup import EMPTY, Html, element
from macros.rendering.words import word, words_of

CONTEXTS = (0, 8192, 32768, 131072, 262144)

T = {
    "broken": {
        "en": "This tool could not load its data. Load the page again.",
        "zh": "工具未能载入数据，请重新载入页面。",
    },
    "loading": {"en": "Loading…", "zh": "载入中……"},
    "no_script": {
        "en": "This tool needs JavaScript. Its data are in the tables below.",
        "zh": "此工具需要 JavaScript。它所用的数据见下方表格。",
    },
    "model": {"en": "Model", "zh": "模型"},
    "choose": {"en": "choose", "zh": "请选择"},
    "checkpoint": {"en": "Checkpoint", "zh": "检查点"},
    "context": {"en": "Context", "zh": "上下文"},
    "concurrency": {"en": "Requests at once", "zh": "并发请求"},
    "kv": {"en": "KV cache", "zh": "KV 缓存"},
    "draft": {"en": "Drafts", "zh": "草稿"},
    "none": {"en": "none", "zh": "无"},
    "draft_tokens": {"en": "Draft tokens", "zh": "草稿词元"},
    "acceptance": {"en": "Acceptance length", "zh": "接受长度"},
    "all_accepted": {"en": "all accepted", "zh": "全部接受"},
    "nodes": {"en": "Sparks", "zh": "Spark 台数"},
    "tokens": {"en": "tokens", "zh": "词元"},
}

_t = words_of(T)


def tool(
    *,
    name: str,
    data_href: str,
    form: Html,
    result: Html,
    sentences: Mapping[str, str],
    language: str,
    **attributes: object,
) -> Html:
    """Return a tool: its form and result are hidden until the script of its name runs."""
    said = {f"data_say_{key}": text for key, text in sentences.items()}
    return element(
        "div",
        element("noscript", element("p", _t("no_script", language), class_="empty")),
        form,
        element(
            "p", hidden=True, class_="tool-state", role="status", data_tool_state="loading"
        ),
        element("div", result, class_="tool-result", hidden=True, data_tool_result=True),
        class_="tool",
        data_tool=name,
        data_href=data_href,
        data_say_broken=_t("broken", language),
        data_say_loading=_t("loading", language),
        **said,
        **attributes,
    )  # fmt: skip


def form(*fields: Html, label: str, language: str) -> Html:
    """Return the form of a tool with a button that clears it."""
    return element(
        "form",
        *fields,
        element("button", word("clear", language), type="reset", class_="filter-clear"),
        class_="tool-form filter-form",
        aria_label=label,
        hidden=True,
    )


def field(
    name: str, label: str, control: Html, *, unit: str | None = None, only_drafts: bool = False
) -> Html:
    """Return one labelled control, shown only for drafts where it is about them."""
    return element(
        "p",
        element("label", label, for_=f"field-{name}"),
        control,
        element("span", unit, class_="field-unit") if unit else EMPTY,
        class_="field",
        data_only_drafts=only_drafts,
        hidden=only_drafts,
    )


def number_input(name: str, value: str = "", *, placeholder: str | None = None,
                 suggestions: Sequence[int] = (), decimal: bool = False) -> Html:  # fmt: skip
    """Return a field for a number, with values to pick from where there are usual ones."""
    listed = f"field-{name}-list" if suggestions else None
    return element(
        "span",
        element(
            "input", id=f"field-{name}", name=name, value=value, autocomplete="off",
            inputmode="decimal" if decimal else "numeric", placeholder=placeholder, list=listed,
        ),
        element("datalist", *(element("option", value=str(each)) for each in suggestions),
                id=listed) if listed else EMPTY,
        class_="field-number",
    )  # fmt: skip


def choice(name: str, options: Sequence[tuple[str, object]], *, disabled: bool = False) -> Html:
    """Return a field with a closed list."""
    made = (element("option", label, value=value) for value, label in options)
    return element("select", *made, id=f"field-{name}", name=name, disabled=disabled)


def checkpoint_fields(library: Library, language: str) -> list[Html]:
    """Return the choice of a model and of one of its checkpoints that the ledger knows."""
    known = {
        each.model for each in library.records(Checkpoint) if has_composition(library, each.id)
    }
    models = sorted(
        (each for each in library.records(Model) if each.id in known),
        key=lambda each: each.name.casefold(),
    )
    options = [("", _t("choose", language)), *((each.id, each.name) for each in models)]
    none = [("", _t("choose", language))]
    return [
        field("model", _t("model", language), choice("model", options)),
        field(
            "checkpoint", _t("checkpoint", language), choice("checkpoint", none, disabled=True)
        ),
    ]  # fmt: skip


def load_fields(library: Library, language: str) -> list[Html]:
    """Return the fields of a load under the names that the command line gives them."""
    drafts = [("none", _t("none", language)), ("mtp", "MTP")]
    if next(library.records(Drafter), None) is not None:
        drafts.append(("dflash", "DFlash"))
    return [
        field("context-tokens", _t("context", language),
              number_input("context-tokens", "0", suggestions=CONTEXTS),
              unit=_t("tokens", language)),
        field("concurrency", _t("concurrency", language), number_input("concurrency", "1")),
        field("kv-format", _t("kv", language),
              choice("kv-format", [(name, name.upper()) for name in KV_BITS])),
        field("draft", _t("draft", language), choice("draft", drafts)),
        field("draft-tokens", _t("draft_tokens", language), number_input("draft-tokens", "1"),
              only_drafts=True),
        field("acceptance-length", _t("acceptance", language),
              number_input("acceptance-length", placeholder=_t("all_accepted", language),
                           decimal=True), only_drafts=True),
        field("nodes", _t("nodes", language), number_input("nodes", "1")),
    ]  # fmt: skip


def load_errors(language: str) -> dict[str, str]:
    """Return what a tool says when a load makes no sense, by the code that ledger.js gives."""
    return {name: text[language] for name, text in ERRORS.items()}


ERRORS = {
    "error_whole": {
        "en": "“{field}” must be a whole number of {lowest} or more, with nine digits at most.",
        "zh": "“{field}”必须是不小于 {lowest} 的整数，最多九位。",
    },
    "error_number": {
        "en": "“{field}” must be a number of {lowest} or more.",
        "zh": "“{field}”必须是不小于 {lowest} 的数字。",
    },
    "error_acceptance": {
        "en": "The acceptance length must be from 1 to {most}, the model's own token included.",
        "zh": "接受长度必须在 1 到 {most} 之间，其中包括模型自己的那个词元。",
    },
    "error_no_mtp_layers": {
        "en": "This model has no published MTP layers. Choose no drafts.",
        "zh": "此模型没有公开的 MTP 层，请选择无草稿。",
    },
    "error_no_mtp_weights": {
        "en": "This checkpoint ships no MTP weights. Choose another one, or no drafts.",
        "zh": "此检查点不附带 MTP 权重，请换一个检查点或选择无草稿。",
    },
    "error_no_drafter": {
        "en": "No drafter of this model is on record.",
        "zh": "尚未收录此模型的草稿模型。",
    },
    "error_unknown_checkpoint": {
        "en": "The address names a checkpoint that is not on record: {checkpoint}. Choose one.",
        "zh": "网址所指的检查点未收录：{checkpoint}。请重新选择。",
    },
}
