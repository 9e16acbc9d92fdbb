"""The pages of models: what to run today, the bytes of each checkpoint, the record over time."""

from datetime import date
from decimal import Decimal

from macros.arithmetic import day
from macros.best import Candidate, best, candidates, records_over_time
from macros.claims import compute
from macros.compositions import ceiling_of, composition_of, has_composition
from macros.law import expected_tokens_per_s, law_for, load_of
from macros.ledger import LedgerError, Load, model_shapes, resident_bytes
from macros.library import Library
from macros.records import (
    Checkpoint,
    Claim,
    Drafter,
    Hardware,
    Measurement,
    Model,
    Pitfall,
    Recipe,
)
from macros.rendering import pictures
from macros.rendering.bars import BarRow, byte_bar_group, share_bar
from macros.rendering.blocks import answer, draft_words, notice
from macros.rendering.charts import Point, date_axis, linear_axis, step_chart
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import billions, rounded, signed, times, tokens_per_s
from macros.rendering.page import Page
from macros.rendering.pages.answers import crossover
from macros.rendering.parts import (
    blocks,
    checkpoints_of,
    heading,
    inline,
    links,
    marks,
    plain_ceiling,
    prose,
    record_link,
    said,
    segments,
    sources,
    written,
)
from macros.rendering.runs import (
    engine_words,
    share_of_ceiling,
    speed_table,
    stated_speed,
)
from macros.rendering.tables import Column, data_table, facts
from macros.rendering.words import COLONS, bracketed, word, words_of
from macros.shapes import FAMILIES

