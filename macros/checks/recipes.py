"""A recipe is a command that its release understands and that fits the model and the machine."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from macros.engines.facts import (
    canonical,
    fits_template,
    flags_of,
    keys_of,
    logs_of,
    property_at,
    values_of,
)
from macros.engines.runs import contains, version_key
from macros.findings import Finding, listed
from macros.library import Library
from macros.loading import Document
from macros.plans import (
    READY_VARIABLE,
    SPECULATIVE_FLAG,
    draft_of,
    file_bytes,
    linked_runs,
    memory_fraction,
    memory_plan,
    same_setup,
    served_checkpoint,
    start_up,
)
from macros.recipes import spelled
from macros.records import Checkpoint, Engine, Measurement, Model, Pitfall, Recipe

GIB = 2**30
HIGHEST_FRACTION = 0.90
ENGINE_READY_S = 600
EVIDENCE = ("measured", "reproduced", "reported", "documented", "claimed")
FLOATING = ("latest", "nightly", "main", "dev")
VARIABLE = re.compile(r"^VLLM_[A-Z0-9_]+$")
NUMBERS = re.compile(r"\d+(?:\.\d+)?")


def _of_vllm(library: Library) -> Iterator[tuple[Document, Recipe]]:
    """Yield the recipes whose engine is vLLM or a fork of it."""
    for document, recipe in library.all(Recipe):
        engine = library.find(Engine, recipe.engine.name)
        if recipe.engine.name == "vllm" or (engine and engine.base == "vllm"):
            yield document, recipe


def _fork(library: Library, recipe: Recipe) -> Engine | None:
    return library.find(Engine, recipe.engine.name)


def _at(flag: str) -> str:
    return f"engine.arguments.{flag}"


def _model(library: Library, recipe: Recipe) -> Model:
    return library.get(Model, library.get(Checkpoint, recipe.checkpoint).model)


def _is_hybrid(model: Model) -> bool:
    layers = model.architecture.get("layer_type_counts") or {}
    return bool(
        {"linear_attention", "mamba2", "mamba", "kda"} & set(layers)
        or model.architecture.get("num_linear_attention_layers")
        or model.architecture.get("num_mamba_layers")
    )


def release_is_known(library: Library) -> Iterator[Finding]:
    """`engine.version` is a release of vLLM whose command line is known."""
    for document, recipe in _of_vllm(library):
        releases = list(library.topic("vllm", "releases").root)
        if recipe.engine.version not in releases:
            yield document.finding(
                rule="recipes/unknown-release", at="engine.version",
                expected=f"one of {listed(releases, recipe.engine.version)}",
                got=recipe.engine.version,
                fix="name the release the build is based on, and the build in `engine.build`",
            )  # fmt: skip


def flag_exists(library: Library) -> Iterator[Finding]:
    """Every flag is one of its release, or one that its fork adds."""
    for document, recipe in _of_vllm(library):
        flags = library.topic("vllm", "flags").root
        version = recipe.engine.version
        fork = _fork(library, recipe)
        for flag in recipe.engine.arguments:
            if fork and flag in fork.extra_flags:
                continue
            found = canonical(flag, flags)
            if found is None:
                near = get_close_matches(flag, flags_of(flags, version), n=1)
                yield document.finding(
                    rule="recipes/unknown-flag", at=_at(flag),
                    expected=f"a flag of vllm {version}", got=flag,
                    fix=f"rename to {near[0]}" if near else "delete it",
                )  # fmt: skip
            elif not contains(found[1]["versions"], version):
                yield document.finding(
                    rule="recipes/flag-not-in-release", at=_at(flag),
                    expected=f"a flag of vllm {version}; {flag} is one in {_runs(found[1])}",
                    got=flag, fix=_successor(library, flag),
                )  # fmt: skip


def _runs(entry: Any) -> str:
    return ", ".join(f"{first} to {last or 'the newest'}" for first, last in entry["versions"])


def _successor(library: Library, flag: str) -> str:
    successors = library.topics["vllm"].get("successors")
    known = successors.record.root["flags"].get(flag) if successors else None
    return known["en"] if known else "choose another release, or delete it"


def flag_of_a_fork_names_it(library: Library) -> Iterator[Finding]:
    """A flag or variable that only a fork has is passed only to that fork."""
    engines = list(library.records(Engine))
    for document, recipe in _of_vllm(library):
        for engine in engines:
            if engine.id == recipe.engine.name:
                continue
            for field, names in (("arguments", engine.extra_flags),
                                 ("environment", engine.extra_environment)):  # fmt: skip
                for name in names:
                    if name in getattr(recipe.engine, field) and not _has(library, recipe, name):
                        yield document.finding(
                            rule="recipes/flag-of-a-fork", at=f"engine.{field}.{name}",
                            expected=f"`engine.name: {engine.id}`", got=recipe.engine.name,
                            fix="name the fork, or delete it",
                        )  # fmt: skip


def _has(library: Library, recipe: Recipe, name: str) -> bool:
    own = _fork(library, recipe)
    return bool(own and name in (*own.extra_flags, *own.extra_environment))


def value_is_a_choice(library: Library) -> Iterator[Finding]:
    """A value with a closed list is one of the release's list."""
    for document, recipe in _of_vllm(library):
        flags = library.topic("vllm", "flags").root
        choices = library.topic("vllm", "choices").root
        version = recipe.engine.version
        for flag, value in recipe.engine.arguments.items():
            found = canonical(flag, flags)
            if not found or isinstance(value, (bool, dict, list)):
                continue
            known = values_of(choices, property_at(found[1], "choices", version) or "", version)
            got = spelled(value)
            plain = got.lower().replace("-", "_")
            if known and plain not in {each.lower().replace("-", "_") for each in known}:
                yield _no_choice(document, _at(flag), known, got)


