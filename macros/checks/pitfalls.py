"""What a pitfall tells a reader to run is understood by a release, and is safe to copy."""

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from macros.engines.facts import canonical, flags_of, keys_of, property_at, values_of
from macros.engines.runs import contains, version_key
from macros.findings import Finding, listed
from macros.library import Library
from macros.loading import Document
from macros.pitfalls import Launch, biting_releases, launches, releases, simple_commands
from macros.records import Pitfall

ENGINE = "vllm"
HIGHEST_FRACTION = 0.90
RELEASE_IN_TAG = re.compile(r":v(\d+(?:\.\d+)+)$")
VARIABLE = re.compile(r"^VLLM_[A-Z0-9_]+$")
MODEL = "model"
NUMBER = re.compile(r"^\d*\.?\d+$")
HELP_FLAGS = {"--help", "--version"}
PUBLISHED = re.compile(r"(?:^|\s)(?:-p|--publish)[ =](?!127\.0\.0\.1:)\S+")
OPEN_HOST = re.compile(r"--host[ =]0\.0\.0\.0")
Fault = tuple[str, str, str, str]


def _commands(library: Library) -> Iterator[tuple[Document, Pitfall, str, str]]:
    """Yield every command to copy with its place."""
    for document, pitfall in library.all(Pitfall):
        for index, command in enumerate(pitfall.commands):
            yield document, pitfall, f"commands[{index}]", command


def _started(library: Library) -> Iterator[tuple[Document, Pitfall, str, Launch]]:
    """Yield every server that a command to copy starts."""
    for document, pitfall, at, command in _commands(library):
        for launch in launches(command):
            if launch.flags and not HELP_FLAGS & set(launch.flags):
                yield document, pitfall, at, launch


def release_of_image(library: Library, image: str) -> str | None:
    """Return the release that an image holds, by its tag or by the list of images."""
    if tagged := RELEASE_IN_TAG.search(image):
        return tagged[1]
    images = library.topics[ENGINE].get("images")
    return images.record.root["images"].get(image) if images else None


def command_is_understood(library: Library) -> Iterator[Finding]:
    """A command to copy is understood by its image's release, a bitten one, or the newest."""
    for document, pitfall, at, command in _commands(library):
        for launch in launches(command):
            candidates = _candidates(library, pitfall, launch)
            found = [list(_faults(library, launch, release)) for release in candidates]
            if not found or [] in found:
                continue
            for rule, expected, got, fix in found[-1]:
                yield document.finding(rule=rule, at=at, expected=expected, got=got, fix=fix)


def _candidates(library: Library, pitfall: Pitfall, launch: Launch) -> list[str]:
    """Return the releases of which one must understand a launch, the newest last."""
    known = releases(library, ENGINE)
    if launch.image and (release := release_of_image(library, launch.image)):
        return [release] if release in known else []
    return [*biting_releases(library, pitfall, ENGINE), *known[-1:]]


def _faults(library: Library, launch: Launch, release: str) -> Iterator[Fault]:
    """Yield what a release does not understand of a launch."""
    flags = library.topic(ENGINE, "flags").root
    choices = library.topic(ENGINE, "choices").root
    for flag, words in launch.flags.items():
        if flag == MODEL or flag in HELP_FLAGS:
            continue
        name, _, _ = flag.partition(".")
        found = canonical(name, flags)
        if found is None or not contains(found[1]["versions"], release):
            near = get_close_matches(name, flags_of(flags, release), n=1)
            yield (
                "pitfalls/unknown-flag", f"a flag of {ENGINE} {release}", flag,
                f"rename to {near[0]}" if near else "delete it",
            )  # fmt: skip
            continue
        entry = found[1]
        if len(words) == 1:
            known = values_of(choices, property_at(entry, "choices", release) or "", release)
            yield from _choice(known, words[0])
        if "config" in entry and words and words[0].startswith("{"):
            yield from _keys(library, entry["config"], words[0], release)
    variables = library.topic(ENGINE, "environment").root
    for name in launch.variables:
        if VARIABLE.match(name) and not (
            name in variables and contains(variables[name]["versions"], release)
        ):
            yield (
                "pitfalls/unknown-variable", f"a variable of {ENGINE} {release}", name,
                "delete it, or name an image whose release reads it",
            )  # fmt: skip


def _choice(known: list[str], got: str) -> Iterator[Fault]:
    folded = {each.lower().replace("-", "_") for each in known}
    if known and got.lower().replace("-", "_") not in folded:
        near = get_close_matches(got, known, n=1)
        yield (
            "pitfalls/unknown-choice", f"one of {listed(sorted(known), got)}", got,
            f"write {near[0]}" if near else "choose one of the list",
        )  # fmt: skip