T = {
    "best": {
        "en": "Best measured on one Spark, general text: {speed}",
        "zh": "单台 Spark 一般文本实测最快：{speed}",
    },
    "none": {
        "en": "No comparable measurement of one request on one Spark is on record yet.",
        "zh": "目前还没有可比较的单台 Spark 单请求实测。",
    },
    "checkpoint": {"en": "Checkpoint", "zh": "检查点"},
    "plain": {"en": "without drafts {speed}", "zh": "无草稿时 {speed}"},
    "do": {"en": "What to do today", "zh": "今天该怎么做"},
    "compare": {"en": "Its checkpoints, byte by byte", "zh": "各检查点逐字节比较"},
    "compare_note": {
        "en": "One token, one request, empty context, no drafts. The length of a bar is what is "
        "read; the ceiling is the bandwidth divided by it.",
        "zh": "一个词元、单个请求、空上下文、无草稿。条形长度是读取的字节数，上限等于带宽除以该数"
        "。",
    },
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "weights_ceiling": {"en": "Weights alone", "zh": "仅权重"},
    "expected": {"en": "Expected in vLLM", "zh": "vLLM 预期"},
    "measured": {"en": "Best, no drafts", "zh": "无草稿实测最快"},
    "share": {"en": "Share", "zh": "占上限"},
    "drafters": {"en": "Separate drafters", "zh": "独立的草稿模型"},
    "drafter": {"en": "Drafter", "zh": "草稿模型"},
    "method": {"en": "Method", "zh": "方法"},
    "weights": {"en": "Weights", "zh": "权重"},
    "head": {"en": "Head", "zh": "输出头"},
    "shared_head": {"en": "the model's", "zh": "用主模型的"},
    "own_head": {"en": "its own", "zh": "自带"},
    "formats": {
        "en": "Which format at how many requests",
        "zh": "多少并发用哪种格式",
    },
    "record": {"en": "The record over time", "zh": "最快纪录的变化"},
    "changed": {"en": "What changed", "zh": "改变了什么"},
    "same": {"en": "the same setup, another run", "zh": "配置相同，另一次实测"},
    "step_measured": {"en": "Gain, measured", "zh": "提升（实测）"},
    "step_predicted": {"en": "Gain, by the ledger", "zh": "提升（按账本）"},
    "record_date": {"en": "Date", "zh": "日期"},
    "architecture": {"en": "Architecture", "zh": "架构"},
    "advertised_total": {"en": "Advertised parameters", "zh": "标称总参数"},
    "billions": {"en": "B", "zh": "亿"},
    "counted_total": {
        "en": "Counted without MTP (difference from advertised)",
        "zh": "实算（不含 MTP；与标称之差）",
    },
    "advertised_active": {"en": "Advertised active parameters", "zh": "标称激活参数"},
    "counted_active": {
        "en": "Counted active parameters (difference from advertised)",
        "zh": "实算激活参数（与标称之差）",
    },
    "with_embedding": {
        "en": "{with_it} with the embedding, {without} without",
        "zh": "含嵌入 {with_it}，不含 {without}",
    },
    "mtp": {"en": "Draft layers (MTP)", "zh": "草稿层（MTP）"},
    "layers": {"en": "Layers", "zh": "层数"},
    "context": {"en": "Context", "zh": "上下文"},
    "state": {"en": "Recurrent state per request", "zh": "每个请求的循环状态"},
    "kv": {"en": "KV cache per token, BF16", "zh": "每词元 KV 缓存（BF16）"},
    "all": {"en": "All measurements", "zh": "全部实测"},
    "recipes": {"en": "Recipes", "zh": "配方"},
    "claims": {"en": "Claims about it", "zh": "相关说法"},
    "pitfalls": {"en": "Pitfalls", "zh": "相关的坑"},
    "sources": {"en": "Sources", "zh": "来源"},
    "model": {"en": "Model", "zh": "模型"},
    "read": {"en": "Read per token", "zh": "每词元读取"},
    "bars": {
        "en": "Bytes read per token, and the ceiling of one request",
        "zh": "每词元读取的字节与单个请求的上限",
    },
    "lead": {
        "en": "Each model with the checkpoint that fits one Spark and reads least: what a token "
        "reads, what that allows, and what was measured.",
        "zh": "每个模型取能放进单台 Spark 且读取最少的检查点：一个词元读多少、因此最多多快、实测多"
        "快。",
    },
}  # fmt: skip

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return a page for each model, and their list."""
    made = {
        f"models/{model.id}.md": _page(library, model, language) for model in library.records(Model)
    }
    made["models/index.md"] = _index(library, language)
    return made


def summary_values(model: Model, language: str) -> dict[str, object]:
    """Return the placeholders that a model's own texts may use."""
    return {
        name: billions(value, language)
        for name in ("total_parameters_billion", "active_parameters_billion")
        if (value := getattr(model, name)) is not None
    }


def computed_values(library: Library, model: Model) -> dict[str, object]:
    """Return the computed placeholders of a model's advice and story."""
    return {
        name: written(compute(library, value, []), value) for name, value in model.values.items()
    }


