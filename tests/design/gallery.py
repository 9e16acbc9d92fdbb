"""A page with every component, to be looked at: python -m tests.design.gallery FOLDER."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import product
from pathlib import Path

import material
import opencc

from macros.rendering import components as ui
from macros.rendering.numbers import rounded
from macros.rendering.words import words_under

ROOT = Path(__file__).resolve().parents[2]
THEME = Path(next(iter(material.__path__))) / "templates/assets/stylesheets"
LANGUAGES = ("zh", "zh-Hant", "en")
SCHEMES = ("default", "slate")
STYLE_SHEETS = ("ledger.css", "components.css", "print.css")
SCRIPTS = ("lists.js", "panel.js")

# Sample values: they look real, and nothing on the site is made from them.
BANDWIDTH_GB_PER_S = 273
ACTIVE_PARAMETERS = {
    "experts": 3_623_878_656,
    "shared_expert": 452_984_832,
    "linear_attention": 3_187_000_000,
    "attention": 943_700_000,
    "lm_head": 762_839_040,
    "rest": 37_900_000,
}
FORMATS = {
    "nvidia NVFP4": {"experts": "4.5"},
    "Sehyo NVFP4": {"experts": "4.5", "shared_expert": "4.5", "attention": "4.5"},
    "Intel INT4 AutoRound": {
        "experts": "4.125",
        "linear_attention": "4.125",
        "attention": "4.125",
    },
}
DENSE = [
    ("dense_mlp", 17_100_000_000),
    ("linear_attention", 5_300_000_000),
    ("attention", 2_200_000_000),
    ("lm_head", 2_540_000_000),
    ("rest", 40_000_000),
    ("state", 300_000_000),
    ("kv_cache", 260_000_000),
    ("draft", 900_000_000),
]
POINTS = [
    ui.Point(12.81, 17.45, "NVFP4", "122B nvidia", named=True),
    ui.Point(10.8, 16.6, "NVFP4", "122B Sehyo", named=True),
    ui.Point(6.53, 28.3, "INT4", "122B AutoRound", named=True),
    ui.Point(5.0, 34.1, "MXFP4", "gpt-oss-120b", named=True),
    ui.Point(2.25, 76, "NVFP4", "35B nvidia", named=True),
    ui.Point(3.48, 51.9, "FP8", "35B FP8", named=True),
    ui.Point(27.2, 8.1, "BF16", "27B", named=True),
]
RECORDS = [
    ui.Point(date(2026, 3, 19).toordinal(), 14, "122B", "14", named=True),
    ui.Point(date(2026, 3, 28).toordinal(), 28.3, "122B", "28.3", named=True),
    ui.Point(date(2026, 4, 8).toordinal(), 51.58, "122B", "51.58", named=True),
    ui.Point(date(2026, 8, 2).toordinal(), 59, "122B", "59.0", named=True),
]

DOCKER = """docker run --rm --gpus all --ipc host \\
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
        "zh": "每生成一个词元，模型要读多少字节，决定了速度的上限；"
        "内核与启动开销决定你能拿到上限的几成。这里对每个检查点都算清了这两笔账。",
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
        "zh": "NVFP4 文件把 GDN 层保留为 BF16。"
        "仅这些层就占每个词元一半的字节，没有哪个参数能让它们变小。",
    },
    "before": {"en": "A speed never stands alone: ", "zh": "速度从不单独出现："},
    "after": {
        "en": " Another sentence follows, long enough to show the measure of a line, the leading "
        "and the badge inside it.",
        "zh": "。后面再接一句足够长的话，用来看行宽、行距与句中的徽章，"
        "还有“引号”、破折号——和省略号……是否端正。",
    },
    "note": {"en": "One request, no drafts unless said.", "zh": "单个请求；未注明者无草稿。"},
    "speed": {"en": "Speed", "zh": "速度"},
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "evidence": {"en": "Evidence", "zh": "证据"},
    "date": {"en": "Date", "zh": "日期"},
    "model": {"en": "Model", "zh": "模型"},
    "run": {"en": "Run", "zh": "测试"},
    "license": {"en": "Licence", "zh": "许可证"},
    "record": {"en": "The record over time", "zh": "纪录的变化"},
    "plot": {"en": "Bytes against speed", "zh": "字节与速度"},
    "curve": {"en": "ceiling at 273 GB/s", "zh": "273 GB/s 的上限"},
    "recipe": {"en": "Copy a recipe", "zh": "复制配方"},
    "diagnose": {"en": "Diagnose", "zh": "诊断"},
    "compare": {"en": "Compare", "zh": "比较"},
    "understand": {"en": "Understand", "zh": "弄懂原理"},
    "door": {"en": "One sentence that says what is behind it.", "zh": "用一句话说明里面有什么。"},
}


def segments(formats: dict[str, str]) -> list[tuple[str, int]]:
    """Return the bytes of a sample checkpoint by module."""
    weights = [
        (name, int(count * Decimal(formats.get(name, "16")) / 8))
        for name, count in ACTIVE_PARAMETERS.items()
    ]
    return [*weights, ("state", 310_000_000), ("kv_cache", 48_000_000)]


