"""The pages of recipes: the command first, then how fast, how much memory, how to prove it."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from macros.functions import SPEED_FIELDS
from macros.library import Library
from macros.memory import Fit
from macros.plans import (
    draft_of,
    expectations,
    file_bytes,
    linked_runs,
    memory_fraction,
    memory_plan,
    same_release,
    same_setup,
    served_checkpoint,
    start_limit,
    start_up,
)
from macros.recipes import (
    LOCAL,
    PORT,
    RANK,
    Form,
    argument_words,
    container_name,
    forms,
    model_of,
)
from macros.records import Checkpoint, Measurement, Model, Recipe
from macros.rendering.badges import status_badge
from macros.rendering.bars import byte_bar
from macros.rendering.blocks import answer, draft_words, notice
from macros.rendering.commands import CommandTab, command, command_tabs
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.markup import Html, element, join
from macros.rendering.numbers import (
    THIN_SPACE,
    day,
    duration,
    durations,
    figure,
    gibibytes,
    rounded,
    span,
    tokens_per_s,
)
from macros.rendering.page import Page
from macros.rendering.parts import (
    blocks,
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
)
from macros.rendering.runs import engine_name, speed_of_point, speed_table
from macros.rendering.tables import Column, Row, data_table, facts
from macros.rendering.words import bracketed, word, words_of

T = {
    "lead": {
        "en": "Each recipe is one command in several forms. Its flags are checked against the "
        "engine's real command line. It comes with the speed to expect and the log lines that "
        "prove it.",
        "zh": "每个配方是同一条命令的多种形式，参数按引擎真实的命令行逐项核对，并附预期速度与用于"
        "验证的日志行。",
    },
    "measured": {
        "en": "{speed} measured by others with the same checkpoint and draft settings.",
        "zh": "他人用同一检查点、同样的草稿设置测得 {speed}。",
    },
    "expected": {"en": "Expect about {speed} for one request.", "zh": "单个请求预期约 {speed}。"},
    "bound": {
        "en": "Memory bandwidth allows at most {speed}.",
        "zh": "内存带宽最多允许 {speed}。",
    },
    "measured_all": {
        "en": "{speed} measured by others for {number} requests together.",
        "zh": "他人测得 {number} 个请求合计 {speed}。",
    },
    "expected_all": {
        "en": "Expect about {speed} for {number} requests together.",
        "zh": "{number} 个请求合计预期约 {speed}。",
    },
    "bound_all": {
        "en": "Memory bandwidth allows about {speed} for {number} requests together.",
        "zh": "内存带宽允许 {number} 个请求合计约 {speed}。",
    },
    "bound_uncounted": {
        "en": "Without drafts memory bandwidth allows at most {speed}; how many drafts are "
        "accepted here is not on record.",
        "zh": "不计草稿时，内存带宽最多允许 {speed}；这里能接受多少草稿，没有记录。",
    },
    "uncounted": {
        "en": "Drafts are not counted, because their acceptance length is not on record.",
        "zh": "接受长度没有记录，因此未计入草稿。",
    },
    "no_number": {
        "en": "Nobody has published a speed, and the formats inside the files are not known.",
        "zh": "没有公开的速度，文件内部的格式也未知。",
    },
    "untested": {
        "en": "Nobody has measured this command. It passes every rule, and the numbers are "
        "calculated. If you run it, please send us the measurement.",
        "zh": "还没有人测过这条命令。它通过了全部规则，数字来自计算。如果你运行了它，欢迎把测量"
        "结果发给我们。",
    },
    "other_release": {
        "en": "The linked runs used another build than this release. The command follows them; "
        "its flags are checked against the release.",
        "zh": "所附测量用的是另一个构建，不是此发布版本。命令照那些测量写成，参数按此版本检查。",
    },
    "tag_not_seen": {
        "en": "The image tag follows the publisher's pattern, and no source of ours shows it: "
        "tag not seen. Check that it exists before you rely on it.",
        "zh": "此镜像标签按发布方的命名规律写出，但我们的来源中没有出现过：标签未见。使用前请确"
        "认它存在。",
    },
    "no_image": {
        "en": "No published image of this build is known. Build it as its authors describe; the "
        "command stays the same.",
        "zh": "此构建没有已知的公开镜像。请按作者的说明自行构建，命令不变。",
    },
    "command": {"en": "The command", "zh": "命令"},
    "docker": {"en": "docker run", "zh": "docker run"},
    "serve": {"en": "{program}", "zh": "{program}"},
    "compose": {"en": "Compose", "zh": "Compose"},
    "systemd": {"en": "systemd", "zh": "systemd"},
    "kubernetes": {"en": "Kubernetes", "zh": "Kubernetes"},
    "node": {"en": "{form} · {number}", "zh": "{form} · {number}"},
    "note_docker": {
        "en": "The port is open on this machine only. To serve others, put an authenticating "
        "proxy in front, or add `--api-key`.",
        "zh": "只在本机开放端口。要给他人使用，请在前面放带认证的代理，或加上 `--api-key`。",
    },
    "note_compose": {
        "en": "Save as `compose.yaml`. The health check waits for the whole start.",
        "zh": "保存为 `compose.yaml`。健康检查会等到启动完成。",
    },
    "note_systemd": {
        "en": "Save as `/etc/systemd/system/{name}.service` and put your own cache folder into "
        "`MODEL_CACHE`.",
        "zh": "保存为 `/etc/systemd/system/{name}.service`，并把 `MODEL_CACHE` 改成你自己的缓存"
        "目录。",
    },
    "note_kubernetes": {
        "en": "Needs a secret with the key: `kubectl create secret generic {name}-api-key "
        "--from-literal=key=…`.",
        "zh": "需要先建好存放密钥的 Secret：`kubectl create secret generic {name}-api-key "
        "--from-literal=key=…`。",
    },
    "note_node": {
        "en": "Set `HEAD_ADDRESS` to the address of the first machine on the fast link. Start the "
        "first machine first.",
        "zh": "把 `HEAD_ADDRESS` 设为第一台机器在高速链路上的地址。先启动第一台。",
    },
    "note_rank": {
        "en": "Set `HEAD_ADDRESS` as on the first machine, and `NODE_RANK` to 1 on the second, up "
        "to {last} on the last.",
        "zh": "`HEAD_ADDRESS` 与第一台相同；`NODE_RANK` 在第二台设为 1，依次到最后一台的 {last}。",
    },
    "flags": {"en": "Why each flag", "zh": "每个参数的理由"},
    "speed": {"en": "How fast", "zh": "有多快"},
    "context": {"en": "Context", "zh": "上下文"},
    "requests": {"en": "Requests", "zh": "请求数"},
    "tokens": {"en": "tokens", "zh": "词元"},
    "ceiling_one": {"en": "Ceiling, one request", "zh": "上限（单个请求）"},
    "expected_one": {"en": "Expected, one request", "zh": "预期（单个请求）"},
    "ceiling_all": {"en": "Ceiling, all requests", "zh": "上限（全部请求）"},
    "with_drafts": {
        "en": "With {draft} at an acceptance length of {length}; expected values allow for the "
        "usual loss of the engine.",
        "zh": "按 {draft}、接受长度 {length} 计算；预期值计入引擎通常的损失。",
    },
    "no_drafts": {
        "en": "Without drafts; expected values allow for the usual loss of the engine.",
        "zh": "不计草稿；预期值计入引擎通常的损失。",
    },
    "as_shipped": {"en": "As shipped", "zh": "原始文件"},
    "converted": {"en": "As loaded here", "zh": "加载转换后"},
    "memory": {"en": "Memory plan", "zh": "内存规划"},
    "weights": {"en": "Weights", "zh": "权重"},
    "cache": {
        "en": "KV cache, {requests} × {context} tokens",
        "zh": "KV 缓存，{requests} × {context} 词元",
    },
    "state": {"en": "Recurrent state", "zh": "循环状态"},
    "reserve": {
        "en": "Activations, CUDA graphs, workspaces (logged: {low} to {high})",
        "zh": "激活值、CUDA 图与工作区（日志中为 {low} 至 {high}）",
    },
    "needed": {"en": "Needed", "zh": "合计所需"},
    "usable": {"en": "Usable memory of one machine", "zh": "单台可用内存"},
    "given": {
        "en": "Given to the engine by `--gpu-memory-utilization`",
        "zh": "由 `--gpu-memory-utilization` 分给引擎",
    },
    "left": {"en": "Left for the system", "zh": "留给系统"},
    "amount": {"en": "Memory", "zh": "内存"},
    "start": {"en": "Start and proof", "zh": "启动与验证"},
    "start_time": {"en": "Time to the first answer", "zh": "首次回答所需时间"},
    "start_measured": {"en": "measured", "zh": "实测"},
    "start_derived": {"en": "derived from the size of the files", "zh": "由文件大小推得"},
    "probe": {"en": "Let a readiness probe wait at least", "zh": "就绪探针至少等待"},
    "proof": {
        "en": "These lines in the log show that it runs as intended",
        "zh": "日志里出现这些行，说明它按预期运行",
    },
    "smoke": {"en": "Smoke test", "zh": "冒烟测试"},
    "bench": {"en": "Measure it yourself", "zh": "自己测一次"},
    "bench_note": {
        "en": "Compare `TPOT` with the table above: 1000 divided by it is the speed of one "
        "request. Drafts fare differently on random words than on your own prompts.",
        "zh": "把 `TPOT` 与上表对照：1000 除以它就是单个请求的速度。草稿在随机文字上的效果，与在你"
        "自己的提示词上不同。",
    },
    "bench_inside": {
        "en": "The command runs inside the container; where vLLM runs without Docker, leave out "
        "`{inside}`.",
        "zh": "这条命令在容器里运行；vLLM 不在 Docker 里时，去掉 `{inside}`。",
    },
    "runs": {"en": "Measured", "zh": "实测"},
    "trouble": {"en": "If it does not work", "zh": "如果出问题"},
    "next": {"en": "What to try next", "zh": "下一步可以试"},
    "model": {"en": "Model", "zh": "模型"},
    "served": {"en": "Loads as", "zh": "加载后为"},
    "purpose": {"en": "Purpose", "zh": "用途"},
    "machines": {"en": "Machines", "zh": "机器"},
    "engine": {"en": "Engine", "zh": "引擎"},
    "image": {"en": "Image", "zh": "镜像"},
    "download": {"en": "Download", "zh": "下载量"},
    "status": {"en": "Status", "zh": "状态"},
    "drafts": {"en": "Drafts", "zh": "草稿"},
    "sources": {"en": "Sources", "zh": "来源"},
    "purpose.interactive": {"en": "interactive", "zh": "交互"},
    "purpose.agents": {"en": "agents", "zh": "智能体"},
    "purpose.offline": {"en": "offline batches", "zh": "离线批量"},
    "spark": {"en": "{number} Spark", "zh": "{number} 台 Spark"},
    "sparks": {"en": "{number} Sparks", "zh": "{number} 台 Spark"},
    "recipe": {"en": "Recipe", "zh": "配方"},
    "best": {"en": "Measured", "zh": "实测"},
    "expected_column": {"en": "Expected", "zh": "预期"},
    "unpinned": {"en": "not pinned to a commit", "zh": "未固定到提交"},
}  # fmt: skip
STATUSES = ("measured", "reproduced", "reported", "documented", "claimed", "untested")
PROMPT = {"en": "Name three rivers of Europe.", "zh": "说出三条欧洲的河流。"}

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return a page for each recipe, and their list."""
    made = {
        f"recipes/{recipe.id}.md": _page(library, recipe, language)
        for recipe in library.records(Recipe)
    }
    made["recipes/index.md"] = _index(library, language)
    return made