def _keys(library: Library, config: str, text: str, release: str) -> Iterator[Fault]:
    configs = library.topic(ENGINE, "configs").root
    keys = keys_of(configs, config, release)
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        yield "pitfalls/json", "JSON", f"{text} ({error})", "correct quotes and brackets"
        return
    for key in value if keys else ():
        if key not in keys:
            near = get_close_matches(key, keys, n=1)
            yield (
                "pitfalls/unknown-key", f"a key of {config} in {ENGINE} {release}", key,
                f"rename to {near[0]}" if near else "delete it",
            )  # fmt: skip


def command_leaves_memory(library: Library) -> Iterator[Finding]:
    """A server in a remedy says which share of the memory it takes, and leaves the system some."""
    for document, _, at, launch in _started(library):
        stated = launch.flags.get("--gpu-memory-utilization")
        if stated and NUMBER.match(stated[0]) and float(stated[0]) <= HIGHEST_FRACTION:
            continue
        yield document.finding(
            rule="pitfalls/memory-fraction", at=at,
            expected=f"`--gpu-memory-utilization` of at most {HIGHEST_FRACTION:.2f}: the system "
            "lives in the same memory",
            got=stated[0] if stated else "nothing", fix="state a share that fits the checkpoint",
        )  # fmt: skip


def command_decides_prefix_caching(library: Library) -> Iterator[Finding]:
    """A server in a remedy that drafts with MTP runs without prefix caching, and says so."""
    for document, _, at, launch in _started(library):
        drafts = " ".join(launch.flags.get("--speculative-config", []))
        if '"mtp"' not in drafts or "--no-enable-prefix-caching" in launch.flags:
            continue
        yield document.finding(
            rule="pitfalls/prefix-caching", at=at,
            expected="`--no-enable-prefix-caching`, because MTP with prefix caching corrupts "
            "hybrid models",
            got="`--enable-prefix-caching`" if "--enable-prefix-caching" in launch.flags
            else "nothing",
            fix="add the flag, or take the drafts out",
        )  # fmt: skip


def command_opens_no_port(library: Library) -> Iterator[Finding]:
    """A command to copy publishes no port to the network and listens to this machine only."""
    for document, _, at, command in _commands(library):
        for pattern in (PUBLISHED, OPEN_HOST):
            if found := pattern.search(command):
                yield document.finding(
                    rule="pitfalls/exposure", at=at, expected="127.0.0.1 before the port",
                    got=found[0].strip(), fix="publish it to 127.0.0.1",
                )  # fmt: skip


def command_parses(library: Library) -> Iterator[Finding]:
    """A command to copy is a whole shell line."""
    for document, _, at, command in _commands(library):
        if not any(True for _ in simple_commands(command)):
            yield document.finding(
                rule="pitfalls/not-a-command", at=at, expected="a shell line with closed quotes",
                got=command, fix="close the quotes",
            )  # fmt: skip


def faulty_command_is_no_remedy(library: Library) -> Iterator[Finding]:
    """A command is either to copy or quoted as faulty, never both."""
    for document, pitfall in library.all(Pitfall):
        for index, command in enumerate(pitfall.faulty_commands):
            if command in pitfall.commands:
                yield document.finding(
                    rule="pitfalls/faulty-and-remedy", at=f"faulty_commands[{index}]",
                    expected="a command that is not under `commands`", got=command,
                    fix="delete it from one of the two lists",
                )  # fmt: skip


def range_is_of_releases(library: Library) -> Iterator[Finding]:
    """A pitfall of the engine begins and ends with releases on record, in this order."""
    known = releases(library, ENGINE)
    for document, pitfall in library.all(Pitfall):
        affects = pitfall.affects
        if affects.engine != ENGINE:
            continue
        for name in ("first_version", "fixed_version"):
            version = getattr(affects, name)
            if version and version not in known:
                near = get_close_matches(version, known, n=1)
                yield document.finding(
                    rule="pitfalls/unknown-release", at=f"affects.{name}",
                    expected=f"a release of {ENGINE} on record", got=version,
                    fix=f"write {near[0]}" if near else "name the next release",
                )  # fmt: skip
        first, fixed = affects.first_version, affects.fixed_version
        if first and fixed and version_key(first) >= version_key(fixed):
            yield document.finding(
                rule="pitfalls/range", at="affects.fixed_version",
                expected=f"a release after {first}", got=fixed, fix="correct one of the two",
            )  # fmt: skip
