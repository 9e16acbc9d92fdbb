"""One page of the rules that all data keep, made from the rules themselves."""

from collections.abc import Callable, Iterator
from types import CodeType

from macros import checks
from macros.library import Library
from macros.rendering.filters import filter_attributes, filterable
from macros.rendering.markup import Html, element, join
from macros.rendering.page import Page
from macros.rendering.parts import blocks, inline
from macros.rendering.words import word, words_of

T = {
    "lead": {
        "en": "What is checked before a page is built. A message names its rule; look it up here.",
        "zh": "页面生成之前要检查的内容。报错会写明规则名，可在这里查找。",
    },
}  # fmt: skip

# Rules that are kept while files are read; they have no function of their own.
READING = {
    "yaml/syntax": {"en": "A data file is YAML in UTF-8.", "zh": "数据文件是 UTF-8 的 YAML。"},
    "yaml/mapping": {"en": "A data file is one mapping.", "zh": "数据文件是一个映射。"},
    "yaml/key": {"en": "A key is text.", "zh": "键是文本。"},
    "yaml/duplicate-key": {
        "en": "A key stands once in its mapping.",
        "zh": "同一个映射里，键只出现一次。",
    },
    "yaml/anchor": {
        "en": "A data file has no anchors and no aliases.",
        "zh": "数据文件不使用锚点与别名。",
    },
    "schema/…": {
        "en": "A record has the fields of its class, in their types; the rest of the name says "
        "what is wrong, such as `schema/missing` or `schema/extra-forbidden`.",
        "zh": "记录的字段与类型符合它的类；规则名的后半说明错在哪里，例如 `schema/missing` 或 "
        "`schema/extra-forbidden`。",
    },
    "identity/file-name": {
        "en": "A record has the name of its file as id.",
        "zh": "记录的 id 与文件名相同。",
    },
    "identity/unread-file": {
        "en": "Every file in `data/` has a place and an ending that are read.",
        "zh": "`data/` 里的每个文件，位置与后缀都能被读取。",
    },
    "identity/unique": {
        "en": "No two records of a kind have the same id.",
        "zh": "同一种类里没有两条记录的 id 相同。",
    },
    "exceptions/unused": {
        "en": "Every exception is still needed, and names a record that exists.",
        "zh": "每条例外都仍有必要，并指向存在的记录。",
    },
}  # fmt: skip