def best_first(library: Library, recipes: Iterable[Recipe]) -> list[Recipe]:
    """Return recipes in the order in which a reader should try them.

    Fewest machines, releases before forks, the better evidence, the faster one.
    """

    def order(recipe: Recipe) -> tuple[int, bool, int, float]:
        best = best_measured(library, recipe)
        known = expectations(library, recipe)
        expected = known[0].expected_tokens_per_s or 0 if known else 0
        speed = float(best.value.replace(THIN_SPACE, "")) if best else expected
        fork = recipe.engine.name not in ("vllm", "llama.cpp")
        return recipe.num_nodes, fork, STATUSES.index(recipe.status), -speed

    return sorted(recipes, key=order)


class BestMeasured(NamedTuple):
    """The measured speed that a recipe is known for."""

    run: Measurement
    value: str
    concurrency: int


def best_measured(library: Library, recipe: Recipe) -> BestMeasured | None:
    """Return what the first linked run of the same set-up shows for the recipe's purpose."""
    runs = [run for run in linked_runs(library, recipe) if same_setup(library, recipe, run)]
    if recipe.purpose == "offline":
        return _best_together(runs, recipe.planned_concurrency)
    for run in runs:
        for point in run.points:
            speed = speed_of_point(point)
            if point.concurrency == 1 and speed and speed.field in SPEED_FIELDS:
                return BestMeasured(run, figure(speed.value), 1)
    return None


