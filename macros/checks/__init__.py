"""The rules that all data must keep; each is a generator with one sentence."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

from macros.findings import Finding
from macros.library import Library

FIRST = {"named_record_exists", "mixed_reference_exists", "family_knows_its_shapes"}
BROKEN = {"reference/unknown", "models/family", "models/architecture"}  # what these find
Rule = Callable[[Library], Iterator[Finding]]


def rules() -> list[Rule]:
    """Return every public generator of this package that takes `library` first."""
    found = []
    for module_info in sorted(pkgutil.iter_modules(__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        for name, function in vars(module).items():
            if name.startswith("_") or not inspect.isgeneratorfunction(function):
                continue
            own = function.__module__ == module.__name__
            if own and next(iter(inspect.signature(function).parameters), "") == "library":
                found.append(function)
    return found


def run(library: Library) -> list[Finding]:
    """Return what every rule finds; only for a library in which every file is well-formed.

    Rules of `FIRST` check what the others compute with: where one of them finds something, a rule
    that cannot compute yields what it found before. Else its error is a fault of code.
    """
    exempt, unused = _exemptions(library)
    findings: set[Finding] = set()
    broken = False
    for rule in sorted(rules(), key=lambda each: each.__name__ not in FIRST):
        try:
            for finding in rule(library):
                key = (finding.rule, finding.path)
                if key in exempt:
                    unused.discard(key)
                else:
                    findings.add(finding)
        except (LookupError, TypeError, AttributeError):
            if not broken:
                raise
        broken = broken or any(finding.rule in BROKEN for finding in findings)
    return sorted(findings if broken else findings | set(_unused(library, unused)))


def _exemptions(library: Library) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """Return the (rule, path) pairs that are signed off, and a copy to tick off."""
    if "exceptions" not in library.singles:
        return set(), set()
    pairs = set()
    for exemption in library.single("exceptions").exceptions:
        kind, _, record_id = exemption.record.partition("/")
        if record_id in library.kinds.get(kind, {}):
            pairs.add((exemption.rule, library.document(exemption.record).path))
    return pairs, set(pairs)


def _unused(library: Library, unused: set[tuple[str, str]]) -> Iterator[Finding]:
    """Yield the exceptions that no finding needs any more, and those of records that are gone."""
    if "exceptions" not in library.singles:
        return
    document = library.singles["exceptions"].document
    for index, exemption in enumerate(library.single("exceptions").exceptions):
        kind, _, record_id = exemption.record.partition("/")
        known = record_id in library.kinds.get(kind, {})
        path = library.document(exemption.record).path if known else ""
        if not known or (exemption.rule, path) in unused:
            yield document.finding(
                rule="exceptions/unused",
                at=f"exceptions[{index}]",
                expected=f"a finding of {exemption.rule} in {exemption.record}",
                got="none",
                fix="delete this exception",
            )