def _page(library: Library, model: Model, language: str) -> Page:
    top, plain = best(library, model.id), best(library, model.id, drafts=False)
    values = summary_values(model, language) | computed_values(library, model)
    summary = inline(said(model.summary, language), values)
    if top is None:
        headline: object = _t("none", language)
    else:
        headline = stated_speed(top, language, large=True)
    reason = summary
    if top and plain and plain.run.id != top.run.id:
        separator = " " if language == "en" else ""
        reason = join(summary, separator, _plain_words(plain, language))
    own = checkpoints_of(library, model.id)
    parts: list[object] = [
        f"# {inline(model.name)}",
        answer(headline=headline, reason=reason, language=language,
               question=_t("best", language, speed="").rstrip("：: ") if top else None,
               dated=top.run.measured_on if top else None),
    ]  # fmt: skip
    if model.advice:
        parts += [heading(_t("do", language), "today"), prose(model.advice, language, values)]
    recipes = [f"recipes/{each.id}" for each in library.records(Recipe)
               if each.checkpoint in {checkpoint.id for checkpoint in own}]  # fmt: skip
    if recipes:
        parts += [heading(_t("recipes", language), "recipes"), links(library, recipes, language)]
    if own:
        parts += [heading(_t("compare", language), "checkpoints"), _bars(library, own, language),
                  _comparison(library, own, language)]  # fmt: skip
    drafters = [each for each in library.records(Drafter) if each.model == model.id]
    if drafters:
        parts += [heading(_t("drafters", language), "drafters"), _drafters(drafters, language)]
        for each in drafters:
            parts += [prose(each.note, language), sources(library, each, language)]
    if formats := crossover(library, language, model.id):
        parts += [heading(_t("formats", language), "by-load"), formats]
    for section in model.story:
        parts += [heading(said(section.title, language), section.anchor),
                  prose(section.text, language, values)]  # fmt: skip
    steps = records_over_time(library, model.id)
    if len(steps) > 1:
        parts += [
            heading(_t("record", language), "record"),
            _record(library, model, steps, language),
        ]
    drawn = pictures.of_model(library, model.id, language)
    if drawn:
        parts += [heading(pictures.title_of(language), "pictures"), *(html for *_, html in drawn)]
    runs = [run for run in library.records(Measurement) if run.model == model.id]
    if runs:
        parts += [heading(_t("all", language), "measurements"),
                  speed_table(library, runs, language, with_checkpoint=True)]  # fmt: skip
    parts += [heading(_t("architecture", language), "architecture"), _architecture(model, language)]
    if model.unknown:
        parts.append(notice(text=prose(model.unknown, language), language=language, kind="unknown"))
    claims = [f"claims/{claim.id}" for claim in library.records(Claim)
              if claim.asserts.subject.get("model") == model.id]  # fmt: skip
    pitfalls = [f"pitfalls/{each.id}" for each in library.records(Pitfall)
                if model.id in each.affects.models]  # fmt: skip
    for name, references in (("claims", claims), ("pitfalls", pitfalls)):
        if references:
            parts += [heading(_t(name, language), name), links(library, references, language)]
    parts += [heading(_t("sources", language), "sources"), sources(library, model, language)]
    description = said(model.summary, language)
    for name, value in values.items():
        description = description.replace(f"{{{name}}}", str(value))
    return Page(blocks(*parts), model.name, description,
                library.document(f"models/{model.id}").path)  # fmt: skip


def _drafters(drafters: list[Drafter], language: str) -> Html:
    rows = [
        (
            element("code", each.name),
            each.method,
            rounded(each.weight_bytes / 1e9, decimals=2),
            None if each.num_layers is None else str(each.num_layers),
            _t("shared_head" if each.shares_lm_head else "own_head", language),
        )
        for each in drafters
    ]
    return data_table(
        columns=[
            Column(_t("drafter", language)),
            Column(_t("method", language)),
            Column(_t("weights", language), "GB", number=True),
            Column(_t("layers", language), number=True),
            Column(_t("head", language)),
        ],
        rows=rows, caption=_t("drafters", language), language=language, show_caption=False,
    )  # fmt: skip


def _plain_words(plain: Candidate, language: str) -> Html:
    value = element("a", tokens_per_s(plain.tokens_per_s), href=f"/benchmarks/#{plain.run.id}")
    before, _, after = _t("plain", language, speed="\0").partition("\0")
    text = before[0].upper() + before[1:] if language == "en" else before
    return join(text, value, after, "." if language == "en" else "。")


def _bars(library: Library, own: list[Checkpoint], language: str) -> Html:
    rows = []
    for checkpoint in own:
        found = plain_ceiling(library, checkpoint)
        if found is None:
            continue
        rows.append(
            BarRow(
                checkpoint.name,
                segments(found.step),
                f"/checkpoints/{checkpoint.id}/",
                tokens_per_s(str(found.ceiling_tokens_per_s), decimals=1),
                marks(checkpoint, language) or None,
            )
        )
    return byte_bar_group(
        rows=rows, caption=_t("bars", language), language=language,
        bandwidth_gb_per_s=Decimal(273), figure_heading=_t("ceiling", language),
        note=_t("compare_note", language),
    )  # fmt: skip