def _best_together(runs: list[Measurement], most: int) -> BestMeasured | None:
    """Return the highest total of all requests together, at no more requests than planned."""
    found = [
        (point.results.aggregate_tokens_per_s, point.concurrency, run)
        for run in runs
        for point in run.points
        if point.results.aggregate_tokens_per_s and 1 <= (point.concurrency or 0) <= most
    ]
    if not found:
        return None
    value, concurrency, run = max(found, key=lambda each: each[0])
    return BestMeasured(run, figure(value), concurrency or 1)


def _page(library: Library, recipe: Recipe, language: str) -> Page:
    title = said(recipe.title, language)
    headline, reason = _answer(library, recipe, language)
    known = expectations(library, recipe)
    parts: list[object] = [
        f"# {inline(title)}",
        answer(
            headline=headline, reason=reason, language=language,
            badges=join(
                status_badge(recipe.status, language),
                marks(library.get(Checkpoint, served_checkpoint(recipe)), language), separator=" ",
            ),
        ),
        _warnings(library, recipe, language),
        heading(_t("command", language), "command"),
        *_steps(recipe, language),
        _commands(library, recipe, language),
        prose(recipe.summary, language),
        facts(_glance(library, recipe, language), language=language),
    ]  # fmt: skip
    if known:
        parts += [heading(_t("speed", language), "speed"), _bars(library, recipe, language)]
        parts += [_speeds(library, recipe, language)]
    runs = linked_runs(library, recipe)
    if runs:
        parts += [
            heading(_t("runs", language), "measured"),
            speed_table(library, runs, language, with_checkpoint=True),
        ]
    plan = memory_plan(library, recipe)
    if plan:
        parts += [heading(_t("memory", language), "memory"), _memory(plan, recipe, language)]
    parts += [
        heading(_t("start", language), "start"),
        _start(library, recipe, language),
        *_proof(recipe, language),
        heading(_t("smoke", language), "smoke-test"),
        command(code=smoke_test(recipe, language)),
        heading(_t("bench", language), "benchmark"),
        command(code=benchmark(library, recipe)),
        element("p", inline(_t("bench_note", language))),
        _inside_note(recipe, language),
        heading(_t("flags", language), "flags"),
        _flags(library, recipe, language),
    ]
    if recipe.pitfalls:
        parts += [
            heading(_t("trouble", language), "trouble"),
            links(library, [f"pitfalls/{each}" for each in recipe.pitfalls], language),
        ]
    if recipe.next:
        parts += [
            heading(_t("next", language), "next"),
            links(library, [f"recipes/{each}" for each in recipe.next], language),
        ]
    parts += [heading(_t("sources", language), "sources"), sources(library, recipe, language)]
    return Page(
        blocks(*parts), title, str(headline), library.document(f"recipes/{recipe.id}").path
    )  # fmt: skip


