"""A module imports only from the floors below it, or from what stands before it on its own."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "macros"
FLOORS = [
    {"findings", "loading"},
    {"fields", "detection", "records", "schema", "style", "faults", "library"},
    {
        "arithmetic", "shapes", "ledger", "compositions", "law", "memory", "best", "functions",
        "claims", "judge", "engines", "diagnose", "recipes", "plans", "importing", "hypertext",
        "chinese", "search", "pitfalls",
    },
    {"checks", "rendering"},
    {"site", "__main__"},
]  # fmt: skip


def floor_of(name: str) -> int:
    """Return the floor of a top module; an unplaced one fails."""
    for number, names in enumerate(FLOORS):
        if name in names:
            return number
    raise AssertionError(f"macros/{name} stands on no floor: add it to FLOORS")


def imports_of(path: Path) -> set[str]:
    """Return the top modules of the package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("macros"):
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("macros.")}
    return found


def test_imports_only_go_down():
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        top = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if top == "__init__":
            continue
        for target in imports_of(path) - {top}:
            if floor_of(target) > floor_of(top):
                wrong.append(f"{path.relative_to(PACKAGE)} imports macros.{target}")
    assert wrong == []


def test_one_floor_has_no_circles():
    edges = {}
    for path in PACKAGE.rglob("*.py"):
        top = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        edges.setdefault(top, set()).update(imports_of(path) - {top})
    order: list[str] = []
    while remaining := [name for name in edges if name not in order]:
        ready = [name for name in remaining if edges[name] <= set(order) | {"__init__"}]
        assert ready, f"circle among {sorted(remaining)}"
        order += ready


def test_only_site_knows_mkdocs():
    knowing = [
        str(path.relative_to(PACKAGE))
        for path in sorted(PACKAGE.rglob("*.py"))
        if "mkdocs" in {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            for name in (
                [alias.name for alias in node.names] if isinstance(node, ast.Import)
                else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            )
        }
    ]  # fmt: skip
    assert knowing == ["site.py"]


def test_rendering_opens_no_file():
    opening = []
    for path in sorted((PACKAGE / "rendering").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if name in ("open", "read_text", "write_text", "read_bytes", "write_bytes"):
                    opening.append(str(path.relative_to(PACKAGE)))
    assert opening == []
