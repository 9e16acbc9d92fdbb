"""The judge: is a number normal, what like measurements say, and the causes with their checks."""

from macros.judge import EXCELLENT, NORMAL, quantile
from macros.law import laws
from macros.library import Library
from macros.records import Cause, Engine
from macros.rendering import forms
from macros.rendering.blocks import draft_words
from macros.rendering.commands import command
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import percent
from macros.rendering.page import Page
from macros.rendering.pages import judge_api, ledger_api
from macros.rendering.parts import (
    blocks,
    evidence_of,
    heading,
    links,
    prose,
    said,
    sources,
)
from macros.rendering.runs import engine_name
from macros.rendering.tables import Column, data_table
from macros.rendering.words import word, words_of

PATH = "judge.md"
DRAFTS = ("none", "mtp", "dflash", "dspark", "eagle3", "ngram", "unknown")

T = {
    "title": {"en": "Is my speed normal?", "zh": "我的速度正常吗？"},
    "lead": {
        "en": "Enter what you measured. You get its share of the ceiling, its place among similar "
        "measurements, and the likeliest causes with a way to check each.",
        "zh": "填入你的测量结果，即可看到它占上限的比例、在同类实测中的位置，以及最可能的原因和各"
        "自的查证方法。",
    },
    "speed": {"en": "Your speed, one request", "zh": "你的速度（单个请求）"},
    "engine": {"en": "Engine", "zh": "引擎"},
    "empty": {
        "en": "Choose a checkpoint and enter the speed that one request sees.",
        "zh": "请选择检查点，并填入单个请求的速度。",
    },
    "error_speed": {
        "en": "“{field}” must be a number above 0, such as 14.2.",
        "zh": "“{field}”必须是大于 0 的数字，例如 14.2。",
    },
    "verdict_impossible": {"en": "Impossible", "zh": "不可能"},
    "verdict_excellent": {"en": "Excellent", "zh": "优秀"},
    "verdict_normal": {"en": "Normal", "zh": "正常"},
    "verdict_slow": {"en": "Slow", "zh": "偏慢"},
    "verdict_something_is_wrong": {"en": "Something is wrong", "zh": "异常"},
    "verdict_line": {"en": "{verdict}: {speed} tok/s", "zh": "{verdict}：{speed} tok/s"},
    "why_impossible": {
        "en": "Its bytes cannot be read that fast; the most is {highest} tok/s. It is another "
        "checkpoint, another load, or a miscount.",
        "zh": "这些字节不可能读得这么快，最多 {highest} tok/s。"
        "要么是别的检查点或负载，要么是数错了。",
    },
    "why_excellent": {
        "en": "It reaches {ratio} of the expected speed. Nine in ten points of this engine "
        "without drafts reach less.",
        "zh": "达到预期速度的 {ratio}，高于该引擎九成的无草稿数据点。",
    },
    "why_normal": {
        "en": "It reaches {ratio} of the expected speed, as most points of this engine without "
        "drafts do.",
        "zh": "达到预期速度的 {ratio}，与该引擎大多数无草稿数据点相当。",
    },
    "why_slow": {
        "en": "It reaches {ratio} of the expected speed. Nine in ten points of this engine "
        "without drafts reach more.",
        "zh": "只达到预期速度的 {ratio}，低于该引擎九成的无草稿数据点。",
    },
    "why_something_is_wrong": {
        "en": "It reaches {ratio} of the expected speed. Even slow points of this engine reach "
        "more than twice as much.",
        "zh": "只达到预期速度的 {ratio}，不到该引擎偏慢数据点的一半。",
    },
    "no_law": {
        "en": "No measurement tells what this engine reaches.",
        "zh": "没有实测能说明该引擎能达到多少。",
    },
    "share": {"en": "Share of the ceiling", "zh": "占上限"},
    "ceiling": {"en": "Ceiling of one request", "zh": "单个请求的上限"},
    "expected": {"en": "Expected", "zh": "预期"},
    "place": {"en": "Place among similar measurements", "zh": "在同类实测中的位置"},
    "faster_than": {"en": "faster than {share}", "zh": "快于其中 {share}"},
    "too_few": {"en": "fewer than five similar measurements", "zh": "同类实测不足五个"},
    "similar": {"en": "Similar measurements", "zh": "同类实测"},
    "no_similar": {
        "en": "No measurement of this checkpoint with these drafts and this number of machines "
        "yet.",
        "zh": "此检查点还没有相同草稿方式与台数的实测。",
    },
    "measured": {"en": "Measured", "zh": "实测"},
    "concurrency": {"en": "Concurrency", "zh": "并发"},
    "context": {"en": "Context", "zh": "上下文"},
    "unit_tokens": {"en": "tokens", "zh": "词元"},
    "drafts": {"en": "Drafts", "zh": "草稿"},
    "date": {"en": "Date", "zh": "日期"},
    "causes": {"en": "Likeliest causes", "zh": "最可能的原因"},
    "no_causes": {
        "en": "The number needs no explanation.",
        "zh": "这个数字不需要另作解释。",
    },
    "no_known_causes": {
        "en": "None of the known causes explains this number.",
        "zh": "已知原因都解释不了这个数字。",
    },
    "to_calculator": {"en": "See its bytes", "zh": "查看它读取的字节"},
    "all_causes": {"en": "All causes, and how to check each", "zh": "全部原因与查证方法"},
    "explains": {
        "en": "explains {low} to {high} of the expected speed",
        "zh": "可解释预期速度的 {low} 到 {high}",
    },
    "computed": {
        "en": "the ledger computes for your question how much it explains",
        "zh": "能解释多少，由账本按你的问题算出",
    },
    "norms": {"en": "What counts as normal", "zh": "怎样算正常"},
    "norms_note": {
        "en": "Measured over expected speed, from the points of each engine without drafts. "
        "Between the two bounds a number is normal; below half of the lower bound, something is "
        "wrong.",
        "zh": "以各引擎无草稿数据点的实测与预期之比为准。介于两个界限之间为正常，低于下限的一半为"
        "异常。",
    },
    "points": {"en": "Points", "zh": "数据点"},
    "lower": {"en": "Slow below", "zh": "低于此为偏慢"},
    "upper": {"en": "Excellent above", "zh": "高于此为优秀"},
    "all_engines": {"en": "All engines", "zh": "全部引擎"},
    "scenario": {"en": "scenario", "zh": "假设"},
}  # fmt: skip

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of the judge."""
    title, lead = _t("title", language), _t("lead", language)
    parts = (
        f"# {title}",
        lead,
        _tool(library, language),
        heading(_t("norms", language), "norms"),
        _t("norms_note", language),
        _norms(library, language),
        heading(_t("all_causes", language), "causes"),
        join(*(_cause(library, each, language) for each in library.records(Cause))),
    )
    return {PATH: Page(blocks(*parts), title, lead)}


def _tool(library: Library, language: str) -> Html:
    sentences = {key: _t(key, language) for key in T} | forms.load_errors(language)
    sentences |= {f"draft_{each}": draft_words(each, None, language) for each in DRAFTS}
    sentences |= {
        name: word(name, language) for name in ("unknown", "tokens", "of_ceiling", "checkpoint")
    }
    sentences["over_ceiling"] = word("over_ceiling", language)
    engines = sorted(library.records(Engine), key=lambda e: (e.id != "vllm", e.name.casefold()))
    form = forms.form(
        *forms.checkpoint_fields(library, language),
        forms.field("tokens-per-s", _t("speed", language),
                    forms.number_input("tokens-per-s", decimal=True), unit="tok/s"),
        forms.field("engine", _t("engine", language),
                    forms.choice("engine", [
                        (each.id, engine_name(library, each.id, language)) for each in engines])),
        *forms.load_fields(library, language),
        label=_t("title", language),
        language=language,
    )  # fmt: skip
    result = join(
        element("div", data_answer=True, aria_live="polite"),
        element("h2", _t("similar", language), id="similar"),
        element("div", data_similar=True),
        element("h2", _t("causes", language), id="likely-causes"),
        element("div", data_causes=True),
    )
    return forms.tool(
        name="judge", data_href=f"/{ledger_api.PATH}", form=form, result=result,
        sentences=sentences, language=language, data_judging=f"../../{judge_api.PATH}",
        data_benchmarks="../benchmarks/", data_calculator="../calculator/",
    )  # fmt: skip


def _norms(library: Library, language: str) -> Html:
    rows = []
    for engine in laws(library):
        ratios = judge_api.ratios(library, engine)
        record = library.find(Engine, engine)
        rows.append(
            (
                record.name if record else _t("all_engines", language),
                str(len(ratios)),
                percent(quantile(ratios, NORMAL), unit=False),
                percent(quantile(ratios, EXCELLENT), unit=False),
            )
        )
    return data_table(
        columns=[
            Column(_t("engine", language)),
            Column(_t("points", language), number=True),
            Column(_t("lower", language), "%", number=True),
            Column(_t("upper", language), "%", number=True),
        ],
        rows=rows, caption=_t("norms", language), language=language, show_caption=False,
    )  # fmt: skip


def _cause(library: Library, cause: Cause, language: str) -> Html:
    """Return one cause with its check; the script shows copies of those that may hold."""
    low, high = (percent(each) for each in (cause.low_ratio, cause.high_ratio))
    return element(
        "section",
        element("h3", said(cause.title, language)),
        element("p", _t("computed" if cause.explains else "explains", language, low=low, high=high),
                " ", evidence_of(cause, language), class_="cause-range"),
        prose(cause.how_to_check, language),
        command(code="\n".join(cause.commands)) if cause.commands else "",
        links(library, cause.related, language),
        element("details", element("summary", word("source", language)),
                sources(library, cause, language), class_="behind"),
        class_="cause",
        id=f"cause-{cause.id}",
    )  # fmt: skip