def _answer(library: Library, recipe: Recipe, language: str) -> tuple[str, str]:
    """Return the headline and its reason: measured first, else expected, else the bound."""
    expected, bound = _calculated(library, recipe, language)
    best = best_measured(library, recipe)
    reasons = []
    if best:
        speed = tokens_per_s(best.value.replace(THIN_SPACE, ""))
        key = "measured" if best.concurrency == 1 else "measured_all"
        headline = _t(key, language, speed=speed, number=best.concurrency)
        reasons.append(expected)
    elif expected:
        headline = expected
    elif bound:
        headline = bound
    else:
        headline = _t("no_number", language)
    if bound and headline != bound:
        reasons.append(bound)
    return headline, (" " if language == "en" else "").join(each for each in reasons if each)


def _calculated(library: Library, recipe: Recipe, language: str) -> tuple[str, str]:
    """Return the sentences of what is expected and of the bound, each empty where unknown."""
    known = expectations(library, recipe)
    if not known:
        return "", ""
    offline = recipe.purpose == "offline"
    each = known[-1] if offline else known[0]
    number = each.load.concurrency
    uncounted = draft_of(recipe).method != "none" and each.load.draft == "none"
    speed = each.expected_tokens_per_s
    expected = ""
    if speed and not uncounted:
        speed = speed * number if offline else speed
        key = "expected_all" if offline else "expected"
        expected = _t(key, language, speed=tokens_per_s(str(speed), decimals=0), number=number)
    ceiling = (
        each.answer.ceiling_aggregate_tokens_per_s if offline else each.answer.ceiling_tokens_per_s
    )
    key = "bound_all" if offline else "bound_uncounted" if uncounted else "bound"
    bound = _t(key, language, speed=tokens_per_s(str(ceiling), decimals=1), number=number)
    return expected, bound


