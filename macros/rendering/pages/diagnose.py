"""The diagnosis: a pasted command or log, what is wrong in it, and what the reader concluded."""

from macros.diagnose.knowledge import knowledge
from macros.library import Library
from macros.pitfalls import releases
from macros.records import Pitfall
from macros.rendering import forms
from macros.rendering.badges import finding_badge
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import version_range
from macros.rendering.page import Page
from macros.rendering.pages import ledger_api
from macros.rendering.parts import blocks, heading, href_of, inline, said
from macros.rendering.tables import Column, data_table
from macros.rendering.words import words_of

PATH = "diagnose.md"
DATA = "api/v1/diagnose.json"
SEVERITIES = ("error", "warning", "info")
EXAMPLES = ("mtp-not-ngram", "cli-line-continuation", "mem-util-values")
EXAMPLE_LOG = "mem-free-less-than-desired"

T = {
    "title": {"en": "Diagnose a command or a log", "zh": "诊断命令或日志"},
    "lead": {
        "en": "Paste a command, a compose file, a Kubernetes manifest or a server log. Your "
        "browser checks it against every known pitfall. Nothing is sent anywhere, and nothing is "
        "run.",
        "zh": "粘贴命令、compose 文件、Kubernetes 清单或服务日志。内容只在你的浏览器里与所有已知的"
        "坑比对，不会发送到任何地方，也不会执行。",
    },
    "input": {"en": "Command or log", "zh": "命令或日志"},
    "version": {"en": "vLLM release", "zh": "vLLM 发布版本"},
    "from_text": {"en": "as the text says", "zh": "以文本为准"},
    "empty": {
        "en": "Paste something, or take one of the examples.",
        "zh": "请粘贴内容，或选一个示例。",
    },
    "example_command": {"en": "Example: a command", "zh": "示例：命令"},
    "example_log": {"en": "Example: a log", "zh": "示例：日志"},
    "found": {
        "en": "Errors: {errors}, warnings: {warnings}, notes: {notes}",
        "zh": "错误 {errors} 个，警告 {warnings} 个，提示 {notes} 个",
    },
    "nothing": {"en": "No known fault found.", "zh": "没有发现已知的问题。"},
    "unread": {
        "en": "This looks neither like a command nor like a log.",
        "zh": "这看起来既不是命令也不是日志。",
    },
    "findings": {"en": "Findings", "zh": "发现的问题"},
    "place": {"en": "line {line}, column {column}", "zh": "第 {line} 行，第 {column} 个字符"},
    "apply": {"en": "Apply the fix", "zh": "应用修复"},
    "copy_link": {"en": "Copy a link to this", "zh": "复制此内容的链接"},
    "copied": {"en": "Copied", "zh": "已复制"},
    "concluded": {"en": "How it was read", "zh": "识别结果"},
    "model": {"en": "Model", "zh": "模型"},
    "release": {"en": "Release", "zh": "发布版本"},
    "form": {"en": "Form", "zh": "形式"},
    "engine": {"en": "Engine", "zh": "引擎"},
    "format": {"en": "Weight format", "zh": "权重格式"},
    "unknown": {"en": "not known", "zh": "未知"},
    "any_release": {
        "en": "not known; checked against all releases",
        "zh": "未知，已按全部发布版本检查",
    },
    "from": {"en": "{value} (from {source})", "zh": "{value}（来自{source}）"},
    "source_reader": {"en": "your choice", "zh": "你的选择"},
    "source_tag": {"en": "the image tag", "zh": "镜像标签"},
    "source_digest": {"en": "the image digest", "zh": "镜像摘要值"},
    "source_comment": {"en": "a comment", "zh": "注释"},
    "source_package": {"en": "the installed package", "zh": "安装的软件包"},
    "source_log": {"en": "the log", "zh": "日志"},
    "source_argument": {"en": "the first argument", "zh": "第一个参数"},
    "other_engine": {
        "en": "This is a command for another engine; only vLLM's flags are known here.",
        "zh": "这是其他引擎的命令；这里只收录了 vLLM 的参数。",
    },
    "right": {"en": "Flags checked and found right: {count}", "zh": "检查无误的参数：{count} 个"},
    "told": {"en": "What the log says", "zh": "日志里的信息"},
    "root": {"en": "First real error", "zh": "第一个真正的错误"},
    "told_model": {"en": "Model", "zh": "模型"},
    "told_moe_backend": {"en": "Expert backend", "zh": "专家层后端"},
    "told_linear_kernel": {"en": "Linear kernel", "zh": "线性层内核"},
    "told_attention_backend": {"en": "Attention backend", "zh": "注意力后端"},
    "told_gdn_kernel": {"en": "GDN kernel", "zh": "GDN 内核"},
    "told_kv_pool_tokens": {"en": "KV pool, tokens", "zh": "KV 池（词元）"},
    "told_kv_memory_gib": {"en": "KV memory, GiB", "zh": "KV 内存（GiB）"},
    "told_maximum_concurrency": {"en": "Full-length requests", "zh": "满长度请求数"},
    "told_weights_gib": {"en": "Weights, GiB", "zh": "权重（GiB）"},
    "told_load_s": {"en": "Loading, s", "zh": "加载（秒）"},
    "told_graph_capture_s": {"en": "Graph capture, s", "zh": "图捕获（秒）"},
    "told_mean_acceptance_length": {"en": "Acceptance length", "zh": "接受长度"},
    "told_draft_acceptance_percent": {"en": "Drafts accepted, %", "zh": "草稿接受率（%）"},
    "told_prefix_cache_hit_percent": {"en": "Prefix cache hits, %", "zh": "前缀缓存命中率（%）"},
    "told_generation_tokens_per_s": {"en": "Generation, tok/s", "zh": "生成速度（tok/s）"},
    "all": {"en": "What it recognizes", "zh": "能认出什么"},
    "all_note": {
        "en": "Each pitfall, with the number of its rules for commands and for logs. Every rule "
        "is data. It is tested on a text that it must match and on a healthy one.",
        "zh": "每个坑及其命令规则与日志规则的数目。规则都是数据，每条都用一段必须命中的文本和一段"
        "正常的文本测试过。",
    },
    "pitfall": {"en": "Pitfall", "zh": "坑"},
    "worst": {"en": "Worst finding", "zh": "最严重的问题"},
    "in_commands": {"en": "For commands", "zh": "命令规则"},
    "in_logs": {"en": "For logs", "zh": "日志规则"},
}  # fmt: skip

