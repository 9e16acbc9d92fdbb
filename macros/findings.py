"""A finding names the place of one fault and says what to do about it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

MOST_OF_ONE_RULE = 5
MOST_NAMES = 5


@dataclass(frozen=True, order=True)
class Finding:
    """One fault: where it is, which rule it breaks, and the three answers a reader needs."""

    path: str
    line: int
    rule: str
    field: str
    expected: str
    got: str
    fix: str

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.rule}: {self.field}\n"
            f"  expected  {self.expected}\n"
            f"  got       {self.got}\n"
            f"  fix       {self.fix}\n"
        )


def listed(names: Iterable[str], near: str = "") -> str:
    """Return names for a message: all where they are few, else those nearest to what stands."""
    known = list(names)
    if len(known) <= MOST_NAMES:
        return ", ".join(known)
    nearest = get_close_matches(near, known, n=MOST_NAMES, cutoff=0) if near else known
    return f"{', '.join(nearest[:MOST_NAMES])}, … and {len(known) - MOST_NAMES} more"


def renamed(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return what to do about an unknown name: take the nearest known one, else something other."""
    near = get_close_matches(name, list(known), n=1)
    return f"rename to `{near[0]}`" if near else otherwise


def report(
    findings: Iterable[Finding], *, num_records: int, most_of_one_rule: int = MOST_OF_ONE_RULE
) -> str:
    """Return the text of a run: every finding sorted by place, a few of one rule, and a sum."""
    ordered = sorted(set(findings))
    if not ordered:
        return f"{num_records} records, no findings."
    shown: Counter[str] = Counter()
    blocks = []
    for finding in ordered:
        shown[finding.rule] += 1
        if shown[finding.rule] <= most_of_one_rule:
            blocks.append(str(finding))
    for rule, count in sorted(shown.items()):
        if count > most_of_one_rule:
            more = count - most_of_one_rule
            blocks.append(f"… and {more} more of {rule}; see all: python -m macros check --all\n")
    num_files = len({finding.path for finding in ordered})
    well_formed = max(num_records - num_files, 0)
    findings_word = "finding" if len(ordered) == 1 else "findings"
    files_word = "file" if num_files == 1 else "files"
    blocks.append(
        f"{len(ordered)} {findings_word} in {num_files} {files_word}; "
        f"{well_formed} records are well-formed."
    )
    return "\n".join(blocks)