def _warnings(library: Library, recipe: Recipe, language: str) -> Html:
    """Return what a reader must know before copying."""
    found = []
    runs = linked_runs(library, recipe)
    if recipe.status == "untested":
        found.append(notice(text=_t("untested", language), language=language, kind="unknown"))
    elif not any(same_release(library, recipe, run) for run in runs):
        found.append(notice(text=_t("other_release", language), language=language))
    if recipe.engine.image and not recipe.engine.image_seen:
        found.append(notice(text=_t("tag_not_seen", language), language=language, kind="caution"))
    if recipe.engine.image is None:
        found.append(notice(text=_t("no_image", language), language=language, kind="caution"))
    if recipe.engine.floating_tag_reason:
        text = said(recipe.engine.floating_tag_reason, language)
        found.append(notice(text=inline(text), language=language, kind="caution"))
    return join(*found)


def _steps(recipe: Recipe, language: str) -> list[object]:
    if not recipe.steps:
        return []
    items = (element("li", inline(said(step, language))) for step in recipe.steps)
    return [element("ol", *items, class_="recipe-steps")]


def purpose_word(name: str, language: str) -> str:
    """Return a purpose as a reader names it."""
    return _t(f"purpose.{name}", language)


def headline(library: Library, recipe: Recipe, language: str) -> str:
    """Return the first sentence of a recipe's answer."""
    return _answer(library, recipe, language)[0]


def tab_label(recipe: Recipe, form: Form, language: str) -> str:
    """Return the label of a form's tab; several machines are numbered from 1."""
    name, _, rank = form.name.partition("-")
    program = "llama-server" if recipe.engine.name == "llama.cpp" else "vllm serve"
    label = _t(name, language, program=program)
    if recipe.num_nodes == 1 or "--nnodes" not in recipe.engine.arguments:
        return label
    others = "2" if recipe.num_nodes == 2 else span("2", str(recipe.num_nodes))
    return _t("node", language, form=label, number=others if rank else "1")


def tab_note(recipe: Recipe, form: Form, language: str, container: str) -> Html | None:
    """Return the sentence below a form, where it needs one."""
    name = form.name.partition("-")[0]
    if recipe.num_nodes > 1:
        key = "note_rank" if RANK in form.text else "note_node"
        last = recipe.num_nodes - 1
        return inline(_t(key, language, last=last)) if "$HEAD_ADDRESS" in form.text else None
    key = f"note_{name}"
    return inline(_t(key, language, name=container)) if key in T else None


def recipe_forms(library: Library, recipe: Recipe) -> list[Form]:
    """Return every form of a recipe with its own time limits."""
    checkpoint = library.get(Checkpoint, recipe.checkpoint)
    return forms(recipe, checkpoint, start_limit(library, recipe))


def _commands(library: Library, recipe: Recipe, language: str) -> Html:
    container = container_name(recipe)
    tabs = [
        CommandTab(
            tab_label(recipe, form, language), form.text, form.syntax,
            tab_note(recipe, form, language, container),
        )
        for form in recipe_forms(library, recipe)
    ]  # fmt: skip
    return command_tabs(tabs=tabs, name="recipe", language=language)


