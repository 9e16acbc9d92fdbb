"""What each release has, folded into one entry a name with runs of releases, and unfolded again."""

from __future__ import annotations

import json
from typing import Any

from macros.engines.runs import from_runs, to_runs, version_key

TOPICS = ("releases", "flags", "configs", "environment", "choices", "logs")
ENTRY_TOPICS = ("flags", "environment", "logs")
Facts = dict[str, Any]
Tables = dict[str, Any]


def fold(releases: dict[str, Facts]) -> Tables:
    """The tables that say for every name in which of the releases it exists and how it changed."""
    order = sorted(releases, key=version_key)
    sets = _choice_sets(releases, order)
    shared = _shared_sets(sets)
    tables: Tables = {
        "releases": {version: releases[version]["release"] for version in order},
        "choices": {
            name: {
                value: to_runs([v for v in order if value in by_version.get(v, ())], order)
                for value in sorted({value for values in by_version.values() for value in values})
            }
            for name, by_version in sorted(sets.items())
            if shared[name] == name
        },
    }
    for topic in ENTRY_TOPICS:
        tables[topic] = _fold_entries(
            {version: releases[version][topic] for version in order}, order, shared, ""
        )
    classes = sorted({name for facts in releases.values() for name in facts["configs"]})
    tables["configs"] = {
        name: _fold_entries(
            {version: releases[version]["configs"].get(name, {}) for version in order},
            order,
            shared,
            f"{name}.",
        )
        for name in classes
    }
    return tables


def unfold(tables: Tables) -> dict[str, Facts]:
    """What each release has, from the tables; the inverse of `fold`."""
    order = sorted(tables["releases"], key=version_key)
    result: dict[str, Facts] = {}
    for version in order:
        sets = {
            name: [value for value, runs in values.items() if version in from_runs(runs, order)]
            for name, values in tables["choices"].items()
        }
        facts: Facts = {"release": tables["releases"][version]}
        for topic in ENTRY_TOPICS:
            facts[topic] = _unfold_entries(tables[topic], version, order, sets)
        configs = {
            name: _unfold_entries(entries, version, order, sets)
            for name, entries in tables["configs"].items()
        }
        facts["configs"] = {name: entries for name, entries in configs.items() if entries}
        facts["choices"] = {
            name: values for name, values in sets.items() if values and stands_alone(name)
        }
        result[version] = facts
    return result


def stands_alone(set_name: str) -> bool:
    """Whether a set of values is listed for itself (`tool_call_parser`), not for a flag or key."""
    return set_name.isidentifier() and set_name.islower()


def _choice_sets(releases: dict[str, Facts], order: list[str]) -> dict[str, dict[str, list[str]]]:
    """Named sets of values by release: those that stand alone, then one for each owner."""
    sets: dict[str, dict[str, list[str]]] = {}
    for version in order:
        for name, values in releases[version]["choices"].items():
            sets.setdefault(name, {})[version] = values
    for version in order:
        facts = releases[version]
        owners = [("", facts[topic]) for topic in ENTRY_TOPICS]
        owners += [(f"{name}.", entries) for name, entries in facts["configs"].items()]
        for prefix, entries in owners:
            for name, entry in entries.items():
                if entry.get("choices"):
                    sets.setdefault(prefix + name, {})[version] = entry["choices"]
    return sets


def _shared_sets(sets: dict[str, dict[str, list[str]]]) -> dict[str, str]:
    """For each set the name of the first one that holds the same values wherever it exists."""
    kept: list[str] = []
    shared: dict[str, str] = {}
    for name in sorted(sets, key=lambda name: (not stands_alone(name), name[:1] != "-", name)):
        for other in kept:
            if all(sets[other].get(version) == values for version, values in sets[name].items()):
                shared[name] = name if stands_alone(name) else other
                break
        shared.setdefault(name, name)
        if shared[name] == name:
            kept.append(name)
    return shared


def _fold_entries(by_version: dict, order: list[str], shared: dict, prefix: str) -> dict[str, dict]:
    """One entry a name: its runs, its properties in its newest release, and earlier values."""
    names = sorted({name for entries in by_version.values() for name in entries})
    folded = {}
    for name in names:
        versions = [version for version in order if name in by_version[version]]
        states = []
        for version in versions:
            state = dict(by_version[version][name])
            if state.get("choices"):
                state["choices"] = shared[prefix + name]
            states.append(state)
        folded[name] = {"versions": to_runs(versions, order)} | _fold_states(versions, states)
    return folded


def _fold_states(versions: list[str], states: list[dict]) -> dict[str, Any]:
    """The newest value of each property, and under `earlier` what it was up to which release."""
    current = {key: value for key, value in states[-1].items() if value is not None}
    earlier: dict[str, list[dict]] = {}
    for key in sorted({key for state in states for key in state}):
        values = [state.get(key) for state in states]
        for index in range(len(values) - 1):
            if json.dumps(values[index]) != json.dumps(values[index + 1]):
                change = {"last_version": versions[index], "value": values[index]}
                earlier.setdefault(key, []).append(change)
    return current | ({"earlier": earlier} if earlier else {})


def _unfold_entries(entries: dict, version: str, order: list[str], sets: dict) -> dict[str, dict]:
    """The entries that one release has, with the values of that release."""
    return {
        name: state_at(entry, version, sets)
        for name, entry in entries.items()
        if version in from_runs(entry["versions"], order)
    }


def state_at(entry: dict[str, Any], version: str, sets: dict[str, list[str]]) -> dict[str, Any]:
    """The properties of an entry as they were in one release."""
    state = {key: value for key, value in entry.items() if key not in ("versions", "earlier")}
    for key, changes in entry.get("earlier", {}).items():
        for change in changes:
            if version_key(version) <= version_key(change["last_version"]):
                state[key] = change["value"]
                break
    if isinstance(state.get("choices"), str):
        state["choices"] = sets[state["choices"]]
    return {key: value for key, value in state.items() if value is not None}
