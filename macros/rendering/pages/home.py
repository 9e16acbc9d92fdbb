"""The first page: the reader's question answered for the model they pick, then four doors."""

from collections.abc import Callable
from decimal import Decimal

from macros.best import best
from macros.functions import call
from macros.library import Library
from macros.plans import start_limit
from macros.recipes import forms
from macros.records import Checkpoint, Model, Recipe
from macros.rendering.bars import BarRow, byte_bar_group, share_bar
from macros.rendering.blocks import Door, doors
from macros.rendering.home import PanelEntry, hero, model_panel
from macros.rendering.markup import EMPTY, Html, join
from macros.rendering.numbers import rounded, tokens_per_s
from macros.rendering.parts import plain_ceiling, record_link, segments
from macros.rendering.runs import share_of_ceiling, stated_speed
from macros.rendering.words import word, words_of

MOST_MODELS = 6
CONTRAST = ("nvidia-qwen3.5-122b-a10b-nvfp4", "intel-qwen3.5-122b-a10b-int4-autoround")
T = {
    "question": {"en": "How fast should your GB10 be?", "zh": "你的 GB10 应该跑多快？"},
    "lead": {
        "en": "Each token reads every active weight once. Memory bandwidth divided by these bytes "
        "is the ceiling; kernels and launches decide which {low}% to {high}% of it you get.",
        "zh": "每个词元都要把激活的权重读一遍。内存带宽除以这些字节就是上限；"
        "内核与启动开销决定你能拿到其中的 {low}% 到 {high}%。",
    },
    "contrast": {
        "en": "One model, two files: what a token reads",
        "zh": "同一个模型，两套文件：一个词元读取多少",
    },
    "recipe": {"en": "Copy a recipe", "zh": "复制配方"},
    "recipe_text": {
        "en": "A command that works now, with the speed to expect and how to prove it.",
        "zh": "现在就能用的命令，附应有的速度与验证方法。",
    },
    "diagnose": {"en": "Diagnose", "zh": "诊断"},
    "diagnose_text": {
        "en": "Paste a command or a log and see what is wrong. Nothing leaves your browser.",
        "zh": "粘贴一条命令或一段日志，看看哪里有问题。内容不会离开你的浏览器。",
    },
    "compare": {"en": "Compare", "zh": "比较"},
    "compare_text": {
        "en": "All public measurements with their conditions, and a verdict on your own speed.",
        "zh": "所有公开实测及其条件，并能判断你自己的速度是否正常。",
    },
    "understand": {"en": "Understand", "zh": "了解原理"},
    "understand_text": {
        "en": "Why bytes set the ceiling, what speaks against it, and what each step gained.",
        "zh": "为什么字节决定上限、有哪些反面证据、每一步提升了多少。",
    },
}  # fmt: skip

_t = words_of(T)


def recipe_for(library: Library, model_id: str) -> Recipe | None:
    """Return the recipe to show first for a model: one machine, interactive, best evidence."""
    order = ["measured", "reproduced", "reported", "documented", "claimed", "untested"]
    purposes = ["interactive", "agents", "offline"]
    own = [
        recipe
        for recipe in library.records(Recipe)
        if recipe.num_nodes == 1 and library.get(Checkpoint, recipe.checkpoint).model == model_id
    ]
    return min(
        own,
        key=lambda each: (purposes.index(each.purpose), order.index(each.status), each.id),
        default=None,
    )


def panel_entries(library: Library, language: str) -> list[PanelEntry]:
    """Return the models of the panel: those with a recipe and a record, the fastest asked first."""
    found = []
    for model in library.records(Model):
        recipe, top = recipe_for(library, model.id), best(library, model.id)
        if recipe is None or top is None:
            continue
        checkpoint = library.get(Checkpoint, recipe.load_as or recipe.checkpoint)
        answer = plain_ceiling(library, checkpoint)
        if answer is None:
            continue
        plain = top.run.draft.method == "none"  # a share of the plain ceiling, or none
        share = share_of_ceiling(library, top.run, top.point) if plain else None
        entry_facts: list[tuple[object, object]] = [
            (word("panel.best", language), stated_speed(top, language)),
            (
                word("panel.ceiling", language),
                join(
                    tokens_per_s(str(answer.ceiling_tokens_per_s), decimals=1),
                    record_link(library, f"checkpoints/{checkpoint.id}", language),
                    separator=" · ",
                ),
            ),
        ]
        if share is not None:
            entry_facts.append((word("panel.share", language), share_bar(share, language=language)))
        code = forms(
            recipe, library.get(Checkpoint, recipe.checkpoint), start_limit(library, recipe)
        )
        found.append(
            (
                -len([run for run in library.kinds["measurements"].values()
                      if run.record.model == model.id]),
                PanelEntry(
                    key=model.id.replace(".", "-"), name=model.name, facts=entry_facts,
                    ceiling_tokens_per_s=Decimal(str(round(answer.ceiling_tokens_per_s, 2))),
                    code=code[0].text,
                    links=[
                        (word("panel.recipe", language), f"/recipes/{recipe.id}/"),
                        (word("panel.why", language), f"/models/{model.id}/"),
                        (word("panel.judge", language), f"/judge/?checkpoint={checkpoint.id}"),
                    ],
                ),
            )
        )  # fmt: skip
    return [entry for _, entry in sorted(found, key=lambda pair: (pair[0], pair[1].name))][
        :MOST_MODELS
    ]


def contrast(library: Library, language: str) -> Html:
    """Return the two files of one model that differ by a factor of two in bytes."""
    rows = []
    for checkpoint_id in CONTRAST:
        checkpoint = library.find(Checkpoint, checkpoint_id)
        answer = plain_ceiling(library, checkpoint) if checkpoint else None
        if checkpoint is None or answer is None:
            return EMPTY
        rows.append(
            BarRow(checkpoint.name, segments(answer.step), f"/checkpoints/{checkpoint.id}/",
                   tokens_per_s(str(answer.ceiling_tokens_per_s), decimals=1))
        )  # fmt: skip
    return byte_bar_group(
        rows=rows, caption=_t("contrast", language), language=language,
        figure_heading=word("ceiling", language), decimals=1,
    )  # fmt: skip


def macros(library: Library, language: str) -> dict[str, Callable[..., str]]:
    """Return what the first page calls."""

    def home() -> str:
        reached = {
            end: rounded(call(library, "share_reached_percent", {"extreme": end}), decimals=0)
            for end in ("lowest", "highest")
        }
        lead = _t("lead", language).format(low=reached["lowest"], high=reached["highest"])
        return hero(
            question=_t("question", language), lead=lead,
            panel=model_panel(entries=panel_entries(library, language), language=language),
            picture=contrast(library, language),
        )  # fmt: skip

    def home_doors() -> str:
        targets = {"recipe": "/recipes/", "diagnose": "/diagnose/", "compare": "/benchmarks/",
                   "understand": "/law/"}  # fmt: skip
        return doors(
            [
                Door(_t(name, language), _t(f"{name}_text", language), href)
                for name, href in targets.items()
            ]
        )

    return {"home": home, "home_doors": home_doors}