def _glance(library: Library, recipe: Recipe, language: str) -> list[tuple[object, object]]:
    checkpoint = library.get(Checkpoint, recipe.checkpoint)
    engine = f"{engine_name(library, recipe.engine.name, language)} {recipe.engine.version}"
    build = element("span", f" ({recipe.engine.build})", lang="en") if recipe.engine.build else ""
    size = file_bytes(library, recipe.checkpoint)
    pinned = None if checkpoint.revision else _t("unpinned", language)
    found: list[tuple[object, object]] = [
        (_t("model", language), record_link(library, f"models/{checkpoint.model}", language)),
        (
            word("checkpoint", language),
            join(
                record_link(library, f"checkpoints/{checkpoint.id}", language),
                bracketed(pinned, language) if pinned else None,
            ),
        ),
    ]  # fmt: skip
    if recipe.load_as:
        link = record_link(library, f"checkpoints/{recipe.load_as}", language)
        found.append((_t("served", language), link))
    found += [
        (_t("purpose", language), _t(f"purpose.{recipe.purpose}", language)),
        (_t("machines", language), machines(recipe, language)),
        (_t("engine", language), join(engine, build)),
        (
            _t("image", language),
            element("code", recipe.engine.image) if recipe.engine.image else None,
        ),
        (_t("drafts", language), _draft_words(recipe, language)),
        (_t("download", language), gibibytes(size) if size else None),
    ]
    return found


def _draft_words(recipe: Recipe, language: str) -> str:
    draft = draft_of(recipe)
    return draft_words(draft.method, draft.num_tokens, language)


def machines(recipe: Recipe, language: str) -> str:
    """Return how many machines a recipe needs."""
    return _t("spark" if recipe.num_nodes == 1 else "sparks", language, number=recipe.num_nodes)


def _bars(library: Library, recipe: Recipe, language: str) -> Html:
    """Return the byte bar; where the engine converts at load, before and after to one scale."""
    own = library.get(Checkpoint, recipe.checkpoint)
    shown = [(own, own.name)]
    if recipe.load_as:
        served = library.get(Checkpoint, recipe.load_as)
        shown = [
            (own, f"{_t('as_shipped', language)}: {own.name}"),
            (served, f"{_t('converted', language)}: {served.name}"),
        ]
    answers = [(plain_ceiling(library, each), label) for each, label in shown]
    known = [(found, label) for found, label in answers if found]
    scale = max(
        (sum(amount for _, amount in segments(found.step)) for found, _ in known), default=0
    )
    return join(
        *(
            byte_bar(
                segments=segments(found.step), scale_bytes=scale, label=label, language=language
            )
            for found, label in known
        )
    )  # fmt: skip


def _speeds(library: Library, recipe: Recipe, language: str) -> Html:
    known = expectations(library, recipe)
    rows = []
    for each in known:
        rows.append(
            (
                figure(each.load.context_tokens),
                figure(each.load.concurrency),
                rounded(each.answer.ceiling_tokens_per_s, decimals=1),
                rounded(each.expected_tokens_per_s, decimals=0)
                if each.expected_tokens_per_s
                else None,
                rounded(each.answer.ceiling_aggregate_tokens_per_s, decimals=0),
            )
        )
    drafted = known[0].load.draft != "none"
    note = (
        _t(
            "with_drafts", language, draft=_draft_words(recipe, language),
            length=figure(recipe.draft_acceptance_length or 1),
        )
        if drafted
        else _t("no_drafts" if draft_of(recipe).method == "none" else "uncounted", language)
    )  # fmt: skip
    return data_table(
        columns=[
            Column(_t("context", language), _t("tokens", language), number=True),
            Column(_t("requests", language), number=True),
            Column(_t("ceiling_one", language), "tok/s", number=True),
            Column(_t("expected_one", language), "tok/s", number=True),
            Column(_t("ceiling_all", language), "tok/s", number=True),
        ],
        rows=rows, caption=_t("speed", language), language=language, show_caption=False, note=note,
    )  # fmt: skip