def bars(say, language: str) -> list[ui.BarRow]:
    """Return the sample checkpoints with their ceilings."""
    rows = []
    for name, formats in FORMATS.items():
        total = sum(num_bytes for _, num_bytes in segments(formats))
        ceiling = rounded(Decimal(BANDWIDTH_GB_PER_S * 10**9) / total, decimals=1)
        rows.append(ui.BarRow(name, segments(formats), href="#", figure=f"≤ {ceiling} tok/s"))
    return rows


def home(say, language: str) -> Iterator[ui.Html]:
    """Yield the first screen."""
    best = ui.speed(
        "51.58",
        concurrency=1,
        draft=ui.draft_words("mtp", 2, language),
        measured_on="2026-04-08",
        evidence="reported",
        large=True,
        language=language,
    )
    entries = [
        ui.PanelEntry(
            key=f"model-{number}",
            name=name,
            facts=[
                (ui.word("panel.best", language), best),
                (ui.word("panel.ceiling", language), "39.9 tok/s"),
                (ui.word("panel.share", language), ui.share_bar(0.704, language=language)),
            ],
            ceiling_tokens_per_s=Decimal("39.9"),
            code=DOCKER,
            links=[(ui.word(key, language), "#") for key in ("panel.recipe", "panel.why")],
        )
        for number, name in enumerate(
            ["Qwen3.5-122B-A10B", "gpt-oss-120b", "Qwen3.6-35B-A3B", "Qwen3.6-27B"]
        )
    ]
    picture = ui.byte_bar_group(
        rows=bars(say, language)[::2],
        caption=say("caption"),
        language=language,
        bandwidth_gb_per_s=BANDWIDTH_GB_PER_S,
    )
    yield ui.hero(
        question=say("question"),
        lead=say("lead"),
        panel=ui.model_panel(entries=entries, language=language),
        picture=picture,
    )
    yield ui.doors(
        [
            ui.Door(say(key), say("door"), "#")
            for key in ("recipe", "diagnose", "compare", "understand")
        ]
    )


def pictures(say, language: str) -> Iterator[ui.Html]:
    """Yield bars and charts."""
    yield ui.byte_bar_group(
        rows=bars(say, language),
        caption=say("caption"),
        figure_heading=say("ceiling"),
        bandwidth_gb_per_s=BANDWIDTH_GB_PER_S,
        note=ui.word("solid_hatched", language),
        language=language,
    )
    yield ui.byte_bar(
        segments=DENSE, scale_bytes=30 * 10**9, label="Qwen3.6-27B BF16 + MTP-2", language=language
    )
    speeds = partial(ui.linear_axis, say("speed"), "tok/s")
    yield ui.scatter_plot(
        POINTS,
        x_axis=ui.linear_axis(ui.word("bytes_per_token", language), "GB", 28),
        y_axis=speeds(80),
        title=say("plot"),
        description=say("note"),
        curve=lambda gigabytes: BANDWIDTH_GB_PER_S / gigabytes,
        curve_label=say("curve"),
        language=language,
    )
    yield ui.step_chart(
        RECORDS,
        x_axis=ui.date_axis(say("date"), date(2026, 3, 1), date(2026, 11, 29)),
        y_axis=speeds(60),
        title=say("record"),
        description=say("note"),
        language=language,
    )


def texts(say, language: str) -> Iterator[ui.Html]:
    """Yield answers, badges, remarks and sources."""
    plain = ui.speed(
        "28.3",
        concurrency=1,
        draft=ui.draft_words("none", None, language),
        measured_on="2026-03-28",
        evidence="reported",
        language=language,
    )
    yield ui.answer(
        headline=say("headline"),
        reason=say("reason"),
        dated="2026-11-29",
        badges=ui.evidence_badge("reported", language),
        language=language,
    )
    code = ui.element("code", "--kv-cache-dtype fp8")
    yield ui.element("p", say("before"), plain, say("after"), code)
    for kind in ("evidence", "verdict", "severity", "finding", "mark"):
        badges = (ui.badge(kind=kind, name=name, language=language) for name in words_under(kind))
        yield ui.element("p", ui.join(*badges, separator=" "))
    yield ui.badge_legend(kind="verdict", language=language)
    for kind in ("note", "caution", "unknown"):
        yield ui.notice(text=say("reason"), kind=kind, language=language)
    yield ui.quotation(
        text="瓶頸在計算，不在頻寬。", text_language="zh-Hant", source="ai-muninn, 2026-03-19"
    )
    source = ui.citation(
        title="dgx-spark-benchmarks",
        title_language="en",
        publisher="Django de Vreng",
        published_on="2026-08-20",
        retrieved_on="2026-11-29",
        locator="results/meta.json",
        revision="5636536703fb6fe6a4992f68162b93fa03e7f15e",
        url="#",
        evidence="reported",
        language=language,
    )
    yield ui.element("p", source)