# The sentence of each rule in Chinese, by the name of its function; the English is its docstring.
CHINESE = {
    "acceptance_fits_the_draft": "接受长度在 1 与草稿词元数加 1 之间。",
    "against_has_an_effect": "`against` 里的记录确实参与比较：通过界限、`requires` 或同一个量。",
    "caveats_are_known": "每个保留意见的代码都在 `terms.yaml` 里有文字。",
    "checkpoint_ships_its_draft": "只有附带 MTP 权重的检查点才用 MTP。",
    "chinese_is_chinese": "中文文本含有汉字，英文文本在代码之外不含汉字。",
    "chinese_typography": "中文里汉字与拉丁字母之间有空格，标点用全角。",
    "chunk_counts_are_marked": "按流式数据块计数的工具，只要用了草稿就要注明，没有草稿则不注明。",
    "command_decides_prefix_caching": "解决办法里用 MTP 起草的服务不开前缀缓存，并且写明。",
    "command_is_understood": "可复制的命令，能被其镜像的版本、某个受影响的版本或最新版本识别。",
    "command_leaves_memory": "解决办法里的服务写明占用多少内存，并给系统留一份。",
    "command_opens_no_port": "可复制的命令不向网络开放端口，只在本机监听。",
    "command_parses": "可复制的命令是完整的一行 shell。",
    "conversion_is_of_this_checkpoint": "`load_as` 是此检查点转换后的样子，且有参数完成转换。",
    "counted_parameters_follow_from_shapes": "由形状算出的参数量等于清点数，误差不超过 1/100,000。",
    "draft_has_its_own_backend": "未量化的 MTP 层不继承它跑不了的 MoE 后端。",
    "drafts_and_prefix_caching": "混合架构在开启前缀缓存时不用 MTP 起草。",
    "every_flag_is_explained": "配方的每个参数与变量都有理由，来自引擎或配方自己。",
    "every_fact_has_a_source": "每个写有事实的字段，都由 `provenance` 里的一条来源列出。",
    "family_knows_its_shapes": "模型的系列是已知的，配置包含该系列所需的每个字段。",
    "explanation_is_needed": "写明高于上限的测量，只要上限可知，就确有高于上限的数据点。",
    "faulty_command_is_no_remedy": "命令要么可复制，要么作为错误引用，不会两者都是。",
    "files_fit_the_machines": "权重、缓存与状态的规划放得进机器的内存。",
    "flag_exists": "每个参数都是该版本的，或是其分支版本增加的。",
    "flag_of_a_fork_names_it": "只有分支版本才有的参数或变量，只传给那个分支版本。",
    "formats_exist": "检查点把模型已知的模块存成已知的格式，各份占比之和为 1。",
    "gain_leads_to_speeds": "一处变化的两端都是测量的数据点，并写有单个请求的速度。",
    "image_is_pinned": "镜像标签写明版本并说明是否有来源见过它；浮动标签要说明理由。",
    "key_of_json_value_exists": "JSON 参数的键与值都属于该版本。",
    "languages_carry_the_same_facts": "两种语言里的代码与占位符相同。",
    "texts_avoid_what_the_glossary_avoids": "文字不使用术语表里标为应避免的写法。",
    "languages_change_together": "一段文字的两种语言一起改，或由人确认两边仍是同一个意思。",
    "languages_carry_the_same_numbers": "两种语言里代码之外的数字相同。",
    "linked_runs_exist": "测量所关联的测量存在，不是它自己，并且反过来也关联它。",
    "listed_run_is_listed_whole": "清单提到的测量，其每个数据点都来自清单的某一行。",
    "listens_to_this_machine": "配方不无故向网络开放端口，也不无故执行仓库里的代码。",
    "lost_source_is_only_a_claim": "依据原址已失的来源，最多只算 `claimed`。",
    "locator_finds_the_place": "事实写明在来源中的位置；只有原址已失的来源和本站工作没有位置。",
    "manifest_leads_to_points": "清单的每一行要么是某次测量的数据点，要么写明拒绝的理由。",
    "memory_fraction_fits_the_plan": "内存比例容得下规划，并给系统留出份额。",
    "metric_decides_the_field": "单个请求的速率写在 `metric` 指定的字段里。",
    "mixed_reference_exists": "`kind/id` 形式的引用指向存在的种类与记录。",
    "model_is_that_of_the_checkpoint": "同时写有模型与检查点的记录，检查点属于该模型。",
    "moe_backend_fits_the_format": "`--moe-backend` 指定的内核，在该版本中支持专家的格式。",
    "named_record_exists": "字段里提到的记录都存在。",
    "needed_flag_is_there": "机器、模型与用途所需的参数都在。",
    "no_draft_drafts_nothing": "没有草稿的测量不写草稿词元数、草稿模型与接受长度。",
    "parallel_over_the_machines": "张量并行乘以流水线并行等于 GPU 数，每台机器一个。",
    "parser_fits_the_model": "工具调用与思考的解析器属于该模型系列。",
    "placeholders_are_computed": "文本里的每个占位符都有计算，每个计算值都被用到。",
    "plan_is_within_the_flags": "规划的负载不超出参数与模型允许的范围。",
    "point_below_its_bound": "按所写位数，没有速度超过最少字节所允许的界限，除非写明原因。",
    "point_has_a_result": "每个数据点至少有一项结果。",
    "proof_line_is_of_the_release": "用来验证的日志行是该版本会打印的。",
    "provenance_names_fields": "`provenance` 只列出该记录有的字段。",
    "range_is_of_a_result": "区间属于某项结果，并且从低到高。",
    "range_is_of_releases": "引擎的坑，起止都是已收录的版本，先后正确。",
    "rate_is_tokens_by_seconds": "所写的速率等于所写的词元数除以秒数。",
    "reason_is_for_a_flag": "理由对应配方设置的某个参数或变量。",
    "recipe_can_be_downloaded": "配方的检查点有仓库，或配方说明文件在哪里。",
    "release_is_known": "`engine.version` 是命令行已知的 vLLM 发布版本。",
    "requests_add_up": "完成与失败的请求合计等于全部请求。",
    "run_is_not_later_than_its_source": "测量的日期不晚于其来源的查阅日期。",
    "served_name_names_the_model": "服务名包含实际运行的模型的系列与数字，不含其他。",
    "size_follows_from_formats": "预测的权重文件大小与公布的相同，误差不超过 0.5%。",
    "source_has_an_address": "来源都有地址，除非是软件包、本站自己的工作，或注明原址已失。",
    "start_is_waited_for": "启动可能超过引擎自身时限的，要调高时限。",
    "status_is_earned": "`untested` 以外的状态要有同样设置的测量佐证，且不高于它。",
    "subject_is_known": "说法所谈的对象，用函数使用的名称或说法专用的名称来写。",
    "successor_is_later": "取代某个说法的记录晚于该说法。",
    "texts_are_finished": "没有哪段文本只是占位。",
    "texts_are_text": "文本不含标题、表格、链接、粗体与 HTML；`code` 是唯一的标记。",
    "value_is_a_choice": "取值有固定列表的，取该版本列表中的一个。",
    "variable_exists": "vLLM 的变量是该版本会读取的，或是其分支版本的。",
    "version_is_a_release": "不带构建后缀的 vLLM 版本，是已收录的发布版本。",
    "verdict_is_computed": "说法所写的判定与检查算出的相同。",
}  # fmt: skip