def _memory(plan: Fit, recipe: Recipe, language: str) -> Html:
    def row(label: str, amount: int | None) -> tuple[object, object]:
        return inline(label), gibibytes(amount, unit=False) if amount is not None else None

    rows = [row(_t("weights", language), plan.weight_bytes)]
    rows.append(
        row(
            _t(
                "cache", language, requests=recipe.planned_concurrency,
                context=figure(recipe.planned_context_tokens or 0),
            ),
            plan.kv_cache_bytes,
        )
    )  # fmt: skip
    if plan.state_bytes:
        rows.append(row(_t("state", language), plan.state_bytes))
    if plan.reserve_bytes is not None:
        rows.append(
            row(
                _t(
                    "reserve", language, low=gibibytes(plan.reserve_low_bytes or 0, decimals=0),
                    high=gibibytes(plan.reserve_high_bytes or 0, decimals=0),
                ),
                plan.reserve_bytes,
            )
        )  # fmt: skip
    rows += [
        row(_t("needed", language), plan.total_bytes),
        row(_t("usable", language), plan.capacity_bytes),
    ]
    fraction = memory_fraction(recipe)
    if fraction is not None:
        given = round(float(fraction) * plan.capacity_bytes)
        rows += [
            row(_t("given", language), given),
            row(_t("left", language), plan.capacity_bytes - given),
        ]
    return data_table(
        columns=[
            Column(_t("memory", language)),
            Column(_t("amount", language), "GiB", number=True),
        ],
        rows=rows, caption=_t("memory", language), language=language, show_caption=False,
    )  # fmt: skip


def _start(library: Library, recipe: Recipe, language: str) -> Html:
    known = start_up(library, recipe)
    limit = duration(start_limit(library, recipe), language)
    entries: list[tuple[object, object]] = []
    if known:
        basis = _t("start_measured" if known.measured else "start_derived", language)
        time = durations(known.low_s, known.high_s, language)
        entries.append((_t("start_time", language), f"{time}{bracketed(basis, language)}"))
    entries.append((_t("probe", language), limit))
    return facts(entries, language=language)


def _proof(recipe: Recipe, language: str) -> list[object]:
    if not recipe.proof_lines:
        return []
    items = (element("li", element("code", line)) for line in recipe.proof_lines)
    return [element("p", _t("proof", language)), element("ul", *items, class_="proof-lines")]


def smoke_test(recipe: Recipe, language: str) -> str:
    """Return a request that shows that the server answers under its name."""
    body = (
        f'{{"model": "{recipe.served_name}", "max_tokens": 256,\n'
        f'       "messages": [{{"role": "user", "content": "{PROMPT[language]}"}}]}}'
    )
    return (
        f"curl -fsS http://{LOCAL}:{PORT}/v1/chat/completions \\\n"
        f"  -H 'Content-Type: application/json' \\\n  -d '{body}'\n"
    )


def tokenizer_of(library: Library, recipe: Recipe) -> str:
    """Return the repository of the tokenizer: the recipe's own, or one that is no GGUF file."""
    checkpoint = library.get(Checkpoint, recipe.checkpoint)
    named = recipe.engine.arguments.get("--tokenizer")
    if named or checkpoint.weight_format == "safetensors":
        return str(named or model_of(recipe, checkpoint))
    others = (
        each.repository
        for each in library.records(Checkpoint)
        if each.model == checkpoint.model and each.weight_format == "safetensors"
    )
    return next(filter(None, others), model_of(recipe, checkpoint))


def _inside(recipe: Recipe) -> str:
    """Return what runs a command in the recipe's container; nothing where it holds no vLLM."""
    return "" if recipe.engine.name == "llama.cpp" else f"docker exec {container_name(recipe)} "


def _inside_note(recipe: Recipe, language: str) -> Html | None:
    inside = _inside(recipe).strip()
    note = inline(_t("bench_inside", language, inside=inside))
    return element("p", note) if inside else None


def benchmark(library: Library, recipe: Recipe) -> str:
    """Return the command that measures one request, counted by the server's own usage."""
    tokenizer = tokenizer_of(library, recipe)
    return (
        f"{_inside(recipe)}vllm bench serve \\\n"
        f"  --model {recipe.served_name} \\\n"
        f"  --tokenizer {tokenizer} \\\n"
        f"  --base-url http://{LOCAL}:{PORT} \\\n"
        "  --dataset-name random \\\n"
        "  --random-input-len 1024 \\\n"
        "  --random-output-len 512 \\\n"
        "  --ignore-eos \\\n"
        "  --max-concurrency 1 \\\n"
        "  --num-prompts 8\n"
    )