def best_plain_of(library: Library, checkpoint: Checkpoint) -> Candidate | None:
    """Return the fastest comparable plain speed of one checkpoint on one machine."""
    found = candidates(library, checkpoint.model, drafts=False)
    own = [each for each in found if each.run.checkpoint == checkpoint.id]
    return max(own, key=lambda each: each.tokens_per_s, default=None)


def _comparison(library: Library, own: list[Checkpoint], language: str) -> Html:
    law = law_for(library, "vllm")
    rows = []
    for checkpoint in own:
        found = plain_ceiling(library, checkpoint)
        name = join(record_link(library, f"checkpoints/{checkpoint.id}", language),
                    marks(checkpoint, language), separator=" ")  # fmt: skip
        if found is None:
            rows.append((name, None, None, None, None, None, None))
            continue
        expected = (
            expected_tokens_per_s(law, composition_of(library, checkpoint.id), found, Load())
            if law
            else None
        )
        plain = best_plain_of(library, checkpoint)
        share = share_of_ceiling(library, plain.run, plain.point) if plain else None
        rows.append(
            (
                name,
                rounded(found.bytes_per_step / 1e9, decimals=2),
                rounded(found.weights_ceiling_tokens_per_s, decimals=1),
                rounded(found.ceiling_tokens_per_s, decimals=1),
                rounded(expected, decimals=0) if expected else None,
                element(
                    "a",
                    rounded(plain.tokens_per_s, decimals=1),
                    href=f"/benchmarks/#{plain.run.id}",
                )
                if plain
                else None,
                share_bar(share, language=language) if share is not None else None,
            )
        )
    return data_table(
        columns=[
            Column(_t("checkpoint", language)),
            Column(_t("read", language), "GB", number=True),
            Column(_t("weights_ceiling", language), "tok/s", number=True),
            Column(_t("ceiling", language), "tok/s", number=True),
            Column(_t("expected", language), "tok/s", number=True),
            Column(_t("measured", language), "tok/s", number=True),
            Column(_t("share", language)),
        ],
        rows=rows, caption=_t("compare", language), language=language, show_caption=False,
    )  # fmt: skip


def _record(library: Library, model: Model, steps: list[Candidate], language: str) -> Html:
    days = [day(step.run.measured_on) or date.max for step in steps]
    top = max(float(step.tokens_per_s) for step in steps)
    points = [
        Point(when.toordinal(), float(step.tokens_per_s), word(f"metric.{step.field}", language),
              f"{step.run.id}", href=f"/benchmarks/#{step.run.id}")
        for when, step in zip(days, steps, strict=True)
    ]  # fmt: skip
    last = steps[-1]
    description = (
        f"{steps[0].tokens_per_s} → {last.tokens_per_s} tok/s, "
        f"{steps[0].run.measured_on} → {last.run.measured_on}"
    )
    chart = step_chart(
        points,
        x_axis=date_axis(_t("record_date", language), days[0], days[-1]),
        y_axis=linear_axis(word("speed", language), "tok/s", top),
        title=f"{_t('record', language)}{COLONS[language]}{model.name}",
        description=description,
        language=language,
    )
    rows = [
        (
            stated_speed(step, language, decimals=1),
            word(f"metric.{step.field}", language),
            _changed(library, before, step, language),
            _bound(library, step, language),
            *_step_factors(library, before, step),
        )
        for before, step in zip([None, *steps], steps, strict=False)
    ]
    table = data_table(
        columns=[
            Column(word("speed", language)),
            Column(word("metric", language)),
            Column(_t("changed", language)),
            Column(_t("share", language)),
            Column(_t("step_measured", language), number=True),
            Column(_t("step_predicted", language), number=True),
        ],
        rows=rows, caption=_t("record", language), language=language, show_caption=False,
    )  # fmt: skip
    return Html(f"{chart}\n\n{table}")


def _checkpoint_name(library: Library, run: Measurement, language: str) -> object:
    if run.checkpoint:
        return record_link(library, f"checkpoints/{run.checkpoint}", language)
    return run.checkpoint_as_stated


