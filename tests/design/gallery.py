"""A page with every component, to be looked at: python -m tests.design.gallery FOLDER."""

from __future__ import annotations

import sys
from datetime import date
from decimal import Decimal
from itertools import product
from pathlib import Path

import material

from macros.rendering import components as ui
from macros.rendering.numbers import rounded
from macros.rendering.words import words_under

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("zh", "zh-Hant", "en")
SCHEMES = ("default", "slate")
BANDWIDTH_GB_PER_S = 273

# Sample values: enough to look real; nothing on the site is made from them.
ACTIVE_PARAMETERS = {
    "experts": 3_623_878_656,
    "shared_expert": 452_984_832,
    "linear_attention": 3_187_000_000,
    "attention": 943_700_000,
    "lm_head": 762_839_040,
    "rest": 37_900_000,
}
STATE_BYTES = 310_000_000
FORMATS = {
    "nvidia NVFP4": {"experts": "4.5"},
    "Sehyo NVFP4": {"experts": "4.5", "shared_expert": "4.5", "attention": "4.5"},
    "Intel INT4 AutoRound": {"experts": "4.125", "linear_attention": "4.125", "attention": "4.125"},
}

COMMAND = """docker run --rm --gpus all --ipc host \\
  -p 8000:8000 \\
  -v ~/.cache/huggingface:/root/.cache/huggingface \\
  vllm/vllm-openai:v0.33.0-aarch64-cu130-ubuntu2404 \\
  --model Intel/Qwen3.5-122B-A10B-int4-AutoRound \\
  --served-model-name qwen3.5-122b-a10b \\
  --gpu-memory-utilization 0.80 \\
  --max-model-len 131072 \\
  --kv-cache-dtype fp8 \\
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 2}'"""

COMPOSE = """services:
  vllm:
    image: vllm/vllm-openai:v0.33.0-aarch64-cu130-ubuntu2404
    command:
      - --model=Intel/Qwen3.5-122B-A10B-int4-AutoRound
      - --gpu-memory-utilization=0.80
    ipc: host"""

TEXT = {
    "question": {"en": "How fast should your GB10 be?", "zh": "你的 GB10 应该跑多快？"},
    "lead": {
        "en": "The bytes that a model reads for each token set the ceiling. Kernels and launches "
        "decide how much of it you get. Here both are counted, for each checkpoint.",
        "zh": "每生成一个词元，模型要读多少字节，决定了速度的上限；内核与启动开销决定你能拿到上限的几成。"
        "这里对每个检查点都算清了这两笔账。",
    },
    "caption": {
        "en": "Bytes read per token, Qwen3.5-122B-A10B",
        "zh": "每词元读取的字节：Qwen3.5-122B-A10B",
    },
    "headline": {
        "en": "Run the INT4 AutoRound checkpoint: 28 tok/s plain, 51 with drafts.",
        "zh": "改用 INT4 AutoRound 检查点：无草稿 28 tok/s，加草稿 51 tok/s。",
    },
    "reason": {
        "en": "The NVFP4 files keep the GDN layers in BF16. Those layers alone are half of the "
        "bytes of every token, and no flag makes them smaller.",
        "zh": "NVFP4 文件把 GDN 层保留为 BF16。仅这些层就占每个词元一半的字节，没有哪个参数能让它们变小。",
    },
    "paragraph": {
        "en": "A measured speed never stands alone: {speed}. Another sentence follows, long enough "
        "to show the measure of a line, the leading, and a piece of code such as "
        "<code>--kv-cache-dtype fp8</code> inside it.",
        "zh": "实测速度从不单独出现：{speed}。后面再接一句足够长的话，用来看行宽、行距，"
        "以及句中的代码 <code>--kv-cache-dtype fp8</code>，还有“引号”、破折号——和省略号……是否端正。",
    },
}


def segments(formats: dict[str, str]) -> list[tuple[str, int]]:
    """Return the bytes of a sample checkpoint by module."""
    weights = [
        (name, int(count * Decimal(formats.get(name, "16")) / 8))
        for name, count in ACTIVE_PARAMETERS.items()
    ]
    return [*weights, ("state", STATE_BYTES), ("kv_cache", 48_000_000)]


def ceiling(num_bytes: int) -> str:
    """Return the ceiling of a sample checkpoint in tokens per second."""
    return rounded(Decimal(BANDWIDTH_GB_PER_S * 10**9) / num_bytes, decimals=1)