CONCERNS = (
    "arithmetic", "bilingual", "checkpoints", "claims", "exceptions", "experiments", "import",
    "measurements", "models", "pitfalls", "plausibility", "provenance", "recipes", "reference",
    "terms", "texts", "typography",
)  # fmt: skip

_t = words_of(T)


def pages(library: Library, language: str) -> dict[str, Page]:
    """Return the page of all rules."""
    title, lead = word("section.rules", language), _t("lead", language)
    concerns: dict[str, list[Html]] = {}
    anchored: set[str] = set()
    for concern, names, sentence in entries(language):
        concerns.setdefault(concern, []).append(_entry(names, sentence, anchored))
        anchored |= set(names)
    sections = (
        element(
            "section",
            element("h2", element("code", name), id=name),
            element("dl", *items, class_="terms"),
            class_="filter-group",
        )
        for name, items in sorted(concerns.items())
    )
    body = filterable(name="rules", facets=[], body=join(*sections), language=language)
    return {"rules.md": Page(blocks(f"# {title}", lead, body), title, lead)}


def entries(language: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield (concern, rule names, sentence) of every rule."""
    for name, sentence in READING.items():
        yield name.partition("/")[0], [name], sentence[language]
    for rule in checks.rules():
        names = names_of(rule)
        english = (rule.__doc__ or "").strip().splitlines()[0]
        sentence = english if language == "en" else CHINESE.get(rule.__name__, english)
        concern = names[0].partition("/")[0] if names else rule.__module__.rpartition(".")[2]
        yield concern, names, sentence


def names_of(rule: Callable[..., object]) -> list[str]:
    """Return the names that a rule's findings carry, its own helpers' included."""
    found: list[str] = []
    seen: set[str] = set()

    def walk(code: CodeType) -> None:
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                walk(constant)
            elif isinstance(constant, str) and _is_name(constant):
                found.append(constant)
        for name in code.co_names:
            helper = rule.__globals__.get(name)
            own = name.startswith("_") and getattr(helper, "__module__", "") == rule.__module__
            if own and name not in seen and hasattr(helper, "__code__"):
                seen.add(name)
                walk(helper.__code__)

    walk(rule.__code__)
    return list(dict.fromkeys(found))


def _is_name(text: str) -> bool:
    concern, slash, thing = text.partition("/")
    return bool(slash) and concern in CONCERNS and thing.replace("-", "").isalpha()


def _entry(names: list[str], sentence: str, anchored: set[str]) -> Html:
    """Return a rule; a name is an anchor where it stands first."""
    codes = (
        element("code", name, id=None if name in anchored or "…" in name else name)
        for name in names
    )
    return element(
        "div",
        element("dt", join(*codes, separator=", ")),
        element("dd", inline(sentence)),
        class_="term",
        **filter_attributes(),
    )
