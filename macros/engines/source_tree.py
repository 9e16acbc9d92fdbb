"""Python sources of an engine, read with `ast` and never imported: what their names mean."""

from __future__ import annotations

import ast
from pathlib import Path

MISSING = object()


class Sym:
    """A value that only running vLLM would give; keeps the source text."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self):
        return f"Sym({self.text})"


def unparse(node: ast.AST) -> str:
    """The source text of a node."""
    return ast.unparse(node)


class Module:
    """One parsed file with its names, as they are when it runs and as a type checker sees them."""

    def __init__(self, tree: Tree, name: str, path: Path):
        self.owner, self.name, self.path = tree, name, path
        self.text = path.read_text(encoding="utf-8", errors="replace")
        self.ast = ast.parse(self.text)
        self.run: dict[str, tuple] = {}  # names as they are at run time
        self.typing: dict[str, tuple] = {}  # names as a type checker sees them
        self.stars: list[str] = []  # from X import *
        self._scan(self.ast.body, (self.run, self.typing))

    def _scan(self, body, maps):
        """Note the names that statements define."""
        for st in body:
            if isinstance(st, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                self._put(maps, st.name, ("def", st, self))
            elif isinstance(st, ast.Assign):
                for t in st.targets:
                    if isinstance(t, ast.Name):
                        self._put(maps, t.id, ("expr", st.value, self))
            elif isinstance(st, ast.AnnAssign) and isinstance(st.target, ast.Name):
                if st.value is not None:
                    self._put(maps, st.target.id, ("expr", st.value, self))
            elif isinstance(st, ast.ImportFrom):
                mod = self._absolute(st)
                for a in st.names:
                    if a.name == "*":
                        self.stars.append(mod)
                    else:
                        self._put(maps, a.asname or a.name, ("from", mod, a.name))
            elif isinstance(st, ast.Import):
                for a in st.names:
                    if a.asname:
                        self._put(maps, a.asname, ("module", a.name))
                    else:
                        top = a.name.split(".")[0]
                        self._put(maps, top, ("module", top))
            elif isinstance(st, ast.If):
                if unparse(st.test).endswith("TYPE_CHECKING"):
                    self._scan(st.body, (self.typing,))
                    self._scan(st.orelse, (self.run,))
                else:
                    self._scan(st.body, maps)
                    self._scan(st.orelse, maps)
            elif isinstance(st, ast.Try):
                self._scan(st.body, maps)
                for h in st.handlers:
                    self._scan(h.body, tuple())  # fallbacks do not win

    @staticmethod
    def _put(maps, name, value):
        """Give a name a meaning in each of the maps."""
        for m in maps:
            m[name] = value

    def _absolute(self, st: ast.ImportFrom) -> str:
        """The full name of the module that a `from` names."""
        if not st.level:
            return st.module or ""
        parts = self.name.split(".")
        if self.path.name != "__init__.py":
            parts = parts[:-1]
        parts = parts[: len(parts) - (st.level - 1)]
        return ".".join(parts + ([st.module] if st.module else []))


class Tree:
    """All modules below a folder, parsed when they are asked for."""

    def __init__(self, root: Path):
        self.root = root
        self._mods: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """A module by its dotted name; None where there is none."""
        if name not in self._mods:
            base = self.root / Path(*name.split("."))
            path = next(
                (p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()),
                None,
            )
            try:
                self._mods[name] = Module(self, name, path) if path else None
            except SyntaxError:
                self._mods[name] = None
        return self._mods[name]

    def lookup(self, mod: Module, name: str, typing=False, seen=None):
        """('def', node, mod) | ('expr', node, mod) | ('module', name) | None."""
        seen = seen or set()
        if (mod.name, name) in seen:
            return None
        seen.add((mod.name, name))
        entry = (mod.typing if typing else mod.run).get(name)
        if entry is None and typing:
            entry = mod.run.get(name)
        if entry is None:
            # package attribute fetched lazily, or a name seen by checkers only
            entry = mod.typing.get(name)
        if entry is None:
            for star in mod.stars:
                target = self.module(star)
                found = self.lookup(target, name, typing, seen) if target else None
                if found is not None:
                    return found
        if entry is None or entry[0] in ("def", "expr", "module"):
            return entry
        _, src, attr = entry
        target = self.module(src)
        if target is not None:
            found = self.lookup(target, attr, typing, seen)
            if found is not None:
                return found
        if self.module(f"{src}.{attr}") is not None:
            return ("module", f"{src}.{attr}")
        return ("external", f"{src}.{attr}")

    def resolve(self, mod: Module, node: ast.AST, typing=False):
        """Resolve a Name or dotted Attribute to a lookup entry."""
        if isinstance(node, ast.Name):
            return self.lookup(mod, node.id, typing)
        if isinstance(node, ast.Attribute):
            base = self.resolve(mod, node.value, typing)
            if base and base[0] == "module":
                target = self.module(base[1])
                if target is not None:
                    found = self.lookup(target, node.attr, typing)
                    if found:
                        return found
                sub = f"{base[1]}.{node.attr}"
                return ("module", sub) if self.module(sub) else ("external", sub)
        return None
