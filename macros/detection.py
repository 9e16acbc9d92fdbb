"""How a pitfall is recognised in a pasted command or log: rules as data, with a checked subset."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from macros.fields import Line, Number, Strict, Text, Version

CHECKS = (
    "abbreviated-flag", "backend-for-format", "broken-continuation", "doubtful-choice",
    "dropped-choice", "dropped-flag", "dropped-key", "dropped-variable", "extra-value", "fork-flag",
    "future-flag", "json-error", "missing-value", "odd-dash", "removed-flag", "removed-key",
    "removed-variable", "repeated-flag", "unknown-flag", "unknown-key", "unknown-variable",
    "version-outside", "wrong-choice", "wrong-key-choice", "wrong-number", "wrong-variable-choice",
)  # fmt: skip
SUBJECTS = ("flag", "variable", "option", "image", "model", "word", "fact", "version", "any")
CLASSES = "dwsbDWSB"
SIGNS = "^$\\.*+?()[]{}|/"
MAX_REPETITIONS = 1000


def pattern_fault(pattern: str) -> str | None:
    """Return why a pattern is outside the subset that both sides read alike, or None.

    The subset: literals, classes, anchors, groups, bounded counts, and at most one unbounded
    quantifier between two literals; no look-around, no back-reference, no quantified group that
    holds an unbounded quantifier.
    """
    try:
        re.compile(pattern, re.ASCII)
    except re.error as error:
        return f"it is no regular expression: {error}"
    return _Pattern(pattern).fault()


class _Pattern:
    """A walk over a pattern that stops at the first thing outside the subset."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.index = 0

    def fault(self) -> str | None:
        """Return the first fault of the whole pattern."""
        try:
            self.branches(depth=0)
        except ValueError as error:
            return str(error)
        return None

    def branches(self, *, depth: int) -> bool:
        """Read alternatives up to the closing parenthesis; say whether one is unbounded."""
        unbounded = self.sequence()
        while self.index < len(self.pattern) and self.pattern[self.index] == "|":
            if depth == 0:
                raise ValueError("an alternative stands outside a group; write two patterns")
            self.index += 1
            unbounded = self.sequence() or unbounded
        return unbounded

    def sequence(self) -> bool:
        """Read pieces one after another; two unbounded ones need a literal between them."""
        any_unbounded = waiting = False
        while self.index < len(self.pattern) and self.pattern[self.index] not in "|)":
            kind, holds_unbounded = self.piece()
            low, most = self.quantifier()
            unbounded = most is None
            if holds_unbounded and (unbounded or most > 1):
                raise ValueError("a quantified group holds an unbounded quantifier")
            if unbounded or holds_unbounded:
                if waiting:
                    raise ValueError("two unbounded quantifiers have no literal between them")
                any_unbounded = waiting = True
            elif kind == "literal" and low > 0:
                waiting = False
        return any_unbounded

    def piece(self) -> tuple[str, bool]:
        """Read one literal, class, anchor or group."""
        letter = self.pattern[self.index]
        self.index += 1
        if letter == "\\":
            following = self.pattern[self.index]
            self.index += 1
            if following in SIGNS:
                return "literal", False
            if following in CLASSES:
                return "class", False
            raise ValueError(f"`\\{following}` is not in the subset")
        if letter == "[":
            return "class", self.skip_class()
        if letter == "(":
            if self.pattern.startswith("?", self.index):
                if not self.pattern.startswith("?:", self.index):
                    raise ValueError("only plain and `(?:` groups are in the subset")
                self.index += 2
            unbounded = self.branches(depth=1)
            self.index += 1
            return "group", unbounded
        return ("class" if letter in ".^$" else "literal"), False

    def skip_class(self) -> bool:
        """Read a class up to its closing bracket."""
        if self.pattern.startswith("^", self.index):
            self.index += 1
        while self.pattern[self.index] != "]":
            if self.pattern[self.index] == "[":
                raise ValueError("`[` inside a class must be escaped")
            if self.pattern[self.index] == "\\":
                self.index += 1
                if self.pattern[self.index] not in SIGNS + CLASSES + "-":
                    raise ValueError(f"`\\{self.pattern[self.index]}` is not in the subset")
            self.index += 1
        self.index += 1
        return False

    def quantifier(self) -> tuple[int, int | None]:
        """Read a quantifier; return its least and its greatest number, None for no bound."""
        match = re.compile(r"([?*+]|\{(\d+)(,(\d*))?\})(\?)?").match(self.pattern, self.index)
        if not match:
            return 1, 1
        self.index = match.end()
        if match[1] in "?*+":
            return (1 if match[1] == "+" else 0), (1 if match[1] == "?" else None)
        most = match[4] if match[3] else match[2]
        if most and int(most) > MAX_REPETITIONS:
            raise ValueError(f"a count is above {MAX_REPETITIONS}")
        return int(match[2]), (int(most) if most else None)


