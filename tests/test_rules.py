"""Every rule rejects its bad example with exactly the expected words."""

import ast
import shutil
from pathlib import Path

import pytest

from macros import checks
from macros.findings import report
from macros.library import load

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"
HEALTHY = CASES / "healthy"
RULE_CASES = sorted(path.parent for path in CASES.glob("*/*/expected.txt"))


def findings_of(root: Path) -> str:
    """Return the report that a data folder yields."""
    library, findings = load(root)
    if not findings:
        findings = checks.run(library)
    return report(findings, num_records=library.num_records, most_of_one_rule=len(findings))


def rule_names_in_code() -> set[str]:
    """Return every rule name that the loader, the library and the checks can print."""
    names = set()
    files = [ROOT / "macros" / "loading.py", ROOT / "macros" / "library.py"]
    files += sorted((ROOT / "macros" / "checks").glob("*.py"))
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                concern, _, thing = node.value.partition("/")
                plain = (concern + thing).replace("-", "")
                lower = plain.isalpha() and plain.islower() and node.value.count("/") == 1
                if thing and lower and concern in CONCERNS:
                    names.add(node.value)
    return names


def without_sum(text: str) -> str:
    """Return a report without its last line, which counts the records of the whole library."""
    lines = text.strip().splitlines()
    if lines and lines[-1].endswith("well-formed."):
        lines.pop()
    return "\n".join(lines).strip()


CONCERNS = {
    "yaml", "schema", "identity", "reference", "provenance", "bilingual", "typography", "texts",
    "claims", "exceptions", "arithmetic", "plausibility", "flags", "recipes", "measurements",
    "import", "models", "checkpoints", "pitfalls", "detect", "style", "links", "faq", "causes",
    "terms", "experiments",
}  # fmt: skip


def test_healthy_library_has_no_findings():
    library, findings = load(HEALTHY)
    assert findings == []
    assert checks.run(library) == []


@pytest.mark.parametrize("case", RULE_CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_rule_says_exactly_this(case: Path, tmp_path: Path):
    shutil.copytree(HEALTHY / "data", tmp_path / "data")
    shutil.copytree(case / "data", tmp_path / "data", dirs_exist_ok=True)
    expected = (case / "expected.txt").read_text("utf-8")
    found = findings_of(tmp_path)
    assert without_sum(found) == without_sum(expected)
    assert f": {case.parent.name}/{case.name}: " in found


def test_a_broken_reference_hides_no_other_fault(tmp_path: Path):
    shutil.copytree(HEALTHY / "data", tmp_path / "data")
    cases = (CASES / "reference" / "unknown", CASES / "bilingual" / "numbers")
    for case in cases:
        shutil.copytree(case / "data", tmp_path / "data", dirs_exist_ok=True)
    found = findings_of(tmp_path)
    assert all(f": {case.parent.name}/{case.name}: " in found for case in cases)


def test_every_rule_has_a_bad_example():
    covered = {f"{case.parent.name}/{case.name}" for case in RULE_CASES}
    assert rule_names_in_code() - covered == set()