def lists(say, language: str) -> Iterator[ui.Html]:
    """Yield tables, facts and cards."""
    runs = [
        ("nvidia NVFP4", "reported", "17.45", "20.8", 0.84, "764.70"),
        ("Intel INT4 AutoRound", "measured", "28.3", "39.9", 0.71, "1042.5"),
        ("Intel INT4 AutoRound, MTP-2", "claimed", "51.58", "39.9", 1.29, None),
    ]
    rows = [
        ui.Row(
            [
                name,
                ui.evidence_badge(evidence, language, compact=True),
                speed,
                ceiling,
                ui.share_bar(share, language=language),
                ttft,
            ],
            ui.filter_attributes(evidence=evidence, model=name.split()[0].lower()),
            [None, None, None, None, share, None],
        )
        for name, evidence, speed, ceiling, share, ttft in runs
    ]
    table = ui.data_table(
        columns=[
            ui.Column(ui.word("checkpoint", language)),
            ui.Column(say("evidence")),
            ui.Column(say("speed"), "tok/s", number=True),
            ui.Column(say("ceiling"), "tok/s", number=True),
            ui.Column(ui.word("share", language)),
            ui.Column("TTFT", "ms", number=True),
        ],
        rows=rows,
        caption=say("run"),
        note=say("note"),
        sortable=True,
        language=language,
    )
    evidence = [(n, ui.word(f"evidence.{n}", language)) for n in words_under("evidence")]
    models = [(n, n) for n in ("nvidia", "intel", "qwen", "openai", "redhat", "sehyo", "txn545")]
    yield ui.filterable(
        name="runs",
        facets=[
            ui.Facet("evidence", say("evidence"), evidence),
            ui.Facet("model", say("model"), models),
        ],
        body=table,
        language=language,
    )
    yield ui.facts(
        [(say("model"), "Qwen3.5-122B-A10B"), (say("speed"), "28.3 tok/s"), (say("license"), None)],
        language=language,
    )
    yield ui.cards(
        [
            ui.Card(
                "Intel/Qwen3.5-122B-A10B-int4-AutoRound",
                "#",
                ui.status_badge(status, language),
                say("reason"),
                [(say("speed"), "28.3 tok/s"), (ui.word("bytes_per_token", language), "6.53 GB")],
            )
            for status in ("reported", "untested", "measured")
        ],
        language=language,
    )
    yield ui.cards([], language=language)


def commands(say, language: str) -> Iterator[ui.Html]:
    """Yield commands, good and faulty."""
    yield ui.command_tabs(
        name="recipe",
        tabs=[
            ui.CommandTab("docker run", DOCKER),
            ui.CommandTab("Compose", COMPOSE, "yaml"),
            ui.CommandTab("vllm serve", DOCKER),
            ui.CommandTab("systemd", DOCKER),
            ui.CommandTab("Kubernetes", COMPOSE, "yaml"),
        ],
        language=language,
    )
    yield ui.faulty_command(
        code="vllm serve m \\\n  --speculative-model-type=ngram",
        why=say("reason"),
        source="Builder Daily, 2026-05-04",
        language=language,
    )


def page(language: str, scheme: str) -> str:
    """Return the whole gallery in one language and one scheme."""
    authored = "en" if language == "en" else "zh"

    def say(key: str) -> str:
        return TEXT[key][authored]

    parts = (home, pictures, texts, lists, commands)
    blocks = [_heading(part.__name__) + "".join(part(say, authored)) for part in parts]
    body = "".join(blocks)
    if language == "zh-Hant":
        body = opencc.OpenCC("s2twp.json").convert(body)
    names = [*(sheet.name for sheet in sorted(THEME.glob("*.css"))), *STYLE_SHEETS]
    links = "".join(f'<link rel="stylesheet" href="assets/{name}">' for name in names)
    scripts = "".join(f'<script type="module" src="assets/{name}"></script>' for name in SCRIPTS)
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<link rel="icon" href="data:,"><title>Components</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{links}</head>'
        f'<body dir="ltr" data-md-color-scheme="{scheme}" data-md-color-primary="custom">'
        '<header class="md-header"><nav class="md-header__inner md-grid">'
        '<div class="md-header__title">GB10 Ledger</div></nav></header>'
        '<main class="md-main"><div class="md-main__inner md-grid"><div class="md-content">'
        f'<article class="md-content__inner md-typeset">{body}</article></div></div></main>'
        f"{scripts}</body></html>"
    )


def _heading(name: str) -> str:
    return "" if name == "home" else f'<h2 id="{name}">{name}</h2>'


def main(folder: Path) -> None:
    """Write one file for each language and scheme, and the assets beside them."""
    assets = folder / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    own = [ROOT / "docs/assets/css" / name for name in STYLE_SHEETS]
    own += [ROOT / "docs/assets/js" / name for name in SCRIPTS]
    for file in [*THEME.glob("*.css"), *own]:
        shutil.copy(file, assets)
    for language, scheme in product(LANGUAGES, SCHEMES):
        (folder / f"{language}-{scheme}.html").write_text(page(language, scheme), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