def _in_subset(pattern: str) -> str:
    """Refuse a pattern that is outside the subset."""
    if fault := pattern_fault(pattern):
        raise ValueError(fault)
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_in_subset)]
CheckName = Literal[CHECKS]  # type: ignore[valid-type]


class VersionRange(Strict):
    """Releases from the first to the last; `unknown` says that no known release counts too."""

    first: Version | None = None
    last: Version | None = None
    unknown: bool = False


class Condition(Strict):
    """One thing that a command has or lacks: exactly one subject, and limits on its value."""

    flag: Line | None = None
    key: Line | None = Field(None, description="path in the JSON value of the flag")
    variable: Line | None = Field(None, description="a trailing * stands for any ending")
    option: Line | None = Field(None, description="of `docker run`; compose keys are mapped to it")
    image: Pattern | None = None
    model: Pattern | None = None
    word: Pattern | None = None
    fact: Line | None = Field(None, description="a value derived from the whole command")
    version: VersionRange | None = None
    any: list[Condition] | None = None
    absent: bool = False
    is_: list[Line] | None = Field(None, alias="is")
    not_: list[Line] | None = Field(None, alias="not")
    pattern: Pattern | None = None
    excludes: Pattern | None = None
    above: Number | None = None
    at_least: Number | None = None
    below: Number | None = None
    at_most: Number | None = None
    as_: Line | None = Field(None, alias="as", description="name of the value in the texts")
    place: bool = Field(False, description="the finding stands here")

    @model_validator(mode="after")
    def _has_one_subject(self) -> Condition:
        named = [name for name in SUBJECTS if getattr(self, name) is not None]
        if len(named) != 1:
            raise ValueError(f"exactly one of {', '.join(SUBJECTS)}")
        return self


class CaptureLimits(Strict):
    """Which captured values a log rule speaks of."""

    is_: list[Line] | None = Field(None, alias="is")
    not_: list[Line] | None = Field(None, alias="not")
    below: Number | None = None
    at_least: Number | None = None


class Quotient(Strict):
    """A captured value divided by another, rounded down to two decimals."""

    over: Annotated[list[Line], Field(min_length=2, max_length=2)]


class Rewrite(Strict):
    """The change of a command that carries out the fix."""

    remove: list[Line] = Field([])
    set: dict[str, str] = Field({})
    add: list[Line] = Field([])


class Detection(Strict):
    """One rule over a command (`when` or `check`) or over a log (`log`), with proof lines."""

    severity: Literal["error", "warning", "info"]
    when: list[Condition] | None = None
    except_when: list[Condition] = Field([])
    check: CheckName | None = None
    kinds: list[Line] = Field([], description="kinds of the check that the rule speaks of")
    instead_of: list[CheckName] = Field([], description="checks it replaces at the same place")
    any_engine: bool = False
    log: list[Pattern] | None = None
    unless: list[Pattern] = Field([], description="the same line must match none of these")
    unless_log: list[Pattern] = Field([], description="no line of the log may match one of these")
    with_log: list[Pattern] = Field([], description="some line of the log must match one of these")
    in_scripts: bool = Field(False, description="also lines of a pasted script, not only a log")
    lines: Annotated[int, Field(ge=1, le=4)] = Field(1, description="how many lines are joined")
    captures: list[Line] = Field([], description="names of the groups, in order")
    each: Line | None = Field(None, description="a capture whose values are separate findings")
    where: dict[str, CaptureLimits] = Field({})
    computed: dict[str, Quotient] = Field({})
    versions: VersionRange | None = None
    message: Text
    fix: Text
    rewrite: Rewrite | None = None
    matches: Annotated[list[str], Field(min_length=1)]
    healthy: Annotated[list[str], Field(min_length=1)]

    @model_validator(mode="after")
    def _is_one_kind(self) -> Detection:
        kinds = [name for name in ("when", "check", "log") if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError("exactly one of when, check, log")
        return self
