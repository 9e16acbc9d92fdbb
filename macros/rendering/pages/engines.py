"""The pages of engines: what each is, what changed between releases, which image holds which."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from macros.best import evidence_of_points
from macros.engines.facts import flags_of
from macros.engines.runs import version_key
from macros.library import Library
from macros.pitfalls import biting_releases
from macros.records import Engine, Measurement, Model, Pitfall, Recipe, Source
from macros.rendering.badges import severity_badge
from macros.rendering.blocks import Door, doors
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.markup import EMPTY, Html, breakable, element, join
from macros.rendering.numbers import day, version_range
from macros.rendering.page import Page
from macros.rendering.parts import (
    blocks,
    heading,
    inline,
    prose,
    record_link,
    source_line,
)
from macros.rendering.runs import dated, engine_name
from macros.rendering.tables import Column, Row, data_table, facts
from macros.rendering.words import COLONS, word, words_of

T = {
    "lead": {
        "en": "What serves models on this machine, and what its releases and images hold.",
        "zh": "在这台机器上提供模型服务的程序，以及各发布版本与镜像的内容。",
    },
    "changes": {"en": "What changed for Spark", "zh": "对 Spark 有哪些变化"},
    "changes_text": {
        "en": "Flags, variables and defaults of vLLM by release.",
        "zh": "vLLM 各版本的参数、变量与默认值。",
    },
    "images": {"en": "Images", "zh": "镜像"},
    "images_text": {
        "en": "Which release a tag contains, and which pitfalls affect it.",
        "zh": "每个标签含哪个版本，以及会遇到哪些坑。",
    },
    "several": {"en": "Several Sparks", "zh": "多台 Spark"},
    "several_text": {
        "en": "How to start one model on several machines, and what it gains.",
        "zh": "如何在多台机器上启动一个模型，以及能得到什么。",
    },
    "base": {"en": "Fork of", "zh": "派生自"},
    "adds": {"en": "Flags and variables it adds", "zh": "它增加的参数与变量"},
    "runs": {"en": "Measured runs", "zh": "实测次数"},
    "recipes": {"en": "Recipes", "zh": "配方"},
    "address": {"en": "Address", "zh": "网址"},
    "changes_lead": {
        "en": "Read from {number} releases, {first} to {last}. A command that worked in one "
        "release can fail or behave differently in the next. This page lists what matters on this "
        "machine.",
        "zh": "内容读自 {number} 个发布版本，{first} 至 {last}。一条命令在这一版能用，换一版就可能"
        "失败，或行为不同。以下是在这台机器上要紧的变化。",
    },
    "release": {"en": "Release", "zh": "发布版本"},
    "area": {"en": "Area", "zh": "领域"},
    "what": {"en": "What changed", "zh": "变化项"},
    "from": {"en": "from", "zh": "起"},
    "meaning": {"en": "What it means", "zh": "意味着什么"},
    "life": {"en": "Releases", "zh": "版本范围"},
    "since": {"en": "{first} and later", "zh": "{first} 起"},
    "until": {"en": "{first} to {last}", "zh": "{first} 至 {last}"},
    "behaviour": {"en": "behaviour", "zh": "行为"},
    "every_flag": {"en": "Every flag added or removed", "zh": "每个新增或移除的参数"},
    "added": {"en": "Added", "zh": "新增"},
    "ended": {"en": "Removed", "zh": "移除"},
    "area.moe": {"en": "experts and kernels", "zh": "专家与内核"},
    "area.formats": {"en": "formats", "zh": "格式"},
    "area.drafts": {"en": "drafts", "zh": "草稿"},
    "area.caching": {"en": "caching and state", "zh": "缓存与状态"},
    "area.memory": {"en": "memory and start", "zh": "内存与启动"},
    "area.images": {"en": "images", "zh": "镜像"},
    "area.attention": {"en": "attention", "zh": "注意力"},
    "area.command": {"en": "command line", "zh": "命令行"},
    "images_lead": {
        "en": "A tag is worth only what it really holds. The table lists the tags that a source "
        "shows, the release in each, and the pitfalls of that release on this machine.",
        "zh": "标签的价值取决于里面到底是什么。下面是来源中出现过的标签、其中的版本，以及该版本在"
        "这台机器上会踩的坑。",
    },
    "tag": {"en": "Image", "zh": "镜像"},
    "holds": {"en": "vLLM", "zh": "vLLM"},
    "measured": {"en": "Runs on record", "zh": "本站收录的测量"},
    "bites": {"en": "Pitfalls", "zh": "会踩的坑"},
    "note": {"en": "Note", "zh": "说明"},
    "floating": {"en": "The tag moves.", "zh": "标签会变动。"},
    "which": {"en": "Which image to take", "zh": "选哪个镜像"},
    "which_text": {
        "en": "Take a release, not a nightly build. Upstream's image starts `vllm serve` by "
        "itself, so the model follows the tag; NVIDIA's does not, so write `vllm serve` after it. "
        "Ask any image with `docker run --rm --entrypoint vllm IMAGE --version`.",
        "zh": "用发布版本，不要用 nightly。上游镜像自己就会启动 `vllm serve`，标签后直接写模型；"
        "NVIDIA 的镜像不会，要在后面写 `vllm serve`。任何镜像都可以用 "
        "`docker run --rm --entrypoint vllm IMAGE --version` 查询版本。",
    },
    "last_good": {"en": "The newest release measured, by model", "zh": "各模型实测过的最新版本"},
    "last_good_text": {
        "en": "From runs that others published with raw data, on a release of vLLM and one "
        "machine. This is the newest release known to work; a newer one may work as well.",
        "zh": "取自他人附原始数据公布的测量，限 vLLM 发布版本与单台机器。这是已知可用的最新版本，"
        "不等于更新的就不可用。",
    },
    "model_word": {"en": "Model", "zh": "模型"},
    "run": {"en": "Run", "zh": "测量"},
    "sources": {"en": "Sources", "zh": "来源"},
    "severity": {"en": "Severity", "zh": "严重程度"},
    "built": {"en": "wheel built", "zh": "wheel 构建于"},
    "dated": {"en": "Last seen", "zh": "最近出现"},
    "regressions": {"en": "What came with a release", "zh": "随某个版本而来的问题"},
}
AREAS = ("moe", "formats", "drafts", "caching", "memory", "images", "attention", "command")
UPSTREAM = re.compile(r"^vllm/vllm-openai:v(\d+\.\d+\.\d+)")


class Life(NamedTuple):
    """From which release to which something exists; None is the newest."""

    first: str
    last: str | None


_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the list of engines and the pages about vLLM's releases and images."""
    made = {"engines/index.md": _index(library, language)}
    topics = library.topics.get("vllm", {})
    if "spark_changes" in topics:
        made["engines/changes.md"] = _changes(library, language)
    if "images" in topics:
        made["engines/images.md"] = _images(library, language)
    return made


