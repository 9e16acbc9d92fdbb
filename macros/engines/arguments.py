"""An interpreter of the few statements that register command-line arguments."""

from __future__ import annotations

import ast

from macros.engines.config_classes import Reader, plain
from macros.engines.source_tree import Module, Sym, unparse

PLATFORM = "cuda"  # the platform whose choices are listed
ARG_METHODS = {"add_cli_args", "_customize_cli_kwargs", "make_arg_parser", "subparser_init"}


class Group:
    """A titled group of arguments."""

    def __init__(self, title):
        self.title = title


class Walker:
    """A walk through the methods that register arguments."""

    def __init__(self, reader: Reader, arg_utils: Module):
        self.r, self.arg_utils = reader, arg_utils
        self.out: list[dict] = []
        self.notes: list[str] = []

    # call a function or method of the sources
    def call(self, fn: ast.FunctionDef, mod: Module, args: dict, owner=None, chain=None):
        """Follow a function with its arguments bound; gives what it returns."""
        env = dict(args)
        return self.block(fn.body, env, mod, owner, chain)

    def method(self, cls, mod, name, skip=0):
        """Find a method of a class or of one of its bases, with the depth it was found at."""
        for i, (c, m) in enumerate(self.r.mro(cls, mod)):
            if i < skip:
                continue
            for st in c.body:
                if isinstance(st, ast.FunctionDef) and st.name == name:
                    return st, m, i
        return None

    def block(self, body, env, mod, owner, chain):
        """Follow statements up to the first return."""
        for st in body:
            if isinstance(st, ast.Return):
                return self.eval(st.value, env, mod, owner, chain) if st.value else None
            self.stmt(st, env, mod, owner, chain)
        return None

    def stmt(self, st, env, mod, owner, chain):
        """Follow one statement; both ways where a condition is not known."""

        def ev(n):
            return self.eval(n, env, mod, owner, chain)

        if isinstance(st, ast.Assign) and len(st.targets) == 1:
            val = ev(st.value)
            self.assign(st.targets[0], val, env, ev)
        elif isinstance(st, ast.AugAssign):
            cur, val = ev(st.target), ev(st.value)
            if isinstance(cur, list) and isinstance(val, list):
                self.assign(st.target, cur + val, env, ev)
            elif isinstance(cur, list) and isinstance(val, Sym) and "permutations(" in val.text:
                base = [c for c in cur if c != "None"]
                pairs = [f"{a},{b}" for a in base for b in base if a != b]
                self.assign(st.target, cur + pairs, env, ev)
        elif isinstance(st, ast.Delete):
            for t in st.targets:
                if isinstance(t, ast.Subscript):
                    box = ev(t.value)
                    if isinstance(box, dict):
                        box.pop(ev(t.slice), None)
        elif isinstance(st, ast.Expr):
            ev(st.value)
        elif isinstance(st, ast.If):
            test = ev(st.test)
            if isinstance(test, bool):
                self.block(st.body if test else st.orelse, env, mod, owner, chain)
            else:
                self.block(st.body, env, mod, owner, chain)
                self.block(st.orelse, env, mod, owner, chain)
        elif isinstance(st, ast.For):
            seq = ev(st.iter)
            if isinstance(seq, list):
                for item in seq:
                    self.assign(st.target, item, env, ev)
                    self.block(st.body, env, mod, owner, chain)
            else:
                self.notes.append(f"loop not followed: {unparse(st.iter)[:80]}")
        elif isinstance(st, ast.ImportFrom):
            for a in st.names:
                env[a.asname or a.name] = ("import", mod._absolute(st), a.name)

    def assign(self, target, val, env, ev):
        """Bind a value to a name, an item or several names."""
        if isinstance(target, ast.Name):
            env[target.id] = val
        elif isinstance(target, ast.Subscript):
            box = ev(target.value)
            if isinstance(box, dict):
                box[ev(target.slice)] = val
        elif isinstance(target, ast.Tuple) and isinstance(val, (list, tuple)):
            for t, v in zip(target.elts, val, strict=False):
                self.assign(t, v, env, ev)

    def eval(self, node, env, mod, owner, chain):
        """The value of an expression, or a symbol where only running it would tell."""

        def ev(n):
            return self.eval(n, env, mod, owner, chain)

        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id in env:
                return env[node.id]
            v = self.r.value(mod, node)
            return v
        if isinstance(node, ast.Attribute):
            return self.r.value(mod, node)
        if isinstance(node, ast.Subscript):
            box = ev(node.value)
            key = ev(node.slice)
            if isinstance(box, dict) and not isinstance(key, Sym):
                return box.get(key, Sym(unparse(node)))
            return Sym(unparse(node))
        if isinstance(node, ast.Dict):
            out: dict = {}
            for k, v in zip(node.keys, node.values, strict=False):
                if k is None:
                    inner = ev(v)
                    if isinstance(inner, dict):
                        out.update(inner)
                else:
                    out[ev(k)] = ev(v)
            return out
        if isinstance(node, (ast.List, ast.Tuple)):
            return [ev(e) for e in node.elts]
        if isinstance(node, ast.Lambda):
            return Sym(unparse(node))
        if isinstance(node, ast.JoinedStr):
            parts = []
            for p in node.values:
                v = p.value if isinstance(p, ast.Constant) else ev(p.value)
                if isinstance(v, Sym):
                    return Sym(unparse(node))
                parts.append(str(v))
            return "".join(parts)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            a, b = ev(node.left), ev(node.right)
            if isinstance(a, list) and isinstance(b, Sym):
                # ["auto", "cpu"] + ([current_platform.device_type] if ... else [])
                return [*a, PLATFORM] if "current_platform.device_type" in b.text else a
            if type(a) is type(b) and isinstance(a, (list, str)):
                return a + b
            return Sym(unparse(node))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            a, b = ev(node.left), ev(node.comparators[0])
            if isinstance(a, Sym) or isinstance(b, Sym):
                return Sym(unparse(node))
            if isinstance(node.ops[0], ast.In) and isinstance(b, (dict, list)):
                return a in b
            if isinstance(node.ops[0], ast.Is):
                return a is b
            return Sym(unparse(node))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            v = ev(node.operand)
            return (not v) if isinstance(v, (bool, type(None))) else Sym(unparse(node))
        if isinstance(node, ast.Call):
            return self.do_call(node, env, mod, owner, chain)
        return Sym(unparse(node))

    def do_call(self, node: ast.Call, env, mod, owner, chain):
        """Follow a call that registers arguments or changes plain data."""

        def ev(n):
            return self.eval(n, env, mod, owner, chain)

        f = node.func
        # methods
        if isinstance(f, ast.Attribute):
            name = f.attr
            if name in ("add_argument",):
                self.add_argument(node, env, mod, owner, chain, ev(f.value))
                return None
            if name in ("add_argument_group", "add_mutually_exclusive_group"):
                title = next((ev(k.value) for k in node.keywords if k.arg == "title"), None)
                if title is None and node.args:
                    title = ev(node.args[0])
                return Group(title if isinstance(title, str) else None)
            if name == "add_parser":
                return Group(None)
            if name in ARG_METHODS:
                base = f.value
                if isinstance(base, ast.Call) and unparse(base.func) == "super" and owner:
                    hit = self.method(*owner, name, skip=chain + 1)
                elif unparse(base) in ("cls", "self") and owner:
                    hit = self.method(*owner, name)
                else:
                    c = self.r.find_class(mod, base)
                    hit = self.method(*c, name) if c else None
                    owner = c
                if hit:
                    fn, m, depth = hit
                    params = [a.arg for a in fn.args.args]
                    if params and params[0] in ("cls", "self"):
                        params = params[1:]
                    args = dict(zip(params, [ev(a) for a in node.args], strict=False))
                    for p, d in zip(params[::-1], fn.args.defaults[::-1], strict=False):
                        args.setdefault(p, self.r.value(m, d))
                    return self.call(fn, m, args, owner, depth)
                self.notes.append(f"method not found: {unparse(f)}")
                return Sym(unparse(node))
            box = ev(f.value)
            if isinstance(box, dict) and name == "items":
                return [[k, v] for k, v in box.items()]
            if isinstance(box, dict) and name in ("pop", "get"):
                a = [ev(x) for x in node.args]
                return box.pop(a[0], *a[1:2]) if name == "pop" else box.get(*a)
            if isinstance(box, dict) and name == "update" and node.args:
                upd = ev(node.args[0])
                if isinstance(upd, dict):
                    box.update(upd)
                return None
            if isinstance(box, list) and name in ("remove", "append", "extend"):
                a = ev(node.args[0])
                if name == "remove":
                    if a in box:
                        box.remove(a)
                    else:
                        self.notes.append(f"remove of an unknown value: {unparse(node)[:80]}")
                elif name == "append":
                    box.append(a)
                elif isinstance(a, list):
                    box.extend(a)
                return None
            if isinstance(box, str) and name in ("replace", "lower", "upper", "join"):
                a = [ev(x) for x in node.args]
                if not any(isinstance(x, Sym) for x in a):
                    return getattr(box, name)(*a)
            if unparse(f.value) == "cls" and owner and name == "__name__":
                return owner[0].name
            return Sym(unparse(node))
        name = unparse(f)
        if name == "get_kwargs":
            arg = node.args[0]
            hit = owner if unparse(arg) == "cls" and owner else self.r.find_class(mod, arg)
            if hit:
                return self.r.kwargs(*hit, self.arg_utils)
            self.notes.append(f"class not found: {unparse(arg)}")
            return {}
        if name == "make_arg_parser":
            hit = self.r.tree.lookup(mod, name)
            if hit and hit[0] == "def":
                return self.call(hit[1], hit[2], {hit[1].args.args[0].arg: Group(None)})
        if name == "get_args" or name == "list":
            v = self.r.value(mod, node)
            if isinstance(v, list):
                return v
        return Sym(unparse(node))

    def add_argument(self, node: ast.Call, env, mod, owner, chain, where):
        """Record one call of `add_argument` with its keywords resolved."""

        def ev(n):
            return self.eval(n, env, mod, owner, chain)

        names: list[str] = []
        for a in node.args:
            if isinstance(a, ast.Starred):
                v = ev(a.value)
                names += v if isinstance(v, list) else []
            else:
                names.append(ev(a))
        kw: dict = {}
        for k in node.keywords:
            v = ev(k.value)
            if k.arg is None:
                if isinstance(v, dict):
                    kw.update(v)
                else:
                    self.notes.append(f"unread keywords of {names}: {unparse(k.value)[:80]}")
            else:
                kw[k.arg] = v
        title = where.title if isinstance(where, Group) else None
        self.out.append(self.finish(names, kw, title, mod, node.lineno))

    def finish(self, names, kw, title, mod, line) -> dict:
        """One argument as plain data: spellings, kind, type, choices, default, group."""
        names = [n for n in names if isinstance(n, str)]
        e: dict = {"flags": names}
        action = kw.get("action")
        if isinstance(action, Sym):
            action = action.text.split(".")[-1]
        flag_like = [n for n in names if n.startswith("-")]
        if not flag_like:
            e["positional"] = True
        typ = kw.get("type")
        normal = None
        if isinstance(typ, Sym):
            t = typ.text
            if "json.loads" in t:
                typ = "json"
            elif t.startswith("lambda") and ".lower()" in t and "replace('-', '_')" in t:
                typ, normal = "str", "lower case; '-' becomes '_'"
            elif t.startswith("lambda"):
                typ = "custom"
            elif "optional_type(" in t:
                typ = t[t.index("(") + 1 : -1]
            else:
                typ = t
        if action == "BooleanOptionalAction":
            e["kind"] = "bool"
            e["negative"] = ["--no-" + n[2:] for n in flag_like if n.startswith("--")]
            if self.enable_disable:
                for n in flag_like:
                    if n.startswith("--enable-"):
                        e["negative"].append("--disable-" + n[9:])
                    elif n.startswith("--disable-"):
                        e["negative"].append("--enable-" + n[10:])
        elif action == "store_true":
            e["kind"] = "switch"
        elif action == "store_false":
            e["kind"] = "switch_off"
        elif action == "append":
            e["kind"], e["type"] = "append", typ or "str"
        else:
            e["kind"] = (
                "json"
                if (isinstance(typ, str) and typ.startswith("json:")) or typ == "json"
                else "value"
            )
            e["type"] = typ or "str"
            if isinstance(action, str):
                e["action"] = action
        if normal:
            e["normalised"] = normal
        for k in ("nargs", "const"):
            if k in kw and not isinstance(kw[k], Sym):
                e[k] = kw[k]
        ch = kw.get("choices")
        if isinstance(ch, Sym):
            e["choices_expr"] = ch.text
        elif ch:
            e["choices"] = list(ch)
            e["choices_enforced"] = "argparse"
        elif isinstance(kw.get("metavar"), list):
            e["choices"] = list(kw["metavar"])
            e["choices_enforced"] = None  # plain str is accepted too
        elif kw.get("_declared"):
            e["choices"] = list(kw["_declared"])
            e["choices_enforced"] = "config" if "str" not in str(typ) or typ == "str" else None
        d = kw.get("default", {"switch": False, "switch_off": True}.get(e["kind"]))
        e["default"] = {"expr": d.text} if isinstance(d, Sym) else plain(d)
        if "dest" in kw:
            e["dest"] = kw["dest"]
        else:
            long = next(
                (n for n in flag_like if n.startswith("--")),
                flag_like[0] if flag_like else names[0] if names else "",
            )
            e["dest"] = long.lstrip("-").replace("-", "_")
        e["group"] = title
        if kw.get("_class"):
            e["field"] = f"{kw['_class']}.{kw['_field']}"
        if kw.get("deprecated") is True or kw.get("_doc_deprecated"):
            e["mentions_deprecated"] = True
        h = kw.get("help")
        h = h.text if isinstance(h, Sym) else h if isinstance(h, str) else ""
        if "DEPRECAT" in h.upper():
            e["mentions_deprecated"] = True
        e["at"] = f"{mod.path.relative_to(self.r.tree.root)}:{line}"
        return e

    enable_disable = False