def _no_choice(document: Document, at: str, known: list[str], got: str) -> Finding:
    near = get_close_matches(got, known, n=1)
    return document.finding(
        rule="recipes/unknown-choice", at=at, expected=f"one of {listed(sorted(known), got)}",
        got=got, fix=f"write {near[0]}" if near else "choose one of the list",
    )  # fmt: skip


def key_of_json_value_exists(library: Library) -> Iterator[Finding]:
    """The keys and values of a JSON argument are those of the release."""
    for document, recipe in _of_vllm(library):
        flags = library.topic("vllm", "flags").root
        configs = library.topic("vllm", "configs").root
        choices = library.topic("vllm", "choices").root
        version = recipe.engine.version
        for flag, value in recipe.engine.arguments.items():
            found = canonical(flag, flags)
            if not isinstance(value, dict) or not found or "config" not in found[1]:
                continue
            name = found[1]["config"]
            keys = keys_of(configs, name, version)
            for key, each in value.items():
                at = f"{_at(flag)}.{key}"
                if key not in keys:
                    near = get_close_matches(key, keys, n=1)
                    yield document.finding(
                        rule="recipes/unknown-key", at=at,
                        expected=f"a key of {name} in vllm {version}", got=key,
                        fix=f"rename to {near[0]}" if near else "delete it",
                    )  # fmt: skip
                    continue
                known = values_of(choices, configs[name][key].get("choices", ""), version)
                if known and isinstance(each, str) and each.lower() not in map(str.lower, known):
                    yield _no_choice(document, at, known, each)


def variable_exists(library: Library) -> Iterator[Finding]:
    """A variable of vLLM is one that the release reads, or one of the fork."""
    for document, recipe in _of_vllm(library):
        variables = library.topic("vllm", "environment").root
        fork = _fork(library, recipe)
        for name in recipe.engine.environment:
            if not VARIABLE.match(name) or (fork and name in fork.extra_environment):
                continue
            entry = variables.get(name)
            if entry and contains(entry["versions"], recipe.engine.version):
                continue
            near = get_close_matches(name, variables, n=1)
            yield document.finding(
                rule="recipes/unknown-variable", at=f"engine.environment.{name}",
                expected=f"a variable of vllm {recipe.engine.version}", got=name,
                fix=f"see {near[0]}" if near and not entry else "delete it; nothing reads it",
            )  # fmt: skip