def _index(library: Library, language: str) -> Page:
    title = word("section.engines", language)
    ways = doors(
        [
            Door(_t(key, language), _t(f"{key}_text", language), f"/{path}/")
            for key, path in (
                ("changes", "engines/changes"),
                ("images", "engines/images"),
                ("several", "guides/several-sparks"),
            )
        ]
    )
    parts: list[object] = [f"# {title}", _t("lead", language), ways]
    for engine in sorted(library.records(Engine), key=lambda each: (each.base or each.id, each.id)):
        parts += [
            heading(engine_name(library, engine.id, language), engine.id),
            prose(engine.summary, language),
            facts(_engine_facts(library, engine, language), language=language),
        ]
    return Page(blocks(*parts), title, _t("lead", language))


def _engine_facts(library: Library, engine: Engine, language: str) -> list[tuple[object, object]]:
    runs = sum(run.engine.name == engine.id for run in library.records(Measurement))
    recipes = [each for each in library.records(Recipe) if each.engine.name == engine.id]
    found: list[tuple[object, object]] = []
    if engine.url:
        found.append((_t("address", language), element("a", engine.url, href=engine.url)))
    if engine.base:
        link = element("a", engine.base, href=f"/engines/#{engine.base}")
        found.append((_t("base", language), link))
    adds = [*engine.extra_flags, *engine.extra_environment]
    if adds:
        codes = (element("code", name) for name in adds)
        found.append((_t("adds", language), join(*codes, separator=" ")))
    found.append((_t("runs", language), str(runs)))
    if recipes:
        names = (record_link(library, f"recipes/{each.id}", language) for each in recipes)
        items = (element("li", name) for name in names)
        found.append((_t("recipes", language), element("ul", *items)))
    return found


