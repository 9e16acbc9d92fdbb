"""Templates of log lines and errors that name a chosen backend or a refused setting."""

from __future__ import annotations

import ast
import re

from macros.engines.source_tree import Tree, unparse

LOG_PATHS = re.compile(
    r"/(fused_moe|quantization|kernels|attention|mamba|platforms|gdn|fla|compilation|spec_decode|config)/"
    r"|/(selector|backends?|linear|gdn_attn|cuda|flashinfer|deep_gemm|kernel_warmup|vllm|cache|arg_utils|speculative|marlin_utils[a-z0-9_]*|kv_cache_utils|gpu_model_runner|gpu_worker)\.py$"
    r"|qwen3_next|qwen3_5"
)
LOG_WORDS = re.compile(
    r"backend|marlin|nvfp4|fp4|mxfp4|mxfp8|kernel|cutlass|flashinfer|triton|deepgemm|deep_gemm|humming|b12x|machete"
    r"|prefix cach|mamba cache|atomic|native support|gdn|linear attention|cuda ?graph|eager|speculative|draft|KV cache",
    re.I,
)
LOG_VERBS = re.compile(
    r"\b(using|use|selected|select|fall|falling|defaulting|default|enabl|disabl|choos|overrid|chosen|not support|does not|no valid|forc|detected|ignor|deprecat|maximum concurrency|kv cache size|unknown)",
    re.I,
)
LEVELS = {
    "debug",
    "debug_once",
    "info",
    "info_once",
    "warning",
    "warning_once",
    "error",
    "exception",
    "critical",
}


def template(node, local=None) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        s = ""
        for p in node.values:
            s += p.value if isinstance(p, ast.Constant) else "{" + unparse(p.value) + "}"
        return [s]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
        left = template(node.left, local)
        right = template(node.right, local) if isinstance(node.op, ast.Add) else [""]
        return [a + b for a in left or [""] for b in right or [""]]
    if isinstance(node, ast.IfExp):
        return template(node.body, local) + template(node.orelse, local)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and local:
        return local.get(node.func.id, [])
    if isinstance(node, ast.Name) and local:
        return local.get("=" + node.id, [])
    return []


def read_logs(tree: Tree) -> list[dict]:
    out, seen = [], set()
    base = tree.root / "vllm"
    for path in sorted(base.rglob("*.py")):
        rel = "/" + str(path.relative_to(base))
        if not LOG_PATHS.search(rel):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if "logger." not in text and "raise " not in text:
            continue
        try:
            mod = ast.parse(text)
        except SyntaxError:
            continue
        local: dict[str, list[str]] = {}
        for n in ast.walk(mod):
            if isinstance(n, ast.FunctionDef):
                got = []
                for r in ast.walk(n):
                    if isinstance(r, ast.Return) and r.value is not None:
                        got += [t for t in template(r.value) if " " in t]
                if got:
                    local[n.name] = got
            elif isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name):
                got = [t for t in template(n.value) if " " in t]
                if got:
                    local.setdefault("=" + n.targets[0].id, []).extend(got)
        owner: dict[int, str] = {}

        def mark(node, name):
            for c in ast.iter_child_nodes(node):
                nm = name
                if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    nm = f"{name}.{c.name}" if name else c.name
                owner[id(c)] = nm
                mark(c, nm)

        mark(mod, "")
        for n in ast.walk(mod):
            level, arg = None, None
            if (
                isinstance(n, ast.Call)
                and isinstance(n.func, ast.Attribute)
                and n.func.attr in LEVELS
            ):
                if unparse(n.func.value).split(".")[-1] in ("logger", "_logger") and n.args:
                    level, arg = n.func.attr, n.args[0]
            elif isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call) and n.exc.args:
                level, arg = "raise " + unparse(n.exc.func), n.exc.args[0]
            if arg is None:
                continue
            for t in template(arg, local):
                t = re.sub(r"\s+", " ", t).strip()
                named = LOG_WORDS.search(t) and (LOG_VERBS.search(t) or "backend" in t.lower())
                if not (named or ("/kernels/linear/" in rel and t.startswith("Selected"))):
                    continue
                key = (rel, t, level)
                if key in seen:
                    continue
                seen.add(key)
                out.append(
                    {
                        "file": "vllm" + rel,
                        "line": n.lineno,
                        "in": owner.get(id(n), ""),
                        "level": level,
                        "template": t[:300],
                    }
                )
    return out