def moe_backend_fits_the_format(library: Library) -> Iterator[Finding]:
    """`--moe-backend` names kernels that the format of the experts has in that release."""
    for document, recipe in _of_vllm(library):
        backend = recipe.engine.arguments.get("--moe-backend")
        checkpoint = library.get(Checkpoint, served_checkpoint(recipe))
        kept = _experts(checkpoint)
        if not isinstance(backend, str) or backend == "auto" or kept is None:
            continue
        known = _backends(library, kept, recipe.engine.version)
        if known and backend not in known:
            yield document.finding(
                rule="recipes/moe-backend", at=_at("--moe-backend"),
                expected=f"one of {listed(known, backend)}: the experts are {kept}", got=backend,
                fix="leave it out, or choose one of the list",
            )  # fmt: skip


def _experts(checkpoint: Checkpoint) -> str | None:
    kept = (checkpoint.formats or {}).get("experts")
    return kept if isinstance(kept, str) else None


def _backends(library: Library, kept: str, version: str) -> list[str]:
    """Return the MoE backends of a format: `nvfp4`, `fp8-block` and so on; BF16 is unquantized."""
    word = kept.partition("-")[0]
    name = {"int4": "int_wna16", "bf16": "unquantized"}.get(word, word)
    return values_of(library.topic("vllm", "choices").root, f"moe_backend_of_{name}", version)


def draft_has_its_own_backend(library: Library) -> Iterator[Finding]:
    """An unquantized MTP layer does not inherit a MoE backend that it cannot run."""
    pitfall = library.find(Pitfall, "moe-marlin-forced-on-bf16-drafter")
    for document, recipe in _of_vllm(library):
        backend = recipe.engine.arguments.get("--moe-backend")
        config = recipe.engine.arguments.get(SPECULATIVE_FLAG)
        draft = library.get(Checkpoint, recipe.checkpoint).draft_weights
        if not isinstance(config, dict) or draft_of(recipe).method != "mtp" or not draft:
            continue
        own = config.get("moe_backend", backend)
        kept = draft.experts_format or draft.format
        if not isinstance(own, str) or own == "auto" or not _experts_in(library, recipe):
            continue
        known = _backends(library, kept, recipe.engine.version)
        if own in known or (own == "marlin" and not _bites(pitfall, recipe.engine.version)):
            continue
        yield document.finding(
            rule="recipes/draft-backend", at=f"{_at(SPECULATIVE_FLAG)}.moe_backend",
            expected=f"one of {listed(known, own)}: the MTP layer is {kept}",
            got=own if "moe_backend" in config else f"{own}, inherited from --moe-backend",
            fix='add `moe_backend: triton` to the draft, or leave `--moe-backend` out',
        )  # fmt: skip


def _experts_in(library: Library, recipe: Recipe) -> bool:
    return "experts" in (library.get(Checkpoint, recipe.checkpoint).formats or {})


def _bites(pitfall: Pitfall | None, version: str) -> bool:
    """Tell whether a pitfall affects a release."""
    if pitfall is None:
        return True
    first, fixed = pitfall.affects.first_version, pitfall.affects.fixed_version
    at = version_key(version)
    return (not first or version_key(first) <= at) and (not fixed or at < version_key(fixed))


