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
    r"backend|marlin|nvfp4|fp4|mxfp4|mxfp8|kernel|cutlass|flashinfer|triton|deepgemm|deep_gemm"
    r"|humming|b12x|machete"
    r"|prefix cach|mamba cache|atomic|native support|gdn|linear attention|cuda ?graph|eager"
    r"|speculative|draft|KV cache",
    re.I,
)
LOG_VERBS = re.compile(
    r"\b(using|use|selected|select|fall|falling|defaulting|default|enabl|disabl|choos|overrid"
    r"|chosen|not support|does not|no valid|forc|detected|ignor|deprecat|maximum concurrency"
    r"|kv cache size|unknown)",
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
    """The texts that an expression can give, with `{…}` where only running it would tell."""
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
    """Every template about a backend or a setting, with level, file and the function it is in."""
    found: list[dict] = []
    base = tree.root / "vllm"
    for path in sorted(base.rglob("*.py")):
        name = "/" + str(path.relative_to(base))
        text = path.read_text(encoding="utf-8", errors="replace")
        if not LOG_PATHS.search(name) or not ("logger." in text or "raise " in text):
            continue
        try:
            module = ast.parse(text)
        except SyntaxError:
            continue
        found += _messages_of(name, module)
    return found


def _messages_of(name: str, module: ast.Module) -> list[dict]:
    """The templates of one file, each level and text once."""
    local, owners = _local_texts(module), {}
    _mark_owners(module, "", owners)
    found: dict[tuple[str, str], dict] = {}
    for node in ast.walk(module):
        level, argument = _message(node)
        for raw in template(argument, local) if argument is not None else ():
            text = re.sub(r"\s+", " ", raw).strip()
            is_named = LOG_WORDS.search(text) and (
                LOG_VERBS.search(text) or "backend" in text.lower()
            )
            is_kernel = "/kernels/linear/" in name and text.startswith("Selected")
            if is_named or is_kernel:
                entry = {"file": "vllm" + name, "in": owners.get(id(node), ""), "level": level}
                found.setdefault((text, level), entry | {"template": text[:300]})
    return list(found.values())


def _message(node: ast.AST) -> tuple[str, ast.AST | None]:
    """The level and the text of a logging call or of a raised error; else no text."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_logger = unparse(node.func.value).split(".")[-1] in ("logger", "_logger")
        if node.func.attr in LEVELS and is_logger and node.args:
            return node.func.attr, node.args[0]
    elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        return "raise " + unparse(node.exc.func), node.exc.args[0]
    return "", None


def _local_texts(module: ast.Module) -> dict[str, list[str]]:
    """Sentences that functions of the file return, and those that names hold (under `=name`)."""
    texts: dict[str, list[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            returned = [
                text
                for inner in ast.walk(node)
                if isinstance(inner, ast.Return) and inner.value is not None
                for text in template(inner.value)
                if " " in text
            ]
            if returned:
                texts[node.name] = returned
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            held = [text for text in template(node.value) if " " in text]
            if held:
                texts.setdefault("=" + node.targets[0].id, []).extend(held)
    return texts


def _mark_owners(node: ast.AST, name: str, owners: dict[int, str]) -> None:
    """Note for every node the function or class it stands in."""
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{name}.{child.name}" if name else child.name
        owners[id(child)] = inner
        _mark_owners(child, inner, owners)
