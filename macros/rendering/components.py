"""The design system's one door: every component, each a pure function from values to HTML."""

from __future__ import annotations

from macros.rendering.badges import (
    badge,
    badge_legend,
    evidence_badge,
    finding_badge,
    mark,
    severity_badge,
    status_badge,
    verdict_badge,
)
from macros.rendering.bars import MODULES, BarRow, byte_bar, byte_bar_group, module_word, share_bar
from macros.rendering.markup import EMPTY, Html, classes, element, escape, join
from macros.rendering.tables import Column, Row, data_table, facts, unknown

__all__ = [
    "EMPTY",
    "MODULES",
    "BarRow",
    "Column",
    "Html",
    "Row",
    "badge",
    "badge_legend",
    "byte_bar",
    "byte_bar_group",
    "classes",
    "data_table",
    "element",
    "escape",
    "evidence_badge",
    "facts",
    "finding_badge",
    "join",
    "mark",
    "module_word",
    "severity_badge",
    "share_bar",
    "status_badge",
    "unknown",
    "verdict_badge",
]