def sections(language: str) -> list[tuple[str, object]]:
    """Return the title and the component of each part of the gallery."""

    def say(key: str) -> str:
        return TEXT[key][language]

    fast = ui.speed("51.58", concurrency=1, draft=ui.draft_words("mtp", 2, language),
                    measured_on="2026-04-08", evidence="reported", language=language, large=True)  # fmt: skip
    inline = ui.speed("28.3", concurrency=1, draft=ui.draft_words("none", None, language),
                      measured_on="2026-03-28", evidence="reported", language=language)  # fmt: skip
    rows = [
        ui.BarRow(name, segments(formats), href="#", note="weights and state",
                  figure=f"≤ {ceiling(sum(b for _, b in segments(formats)))} tok/s")
        for name, formats in FORMATS.items()
    ]  # fmt: skip
    dense = [("dense_mlp", 17_100_000_000), ("linear_attention", 5_300_000_000),
             ("attention", 2_200_000_000), ("lm_head", 2_540_000_000), ("rest", 40_000_000),
             ("state", 300_000_000), ("kv_cache", 260_000_000), ("draft", 900_000_000)]  # fmt: skip
    entry = ui.PanelEntry(
        key="qwen3-5-122b", name="Qwen3.5-122B-A10B",
        facts=[("目前最好的实测" if language == "zh" else "Best measured today", fast),
               ("无草稿时的上限" if language == "zh" else "Ceiling without drafts", "39.9 tok/s"),
               ("占上限" if language == "zh" else "Reached without drafts", ui.share_bar(0.704, language=language))],
        ceiling_tokens_per_s=Decimal("39.9"), code=COMMAND,
        links=[("完整配方" if language == "zh" else "The whole recipe", "#"), ("为什么" if language == "zh" else "Why", "#")],
    )  # fmt: skip
    others = [entry._replace(key=f"m{n}", name=name) for n, name in
              enumerate(["gpt-oss-120b", "Qwen3.6-35B-A3B", "Qwen3.6-27B"])]  # fmt: skip
    columns = [ui.Column("Checkpoint"), ui.Column("Evidence"), ui.Column("Speed", "tok/s", number=True),
               ui.Column("Ceiling", "tok/s", number=True), ui.Column("Share"), ui.Column("TTFT", "ms", number=True)]  # fmt: skip
    table_rows = [
        ui.Row(["nvidia NVFP4", ui.evidence_badge("reported", language, compact=True), "17.45", "20.8",
                ui.share_bar(0.84, language=language), "764.70"],
               ui.filter_attributes(evidence="reported", model="a")),
        ui.Row(["Intel INT4 AutoRound", ui.evidence_badge("measured", language, compact=True), "28.3", "39.9",
                ui.share_bar(0.71, language=language), "1042.5"],
               ui.filter_attributes(evidence="measured", model="b")),
        ui.Row(["Intel INT4 AutoRound + MTP-2", ui.evidence_badge("claimed", language, compact=True), "51.58", "39.9",
                ui.share_bar(1.29, language=language), None],
               ui.filter_attributes(evidence="claimed", model="b")),
    ]  # fmt: skip
    table = ui.data_table(columns=columns, rows=table_rows, caption="Runs", language=language,
                          sortable=True, note="One request, no drafts unless said.")  # fmt: skip
    facets = [
        ui.Facet("evidence", "Evidence", [(n, n) for n in words_under("evidence") if "." not in n]),
        ui.Facet("model", "Model", [(c, f"Model {c}") for c in "abcdefgh"]),
    ]
    points = [ui.Point(12.81, 17.45, "NVFP4", "nvidia", True), ui.Point(10.8, 16.6, "NVFP4", "Sehyo"),
              ui.Point(6.53, 28.3, "INT4", "Intel AutoRound", True), ui.Point(5.0, 34.1, "MXFP4", "gpt-oss-120b", True),
              ui.Point(2.25, 76, "NVFP4", "35B nvidia", True), ui.Point(27.2, 8.1, "BF16", "27B")]  # fmt: skip
    records = [ui.Point(date(2026, m, d).toordinal(), v, "122B", n, True) for m, d, v, n in
               [(3, 19, 14, "S1"), (3, 28, 28.3, "albond"), (4, 8, 51.58, "v2"), (8, 2, 59, "Entrpi")]]  # fmt: skip
    paragraph = ui.Html(f"<p>{say('paragraph').format(speed=inline)}</p>")
    badges = [ui.element("p", ui.join(*(ui.badge(kind=kind, name=name, language=language)
              for name in words_under(kind)), separator=" ")) for kind in
              ("evidence", "verdict", "severity", "finding", "mark")]  # fmt: skip
    return [
        ("", ui.hero(question=say("question"), lead=say("lead"),
                     panel=ui.model_panel(entries=[entry, *others], language=language))),
        ("", ui.doors([ui.Door(t, x, "#") for t, x in [
            ("Copy a recipe", "A command that starts, with what it needs."), ("Diagnose", "Paste a command or a log."),
            ("Compare", "All measurements, one scale."), ("Understand", "Why bytes set the ceiling.")]])),
        ("byte_bar_group", ui.byte_bar_group(rows=rows, caption=say("caption"), language=language,
                                             bandwidth_gb_per_s=BANDWIDTH_GB_PER_S, figure_heading="tok/s")),
        ("byte_bar", ui.byte_bar(segments=dense, scale_bytes=30 * 10**9, label="Qwen3.6-27B BF16 + MTP-2",
                                 language=language)),
        ("answer", ui.answer(headline=say("headline"), reason=say("reason"), dated="2026-11-29",
                             badges=ui.evidence_badge("reported", language), language=language)),
        ("text", paragraph),
        ("badges", ui.join(*badges, ui.badge_legend(kind="verdict", language=language))),
        ("data_table, filterable", ui.filterable(name="runs", facets=facets, body=table, language=language)),
        ("facts", ui.facts([("Parameters", "122.6 B"), ("Active", "10 B"), ("Context", "262 144"),
                            ("Licence", None)], language=language)),
        ("cards", ui.cards([ui.Card("Intel/Qwen3.5-122B-A10B-int4-AutoRound", "#",
                                    ui.status_badge(s, language), say("reason"), [("Speed", "28.3 tok/s"), ("Read", "6.53 GB")])
                            for s in ("reported", "untested", "measured")], language=language)),
        ("command_tabs", ui.command_tabs(name="recipe", language=language, tabs=[
            ui.CommandTab("docker run", COMMAND), ui.CommandTab("Compose", COMPOSE, "yaml"),
            ui.CommandTab("vllm serve", COMMAND), ui.CommandTab("systemd", COMMAND), ui.CommandTab("Kubernetes", COMPOSE, "yaml")])),
        ("faulty_command", ui.faulty_command(code="vllm serve m \\\n  --speculative-model-type=ngram",
                                             why=say("reason"), source="Builder Daily, 2026-05-04", language=language)),
        ("notices", ui.join(*(ui.notice(text=say("reason"), kind=kind, language=language)
                              for kind in ("note", "caution", "unknown")))),
        ("quotation", ui.quotation(text="瓶頸在計算，不在頻寬。", text_language="zh-Hant", source="ai-muninn, 2026-03-19")),
        ("citation", ui.element("p", ui.citation(title="dgx-spark-benchmarks", title_language="en",
            publisher="Django de Vreng", published_on="2026-08-20", retrieved_on="2026-11-29", locator="results/meta.json",
            revision="5636536703fb6fe6a4992f68162b93fa03e7f15e", url="#", evidence="reported", language=language))),
        ("scatter_plot", ui.scatter_plot(points, x_axis=ui.linear_axis("Read per token", "GB", 28),
            y_axis=ui.linear_axis("Speed", "tok/s", 80), title="Bytes against speed", description="Six points.",
            language=language, curve=lambda x: BANDWIDTH_GB_PER_S / x, curve_label="ceiling = 273 GB/s ÷ bytes")),
        ("step_chart", ui.step_chart(records, x_axis=ui.date_axis("Date", date(2026, 3, 1), date(2026, 11, 29)),
            y_axis=ui.linear_axis("Speed", "tok/s", 60), title="The record over time", description="Four steps.",
            language=language)),
        ("empty", ui.cards([], language=language)),
    ]  # fmt: skip


