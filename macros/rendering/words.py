"""The words of the interface, each in both languages, written once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

LANGUAGES = ("en", "zh")

COMMAS = {"en": ", ", "zh": "、"}
COLONS = {"en": ": ", "zh": "："}
BRACKETS = {"en": " ({})", "zh": "（{}）"}

WORDS: dict[str, dict[str, str]] = {
    # What a table or a figure says about itself.
    "unknown": {"en": "not known", "zh": "未知"},
    "none_yet": {"en": "Nothing here yet.", "zh": "这里还没有内容。"},
    "table_behind": {"en": "Show as a table", "zh": "以表格查看"},
    "total": {"en": "Total", "zh": "合计"},
    "module": {"en": "Module", "zh": "模块"},
    "share": {"en": "Share", "zh": "占比"},
    "scroll_hint": {"en": "scroll sideways", "zh": "可横向滚动"},
    "checkpoint": {"en": "Checkpoint", "zh": "检查点"},
    "bytes_per_token": {"en": "Read per token", "zh": "每词元读取"},
    "bar_cut": {"en": "bar cut short", "zh": "条形已截短"},
    "of_ceiling": {"en": "of the ceiling", "zh": "占上限"},
    "over_ceiling": {"en": "of the ceiling: more than it allows", "zh": "占上限，已超过上限"},
    "not_stated": {"en": "not stated", "zh": "未说明"},
    "as_of": {"en": "as of", "zh": "截至"},
    "answer": {"en": "Answer", "zh": "答案"},
    "source": {"en": "Source", "zh": "来源"},
    "revision": {"en": "revision", "zh": "修订版"},
    "retrieved": {"en": "retrieved", "zh": "查阅于"},
    "no_address": {"en": "address lost", "zh": "原址已失"},
    # Under which conditions a speed was measured.
    "requests_at_once": {"en": "requests at once", "zh": "个并发请求"},
    "one_request": {"en": "1 request", "zh": "单个请求"},
    "load_not_stated": {"en": "load not stated", "zh": "并发未说明"},
    "draft.none": {"en": "no drafts", "zh": "无草稿"},
    "draft.unknown": {"en": "drafts not stated", "zh": "草稿未说明"},
    "draft_token": {"en": "draft token", "zh": "个草稿词元"},
    "draft_tokens": {"en": "draft tokens", "zh": "个草稿词元"},
    # Commands.
    "command": {"en": "Command", "zh": "命令"},
    "do_not_copy": {"en": "Do not copy: this command is faulty", "zh": "请勿复制：此命令有误"},
    "quoted_from": {"en": "Quoted from", "zh": "引自"},
    # Lists that can be filtered.
    "filter": {"en": "Filter", "zh": "筛选"},
    "filter_text": {"en": "Filter by text", "zh": "按文字筛选"},
    "any": {"en": "any", "zh": "不限"},
    "clear": {"en": "Clear", "zh": "清除"},
    "count_shown": {"en": "{shown} of {total} shown", "zh": "显示 {shown} 项，共 {total} 项"},
    "none_match": {
        "en": "Nothing matches. Remove a filter or clear all.",
        "zh": "没有符合的条目。请去掉一个条件，或全部清除。",
    },
    # Charts.
    "chart": {"en": "Chart", "zh": "图"},
    # The panel of the first screen.
    "panel.pick": {"en": "Pick a model", "zh": "选择模型"},
    "panel.best": {"en": "Fastest measured, general text", "zh": "一般文本实测最快"},
    "panel.ceiling": {"en": "Ceiling without drafts", "zh": "无草稿时的上限"},
    "panel.share": {"en": "Share of the ceiling", "zh": "占上限"},
    "panel.recipe": {"en": "Full recipe", "zh": "完整配方"},
    "panel.why": {"en": "Why this speed", "zh": "为什么是这个速度"},
    "panel.judge": {"en": "Judge my speed", "zh": "判断我的速度"},
    "panel.own": {"en": "Your own speed", "zh": "你测得的速度"},
    "panel.own.empty": {
        "en": "One request, no drafts: see how much of the ceiling you get.",
        "zh": "填入单个请求、无草稿时的速度，看看达到上限的几成。",
    },
    "panel.own.error": {
        "en": "Enter a number above 0, such as 14.2.",
        "zh": "请输入大于 0 的数字，例如 14.2。",
    },
    "panel.own.result": {
        "en": "{share} of this checkpoint’s ceiling of {ceiling} tok/s.",
        "zh": "达到此检查点上限 {ceiling} tok/s 的 {share}。",
    },
    "panel.own.above": {
        "en": "Above the ceiling of {ceiling} tok/s: drafts, more requests or another checkpoint.",
        "zh": "高于上限 {ceiling} tok/s：用了草稿、多个请求，或是另一个检查点。",
    },
    # Notices.
    "notice.note": {"en": "Note", "zh": "说明"},
    "notice.caution": {"en": "Caution", "zh": "注意"},
    "notice.unknown": {"en": "Not known", "zh": "尚不清楚"},
    "solid_hatched": {
        "en": "Solid: weights. Hatched: state, cache and drafts.",
        "zh": "实色为权重，斜纹为状态、缓存与草稿。",
    },
    # Modules of a checkpoint, in the order of the bar.
    "module.experts": {"en": "Experts", "zh": "专家"},
    "module.shared_expert": {"en": "Shared expert", "zh": "共享专家"},
    "module.linear_attention": {"en": "GDN / Mamba", "zh": "GDN / Mamba"},
    "module.attention": {"en": "Attention", "zh": "注意力"},
    "module.dense_mlp": {"en": "Dense MLP", "zh": "稠密 MLP"},
    "module.lm_head": {"en": "Head", "zh": "输出头"},
    "module.rest": {"en": "Router and rest", "zh": "路由与其他"},
    "module.state": {"en": "State", "zh": "状态"},
    "module.kv_cache": {"en": "KV cache", "zh": "KV 缓存"},
    "module.draft": {"en": "Draft", "zh": "草稿"},
    # How good a fact is.
    "evidence.measured": {"en": "measured", "zh": "本站测得"},
    "evidence.measured.meaning": {
        "en": "We measured it, and the log is public.",
        "zh": "由本站测得，日志公开。",
    },
    "evidence.reproduced": {"en": "reproduced", "zh": "已复现"},
    "evidence.reproduced.meaning": {
        "en": "Others measured it, and we got the same.",
        "zh": "他人测得，本站得到相同结果。",
    },
    "evidence.reported": {"en": "reported", "zh": "他人报告"},
    "evidence.reported.meaning": {
        "en": "Others measured it, and their raw data are public.",
        "zh": "他人测得，原始数据公开。",
    },
    "evidence.documented": {"en": "documented", "zh": "官方文档"},
    "evidence.documented.meaning": {
        "en": "The maker states it in files or documentation.",
        "zh": "由制作方在文件或文档中写明。",
    },
    "evidence.claimed": {"en": "claimed", "zh": "仅为声称"},
    "evidence.claimed.meaning": {
        "en": "Someone says so; no raw data are public.",
        "zh": "仅见于文字，没有公开的原始数据。",
    },
    # What became of a claim.
    "verdict.holds": {"en": "holds", "zh": "成立"},
    "verdict.holds.meaning": {
        "en": "The calculation and every record agree with the claim.",
        "zh": "计算与全部记录都支持这一说法。",
    },
    "verdict.holds-with-condition": {"en": "holds with a condition", "zh": "有条件成立"},
    "verdict.holds-with-condition.meaning": {
        "en": "The claim follows from its own inputs, which the records do not meet.",
        "zh": "按其自身前提成立，但现有记录不满足这些前提。",
    },
    "verdict.superseded": {"en": "superseded", "zh": "已被取代"},
    "verdict.superseded.meaning": {
        "en": "The claim was right in its time; a later record goes beyond it.",
        "zh": "当时正确，后来的记录已经超过它。",
    },
    "verdict.contradicted": {"en": "contradicted", "zh": "不成立"},
    "verdict.contradicted.meaning": {
        "en": "The calculation or a record of its time disagrees with the claim.",
        "zh": "计算或当时的记录与这一说法不符。",
    },
    "verdict.unverifiable": {"en": "unverifiable", "zh": "无法核实"},
    "verdict.unverifiable.meaning": {
        "en": "Neither a calculation nor a record can decide it.",
        "zh": "没有计算或记录能够判定它。",
    },
    # How bad a pitfall is.
    "severity.blocks-startup": {"en": "blocks startup", "zh": "无法启动"},
    "severity.blocks-startup.meaning": {
        "en": "The server does not start.",
        "zh": "服务无法启动。",
    },
    "severity.wrong-output": {"en": "wrong output", "zh": "输出错误"},
    "severity.wrong-output.meaning": {
        "en": "The server runs, and its answers are wrong.",
        "zh": "服务能运行，但回答是错的。",
    },
    "severity.unstable": {"en": "unstable", "zh": "不稳定"},
    "severity.unstable.meaning": {
        "en": "The server or the machine fails under load or after a time.",
        "zh": "服务或整机在负载下，或运行一段时间后出错。",
    },
    "severity.slow": {"en": "slow", "zh": "变慢"},
    "severity.slow.meaning": {
        "en": "Everything works, more slowly than it could.",
        "zh": "一切正常，但比应有的速度慢。",
    },
    "severity.note": {"en": "note", "zh": "须知"},
    "severity.note.meaning": {"en": "Good to know; nothing breaks.", "zh": "知道即可，不会出错。"},
    # What a diagnosis finds.
    "finding.error": {"en": "error", "zh": "错误"},
    "finding.error.meaning": {"en": "It cannot work like this.", "zh": "这样无法正常工作。"},
    "finding.warning": {"en": "warning", "zh": "警告"},
    "finding.warning.meaning": {
        "en": "It works, with a known risk or loss.",
        "zh": "能够工作，但有已知的风险或损失。",
    },
    "finding.info": {"en": "info", "zh": "提示"},
    "finding.info.meaning": {"en": "A fact that helps to understand.", "zh": "有助于理解的事实。"},
    # Marks that stand beside another badge.
    "mark.untested": {"en": "untested", "zh": "未经测试"},
    "mark.untested.meaning": {
        "en": "It passes all rules, and nobody has measured it yet.",
        "zh": "通过全部规则，但还没有人实测。",
    },
    "mark.inferred": {"en": "inferred", "zh": "推断"},
    "mark.inferred.meaning": {
        "en": "Concluded from other facts, not read from the file.",
        "zh": "由其他事实推得，并非读自文件本身。",
    },
    "mark.scenario": {"en": "scenario", "zh": "假设"},
    "mark.scenario.meaning": {
        "en": "A calculation of what would be; no such file is known.",
        "zh": "对假设情形的计算，并没有这样的文件。",
    },
    "mark.withdrawn": {"en": "withdrawn", "zh": "已撤回"},
    "mark.withdrawn.meaning": {
        "en": "Kept for the record; do not rely on it.",
        "zh": "仅作存档，请勿依据。",
    },
    # The frame: the site's own name, its sections, and what it says around every page.
    "site.name": {"en": "GB10 Ledger", "zh": "GB10 账本"},
    "site.description": {
        "en": "What a GB10 reads for every token, and how fast that lets a model run.",
        "zh": "GB10 每生成一个词元要读取多少字节，模型因此能跑多快。",
    },
    "site.licence": {
        "en": "Code under the MIT licence, data and texts under CC BY 4.0.",
        "zh": "代码采用 MIT 许可证，数据与文字采用 CC BY 4.0 许可证。",
    },
    "section.home": {"en": "Home", "zh": "首页"},
    "section.recipes": {"en": "Recipes", "zh": "配方"},
    "section.models": {"en": "Models", "zh": "模型"},
    "section.first_hour": {"en": "The first hour", "zh": "第一个小时"},
    "section.several_sparks": {"en": "Several Sparks", "zh": "多台 Spark"},
    "section.builder": {"en": "Build a command", "zh": "生成命令"},
    "section.checkpoints": {"en": "Checkpoints", "zh": "检查点"},
    "section.benchmarks": {"en": "Benchmarks", "zh": "实测"},
    "section.tools": {"en": "Tools", "zh": "工具"},
    "section.diagnose": {"en": "Diagnose", "zh": "诊断"},
    "section.calculator": {"en": "Calculator", "zh": "计算器"},
    "section.judge": {"en": "Judge a speed", "zh": "速度判断"},
    "section.understand": {"en": "Understand", "zh": "原理"},
    "section.law": {"en": "Bytes set the ceiling", "zh": "字节决定上限"},
    "section.pitfalls": {"en": "Pitfalls", "zh": "踩坑"},
    "section.before_you_report": {"en": "Before you report", "zh": "反馈问题之前"},
    "section.claims": {"en": "Claims", "zh": "说法与判定"},
    "section.faq": {"en": "Questions", "zh": "常见问题"},
    "section.articles": {"en": "The two articles", "zh": "两篇文章"},
    "section.article_122b": {"en": "The 122B article", "zh": "122B 文章"},
    "section.article_builder_daily": {"en": "Builder Daily", "zh": "Builder Daily"},
    "section.engines": {"en": "Engines", "zh": "引擎"},
    "section.engine_changes": {"en": "Changes by release", "zh": "各版本的变化"},
    "section.images": {"en": "Images", "zh": "镜像"},
    "section.hardware": {"en": "Hardware", "zh": "硬件"},
    "section.sources": {"en": "Sources", "zh": "来源"},
    "section.glossary": {"en": "Glossary", "zh": "术语"},
    "section.rules": {"en": "Rules", "zh": "规则"},
    "section.about": {"en": "About", "zh": "关于"},
    "section.contribute": {"en": "Contribute", "zh": "参与贡献"},
    "frame.search": {"en": "Search", "zh": "搜索"},
    "frame.path": {"en": "You are here", "zh": "当前位置"},
    "engine.not_stated": {"en": "Not stated", "zh": "未说明"},
    "frame.permalink": {"en": "Link to this section", "zh": "本节链接"},
    "frame.to_dark": {"en": "Switch to dark colours", "zh": "切换到深色"},
    "frame.to_light": {"en": "Switch to light colours", "zh": "切换到浅色"},
    "frame.to_system": {"en": "Follow the system's colours", "zh": "跟随系统配色"},
    "frame.offer": {
        "en": "This page is also available in {name}.",
        "zh": "本页另有{name}版。",
    },
    "frame.offer_accept": {"en": "Read it in {name}", "zh": "阅读{name}版"},
    "frame.offer_dismiss": {"en": "Do not offer again", "zh": "不再提示"},
    "frame.not_found": {"en": "No page at this address", "zh": "此网址没有页面"},
    "frame.not_found_advice": {
        "en": "It may have moved. Search from the home page:",
        "zh": "页面可能已移动。请从首页搜索：",
    },
    "frame.faults": {
        "en": "The data have faults; this is the last good state.",
        "zh": "数据有误，这里显示最近一次无误的状态。",
    },
    # Measured points.
    "tokens": {"en": "tokens", "zh": "词元"},
    "without_mtp": {"en": "without MTP", "zh": "不含 MTP"},
    "supports": {"en": "supports", "zh": "用于字段"},
    "measured_speeds": {"en": "Measured speeds", "zh": "实测速度"},
    "concurrency": {"en": "Concurrency", "zh": "并发"},
    "draft": {"en": "Drafts", "zh": "草稿"},
    "engine": {"en": "Engine", "zh": "引擎"},
    "date": {"en": "Date", "zh": "日期"},
    "speed": {"en": "Speed", "zh": "速度"},
    "metric": {"en": "Metric", "zh": "口径"},
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "value": {"en": "Value", "zh": "取值"},
    "metric.decode_tokens_per_s": {"en": "decode only", "zh": "仅解码"},
    "metric.end_to_end_tokens_per_s": {"en": "end to end", "zh": "端到端"},
    "metric.per_request_end_to_end_tokens_per_s": {
        "en": "end to end, per request",
        "zh": "端到端（每个请求）",
    },
    "metric.unspecified_tokens_per_s": {"en": "meaning not stated", "zh": "口径未说明"},
    "metric.aggregate_tokens_per_s": {"en": "all requests together", "zh": "全部请求合计"},
    "metric.sum_of_request_rates_tokens_per_s": {
        "en": "sum of request rates",
        "zh": "各请求速率之和",
    },
    "metric.prefill_tokens_per_s": {"en": "prefill", "zh": "预填充"},
    "metric.peak_tokens_per_s": {"en": "peak", "zh": "峰值"},
    # What pitfalls are about, in the order of their list, and how a source stood when last seen.
    "category.startup": {"en": "Startup", "zh": "启动"},
    "category.memory": {"en": "Memory", "zh": "内存"},
    "category.container": {"en": "Containers and packages", "zh": "容器与软件包"},
    "category.driver": {"en": "Driver", "zh": "驱动"},
    "category.loader": {"en": "Loading weights", "zh": "加载权重"},
    "category.sm121-bug": {"en": "SM121 faults", "zh": "SM121 故障"},
    "category.moe-backend": {"en": "Backends", "zh": "后端"},
    "category.kv-cache": {"en": "KV cache", "zh": "KV 缓存"},
    "category.mtp-apc": {"en": "Drafts and prefix caching", "zh": "草稿与前缀缓存"},
    "category.mtp-weights": {"en": "Draft weights", "zh": "草稿权重"},
    "category.perf": {"en": "Speed", "zh": "速度"},
    "category.power": {"en": "Power", "zh": "供电"},
    "category.tools": {"en": "Tools and reasoning", "zh": "工具调用与思考"},
    "category.template": {"en": "Chat templates", "zh": "聊天模板"},
    "category.api": {"en": "API", "zh": "API"},
    "category.multi-node": {"en": "Several Sparks", "zh": "多台 Spark"},
    "source_state.open": {"en": "open", "zh": "未关闭"},
    "source_state.closed": {"en": "closed", "zh": "已关闭"},
    "source_state.merged": {"en": "merged", "zh": "已合并"},
    # What the reader of a question is doing, in the order of the page.
    "faq.buying": {"en": "Buying", "zh": "选购"},
    "faq.first-start": {"en": "First start", "zh": "首次启动"},
    "faq.slow": {"en": "It is slow", "zh": "速度慢"},
    "faq.broken": {"en": "It is broken", "zh": "出错了"},
    "faq.agents": {"en": "Agents", "zh": "智能体"},
    "faq.several": {"en": "Several Sparks", "zh": "多台 Spark"},
    "faq.formats": {"en": "Formats", "zh": "格式"},
    # What kind of thing a source is.
    "source_kind.article": {"en": "article", "zh": "文章"},
    "source_kind.benchmark-repository": {"en": "benchmark repository", "zh": "基准测试仓库"},
    "source_kind.blog": {"en": "blog", "zh": "博客"},
    "source_kind.chat": {"en": "chat", "zh": "聊天记录"},
    "source_kind.code": {"en": "code", "zh": "代码"},
    "source_kind.documentation": {"en": "documentation", "zh": "文档"},
    "source_kind.forum": {"en": "forum", "zh": "论坛"},
    "source_kind.issue": {"en": "issue", "zh": "issue"},
    "source_kind.leaderboard": {"en": "leaderboard", "zh": "排行榜"},
    "source_kind.model-card": {"en": "model card", "zh": "模型卡"},
    "source_kind.own-work": {"en": "own work", "zh": "本站"},
    "source_kind.package": {"en": "package", "zh": "软件包"},
    "source_kind.pull-request": {"en": "pull request", "zh": "PR"},
    "source_kind.release-notes": {"en": "release notes", "zh": "发布说明"},
    "source_kind.repository": {"en": "repository", "zh": "仓库"},
    "source_kind.social": {"en": "social media", "zh": "社交媒体"},
    "source_kind.specification": {"en": "specification", "zh": "规格"},
    "source_kind.unlocated": {"en": "address lost", "zh": "原址已失"},
}

CONTENTS: dict[str, dict[str, str]] = {  # what the measured tokens were about
    "content.code": {"en": "code", "zh": "代码"},
    "content.prose": {"en": "prose", "zh": "文章"},
    "content.agent": {"en": "agent", "zh": "智能体"},
    "content.math": {"en": "mathematics", "zh": "数学"},
    "content.chat": {"en": "chat", "zh": "对话"},
    "content.structured": {"en": "structured", "zh": "结构化"},
    "content.random": {"en": "random", "zh": "随机"},
    "content.mixed": {"en": "mixed", "zh": "混合"},
    "content.unknown": {"en": "not stated", "zh": "未说明"},
}
WORDS |= CONTENTS


def word(key: str, language: str) -> str:
    """Return the word of `key` in `language`; an unknown key or language is a fault of code."""
    return WORDS[key][language]


def words_of(table: Mapping[str, Mapping[str, str]]) -> Callable[..., str]:
    """Return what says the words of a module's own table: `(key, language, **values)` to text."""

    def said(key: str, language: str, **values: object) -> str:
        text = table[key][language]
        return text.format(**values) if values else text

    return said


def bracketed(text: str, language: str) -> str:
    """Return a remark in the brackets of a language."""
    return BRACKETS[language].format(text)


def words_under(prefix: str) -> tuple[str, ...]:
    """Return the names directly under `prefix`, in the order in which they were written."""
    names = (key.removeprefix(prefix + ".") for key in WORDS if key.startswith(prefix + "."))
    return tuple(name for name in names if "." not in name)
