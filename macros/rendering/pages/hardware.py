"""The page of the hardware: what the machine can do, and what follows from its bandwidth."""

from macros.functions import rule_of_thumb_tokens_per_s
from macros.library import Library
from macros.records import Hardware, Pitfall
from macros.rendering.markup import Html
from macros.rendering.numbers import DASH, figure, gibibytes, rounded
from macros.rendering.page import Page
from macros.rendering.parts import blocks, heading, inline, links, said, sources
from macros.rendering.tables import Column, data_table, facts
from macros.rendering.words import word, words_of

T = {
    "developer": {"en": "Maker", "zh": "厂商"},
    "chip": {"en": "Chip", "zh": "芯片"},
    "capability": {"en": "Compute capability", "zh": "计算能力"},
    "bandwidth": {"en": "Memory bandwidth, peak", "zh": "内存带宽（峰值）"},
    "usable": {"en": "Memory bandwidth, reached by programs", "zh": "内存带宽（程序实际达到）"},
    "memory": {"en": "Memory, shared by CPU and GPU", "zh": "内存（CPU 与 GPU 共用）"},
    "visible": {"en": "Memory visible to the system", "zh": "系统可见内存"},
    "link": {"en": "Link between two machines", "zh": "两台之间的链路"},
    "compute": {"en": "Dense BF16 compute", "zh": "稠密 BF16 算力"},
    "follows": {"en": "What follows from the bandwidth", "zh": "由带宽推得"},
    "follows_note": {
        "en": "One request without drafts. The ceiling is the peak divided by the bytes; what "
        "engines reach lies below it.",
        "zh": "单个请求、无草稿。上限等于峰值带宽除以字节数，引擎实际达到的比它低。",
    },
    "read": {"en": "Read per token", "zh": "每词元读取"},
    "ceiling": {"en": "Ceiling", "zh": "上限"},
    "pitfalls": {"en": "Pitfalls of the machine", "zh": "与机器有关的坑"},
    "sources": {"en": "Sources", "zh": "来源"},
}  # fmt: skip
READ_GB = (1, 2, 5, 10, 20, 50)
CATEGORIES = ("driver", "power", "multi-node")

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of all machines."""
    title = word("section.hardware", language)
    machines = list(library.records(Hardware))
    parts: list[object] = [f"# {title}"]
    for machine in machines:
        parts += [heading(machine.name, machine.id), inline(said(machine.summary, language)),
                  facts(_facts(machine, language), language=language),
                  heading(_t("follows", language), f"{machine.id}-bandwidth", 3),
                  _ceilings(library, machine, language)]  # fmt: skip
        own = [f"pitfalls/{each.id}" for name in CATEGORIES for each in library.records(Pitfall)
               if each.category == name and machine.id in each.affects.hardware]  # fmt: skip
        if own:
            parts += [heading(_t("pitfalls", language), f"{machine.id}-pitfalls", 3),
                      links(library, own, language)]  # fmt: skip
        parts += [heading(_t("sources", language), f"{machine.id}-sources", 3),
                  sources(library, machine, language)]  # fmt: skip
    lead = said(machines[0].summary, language) if machines else title
    return {"hardware/index.md": Page(blocks(*parts), title, lead)}


def _facts(machine: Hardware, language: str) -> list[tuple[object, object]]:
    usable = machine.usable_bandwidth
    entries: list[tuple[object, object]] = [
        (_t("developer", language), machine.developer),
        (_t("chip", language), machine.chip),
        (_t("capability", language), machine.compute_capability),
        (_t("bandwidth", language), f"{figure(machine.bandwidth_gb_per_s)} GB/s"),
        (
            _t("usable", language),
            f"{figure(usable.low_gb_per_s)}{DASH}{figure(usable.high_gb_per_s)} GB/s",
        ),
        (_t("memory", language), f"{figure(machine.memory_gb)} GB"),
        (_t("visible", language), gibibytes(machine.usable_memory_bytes)),
    ]
    if machine.link_gbit_per_s:
        entries.append((_t("link", language), f"{figure(machine.link_gbit_per_s)} Gbit/s"))
    if machine.dense_bf16_tflops:
        entries.append((_t("compute", language), f"{figure(machine.dense_bf16_tflops)} TFLOP/s"))
    return entries


def _ceilings(library: Library, machine: Hardware, language: str) -> Html:
    rows = []
    for gigabytes in READ_GB:
        ceiling = rule_of_thumb_tokens_per_s(
            library, parameters_billion=gigabytes, bits_per_weight=8, hardware=machine.id
        )
        rows.append((str(gigabytes), rounded(ceiling, decimals=1)))
    return data_table(
        columns=[
            Column(_t("read", language), "GB", number=True),
            Column(_t("ceiling", language), "tok/s", number=True),
        ],
        rows=rows, caption=_t("follows", language), language=language, show_caption=False,
        note=_t("follows_note", language),
    )  # fmt: skip