def page(language: str, scheme: str) -> str:
    """Return the whole gallery in one language and one scheme."""
    styles = Path(next(iter(material.__path__))) / "templates/assets/stylesheets"
    sheets = [*sorted(styles.glob("*.css")), *(ROOT / "docs/assets/css").glob("*.css")]
    links = "".join(f'<link rel="stylesheet" href="{sheet.as_uri()}">' for sheet in sheets)
    authored = "en" if language == "en" else "zh"
    body = "".join(
        f"<h2>{title}</h2>{html}" if title else html for title, html in sections(authored)
    )
    if language == "zh-Hant":
        body = _traditional(body)
    filter_script = (ROOT / "docs/assets/js/filter.js").as_uri()
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>gallery</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{links}</head>'
        f'<body dir="ltr" data-md-color-scheme="{scheme}" data-md-color-primary="custom">'
        '<header class="md-header"><nav class="md-header__inner md-grid">'
        '<div class="md-header__title">GB10 Ledger</div></nav></header>'
        '<main class="md-main"><div class="md-main__inner md-grid"><div class="md-content">'
        f'<article class="md-content__inner md-typeset">{body}</article></div></div></main>'
        f'<script type="module" src="{filter_script}"></script></body></html>'
    )


def _traditional(text: str) -> str:
    import opencc

    return opencc.OpenCC("s2twp.json").convert(text)


def main(folder: Path) -> None:
    """Write one file for each language and scheme."""
    folder.mkdir(parents=True, exist_ok=True)
    for language, scheme in product(LANGUAGES, SCHEMES):
        (folder / f"{language}-{scheme}.html").write_text(page(language, scheme), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
