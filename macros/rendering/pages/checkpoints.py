"""The pages of checkpoints: what each keeps in which format, and the ceiling that follows."""

from macros.compositions import composition_of, has_composition
from macros.law import expected_tokens_per_s, law_for
from macros.ledger import Load, disk_bytes
from macros.library import Library
from macros.records import Checkpoint, Engine, Measurement, Model
from macros.rendering.bars import byte_bar
from macros.rendering.blocks import answer, notice
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import gibibytes, gigabytes, rounded, tokens_per_s
from macros.rendering.page import Page
from macros.rendering.parts import (
    blocks,
    evidence_of,
    format_words,
    heading,
    inline,
    marks,
    plain_ceiling,
    prose,
    record_link,
    segments,
    sources,
)
from macros.rendering.runs import speed_table
from macros.rendering.tables import Column, data_table, facts
from macros.rendering.words import bracketed, word, words_of

T = {
    "reads": {"en": "reads {gb} per token", "zh": "每词元读取 {gb}"},
    "headline": {
        "en": "At most {ceiling} for one request without drafts, because each token reads {gb}.",
        "zh": "单个请求、无草稿时最多 {ceiling}，因为每个词元要读取 {gb}。",
    },
    "weights_only": {
        "en": "Weights alone allow {weights}. {expected}",
        "zh": "只算权重时为 {weights}。{expected}",
    },
    "expected": {
        "en": "vLLM is expected to reach about {speed}.",
        "zh": "预期 vLLM 约能达到 {speed}。",
    },
    "unknown": {
        "en": "The formats inside this checkpoint are not known, so there is no ceiling.",
        "zh": "此检查点内部各部分的格式未知，因此没有上限。",
    },
    "modules": {"en": "What a token reads", "zh": "一个词元读取什么"},
    "module": {"en": "Module", "zh": "模块"},
    "format": {"en": "Format", "zh": "格式"},
    "parameters": {"en": "Parameters", "zh": "参数量"},
    "million": {"en": "million", "zh": "百万"},
    "per_token": {"en": "Read per token", "zh": "每词元读取"},
    "share": {"en": "Share", "zh": "占比"},
    "context": {"en": "Ceiling by context", "zh": "上限随上下文变化"},
    "tokens": {"en": "Context", "zh": "上下文"},
    "files": {"en": "Files", "zh": "文件"},
    "repository": {"en": "Repository", "zh": "仓库"},
    "predicted": {"en": "Predicted size", "zh": "预测大小"},
    "published": {"en": "Published size", "zh": "公布大小"},
    "resident": {"en": "In memory with MTP", "zh": "载入内存（含 MTP）"},
    "drafts": {"en": "MTP weights", "zh": "MTP 权重"},
    "shipped": {"en": "shipped", "zh": "附带"},
    "not_shipped": {"en": "not shipped", "zh": "不附带"},
    "not_known": {"en": "sources disagree, or nobody has checked", "zh": "来源说法不一或无人核实"},
    "made_from": {"en": "Converted at load from", "zh": "加载时转换自"},
    "by": {"en": "Converted by", "zh": "转换方式"},
    "engine": {"en": "Engine that converts", "zh": "执行转换的引擎"},
    "released": {"en": "Published on", "zh": "发布日期"},
    "revision": {"en": "Revision", "zh": "修订版"},
    "how": {"en": "How the composition is known", "zh": "如何得知其组成"},
    "measured": {"en": "Measured", "zh": "实测"},
    "sources": {"en": "Sources", "zh": "来源"},
    "model": {"en": "Model", "zh": "模型"},
    "bf16": {"en": "BF16 KV cache", "zh": "BF16 KV 缓存"},
    "fp8": {"en": "FP8 KV cache", "zh": "FP8 KV 缓存"},
}  # fmt: skip
CONTEXTS = (0, 1024, 8192, 32768, 131072)
MODULES = {
    "embed": {"en": "Embedding", "zh": "嵌入"},
    "lm_head": {"en": "Head", "zh": "输出头"},
    "attn_q": {"en": "Attention, query projection", "zh": "注意力查询投影"},
    "attn_kv": {"en": "Attention, key and value projections", "zh": "注意力键值投影"},
    "attn_o": {"en": "Attention, output projection", "zh": "注意力输出投影"},
    "attn_gate": {"en": "Attention gate", "zh": "注意力门控"},
    "compressor": {"en": "Cache compressors", "zh": "缓存压缩器"},
    "indexer": {"en": "Indexer of sparse attention", "zh": "稀疏注意力索引器"},
    "indexer_fp8": {"en": "Indexer, large projections", "zh": "索引器的大投影"},
    "indexer_bf16": {"en": "Indexer, small weights", "zh": "索引器的小权重"},
    "mla_q": {"en": "MLA query projection", "zh": "MLA 查询投影"},
    "mla_kv": {"en": "MLA key and value projections", "zh": "MLA 键值投影"},
    "mla_o": {"en": "MLA output projection", "zh": "MLA 输出投影"},
    "mla_gate": {"en": "MLA gate", "zh": "MLA 门控"},
    "gdn_in": {"en": "GDN input projections", "zh": "GDN 输入投影"},
    "gdn_out": {"en": "GDN output projection", "zh": "GDN 输出投影"},
    "gdn_ab": {"en": "GDN decay and update rate", "zh": "GDN 衰减与更新率投影"},
    "gdn_misc": {"en": "GDN convolution and small weights", "zh": "GDN 卷积与小权重"},
    "kda_qkv": {"en": "KDA input projections", "zh": "KDA 输入投影"},
    "kda_o": {"en": "KDA output projection", "zh": "KDA 输出投影"},
    "kda_gates": {"en": "KDA gates", "zh": "KDA 门控"},
    "kda_misc": {"en": "KDA convolution and small weights", "zh": "KDA 卷积与小权重"},
    "mamba_in": {"en": "Mamba input projection", "zh": "Mamba 输入投影"},
    "mamba_out": {"en": "Mamba output projection", "zh": "Mamba 输出投影"},
    "mamba_misc": {"en": "Mamba convolution and small weights", "zh": "Mamba 卷积与小权重"},
    "dense_mlp": {"en": "Dense MLP", "zh": "稠密 MLP"},
    "experts": {"en": "Routed experts", "zh": "路由专家"},
    "experts_bias": {"en": "Biases of the experts", "zh": "专家偏置"},
    "shared": {"en": "Shared expert", "zh": "共享专家"},
    "shared_up": {"en": "Shared expert, up projection", "zh": "共享专家上投影"},
    "shared_down": {"en": "Shared expert, down projection", "zh": "共享专家下投影"},
    "shared_gate": {"en": "Gate of the shared expert", "zh": "共享专家门控"},
    "latent_fc1": {"en": "Projection into the latent space", "zh": "进入潜空间的投影"},
    "latent_fc2": {"en": "Projection out of the latent space", "zh": "离开潜空间的投影"},
    "router": {"en": "Router", "zh": "路由器"},
    "router_bias": {"en": "Router bias", "zh": "路由器偏置"},
    "router_scales": {"en": "Router scales", "zh": "路由器缩放系数"},
    "norms": {"en": "Norms and biases", "zh": "归一化与偏置"},
    "hc": {"en": "Hyper-connections", "zh": "超连接"},
    "ngram": {"en": "N-gram table", "zh": "n-gram 表"},
    "ple_proj": {"en": "N-gram projections", "zh": "n-gram 投影"},
    "ple_misc": {"en": "N-gram layer, small weights", "zh": "n-gram 层的小权重"},
    "engram_table": {"en": "N-gram tables", "zh": "n-gram 表"},
    "engram_proj": {"en": "N-gram projections", "zh": "n-gram 投影"},
    "vision": {"en": "Vision tower", "zh": "视觉塔"},
    "fc": {"en": "input projection", "zh": "输入投影"},
    "main_proj": {"en": "projection of the model's states", "zh": "主干状态投影"},
    "drafter": {"en": "Drafter", "zh": "草稿模型"},
}  # fmt: skip
DRAFT = "mtp_"


