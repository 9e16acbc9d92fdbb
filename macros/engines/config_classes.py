"""Fields, types and defaults of the configuration classes that flags are made from."""

from __future__ import annotations

import ast

from macros.engines.source_tree import MISSING, Module, Sym, Tree, unparse


def decorators(cls: ast.ClassDef) -> list[str]:
    """The names of the decorators of a class."""
    out = []
    for d in cls.decorator_list:
        out.append(unparse(d.func if isinstance(d, ast.Call) else d).split(".")[-1])
    return out


def is_dataclass(cls: ast.ClassDef) -> bool:
    """Whether a class is a configuration class."""
    return bool({"config", "dataclass"} & set(decorators(cls)))


class Reader:
    """Answers about classes of the sources: fields, types, defaults, keywords of arguments."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.used_classes: dict[str, tuple[ast.ClassDef, Module]] = {}
        self.env_defaults: dict[str, dict] = {}

    # -- classes ----------------------------------------------------------
    def find_class(self, mod: Module, node: ast.AST, typing=False):
        """The class that an expression names, with its module."""
        hit = self.tree.resolve(mod, node, typing)
        if hit and hit[0] == "def" and isinstance(hit[1], ast.ClassDef):
            return hit[1], hit[2]
        return None

    def mro(self, cls: ast.ClassDef, mod: Module):
        """A class and its bases, nearest first."""
        out = [(cls, mod)]
        for b in cls.bases:
            if isinstance(b, ast.Subscript):
                b = b.value
            hit = self.find_class(mod, b)
            if hit:
                out += self.mro(*hit)
        return out

    def is_enum(self, cls, mod) -> bool:
        """Whether a class is an enumeration."""
        for c, _ in self.mro(cls, mod):
            if any(
                unparse(b).split(".")[-1] in ("Enum", "IntEnum", "StrEnum", "Flag") for b in c.bases
            ):
                return True
        return False

    def enum_members(self, cls) -> list:
        """Member names; for an IntEnum the numbers, which is what a user writes."""
        ints = any(unparse(b).split(".")[-1] == "IntEnum" for b in cls.bases)
        out = []
        for st in cls.body:
            for t in st.targets if isinstance(st, ast.Assign) else ():
                if isinstance(t, ast.Name) and not t.id.startswith("_"):
                    num = st.value.value if ints and isinstance(st.value, ast.Constant) else None
                    out.append(t.id if num is None else num)
        return out

    def fields(self, cls: ast.ClassDef, mod: Module) -> dict[str, dict]:
        """The annotated fields of a class and its bases, with default and docstring."""
        out: dict[str, dict] = {}
        for c, m in reversed(self.mro(cls, mod)):
            for i, st in enumerate(c.body):
                if not (isinstance(st, ast.AnnAssign) and isinstance(st.target, ast.Name)):
                    continue
                if "ClassVar" in unparse(st.annotation):
                    continue
                doc = ""
                if i + 1 < len(c.body):
                    nxt = c.body[i + 1]
                    if isinstance(nxt, ast.Expr) and isinstance(nxt.value, ast.Constant):
                        doc = nxt.value.value if isinstance(nxt.value.value, str) else ""
                out[st.target.id] = {"ann": st.annotation, "value": st.value, "mod": m, "doc": doc}
        return out

    # -- annotations ------------------------------------------------------
    def hints(self, mod: Module, node, typing=False, depth=0) -> set:
        """The leaf types of an annotation, as tuples."""
        if depth > 12:
            return {("other", "deep")}

        def rec(n, m=mod):
            return self.hints(m, n, typing, depth + 1)

        if isinstance(node, ast.Constant):
            if node.value is None:
                return {("none",)}
            if isinstance(node.value, str):
                try:
                    return rec(ast.parse(node.value, mode="eval").body)
                except SyntaxError:
                    return {("other", node.value)}
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return rec(node.left) | rec(node.right)
        if isinstance(node, ast.Subscript):
            head = unparse(node.value).split(".")[-1]
            args = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if head in ("Optional",):
                return rec(args[0]) | {("none",)}
            if head == "Union":
                return set().union(*[rec(a) for a in args])
            if head in ("Annotated", "SkipValidation", "InstanceOf", "Final", "Required"):
                return rec(args[0])
            if head == "Literal":
                return {("literal", tuple(self.literal_values(mod, args, typing)))}
            low = head.lower()
            if low in ("list", "sequence", "set", "frozenset", "tuple"):
                kind = {"sequence": "other", "frozenset": "set"}.get(low, low)
                elems = [a for a in args if not (isinstance(a, ast.Constant) and a.value is ...)]
                ell = len(elems) != len(args)
                inner = (
                    frozenset(self.hints(mod, elems[0], typing, depth + 1))
                    if elems
                    else frozenset()
                )
                return {(kind, inner, "..." if ell or kind != "tuple" else len(elems))}
            if low in ("dict", "mapping", "defaultdict"):
                return {("dict" if low != "mapping" else "other", unparse(node))}
            return {("other", unparse(node))}
        if isinstance(node, (ast.Name, ast.Attribute)):
            text = unparse(node)
            if text in ("bool", "int", "float", "str"):
                return {(text,)}
            if text in ("list", "set", "tuple"):
                return {(text, frozenset(), "...")}
            if text == "dict":
                return {("dict", "dict")}
            if text in ("Any", "typing.Any"):
                return {("any",)}
            hit = self.tree.resolve(mod, node, typing)
            if hit and hit[0] == "def" and isinstance(hit[1], ast.ClassDef):
                cls, m = hit[1], hit[2]
                if any(unparse(b) == "dict" or unparse(b).startswith("dict[") for b in cls.bases):
                    return {("dictsub", cls.name)}
                kind = (
                    "dataclass"
                    if is_dataclass(cls)
                    else "enum"
                    if self.is_enum(cls, m)
                    else "class"
                )
                self._keep(cls, m) if kind == "dataclass" else None
                return {(kind, cls.name, m.name)}
            if hit and hit[0] == "expr":
                return self.hints(hit[2], hit[1], typing, depth + 1)
            return {("other", text)}
        return {("other", unparse(node))}

    def _keep(self, cls, mod):
        """Remember a configuration class, so that its keys are listed too."""
        self.used_classes.setdefault(cls.name, (cls, mod))

    def literal_values(self, mod, args, typing) -> list:
        """The values of a `Literal`, those of names in it included."""
        out: list = []
        for a in args:
            if isinstance(a, ast.Constant):
                out.append(a.value)
            elif isinstance(a, ast.UnaryOp):
                out.append(ast.literal_eval(a))
            elif isinstance(a, (ast.Name, ast.Attribute, ast.Subscript)):
                for h in self.hints(mod, a, typing):
                    if h[0] == "literal":
                        out += h[1]
        return list(dict.fromkeys(out))

    # -- defaults ---------------------------------------------------------
    def value(self, mod: Module, node, depth=0):
        """A plain Python value for an expression, or a Sym."""
        if node is None:
            return MISSING
        if depth > 12:
            return Sym(unparse(node))

        def rec(n, m=mod):
            return self.value(m, n, depth + 1)

        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError):
            pass
        if isinstance(node, ast.Call):
            fn = unparse(node.func).split(".")[-1]
            kw = {k.arg: k.value for k in node.keywords if k.arg}
            if fn in ("Field", "field", "PydanticField"):
                if "default_factory" in kw:
                    f = kw["default_factory"]
                    if isinstance(f, ast.Lambda):
                        return rec(f.body)
                    if unparse(f) in ("list", "dict", "set", "tuple"):
                        return [] if unparse(f) in ("list", "set", "tuple") else {}
                    return Sym(f"{unparse(f)}()")
                if "default" in kw:
                    return rec(kw["default"])
                if node.args:
                    return rec(node.args[0])
                return MISSING
            if fn == "get_field" and len(node.args) == 2:
                hit = self.find_class(mod, node.args[0])
                if hit:
                    return self.field_default(*hit, ast.literal_eval(node.args[1]))
            if fn in ("list", "get_args", "sorted") and len(node.args) == 1:
                inner = node.args[0]
                if isinstance(inner, ast.Call) and unparse(inner.func).endswith("get_args"):
                    inner = inner.args[0]
                for h in self.hints(mod, inner, typing=True):
                    if h[0] == "literal":
                        return list(h[1])
            return Sym(unparse(node))
        if isinstance(node, ast.Attribute):
            base = unparse(node.value)
            if base.split(".")[-1] == "envs":
                return Sym(f"envs.{node.attr}")
            hit = self.find_class(mod, node.value)
            if hit:
                cls, m = hit
                if self.is_enum(cls, m):
                    names = [
                        t.id
                        for st in cls.body
                        if isinstance(st, ast.Assign)
                        for t in st.targets
                        if isinstance(t, ast.Name) and not t.id.startswith("_")
                    ]
                    members = self.enum_members(cls)
                    return members[names.index(node.attr)] if node.attr in names else node.attr
                return self.field_default(cls, m, node.attr)
            hit2 = self.tree.resolve(mod, node)
            if hit2 and hit2[0] == "expr":
                return self.value(hit2[2], hit2[1], depth + 1)
            return Sym(unparse(node))
        if isinstance(node, ast.Name):
            hit = self.tree.lookup(mod, node.id)
            if hit and hit[0] == "expr":
                return self.value(hit[2], hit[1], depth + 1)
            return Sym(unparse(node))
        if isinstance(node, ast.BinOp):
            a, b = rec(node.left), rec(node.right)
            if not isinstance(a, Sym) and not isinstance(b, Sym):
                try:
                    if isinstance(node.op, ast.Add):
                        return a + b
                    if isinstance(node.op, ast.Mult):
                        return a * b
                    if isinstance(node.op, ast.Pow):
                        return a**b
                    if isinstance(node.op, ast.LShift):
                        return a << b
                    if isinstance(node.op, ast.Div):
                        return a / b
                except TypeError:
                    pass
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            vals = [rec(e) for e in node.elts]
            if not any(isinstance(v, Sym) for v in vals):
                return vals
        return Sym(unparse(node))

    def field_default(self, cls, mod, name):
        """The default of a field of a class."""
        f = self.fields(cls, mod).get(name)
        return self.value(f["mod"], f["value"]) if f else Sym(f"{cls.name}.{name}")

    # -- get_kwargs -------------------------------------------------------
    def kwargs(self, cls, mod, arg_utils: Module) -> dict[str, dict]:
        """What vLLM's get_kwargs gives for a config class."""
        readable = getattr(self, "_readable", None)
        if readable is None:
            readable = self._readable = human_readable_names(arg_utils)
        out = {}
        for name, f in self.fields(cls, mod).items():
            out[name] = self._one_kwargs(cls.name, name, f, readable)
        return out

    def _one_kwargs(self, cls_name, name, f, readable) -> dict:
        """What `get_kwargs` gives for one field."""
        hs = self.hints(f["mod"], f["ann"])
        hs = {("dict", h[1]) if h[0] == "dictsub" else h for h in hs}
        kinds = {h[0] for h in hs}
        kw: dict = {"_class": cls_name, "_field": name}
        default = self.value(f["mod"], f["value"])
        kw["default"] = None if default is MISSING else default
        if "deprecat" in f["doc"].lower():
            kw["_doc_deprecated"] = True

        def literal(h):
            vals = list(h[1])
            key = "metavar" if "str" in kinds else "choices"
            kw["type"] = type(vals[0]).__name__ if vals else "str"
            kw[key] = sorted(vals, key=str)

        def first(k):
            return next(h for h in hs if h[0] == k)

        if "dataclass" in kinds:
            kw["type"] = f"json:{first('dataclass')[1]}"
        elif hs == {("bool",), ("str",), ("none",)} and self._has_optional_valued:
            kw.update(type="str", nargs="?", const=True)
        elif "bool" in kinds:
            kw["action"] = "BooleanOptionalAction"
        elif "literal" in kinds:
            literal(first("literal"))
        elif kinds & {"tuple", "list", "set"}:
            k = next(k for k in ("tuple", "list", "set") if k in kinds)
            _, inner, n = first(k)
            ik = {h[0] for h in inner}
            kw["nargs"] = n if isinstance(n, int) else "+"
            lit = next((h for h in inner if h[0] == "literal"), None)
            if lit is not None and len(inner) == 1:
                literal(lit)
            else:
                kw["type"] = "str" if len(ik) != 1 else sorted(ik)[0]
        elif "int" in kinds:
            if name == "max_model_len":
                kw["type"] = "human_readable_int_or_auto"
            elif name in readable:
                kw["type"] = "human_readable_int"
            else:
                kw["type"] = "int"
        elif "float" in kinds:
            kw["type"] = "float"
        elif "dict" in kinds and (kinds - {"dict", "none"}):
            kw["type"] = "json_or_str"
        elif "dict" in kinds:
            kw["type"] = "json"
        else:
            kw["type"] = "str"
        if "none" in kinds and "bool" not in kinds:
            kw["_optional"] = True
            if kw.get("choices"):
                kw["choices"] = kw["choices"] + ["None"]
        # Values that the annotation names but argparse does not enforce.
        if not kw.get("choices"):
            declared = self.hints(f["mod"], f["ann"], typing=True)
            names: list = []
            for h in sorted(declared, key=str):
                if h[0] == "literal":
                    names += list(h[1])
                elif h[0] == "enum":
                    hit = self.tree.module(h[2])
                    ent = self.tree.lookup(hit, h[1]) if hit else None
                    if ent and ent[0] == "def":
                        names += self.enum_members(ent[1])
            if names:
                kw["_declared"] = names
        return kw

    _has_optional_valued = False


def human_readable_names(arg_utils: Module) -> set[str]:
    """Field names whose int accepts suffixes such as 4k (from _compute_kwargs)."""
    out: set[str] = set()
    fn = next(
        (
            n
            for n in ast.walk(arg_utils.ast)
            if isinstance(n, ast.FunctionDef) and n.name in ("_compute_kwargs",)
        ),
        None,
    )
    for n in ast.walk(fn) if fn else ():
        if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.In):
            c = n.comparators[0]
            if isinstance(c, (ast.Set, ast.Tuple, ast.List)):
                out |= {e.value for e in c.elts if isinstance(e, ast.Constant)}
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Set):
            out |= {e.value for e in n.value.elts if isinstance(e, ast.Constant)}
    return {o for o in out if isinstance(o, str)}


def plain(v):
    """JSON-safe copy of a value."""
    if v is MISSING:
        return None
    if isinstance(v, Sym):
        return {"expr": v.text}
    if isinstance(v, (str, int, float, bool)) or v is None:
        return v
    if isinstance(v, dict):
        return {str(k): plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple, set, frozenset)):
        return [plain(x) for x in (sorted(v, key=str) if isinstance(v, (set, frozenset)) else v)]
    return str(v)
