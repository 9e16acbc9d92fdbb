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
from macros.rendering.blocks import (
    Card,
    Door,
    answer,
    cards,
    citation,
    concurrency_words,
    conditions,
    doors,
    draft_words,
    notice,
    quotation,
    speed,
)
from macros.rendering.charts import (
    Axis,
    Point,
    date_axis,
    doubling_axis,
    linear_axis,
    scatter_plot,
    step_chart,
)
from macros.rendering.commands import CommandTab, command, command_tabs, faulty_command
from macros.rendering.filters import Facet, filter_attributes, filterable
from macros.rendering.home import PanelEntry, hero, model_panel
from macros.rendering.markup import EMPTY, Html, classes, element, escape, join
from macros.rendering.tables import Column, Row, data_table, facts, unknown
from macros.rendering.words import word

__all__ = [
    "EMPTY",
    "MODULES",
    "Axis",
    "BarRow",
    "Card",
    "Column",
    "CommandTab",
    "Door",
    "Facet",
    "Html",
    "PanelEntry",
    "Point",
    "Row",
    "answer",
    "badge",
    "badge_legend",
    "byte_bar",
    "byte_bar_group",
    "cards",
    "citation",
    "classes",
    "command",
    "command_tabs",
    "concurrency_words",
    "conditions",
    "data_table",
    "date_axis",
    "doors",
    "doubling_axis",
    "draft_words",
    "element",
    "escape",
    "evidence_badge",
    "facts",
    "faulty_command",
    "filter_attributes",
    "filterable",
    "finding_badge",
    "hero",
    "join",
    "linear_axis",
    "mark",
    "model_panel",
    "module_word",
    "notice",
    "quotation",
    "scatter_plot",
    "severity_badge",
    "share_bar",
    "speed",
    "status_badge",
    "step_chart",
    "unknown",
    "verdict_badge",
    "word",
]