def drafts_and_prefix_caching(library: Library) -> Iterator[Finding]:
    """A hybrid model does not draft with MTP while prefix caching is on."""
    corrupts = library.find(Pitfall, "mtp-apc-corruption")
    default_on = library.find(Pitfall, "apc-default-on-028")
    for document, recipe in _of_vllm(library):
        version = recipe.engine.version
        if draft_of(recipe).method != "mtp" or not _is_hybrid(_model(library, recipe)):
            continue
        stated = recipe.engine.arguments.get("--enable-prefix-caching")
        implied = default_on is not None and _bites(default_on, version)
        if stated is False or (stated is None and not implied) or not _bites(corrupts, version):
            continue
        yield document.finding(
            rule="recipes/mtp-prefix-caching", at=_at("--enable-prefix-caching"),
            expected="false, because MTP with prefix caching corrupts hybrid models",
            got="true" if stated else f"nothing, and {version} turns it on by itself",
            fix="set `--enable-prefix-caching: false`, or delete `--speculative-config`",
        )  # fmt: skip


def checkpoint_ships_its_draft(library: Library) -> Iterator[Finding]:
    """MTP is used only with a checkpoint that brings the MTP weights."""
    for document, recipe in library.all(Recipe):
        draft = library.get(Checkpoint, recipe.checkpoint).draft_weights
        if draft_of(recipe).method == "mtp" and (draft is None or draft.shipped is False):
            yield document.finding(
                rule="recipes/mtp-weights-missing", at=_at(SPECULATIVE_FLAG),
                expected="a checkpoint that ships MTP weights", got=recipe.checkpoint,
                fix="choose another checkpoint, or delete the drafts",
            )  # fmt: skip


def needed_flag_is_there(library: Library) -> Iterator[Finding]:
    """The machine, the model and the purpose get the flags that they need."""
    topics = library.topics.get("vllm", {})
    needs = topics["requirements"].record.root["requirements"] if "requirements" in topics else []
    for document, recipe in _of_vllm(library):
        missing = [
            need
            for need in needs
            if need["flag"] not in recipe.engine.arguments
            and _holds(library, recipe, need.get("when", {}))
        ]
        for need in {each["flag"]: each for each in reversed(missing)}.values():
            yield document.finding(
                rule="recipes/flag-missing", at="engine.arguments",
                expected=f"{need['flag']}, because {need['en']}", got="nothing",
                fix=f"add `{need['flag']}`",
            )  # fmt: skip


def _holds(library: Library, recipe: Recipe, when: dict[str, Any]) -> bool:
    """Tell whether all that a requirement names is so for a recipe."""
    family = _family(library, recipe)
    facts = {
        "hybrid": _is_hybrid(_model(library, recipe)),
        "thinks": bool(family and family["reasoning"]),
        "purpose": recipe.purpose,
    }
    arguments = recipe.engine.arguments
    return all(
        value in arguments
        if name == "with"
        else recipe.purpose != value
        if name == "not_purpose"
        else facts[name] == value
        for name, value in when.items()
    )


def start_is_waited_for(library: Library) -> Iterator[Finding]:
    """A start that may pass the engine's own limit raises that limit."""
    for document, recipe in _of_vllm(library):
        known = start_up(library, recipe)
        stated = int(recipe.engine.environment.get(READY_VARIABLE, ENGINE_READY_S))
        if known and known.high_s > stated:
            yield document.finding(
                rule="recipes/ready-timeout", at="engine.environment",
                expected=f"{READY_VARIABLE} of at least {known.high_s} (the longest start)",
                got=stated, fix=f'add `{READY_VARIABLE}: "1800"`',
            )  # fmt: skip


def memory_fraction_fits_the_plan(library: Library) -> Iterator[Finding]:
    """The memory fraction covers the plan and leaves the system its share."""
    for document, recipe in _of_vllm(library):
        fraction, plan = memory_fraction(recipe), memory_plan(library, recipe)
        if fraction is None:
            continue
        at = _at("--gpu-memory-utilization")
        if float(fraction) > HIGHEST_FRACTION:
            yield document.finding(
                rule="recipes/memory-fraction", at=at,
                expected=f"at most {HIGHEST_FRACTION:.2f}: the system lives in the same memory",
                got=fraction, fix="lower it",
            )  # fmt: skip
        if plan is None:
            continue
        least = plan.weight_bytes + (plan.kv_cache_bytes or 0) + plan.state_bytes
        least += plan.reserve_low_bytes or 0
        given = float(fraction) * plan.capacity_bytes
        if given < least:
            yield document.finding(
                rule="recipes/memory-fraction", at=at,
                expected=f"at least {least / plan.capacity_bytes:.3f} = {least / GIB:.1f} of "
                f"{plan.capacity_bytes / GIB:.1f} GiB (weights, cache, state, lowest reserve)",
                got=fraction, fix="raise it, or plan fewer requests or a shorter context",
            )  # fmt: skip