def life_of(change: Mapping[str, Any], tables: Mapping[str, Any]) -> Life:
    """Return when a change is in force: from the tables where they know it, else as stated."""
    entry: Any = None
    if "choice" in change:
        name = change.get("set") or tables["flags"][change["flag"]]["choices"]
        runs = tables["choices"][name][change["choice"]]
        return Life(runs[0][0], runs[-1][1])
    if "config" in change:
        entry = tables["configs"][change["config"]][change["key"]]
    elif "flag" in change:
        entry = tables["flags"][change["flag"]]
    elif "variable" in change:
        entry = tables["environment"][change["variable"]]
    if entry is not None:
        return Life(entry["versions"][0][0], entry["versions"][-1][1])
    return Life(change["first_version"], change.get("last_version"))


def name_of_change(change: Mapping[str, Any], language: str) -> Html:
    """Return what changed, in the engine's own spelling."""
    if "choice" in change:
        return element("code", f"{change.get('flag', 'method')} {change['choice']}")
    if "config" in change:
        return element("code", change["key"])
    for kind in ("flag", "variable"):
        if kind in change:
            return element("code", change[kind])
    return element("span", _t("behaviour", language))


def tables_of(library: Library) -> dict[str, Any]:
    """Return the tables of vLLM as plain data."""
    return {name: entry.record.root for name, entry in library.topics["vllm"].items()}


def _changes(library: Library, language: str) -> Page:
    tables = tables_of(library)
    releases = list(tables["releases"])
    changes = [(life_of(each, tables), each) for each in tables["spark_changes"]["changes"]]
    built = tables["spark_changes"]["built_on"]
    ordered = sorted(changes, key=lambda pair: version_key(_turn(pair[0])), reverse=True)
    rows = [
        Row(
            [
                _dated_release(_turn(life), built, language),
                _t(f"area.{change['area']}", language),
                name_of_change(change, language),
                _life_words(life, language),
                inline(change[language]),
            ],
            filter_attributes(area=change["area"]),
        )
        for life, change in ordered
    ]
    table = data_table(
        columns=[
            Column(_t("release", language)),
            Column(_t("area", language)),
            Column(_t("what", language)),
            Column(_t("life", language)),
            Column(_t("meaning", language)),
        ],
        rows=rows, caption=_t("changes", language), language=language, show_caption=False,
        stacked=True,
    )  # fmt: skip
    facet = Facet(
        "area", _t("area", language), [(name, _t(f"area.{name}", language)) for name in AREAS]
    )
    lead = _t("changes_lead", language, number=len(releases), first=releases[0], last=releases[-1])
    title = _t("changes", language)
    return Page(
        blocks(
            f"# {title}",
            lead,
            filterable(name="changes", facets=[facet], body=table, language=language),
            heading(_t("every_flag", language), "flags"),
            *_flag_lists(tables, language),
            heading(_t("sources", language), "sources"),
            _sources(library, tables["spark_changes"]["sources"], language),
        ),
        title,
        lead,
    )


def _dated_release(release: str, built: Mapping[str, Any], language: str) -> Html:
    """Return a release with the day its wheel was built, where that is known."""
    if release not in built:
        return element("span", release)
    return element(
        "span", release, title=f"{_t('built', language)} {day(built[release], language)}"
    )