def _flags(library: Library, recipe: Recipe, language: str) -> Html:
    """Return every flag and variable with its reason: the recipe's own, else the engine's."""
    engine = "llama.cpp" if recipe.engine.name == "llama.cpp" else "vllm"
    topics = library.topics.get(engine, {})
    general: Mapping[str, Mapping[str, str]] = {}
    if "reasons" in topics:
        general = topics["reasons"].record.root
    written = [
        (flag, " ".join(argument_words(flag, value)))
        for flag, value in recipe.engine.arguments.items()
    ]
    written += [(name, f"{name}={value}") for name, value in recipe.engine.environment.items()]
    made = []
    for name, words in written:
        text = said(recipe.reasons[name], language) if name in recipe.reasons else ""
        text = text or general.get(name, {}).get(language, "")
        made.append(
            element(
                "div",
                element("dt", element("code", words)),
                element("dd", inline(text)),
                class_="term",
            )
        )
    return element("dl", *made, class_="terms")


def _index(library: Library, language: str) -> Page:
    recipes = sorted(
        best_first(library, library.records(Recipe)),
        key=lambda each: (each.num_nodes, library.get(Checkpoint, each.checkpoint).model),
    )
    rows = [_index_row(library, recipe, language) for recipe in recipes]
    title = word("section.recipes", language)
    table = data_table(
        columns=[
            Column(_t("recipe", language)),
            Column(_t("purpose", language)),
            Column(_t("machines", language)),
            Column(_t("engine", language)),
            Column(_t("best", language), "tok/s", number=True),
            Column(_t("expected_column", language), "tok/s", number=True),
            Column(word("ceiling", language), "tok/s", number=True),
            Column(_t("status", language)),
        ],
        rows=rows, caption=title, language=language, show_caption=False, sortable=True,
    )  # fmt: skip
    models = sorted({library.get(Checkpoint, each.checkpoint).model for each in recipes})
    facets = [
        Facet(
            "purpose", _t("purpose", language),
            [(name, purpose_word(name, language)) for name in ("interactive", "agents", "offline")],
        ),
        Facet(
            "machines", _t("machines", language),
            [
                (str(number), _t("spark" if number == 1 else "sparks", language, number=number))
                for number in sorted({each.num_nodes for each in recipes})
            ],
        ),
        Facet(
            "status", _t("status", language),
            [
                (name, word(f"{'mark' if name == 'untested' else 'evidence'}.{name}", language))
                for name in sorted({each.status for each in recipes})
            ],
        ),
        Facet(
            "model", _t("model", language),
            [(each, library.get(Model, each).name) for each in models],
        ),
    ]  # fmt: skip
    body = filterable(name="recipes", facets=facets, body=table, language=language)
    lead = _t("lead", language)
    return Page(blocks(f"# {title}", lead, body), title, lead)


def _index_row(library: Library, recipe: Recipe, language: str) -> Row:
    known = expectations(library, recipe)
    best = best_measured(library, recipe)
    shown = (known[-1] if recipe.purpose == "offline" else known[0]) if known else None
    together = shown.load.concurrency if shown and recipe.purpose == "offline" else 1
    expected = shown.expected_tokens_per_s if shown else None
    if draft_of(recipe).method != "none" and shown and shown.load.draft == "none":
        expected = None
    checkpoint = library.get(Checkpoint, recipe.checkpoint)
    measured: object = None
    if best:
        dated = best.run.measured_on
        measured = element(
            "a", best.value, href=f"/benchmarks/#{best.run.id}",
            title=day(dated, language) if dated else None,
        )  # fmt: skip
    return Row(
        [
            record_link(library, f"recipes/{recipe.id}", language),
            _t(f"purpose.{recipe.purpose}", language),
            machines(recipe, language),
            f"{engine_name(library, recipe.engine.name, language)} {recipe.engine.version}",
            measured,
            rounded(expected * together, decimals=0) if expected else None,
            rounded(shown.answer.ceiling_tokens_per_s * together, decimals=1) if shown else None,
            status_badge(recipe.status, language, compact=True),
        ],
        filter_attributes(
            purpose=recipe.purpose, machines=str(recipe.num_nodes), status=recipe.status,
            model=checkpoint.model,
        ),
    )  # fmt: skip