def plan_is_within_the_flags(library: Library) -> Iterator[Finding]:
    """The planned load is one that the flags allow and the model has."""
    for document, recipe in _of_vllm(library):
        arguments = recipe.engine.arguments
        longest, most = arguments.get("--max-model-len"), arguments.get("--max-num-seqs")
        context = _model(library, recipe).context_tokens
        for at, limit, got, name in (
            ("planned_context_tokens", longest, recipe.planned_context_tokens, "--max-model-len"),
            ("planned_concurrency", most, recipe.planned_concurrency, "--max-num-seqs"),
            (_at("--max-model-len"), context, longest, "the model's context"),
        ):
            if isinstance(limit, int) and isinstance(got, int) and got > limit:
                yield document.finding(
                    rule="recipes/plan", at=at, expected=f"at most {limit} ({name})", got=got,
                    fix="lower it, or raise the limit",
                )  # fmt: skip


def parallel_over_the_machines(library: Library) -> Iterator[Finding]:
    """Tensor times pipeline parallelism is the number of GPUs, one in each machine."""
    for document, recipe in _of_vllm(library):
        arguments = recipe.engine.arguments
        tensor = arguments.get("--tensor-parallel-size", 1)
        pipeline = arguments.get("--pipeline-parallel-size", 1)
        if not isinstance(tensor, int) or not isinstance(pipeline, int):
            continue
        if tensor * pipeline != recipe.num_nodes:
            yield document.finding(
                rule="recipes/parallel", at=_at("--tensor-parallel-size"),
                expected=f"{recipe.num_nodes} GPUs in {recipe.num_nodes} machines",
                got=f"{tensor} x {pipeline}", fix="make the product equal to `num_nodes`",
            )  # fmt: skip
        nodes = arguments.get("--nnodes")
        if nodes is not None and nodes != recipe.num_nodes:
            yield document.finding(
                rule="recipes/parallel", at=_at("--nnodes"), expected=f"{recipe.num_nodes}",
                got=nodes, fix="write the number of machines",
            )  # fmt: skip


def _family(library: Library, recipe: Recipe) -> Any | None:
    """Return what is known of the model's family by its name."""
    families = library.topics["vllm"].get("families")
    if families is None:
        return None
    checkpoint = library.get(Checkpoint, recipe.checkpoint)
    name = (checkpoint.repository or checkpoint.name).lower()
    for family in families.record.root["families"]:
        if re.search(family["pattern"], name) or re.search(family["pattern"], checkpoint.model):
            return family
    return None


def parser_fits_the_model(library: Library) -> Iterator[Finding]:
    """The parsers of tool calls and of thinking are those of the model's family."""
    for document, recipe in _of_vllm(library):
        family = _family(library, recipe)
        if family is None:
            continue
        for flag, field in (("--tool-call-parser", "tool_call_parsers"),
                            ("--reasoning-parser", "reasoning_parsers")):  # fmt: skip
            got = recipe.engine.arguments.get(flag)
            if isinstance(got, str) and got not in family[field]:
                yield document.finding(
                    rule="recipes/parser", at=_at(flag),
                    expected=f"one of {', '.join(family[field]) or 'none'} for {family['family']}",
                    got=got, fix="choose the parser of the family",
                )  # fmt: skip