def _turn(life: Life) -> str:
    """Return the release at which a reader meets the change: the end of what is gone."""
    return life.last or life.first


def _life_words(life: Life, language: str) -> str:
    if life.last is None:
        return _t("since", language, first=life.first)
    return _t("until", language, first=life.first, last=life.last)


def flags_between(tables: Mapping[str, Any]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (release, new flags, flags that are gone), the newest release first."""
    releases = list(tables["releases"])
    known = {release: set(flags_of(tables["flags"], release)) for release in releases}
    for before, after in reversed(list(pairwise(releases))):
        yield after, sorted(known[after] - known[before]), sorted(known[before] - known[after])


def _flag_lists(tables: Mapping[str, Any], language: str) -> list[Html]:
    found = []
    for release, added, ended in flags_between(tables):
        if not added and not ended:
            continue
        parts = [element("summary", f"{release} (+{len(added)} −{len(ended)})")]
        for key, names in (("added", added), ("ended", ended)):
            if names:
                codes = (element("code", name) for name in names)
                line = join(_t(key, language), COLONS[language],
                            join(*codes, separator=" "))  # fmt: skip
                parts.append(element("p", line))
        found.append(element("details", *parts))
    return found


def _sources(library: Library, entries: list[Mapping[str, str]], language: str) -> Html:
    items = (
        element("li", source_line(library, each["source"], language, each["locator"]))
        for each in entries
    )
    return element("ul", *items, class_="sources")


def release_in(tag: str, topic: Mapping[str, Any]) -> str | None:
    """Return the release that an image holds: by the map, by its details, or by its own tag."""
    detail = topic["details"].get(tag, {})
    upstream = UPSTREAM.match(tag)
    return topic["images"].get(tag) or detail.get("version") or (upstream and upstream.group(1))


def known_images(library: Library) -> list[tuple[str, str | None]]:
    """Return (tag, release) of every image that a source shows, the newest release first."""
    topic = library.topic("vllm", "images").root
    tags = {*topic["images"], *topic["details"]}
    pairs = [(tag, release_in(tag, topic)) for tag in tags]
    return sorted(pairs, key=lambda pair: (version_key(pair[1] or "0"), pair[0]), reverse=True)


def bites_in(library: Library, release: str) -> list[Pitfall]:
    """Return the pitfalls that bite in a release and not in every release."""
    num_releases = len(library.topic("vllm", "releases").root)
    found = []
    for pitfall in library.records(Pitfall):
        if pitfall.affects.engine != "vllm" or pitfall.severity == "note":
            continue
        biting = biting_releases(library, pitfall)
        if release in biting and len(biting) < num_releases:
            found.append(pitfall)
    return found


def regressions(library: Library) -> list[Pitfall]:
    """Return the pitfalls that came with a release, the newest first."""
    oldest = next(iter(library.topic("vllm", "releases").root))
    found = [
        pitfall
        for pitfall in library.records(Pitfall)
        if pitfall.affects.engine == "vllm"
        and pitfall.affects.first_version
        and version_key(pitfall.affects.first_version) > version_key(oldest)
    ]
    return sorted(
        found, key=lambda each: (version_key(each.affects.first_version or "0"), each.id),
        reverse=True,
    )  # fmt: skip


def _regressions(library: Library, language: str) -> Html:
    rows = [
        (
            record_link(library, f"pitfalls/{each.id}", language),
            severity_badge(each.severity, language, compact=True),
            version_range(each.affects.first_version, each.affects.fixed_version, language),
        )
        for each in regressions(library)
    ]
    return data_table(
        columns=[
            Column(_t("bites", language)),
            Column(_t("severity", language)),
            Column(_t("life", language)),
        ],
        rows=rows, caption=_t("regressions", language), language=language, show_caption=False,
    )  # fmt: skip


def _images(library: Library, language: str) -> Page:
    topic = library.topic("vllm", "images").root
    rows = []
    for tag, release in known_images(library):
        detail = topic["details"].get(tag, {})
        runs = [run for run in library.records(Measurement) if run.engine.image == tag]
        bites = bites_in(library, release) if release else []
        note = inline(detail[language]) if language in detail else EMPTY
        bite: object = ""
        if release and bites:
            bite = element("a", str(len(bites)), href=f"/pitfalls/?version={release}")
        rows.append(
            Row(
                [
                    element("code", breakable(tag)),
                    release,
                    detail.get("cuda"),
                    str(len(runs)) if runs else "",
                    bite,
                    _last_seen(library, runs, detail, language),
                    note or (_t("floating", language) if detail.get("floating") else ""),
                ]
            )
        )
    table = data_table(
        columns=[
            Column(_t("tag", language)),
            Column(_t("holds", language)),
            Column("CUDA"),
            Column(_t("measured", language), number=True),
            Column(_t("bites", language), number=True),
            Column(_t("dated", language)),
            Column(_t("note", language)),
        ],
        rows=rows, caption=_t("images", language), language=language, show_caption=False,
    )  # fmt: skip
    title, lead = _t("images", language), _t("images_lead", language)
    parts: list[object] = [
        f"# {title}",
        lead,
        table,
        heading(_t("which", language), "which"),
        element("p", inline(_t("which_text", language))),
        heading(_t("last_good", language), "last-good"),
        element("p", _t("last_good_text", language)),
        _last_good(library, language),
        heading(_t("regressions", language), "regressions"),
        _regressions(library, language),
    ]
    cited = [
        {"source": each["source"], "locator": each["locator"]} for each in topic["details"].values()
    ]
    unique = list({(each["source"], each["locator"]): each for each in cited}.values())
    parts += [heading(_t("sources", language), "sources"), _sources(library, unique, language)]
    return Page(blocks(*parts), title, lead)


def _last_seen(
    library: Library, runs: list[Measurement], detail: Mapping[str, Any], language: str
) -> str | None:
    """Return the day of the newest run with an image, or of the source that shows it."""
    days = [dated(run) for run in runs if dated(run)]
    if days:
        return day(max(days), language)
    source = library.find(Source, detail.get("source"))
    if source is None or source.published_on is None:
        return None
    return day(source.published_on, language)


def newest_measured(library: Library) -> dict[str, Measurement]:
    """Return {model: the run on the newest release} of published runs on one machine."""
    releases = set(library.topic("vllm", "releases").root)
    found: dict[str, Measurement] = {}
    for run in library.records(Measurement):
        good = evidence_of_points(run) in ("measured", "reproduced", "reported")
        if run.engine.name != "vllm" or run.num_nodes != 1 or not good or run.withdrawn:
            continue
        if run.engine.version not in releases:
            continue
        known = found.get(run.model)
        if known is None or _newer(run, known):
            found[run.model] = run
    return found


def _newer(run: Measurement, other: Measurement) -> bool:
    def key(each: Measurement) -> tuple[tuple[int, ...], str]:
        return version_key(each.engine.version or "0"), dated(each)

    return key(run) > key(other)


def _last_good(library: Library, language: str) -> Html:
    rows = []
    for model, run in sorted(newest_measured(library).items()):
        rows.append(
            (
                record_link(library, f"models/{model}", language)
                if library.find(Model, model)
                else model,
                run.engine.version,
                element("code", breakable(run.engine.image)) if run.engine.image else None,
                element(
                    "a",
                    breakable(day(run.measured_on, language) if run.measured_on else run.id),
                    href=f"/benchmarks/#{run.id}",
                ),
            )
        )
    return data_table(
        columns=[
            Column(_t("model_word", language)),
            Column(_t("release", language)),
            Column(_t("tag", language)),
            Column(_t("run", language)),
        ],
        rows=rows, caption=_t("last_good", language), language=language, show_caption=False,
    )  # fmt: skip