def _changed(library: Library, before: Candidate | None, step: Candidate, language: str) -> Html:
    """Return what a step of the record changed: checkpoint, drafts, engine, or only the source."""
    run, last = step.run, before.run if before else None
    parts: list[object] = []
    if last is None or run.checkpoint != last.checkpoint:
        parts.append(_checkpoint_name(library, run, language))
    if last is None or run.draft != last.draft:
        parts.append(draft_words(run.draft.method, run.draft.num_tokens, language))
    if last is None or run.engine.name != last.engine.name:
        parts.append(engine_words(library, run, language))
    return join(*(parts or [_t("same", language)]), separator=" · ")


def _step_factors(
    library: Library, before: Candidate | None, step: Candidate
) -> tuple[str | None, str | None]:
    """Return how much a step gained, measured and as the ceilings of both loads predict it."""
    if before is None:
        return None, None
    measured = float(step.tokens_per_s) / float(before.tokens_per_s)
    ceilings = [_ceiling_of_candidate(library, each) for each in (before, step)]
    predicted = ceilings[1] / ceilings[0] if ceilings[0] and ceilings[1] else None
    return times(measured, decimals=2), None if predicted is None else times(predicted, decimals=2)


def _ceiling_of_candidate(library: Library, candidate: Candidate) -> float | None:
    """Return the ceiling under a candidate's own load; None where it is not known."""
    run = candidate.run
    load = load_of(run, candidate.point)
    if load is None or not has_composition(library, run.checkpoint):
        return None
    try:
        return ceiling_of(library, run.checkpoint or "", load, run.hardware).ceiling_tokens_per_s
    except LedgerError:
        return None


def _bound(library: Library, step: Candidate, language: str) -> object:
    share = share_of_ceiling(library, step.run, step.point)
    return None if share is None else share_bar(share, language=language)


def _against(counted: Decimal, advertised: Decimal | None, language: str) -> str:
    """Return a counted number of parameters, with its difference from the advertised one."""
    shown = billions(round(counted, 2), language)
    if not advertised:
        return shown
    difference = signed(100 * (counted / advertised - 1))
    return shown + bracketed(f"{difference}%", language)


def _architecture(model: Model, language: str) -> Html:
    entries: list[tuple[object, object]] = []
    advertised = model.total_parameters_billion
    entries.append(
        (_t("advertised_total", language), billions(advertised, language) if advertised else None)
    )
    if model.family in FAMILIES:
        shapes = model_shapes(model)
        total = Decimal(shapes.total_params) / 10**9
        entries.append((_t("counted_total", language), _against(total, advertised, language)))
        active = model.active_parameters_billion
        entries.append(
            (_t("advertised_active", language), billions(active, language) if active else None)
        )
        counted = [
            _against(Decimal(shapes.active_params(with_embedding=each)) / 10**9, active, language)
            for each in (True, False)
        ]
        entries.append(
            (_t("counted_active", language),
             _t("with_embedding", language, with_it=counted[0], without=counted[1]))
        )  # fmt: skip
        if shapes.draft_params:
            drafts = round(Decimal(shapes.draft_params) / 10**9, 3)
            entries.append((_t("mtp", language), billions(drafts, language)))
        entries.append((_t("layers", language), str(shapes.num_layers)))
        state = 4 * shapes.state_fp32_elements + 2 * shapes.state_bf16_elements
        if state:
            entries.append((_t("state", language), f"{rounded(state / 1e6, decimals=1)}\u00a0MB"))
        if shapes.cached:
            unlimited = sum(
                layers.num_layers * layers.elements_per_token * 2
                for layers in shapes.cached
                if not layers.draft and (layers.limit_tokens is None or layers.sparse)
            )
            entries.append((_t("kv", language), f"{rounded(unlimited / 1e3, decimals=1)}\u00a0kB"))
    if model.context_tokens:
        context = f"{model.context_tokens:,}".replace(",", "\u202f")
        entries.append((_t("context", language), f"{context} {word('tokens', language)}"))
    if model.multi_token_prediction:
        entries.append(("MTP", prose(model.multi_token_prediction.contains, language)))
    config = [
        (element("code", name), element("code", _short(value)))
        for name, value in model.architecture.items()
    ]
    table = data_table(
        columns=[Column("config.json"), Column(word("value", language))],
        rows=config, caption="config.json", language=language, show_caption=False,
    )  # fmt: skip
    details = element("details", element("summary", "config.json"), table)
    return Html(f"{facts(entries, language=language)}\n\n{details}")


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 90 else f"{text[:87]}…"