def module_words(name: str, language: str) -> str:
    """Return a module's name in words; those of draft layers follow `MTP:`."""
    word_of = MODULES[name.removeprefix(DRAFT)][language]
    if not name.startswith(DRAFT):
        return word_of
    return f"MTP: {word_of[0].lower()}{word_of[1:]}" if language == "en" else f"MTP：{word_of}"


_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return a page for each checkpoint, and their list."""
    made = {
        f"checkpoints/{checkpoint.id}.md": _page(library, checkpoint, language)
        for checkpoint in library.records(Checkpoint)
    }
    made["checkpoints/index.md"] = _index(library, language)
    return made


def _page(library: Library, checkpoint: Checkpoint, language: str) -> Page:
    model = library.get(Model, checkpoint.model)
    found = plain_ceiling(library, checkpoint)
    parts: list[object] = [f"# {inline(checkpoint.name)}"]
    if found is None:
        parts.append(notice(text=_t("unknown", language), language=language, kind="unknown"))
        description = _t("unknown", language)
    else:
        law = law_for(library, "vllm")
        composition = composition_of(library, checkpoint.id)
        expected = ""
        if law:
            speed = expected_tokens_per_s(law, composition, found, Load())
            expected = _t("expected", language, speed=tokens_per_s(str(speed), decimals=0))
        description = _t(
            "headline", language, ceiling=tokens_per_s(str(found.ceiling_tokens_per_s), decimals=1),
            gb=gigabytes(round(found.bytes_per_step)),
        )  # fmt: skip
        parts += [
            answer(
                headline=description,
                reason=_t(
                    "weights_only", language, expected=expected,
                    weights=tokens_per_s(str(found.weights_ceiling_tokens_per_s), decimals=1),
                ),
                language=language,
                badges=join(
                    evidence_of(checkpoint, language), marks(checkpoint, language), separator=" "
                ),
            ),
            byte_bar(
                segments=segments(found.step), label=checkpoint.name, language=language,
                scale_bytes=sum(amount for _, amount in segments(found.step)),
            ),
            heading(_t("modules", language), "modules"),
            _modules(library, checkpoint, language),
            heading(_t("context", language), "context"),
            _contexts(library, checkpoint, language),
        ]  # fmt: skip
    runs = [run for run in library.records(Measurement) if run.checkpoint == checkpoint.id]
    if runs:
        parts += [
            heading(_t("measured", language), "measured"),
            speed_table(library, runs, language),
        ]
    parts += [heading(_t("files", language), "files"), _files(library, checkpoint, model, language)]
    if checkpoint.composition:
        parts += [heading(_t("how", language), "evidence"), prose(checkpoint.composition, language)]
    parts += [heading(_t("sources", language), "sources"), sources(library, checkpoint, language)]
    return Page(
        blocks(*parts), checkpoint.name, description,
        library.document(f"checkpoints/{checkpoint.id}").path,
    )  # fmt: skip


def _modules(library: Library, checkpoint: Checkpoint, language: str) -> Html:
    found = plain_ceiling(library, checkpoint)
    assert found is not None
    ordered = sorted(found.step.modules, key=lambda module: -module.bytes_per_step)
    rows = [
        (
            join(
                module_words(module.module, language), element("code", module.module), separator=" "
            ),
            format_words(library, module.format, language),
            rounded(module.params / 1e6, decimals=1),
            rounded(module.bytes_per_step / 1e9, decimals=3),
            rounded(100 * module.bytes_per_step / found.bytes_per_step, decimals=1),
        )
        for module in ordered
    ]
    if found.step.state_bytes:
        rows.append(
            (word("module.state", language), "FP32", None,
             rounded(found.step.state_bytes / 1e9, decimals=3),
             rounded(100 * found.step.state_bytes / found.bytes_per_step, decimals=1))
        )  # fmt: skip
    footer = (
        word("total", language), "", "", rounded(found.bytes_per_step / 1e9, decimals=3), "100.0",
    )  # fmt: skip
    return data_table(
        columns=[
            Column(_t("module", language)),
            Column(_t("format", language)),
            Column(_t("parameters", language), _t("million", language), number=True),
            Column(_t("per_token", language), "GB", number=True),
            Column(_t("share", language), "%", number=True),
        ],
        rows=rows, caption=_t("modules", language), language=language, footer=footer,
        show_caption=False,
    )  # fmt: skip


def _contexts(library: Library, checkpoint: Checkpoint, language: str) -> Html:
    rows = []
    for context in CONTEXTS:
        cells: list[object] = [f"{context:,}".replace(",", "\u202f")]
        for kv_format in ("bf16", "fp8"):
            found = plain_ceiling(library, checkpoint, context_tokens=context, kv_format=kv_format)
            known = found is not None and found.step.kv_bytes is not None
            cells.append(rounded(found.ceiling_tokens_per_s, decimals=1) if known else None)  # type: ignore[union-attr]
        rows.append(cells)
    return data_table(
        columns=[
            Column(_t("tokens", language), word("tokens", language), number=True),
            Column(_t("bf16", language), "tok/s", number=True),
            Column(_t("fp8", language), "tok/s", number=True),
        ],
        rows=rows, caption=_t("context", language), language=language, show_caption=False,
    )  # fmt: skip


def _files(library: Library, checkpoint: Checkpoint, model: Model, language: str) -> Html:
    entries: list[tuple[object, object]] = [
        (_t("model", language), record_link(library, f"models/{model.id}", language)),
    ]
    if checkpoint.repository:
        entries.append((_t("repository", language), element("code", checkpoint.repository)))
    if checkpoint.revision:
        entries.append((_t("revision", language), element("code", checkpoint.revision[:12])))
    if checkpoint.released_on:
        entries.append((_t("released", language), str(checkpoint.released_on)))
    if checkpoint.conversion:
        base = record_link(library, f"checkpoints/{checkpoint.conversion.checkpoint}", language)
        entries.append((_t("made_from", language), base))
        engine = checkpoint.conversion.engine
        if engine:
            entries.append((_t("engine", language), library.get(Engine, engine).name))
        entries.append((_t("by", language), element("code", checkpoint.conversion.by)))
    drafts = checkpoint.draft_weights
    if drafts is None:
        state = _t("not_shipped" if checkpoint.formats is not None else "not_known", language)
    elif drafts.shipped is None:
        state = _t("not_known", language)
    else:
        state = _t("shipped" if drafts.shipped else "not_shipped", language)
    entries.append((_t("drafts", language), state))
    if has_composition(library, checkpoint.id):
        composition = composition_of(library, checkpoint.id)
        with_draft = disk_bytes(composition, draft=True, text_only=checkpoint.text_only)
        without = disk_bytes(composition, draft=False, text_only=checkpoint.text_only)
        predicted = gigabytes(round(with_draft))
        if round(with_draft) != round(without):
            predicted = predicted + bracketed(
                f"{word('without_mtp', language)} {gigabytes(round(without))}", language
            )
        if not checkpoint.conversion:
            entries.append((_t("predicted", language), predicted))
        entries.append((_t("resident", language), gibibytes(round(with_draft))))
    if checkpoint.weight_bytes or checkpoint.published_size_gb:
        size = (
            gigabytes(checkpoint.weight_bytes)
            if checkpoint.weight_bytes
            else f"{checkpoint.published_size_gb}\u00a0GB"
        )
        entries.append((_t("published", language), size))
    return facts(entries, language=language)


def _index(library: Library, language: str) -> Page:
    rows = []
    for checkpoint in sorted(library.records(Checkpoint), key=lambda each: (each.model, each.id)):
        found = plain_ceiling(library, checkpoint)
        rows.append(
            (
                join(
                    record_link(library, f"checkpoints/{checkpoint.id}", language),
                    marks(checkpoint, language),
                    separator=" ",
                ),
                record_link(library, f"models/{checkpoint.model}", language),
                rounded(found.bytes_per_step / 1e9, decimals=2) if found else None,
                rounded(found.ceiling_tokens_per_s, decimals=1) if found else None,
            )
        )
    title = word("section.checkpoints", language)
    table = data_table(
        columns=[
            Column(word("checkpoint", language)),
            Column(_t("model", language)),
            Column(_t("per_token", language), "GB", number=True),
            Column(word("ceiling", language), "tok/s", number=True),
        ],
        rows=rows, caption=title, language=language, show_caption=False, sortable=True,
    )  # fmt: skip
    lead = said_lead(language)
    return Page(blocks(f"# {title}", lead, table), title, lead)


def said_lead(language: str) -> str:
    """Return the first sentence of the list."""
    if language == "en":
        return "What each file set keeps in which format decides how many bytes a token reads."
    return "每套权重文件把哪一部分存成什么格式，决定了一个词元要读取多少字节。"
