"""Environment variables that an engine declares, with type, default and choices."""

from __future__ import annotations

import ast

from macros.engines.config_classes import Reader, plain
from macros.engines.source_tree import Module, Tree, unparse


class Unknown(Exception):
    """An expression that unset_value does not follow."""


def unset_value(node, reader: Reader, mod: Module):
    """What an entry of `environment_variables` gives when nothing is set."""

    def ev(n):
        return unset_value(n, reader, mod)

    if isinstance(node, ast.Lambda):
        return ev(node.body)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [ev(e) for e in node.elts]
    if isinstance(node, ast.IfExp):
        return ev(node.body) if ev(node.test) else ev(node.orelse)
    if isinstance(node, ast.BoolOp):
        val = None
        for v in node.values:
            val = ev(v)
            if bool(val) == isinstance(node.op, ast.Or):
                break
        return val
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not ev(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add, ast.Pow)):
        a, b = ev(node.left), ev(node.right)
        return (
            a * b
            if isinstance(node.op, ast.Mult)
            else a + b
            if isinstance(node.op, ast.Add)
            else a**b
        )
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        op = node.ops[0]
        if unparse(node.comparators[0]) == "os.environ":
            return isinstance(op, ast.NotIn)
        a, b = ev(node.left), ev(node.comparators[0])
        for kind, fn in (
            (ast.Eq, lambda: a == b),
            (ast.NotEq, lambda: a != b),
            (ast.In, lambda: a in b),
            (ast.NotIn, lambda: a not in b),
            (ast.Is, lambda: a is b),
            (ast.IsNot, lambda: a is not b),
            (ast.Gt, lambda: a > b),
            (ast.GtE, lambda: a >= b),
            (ast.Lt, lambda: a < b),
        ):
            if isinstance(op, kind):
                return fn()
    if isinstance(node, ast.Call):
        fn = unparse(node.func)
        if fn in ("os.getenv", "os.environ.get"):
            return ev(node.args[1]) if len(node.args) > 1 else None
        if fn in ("maybe_convert_int", "maybe_convert_bool"):
            v = ev(node.args[0])
            return None if v is None else int(v) if fn.endswith("int") else bool(int(v))
        if fn in ("int", "float", "bool", "str"):
            return {"int": int, "float": float, "bool": bool, "str": str}[fn](
                *[ev(a) for a in node.args]
            )
        if isinstance(node.func, ast.Attribute) and node.func.attr in (
            "lower",
            "upper",
            "strip",
            "split",
            "get",
        ):
            if isinstance(node.func.value, ast.Dict):
                d = node.func.value
                return {ev(k): ev(v) for k, v in zip(d.keys, d.values, strict=False)}.get(
                    *[ev(a) for a in node.args]
                )
            box = ev(node.func.value)
            if isinstance(box, str):
                return getattr(box, node.func.attr)(*[ev(a) for a in node.args])
    raise Unknown(unparse(node))


def read_env(tree: Tree, reader: Reader) -> dict:
    """Every variable of the table in `vllm/envs.py`, with type, default and choices."""
    mod = tree.module("vllm.envs")
    typed: dict[str, tuple] = {}
    for st in ast.walk(mod.ast):
        if isinstance(st, ast.AnnAssign) and isinstance(st.target, ast.Name):
            typed.setdefault(st.target.id, (unparse(st.annotation), st.value))
    table = None
    for st in mod.ast.body:
        t = (
            st.target
            if isinstance(st, ast.AnnAssign)
            else st.targets[0]
            if isinstance(st, ast.Assign)
            else None
        )
        if (
            isinstance(t, ast.Name)
            and t.id == "environment_variables"
            and isinstance(st.value, ast.Dict)
        ):
            table = st.value
    lines = mod.text.splitlines()
    out: dict[str, dict] = {}
    for k, v in zip(table.keys, table.values, strict=False):
        if not isinstance(k, ast.Constant):
            continue
        e: dict = {}
        if k.value in typed:
            ann, dv = typed[k.value]
            e["type"] = ann
            if dv is not None:
                e["default"] = plain(reader.value(mod, dv))  # kept where the table is not followed
        for c in ast.walk(v):
            if not isinstance(c, ast.Call):
                continue
            fn = unparse(c.func)
            if fn in ("os.getenv", "os.environ.get"):
                if c.args and isinstance(c.args[0], ast.Constant):
                    raw = plain(reader.value(mod, c.args[1])) if len(c.args) > 1 else None
                    e.setdefault("reads", {})[c.args[0].value] = raw
            elif fn == "deprecated_env" and len(c.args) >= 3:
                a = [reader.value(mod, x) for x in c.args[:3]]
                e["deprecated"] = {"removal": plain(a[1]), "note": plain(a[2])}
            elif fn in ("env_with_choices", "env_list_with_choices", "env_set_with_choices"):
                a = [reader.value(mod, x) for x in c.args] + [None] * 4
                kw = {x.arg: reader.value(mod, x.value) for x in c.keywords}
                e["default"] = plain(kw.get("default", a[1]))
                e["choices"] = plain(kw.get("choices", a[2]))
                e["case_sensitive"] = plain(
                    kw.get("case_sensitive", a[3] if a[3] is not None else True)
                )
        if "choices" not in e:
            try:
                e["default"] = plain(unset_value(v, reader, mod))
            except (Unknown, TypeError, ValueError, AttributeError, IndexError):
                e["default_from_annotation"] = True
        if isinstance(e.get("reads"), dict) and list(e["reads"]) == [k.value]:
            e["raw_default"] = e.pop("reads")[k.value]
        i, notes = k.lineno - 2, []
        while i >= 0 and lines[i].strip().startswith("#"):
            notes.append(lines[i])
            i -= 1
        if any("deprecat" in n.lower() for n in notes):
            e["comment_says_deprecated"] = True
        out[k.value] = e
    return out