def served_name_names_the_model(library: Library) -> Iterator[Finding]:
    """The served name carries the family and the numbers of the model that runs, and no others."""
    for document, recipe in library.all(Recipe):
        model = _model(library, recipe).id
        name = recipe.served_name.lower()
        first = re.match(r"[a-z]+", model)
        wrong = [each for each in NUMBERS.findall(name) if each not in NUMBERS.findall(model)]
        if wrong or (first and not name.startswith(first.group(0))):
            yield document.finding(
                rule="recipes/served-name", at="served_name",
                expected=f"a name of {model}", got=recipe.served_name,
                fix="name the model that really runs",
            )  # fmt: skip


def listens_to_this_machine(library: Library) -> Iterator[Finding]:
    """A recipe opens no port to the network and runs no code of a repository without a reason."""
    for document, recipe in library.all(Recipe):
        arguments = recipe.engine.arguments
        host = arguments.get("--host")
        if host not in (None, "127.0.0.1", "localhost") and "--api-key" not in arguments:
            yield document.finding(
                rule="recipes/exposure", at=_at("--host"),
                expected="127.0.0.1, or an `--api-key` beside it", got=host,
                fix="delete it; each form binds to this machine",
            )  # fmt: skip
        if arguments.get("--trust-remote-code") and "--trust-remote-code" not in recipe.reasons:
            yield document.finding(
                rule="recipes/exposure", at=_at("--trust-remote-code"),
                expected="no code from a repository, or the reason under `reasons`",
                got="--trust-remote-code", fix="delete it",
            )  # fmt: skip


def status_is_earned(library: Library) -> Iterator[Finding]:
    """A status other than `untested` rests on a named run of the same set-up, and is no better."""
    for document, recipe in library.all(Recipe):
        runs = [run for run in linked_runs(library, recipe) if same_setup(library, recipe, run)]
        best = min((_rank(run) for run in runs), default=None)
        if best is None and recipe.status != "untested":
            yield document.finding(
                rule="recipes/status", at="status",
                expected="untested, or a run under `measurements` with the same checkpoint, "
                "machines, engine and drafts",
                got=recipe.status, fix="write `untested`, or name the run",
            )  # fmt: skip
        elif best is not None and recipe.status != EVIDENCE[best]:
            yield document.finding(
                rule="recipes/status", at="status", expected=EVIDENCE[best], got=recipe.status,
                fix=f"write `{EVIDENCE[best]}`, the evidence of the best run that it names",
            )  # fmt: skip


def _rank(run: Measurement) -> int:
    for each in run.provenance:
        if "points" in each.fields:
            return EVIDENCE.index(each.evidence)
    return EVIDENCE.index(run.provenance[0].evidence)


def image_is_pinned(library: Library) -> Iterator[Finding]:
    """An image tag names the release and says whether a source shows it; floating ones say why."""
    for document, recipe in library.all(Recipe):
        image = recipe.engine.image
        if image is None:
            continue
        if recipe.engine.image_seen is None:
            yield document.finding(
                rule="recipes/image", at="engine.image_seen",
                expected="true where a source shows this tag, else false", got="null",
                fix="look it up",
            )  # fmt: skip
        tag = image.rpartition(":")[2] if "@" not in image else ""
        floats = any(word in tag for word in FLOATING)
        if floats and recipe.engine.floating_tag_reason is None:
            yield document.finding(
                rule="recipes/image", at="engine.image",
                expected="a tag that stays, or `floating_tag_reason`", got=image,
                fix="pin a release",
            )  # fmt: skip
        if image.startswith("vllm/vllm-openai:v") and not tag.startswith(
            f"v{recipe.engine.version}"
        ):
            yield document.finding(
                rule="recipes/image", at="engine.image",
                expected=f"a tag of v{recipe.engine.version}", got=image,
                fix="bring tag and `engine.version` together",
            )  # fmt: skip