_t = words_of(T)


def files(library: Library) -> dict[str, str]:
    """Return the tables and rules that diagnose.js evaluates; its texts stand in the page."""
    tables = knowledge(library)
    rules = [
        {name: value for name, value in rule.items() if name not in ("message", "fix")}
        for rule in tables["rules"]
    ]
    return {DATA: ledger_api.compact(tables | {"rules": rules, "texts": {}})}


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of the diagnosis."""
    title, lead = _t("title", language), _t("lead", language)
    parts = (
        f"# {title}",
        lead,
        _tool(library, language),
        heading(_t("all", language), "rules"),
        _t("all_note", language),
        _rules(library, language),
        _texts(library, language),
    )
    return {PATH: Page(blocks(*parts), title, lead)}


def _tool(library: Library, language: str) -> Html:
    versions = [("", _t("from_text", language))]
    versions += [(each, each) for each in reversed(releases(library))]
    form = forms.form(
        element(
            "p",
            element("label", _t("input", language), for_="field-text"),
            element("textarea", "", id="field-text", name="text", rows=12, spellcheck="false",
                    autocapitalize="off", autocomplete="off", wrap="off"),
            class_="field diagnose-input",
        ),
        forms.field("version", _t("version", language), forms.choice("version", versions)),
        _examples(library, language),
        label=_t("title", language),
        language=language,
    )  # fmt: skip
    result = join(
        element("p", class_="diagnose-count", data_count=True, aria_live="polite"),
        element("h2", _t("findings", language), id="findings"),
        element("ol", class_="diagnose-findings", data_findings=True),
        element("div", data_concluded=True),
    )
    sentences = {key: _t(key, language) for key in T if not key.startswith("all")}
    return forms.tool(
        name="diagnose", data_href=f"/{DATA}", form=form, result=result, sentences=sentences,
        language=language,
    )  # fmt: skip


def _examples(library: Library, language: str) -> Html:
    command = next(
        text
        for name in EXAMPLES
        if (found := library.find(Pitfall, name))
        for text in found.faulty_commands
    )
    log = library.get(Pitfall, EXAMPLE_LOG).error_text[0]
    return element(
        "p",
        element("button", _t("example_command", language), type="button", data_example=command),
        element("button", _t("example_log", language), type="button", data_example=log),
        class_="diagnose-examples",
    )


def _rules(library: Library, language: str) -> Html:
    rows = []
    for pitfall in library.records(Pitfall):
        if not pitfall.detect:
            continue
        logs = sum(rule.log is not None for rule in pitfall.detect)
        worst = min((rule.severity for rule in pitfall.detect), key=SEVERITIES.index)
        title = inline(said(pitfall.title, language))
        rows.append(
            (
                element("a", title, href=href_of(f"pitfalls/{pitfall.id}")),
                finding_badge(worst, language),
                str(len(pitfall.detect) - logs),
                str(logs),
            )
        )
    return data_table(
        columns=[
            Column(_t("pitfall", language)),
            Column(_t("worst", language)),
            Column(_t("in_commands", language), number=True),
            Column(_t("in_logs", language), number=True),
        ],
        rows=rows, caption=_t("all", language), language=language, show_caption=False,
    )  # fmt: skip


def _texts(library: Library, language: str) -> Html:
    """Return the sentences of the rules for the script, in the language of the page."""
    lines = [
        element("p", text[language], data_text=f"text {name}")
        for name, text in knowledge(library)["texts"].items()
    ]
    lines += [
        element("p", finding_badge(each, language), data_text=f"badge {each}")
        for each in SEVERITIES
    ]
    for pitfall in library.records(Pitfall):
        if not pitfall.detect:
            continue
        affects = pitfall.affects
        affected = version_range(affects.first_version, affects.fixed_version, language)
        title = inline(said(pitfall.title, language))
        lines.append(
            element(
                "p",
                element("a", title, href=href_of(f"pitfalls/{pitfall.id}")),
                element("span", affected),
                data_text=f"pitfall {pitfall.id}",
            )
        )  # fmt: skip
        for number, rule in enumerate(pitfall.detect):
            lines.append(element("p", said(rule.message, language),
                                 data_text=f"message {pitfall.id} {number}"))  # fmt: skip
            lines.append(element("p", said(rule.fix, language),
                                 data_text=f"fix {pitfall.id} {number}"))  # fmt: skip
    return element("div", *lines, hidden=True, data_search_exclude=True)