def leanest_that_fits(library: Library, model_id: str) -> Checkpoint | None:
    """Return the published checkpoint that reads least and whose weights fit one machine."""
    capacity = library.get(Hardware, "dgx-spark").usable_memory_bytes
    for checkpoint in checkpoints_of(library, model_id):
        if checkpoint.scenario or checkpoint.conversion or not checkpoint.repository:
            continue
        if plain_ceiling(library, checkpoint) is None:
            continue
        if resident_bytes(composition_of(library, checkpoint.id), draft=False) < capacity:
            return checkpoint
    return None


def model_rows(library: Library, language: str) -> list[BarRow]:
    """Return one row per model that fits one machine, the fastest ceiling first."""
    rows = []
    for model in library.records(Model):
        checkpoint = leanest_that_fits(library, model.id)
        if checkpoint is None:
            continue
        found = plain_ceiling(library, checkpoint)
        assert found is not None
        top = best(library, model.id)
        note = stated_speed(top, language, decimals=1) if top else None
        rows.append(
            (found.bytes_per_step,
             BarRow(model.name, segments(found.step), f"/models/{model.id}/",
                    tokens_per_s(str(found.ceiling_tokens_per_s), decimals=1), note))
        )  # fmt: skip
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def model_bars(library: Library, language: str) -> Html:
    """Return the table of models with the byte bar."""
    return byte_bar_group(
        rows=model_rows(library, language), caption=_t("bars", language), language=language,
        bandwidth_gb_per_s=Decimal(273), figure_heading=_t("ceiling", language),
        note=_t("compare_note", language),
    )  # fmt: skip


def _in_column(count_billion: Decimal, language: str) -> str:
    """Return a count in billions to a tenth, in the unit that the column's header names."""
    if language == "en":
        return rounded(count_billion, decimals=1)
    return rounded(count_billion * 10, decimals=0)


def _index(library: Library, language: str) -> Page:
    title = word("section.models", language)
    rows = []
    for model in library.records(Model):
        checkpoint = leanest_that_fits(library, model.id)
        found = plain_ceiling(library, checkpoint) if checkpoint else None
        top = best(library, model.id)
        rows.append(
            (
                record_link(library, f"models/{model.id}", language),
                _in_column(model.total_parameters_billion, language)
                if model.total_parameters_billion
                else None,
                record_link(library, f"checkpoints/{checkpoint.id}", language)
                if checkpoint
                else None,
                rounded(found.bytes_per_step / 1e9, decimals=2) if found else None,
                rounded(found.ceiling_tokens_per_s, decimals=1) if found else None,
                stated_speed(top, language, decimals=1) if top else None,
            )
        )
    table = data_table(
        columns=[
            Column(_t("model", language)),
            Column(_t("advertised_total", language), _t("billions", language), number=True),
            Column(_t("checkpoint", language)),
            Column(_t("read", language), "GB", number=True),
            Column(_t("ceiling", language), "tok/s", number=True),
            Column(word("speed", language)),
        ],
        rows=rows, caption=title, language=language, show_caption=False, sortable=True,
    )  # fmt: skip
    lead = _t("lead", language)
    return Page(blocks(f"# {title}", lead, model_bars(library, language), table), title, lead)


def macros(library: Library, language: str) -> dict[str, object]:
    """Return what prose may call: the table of models."""
    return {"model_bars": lambda: model_bars(library, language)}