def conversion_is_of_this_checkpoint(library: Library) -> Iterator[Finding]:
    """`load_as` names what becomes of the recipe's own checkpoint, and a flag does it."""
    for document, recipe in library.all(Recipe):
        if recipe.load_as is None:
            continue
        served = library.get(Checkpoint, recipe.load_as)
        base = served.conversion.checkpoint if served.conversion else None
        if base != recipe.checkpoint:
            yield document.finding(
                rule="recipes/load-as", at="load_as",
                expected=f"a checkpoint that is converted from {recipe.checkpoint}",
                got=f"{recipe.load_as}, converted from {base}", fix="name the right conversion",
            )  # fmt: skip


def proof_line_is_of_the_release(library: Library) -> Iterator[Finding]:
    """A proof line is one that the release can print."""
    for document, recipe in library.all(Recipe):
        if recipe.engine.name != "vllm":
            continue
        templates = logs_of(library.topic("vllm", "logs").root, recipe.engine.version)
        for index, line in enumerate(recipe.proof_lines):
            if not any(fits_template(line, template) for template in templates):
                near = get_close_matches(line, templates, n=1, cutoff=0.3)
                yield document.finding(
                    rule="recipes/proof-line", at=f"proof_lines[{index}]",
                    expected=f"a line that vllm {recipe.engine.version} can print", got=line,
                    fix=f"see `{near[0]}`" if near else "delete it",
                )  # fmt: skip


def reason_is_for_a_flag(library: Library) -> Iterator[Finding]:
    """A reason is for a flag or a variable that the recipe sets."""
    for document, recipe in library.all(Recipe):
        for name in recipe.reasons:
            if name not in recipe.engine.arguments and name not in recipe.engine.environment:
                yield document.finding(
                    rule="recipes/reason", at=f"reasons.{name}",
                    expected="a flag or variable of this recipe", got=name,
                    fix="set the flag, or delete the reason",
                )  # fmt: skip


def every_flag_is_explained(library: Library) -> Iterator[Finding]:
    """Every flag and variable of a recipe has a reason, its engine's or its own."""
    for document, recipe in library.all(Recipe):
        engine = recipe.engine.name if recipe.engine.name in library.topics else "vllm"
        topics = library.topics.get(engine, {})
        general = topics["reasons"].record.root if "reasons" in topics else {}
        for field in ("arguments", "environment"):
            for name in getattr(recipe.engine, field):
                if name not in recipe.reasons and name not in general:
                    yield document.finding(
                        rule="recipes/unexplained", at=f"engine.{field}.{name}",
                        expected=f"a reason here or in data/engines/{engine}/reasons.yaml",
                        got="none", fix="say why the recipe sets it",
                    )  # fmt: skip


def recipe_can_be_downloaded(library: Library) -> Iterator[Finding]:
    """A recipe's checkpoint has a repository, or the recipe says where the files are."""
    for document, recipe in library.all(Recipe):
        checkpoint = library.get(Checkpoint, recipe.checkpoint)
        if checkpoint.repository is None and recipe.model_path is None:
            yield document.finding(
                rule="recipes/no-repository", at="checkpoint",
                expected="a checkpoint with a repository, or `model_path`", got=recipe.checkpoint,
                fix="name a checkpoint that can be downloaded",
            )  # fmt: skip


def files_fit_the_machines(library: Library) -> Iterator[Finding]:
    """The plan of weights, cache and state fits the memory of the machines."""
    for document, recipe in library.all(Recipe):
        plan = memory_plan(library, recipe)
        if plan is None:
            continue
        least = plan.weight_bytes + (plan.kv_cache_bytes or 0) + plan.state_bytes
        if least > plan.capacity_bytes:
            yield document.finding(
                rule="recipes/too-big", at="checkpoint",
                expected=f"at most {plan.capacity_bytes / GIB:.1f} GiB a machine",
                got=f"{least / GIB:.1f} GiB (files {file_bytes(library, recipe.checkpoint)} bytes)",
                fix="take more machines or a smaller checkpoint",
            )  # fmt: skip
