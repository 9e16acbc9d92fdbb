"""The command line of one vLLM release, read out of its Python sources."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from macros.engines.arguments import PLATFORM, Group, Walker
from macros.engines.config_classes import Reader, plain
from macros.engines.messages import read_logs
from macros.engines.source_tree import MISSING, Tree, unparse
from macros.engines.variables import read_env


def string_dict_keys(tree: Tree, modname: str, var: str) -> list[str] | None:
    """The text keys of a dictionary of a module."""
    mod = tree.module(modname)
    hit = mod.run.get(var) if mod else None
    if hit and hit[0] == "expr" and isinstance(hit[1], ast.Dict):
        return [k.value for k in hit[1].keys if isinstance(k, ast.Constant)]
    return None


def registered_by_decorator(tree: Tree, folder: str, manager: str) -> list[str]:
    """Names that a registry takes by decorator in the files of a folder."""
    out = []
    base = tree.root / Path(*folder.split("."))
    for p in sorted(base.glob("*.py")):
        for m in re.finditer(
            manager + r"\.register_module\(\s*\[?([^)\]]*)", p.read_text(errors="replace")
        ):
            out += re.findall(r"['\"]([\w.\-]+)['\"]", m.group(1))
    return out


def moe_backend_maps(tree: Tree) -> dict[str, list[str]]:
    """Which --moe-backend values each weight format takes (`map_*_backend`).

    A value that argparse accepts and the format's map does not is an error
    when the weights are loaded.  No entry: that format has no such map yet.
    """
    out: dict[str, list[str]] = {}
    base = tree.root / "vllm/model_executor/layers/fused_moe/oracle"
    for p in sorted(base.glob("*.py")) if base.is_dir() else ():
        parsed = ast.parse(p.read_text(errors="replace"))
        for st in parsed.body:  # mxfp8 keeps its map at module level
            if isinstance(st, (ast.Assign, ast.AnnAssign)) and isinstance(st.value, ast.Dict):
                target = st.targets[0] if isinstance(st, ast.Assign) else st.target
                keys = st.value.keys
                if unparse(target) == "_BACKEND_NAME_MAP" and all(
                    isinstance(k, ast.Constant) for k in keys
                ):
                    out[p.stem] = [k.value for k in keys]
        for fn in ast.walk(parsed):
            if not (isinstance(fn, ast.FunctionDef) and re.match(r"_?map_\w*backend", fn.name)):
                continue
            for d in ast.walk(fn):
                if (
                    isinstance(d, ast.Dict)
                    and d.keys
                    and all(isinstance(k, ast.Constant) for k in d.keys)
                ):
                    out[p.stem] = [k.value for k in d.keys]
    return out


def extract(root: Path) -> dict:
    """Everything that one release says of its command line."""
    tree = Tree(root)
    reader = Reader(tree)
    arg_utils = tree.module("vllm.engine.arg_utils")
    serve = tree.module("vllm.entrypoints.cli.serve")
    if arg_utils is None or serve is None:
        raise SystemExit(f"{root}: no vllm/engine/arg_utils.py or vllm/entrypoints/cli/serve.py")
    ap = tree.module("vllm.utils.argparse_utils") or tree.module("vllm.utils")
    reader._has_optional_valued = "{bool, str, type(None)}" in arg_utils.text
    walker = Walker(reader, arg_utils)
    walker.enable_disable = "class EnableDisableAction" in ap.text
    cls = next(
        n for n in serve.ast.body if isinstance(n, ast.ClassDef) and n.name == "ServeSubcommand"
    )
    fn, m, depth = walker.method(cls, serve, "subparser_init")
    walker.call(fn, m, {a.arg: Group(None) for a in fn.args.args}, (cls, serve), depth)

    flags = walker.out
    by_flag = {n: f for f in flags for n in f["flags"] + f.get("negative", [])}
    tool = []
    for pkg in (
        "vllm.tool_parsers",
        "vllm.entrypoints.openai.tool_parsers",
    ):  # the latter up to 0.12
        tool += string_dict_keys(tree, pkg, "_TOOL_PARSERS_TO_REGISTER") or []
        tool += registered_by_decorator(tree, pkg, "ToolParserManager")
    reasoning = string_dict_keys(tree, "vllm.reasoning", "_REASONING_PARSERS_TO_REGISTER")
    reasoning = (reasoning or []) + registered_by_decorator(
        tree, "vllm.reasoning", "ReasoningParserManager"
    )
    # Names used in docstring examples are not registered.
    tool = sorted(set(tool) - {"example", "custom_name", "your_tool_parser"})
    reasoning = sorted(set(reasoning) - {"example"})

    def literal(modname, name):
        md = tree.module(modname)
        if md is None or name not in {**md.typing, **md.run}:
            return None
        for h in reader.hints(md, ast.Name(id=name), typing=True):
            if h[0] == "literal":
                return list(h[1])
        return None

    def listed(modname, name):
        md = tree.module(modname)
        hit = md.run.get(name) if md else None
        v = reader.value(md, hit[1]) if hit and hit[0] == "expr" else None
        return plain(v) if v is not None else None

    q = "vllm.model_executor.layers.quantization"
    attn = None
    for modname, name in (
        ("vllm.v1.attention.backends.registry", "AttentionBackendEnum"),
        ("vllm.attention.backends.registry", "AttentionBackendEnum"),
        ("vllm.attention.backends.registry", "_Backend"),
        ("vllm.platforms.interface", "_Backend"),
    ):
        enum_mod = tree.module(modname)
        hit = enum_mod.run.get(name) if enum_mod else None
        if hit and hit[0] == "def":
            attn = reader.enum_members(hit[1])
            break
    choices = {
        "moe_backend": (by_flag.get("--moe-backend") or {}).get("choices"),
        "linear_backend": (by_flag.get("--linear-backend") or {}).get("choices"),
        "attention_backend": attn,
        "kv_cache_dtype": literal("vllm.config.cache", "CacheDType"),
        "mamba_cache_mode": literal("vllm.config.cache", "MambaCacheMode"),
        "mamba_cache_dtype": literal("vllm.config.cache", "MambaDType"),
        "gdn_prefill_backend": (by_flag.get("--gdn-prefill-backend") or {}).get("choices"),
        "all2all_backend": (by_flag.get("--all2all-backend") or {}).get("choices"),
        "load_format": literal("vllm.model_executor.model_loader", "LoadFormats"),
        "quantization": literal(q, "QuantizationMethods"),
        "quantization_deprecated": listed(q, "DEPRECATED_QUANTIZATION_METHODS"),
        "tool_call_parser": tool,
        "reasoning_parser": reasoning,
        "optimization_level": (by_flag.get("--optimization-level") or {}).get("choices"),
    }

    spec = None
    sm = tree.module("vllm.config.speculative")
    if sm and "SpeculativeConfig" in sm.run:
        sc = sm.run["SpeculativeConfig"][1]
        methods: list = []
        for name in ("SpeculativeMethod",):
            methods = literal("vllm.config.speculative", name) or []
        spec = {
            "methods": methods,
            "mtp_types": literal("vllm.config.speculative", "MTPModelTypes"),
            "keys": class_fields(reader, sc, sm, arg_utils),
        }

    # JSON-valued flags: the keys they take (nested classes come along).
    classes: dict[str, dict] = {}
    todo = list(reader.used_classes)
    while todo:
        name = todo.pop()
        if name in classes:
            continue
        c, m = reader.used_classes[name]
        classes[name] = class_fields(reader, c, m, arg_utils)
        todo += [n for n in reader.used_classes if n not in classes and n not in todo]

    env = read_env(tree, reader)
    elsewhere: dict[str, list[str]] = {}
    for p in sorted((root / "vllm").rglob("*.py")):
        text = p.read_text(encoding="utf-8", errors="replace")
        if "VLLM_" not in text:
            continue
        for name in set(re.findall(r"(?:envs\.|[\"'])(VLLM_[A-Z0-9_]+)\b", text)):
            if name not in env:
                elsewhere.setdefault(name, []).append(str(p.relative_to(root)))

    main_mod = tree.module("vllm.entrypoints.cli.main")
    meta: dict = {
        "version": None,
        "platform": PLATFORM,
        "serve_entry": f"{serve.path.relative_to(root)}",
        "allow_abbrev": "allow_abbrev=False" not in (ap.text + (main_mod.text if main_mod else "")),
        "underscore_accepted": True,
        "dotted_json_keys": "create_nested_dict" in ap.text,
        "optimization_level_short_form": "-O" if '"-O"' in ap.text else None,
        "disable_form_of_enable_flags": walker.enable_disable,
        "unknown_vllm_env": "warning; error only with --fail-on-environ-validation"
        if by_flag.get("--fail-on-environ-validation")
        else "silently ignored",
        "notes": walker.notes,
    }
    for md in root.glob("vllm-*.dist-info/METADATA"):
        text = md.read_text(errors="replace")
        meta["version"] = re.search(r"^Version: (.+)$", text, re.M).group(1)
        mm = re.search(r"^Requires-Python: (.+)$", text, re.M)
        meta["requires_python"] = mm.group(1) if mm else None
        pins = {}
        for line in re.findall(r"^Requires-Dist: (.+)$", text, re.M):
            name = re.match(r"[\w.\-]+", line).group(0).lower()
            if name in (
                "torch",
                "transformers",
                "flashinfer-python",
                "flashinfer-cubin",
                "nvidia-cutlass-dsl",
                "b12x",
                "humming-kernels",
                "compressed-tensors",
                "xgrammar",
                "nvidia-cudnn-frontend",
            ):
                pins[name] = line
        meta["pins"] = pins
    return {
        "meta": meta,
        "flags": flags,
        "choices": choices,
        "moe_backend_maps": moe_backend_maps(tree),
        "speculative_config": spec,
        "config_classes": {k: classes[k] for k in sorted(classes)},
        "env": env,
        "env_elsewhere": {k: v[:5] for k, v in sorted(elsewhere.items())},
        "logs": read_logs(tree),
    }


def class_fields(reader: Reader, cls, mod, arg_utils) -> dict:
    """The fields of a configuration class with type, default and choices."""
    out = {}
    for name, f in reader.fields(cls, mod).items():
        if name.startswith("_"):
            continue
        init = True
        v = f["value"]
        if isinstance(v, ast.Call):
            init = not any(
                k.arg == "init" and isinstance(k.value, ast.Constant) and k.value.value is False
                for k in v.keywords
            )
        e: dict = {"type": unparse(f["ann"])}
        d = reader.value(f["mod"], v)
        if d is MISSING:
            e["required"] = True
        else:
            e["default"] = plain(d)
        lits: list = []
        for h in sorted(reader.hints(f["mod"], f["ann"], typing=True), key=str):
            if h[0] == "literal":
                lits += list(h[1])
            elif h[0] == "enum":
                em = reader.tree.module(h[2])
                ent = reader.tree.lookup(em, h[1]) if em else None
                if ent and ent[0] == "def":
                    lits += reader.enum_members(ent[1])
        if lits:
            e["choices"] = lits
        if not init:
            e["settable"] = False
        if "deprecat" in f["doc"].lower():
            e["mentions_deprecated"] = True
        out[name] = e
    return out
