"""Numbers stand on a page as they were stated, in the way of each language."""

from datetime import date
from decimal import Decimal

import pytest

from macros.rendering import numbers


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("55.9", "55.9"),
        ("55.90", "55.90"),
        ("14", "14"),
        ("0", "0"),
        ("1220", "1220"),
        ("-3", "−3"),
    ],
)
def test_a_figure_keeps_the_decimals_it_was_stated_with(value, written):
    assert numbers.figure(Decimal(value)) == written


def test_five_digits_are_set_apart_by_a_thin_space_that_does_not_break():
    assert numbers.figure(131072) == "131\u202f072"
    assert numbers.figure(1612185600) == "1\u202f612\u202f185\u202f600"


def test_bytes_are_shown_in_the_unit_of_their_use():
    assert numbers.gigabytes(12_810_000_000) == "12.81\u00a0GB"
    assert numbers.gigabytes(12_810_000_000, decimals=1, unit=False) == "12.8"
    assert numbers.gibibytes(67_268_000_000) == "62.6\u00a0GiB"


def test_a_large_count_of_bytes_loses_nothing_to_binary_fractions():
    assert (
        numbers.gigabytes(10**18 + 5_000_000, decimals=3)
        == "1\u202f000\u202f000\u202f000.005\u00a0GB"
    )


@pytest.mark.parametrize(
    ("ratio", "written"), [(Decimal("0.665"), "66%"), (0.704, "70%"), (1, "100%"), ("1.38", "138%")]
)
def test_a_ratio_becomes_a_percentage(ratio, written):
    assert numbers.percent(ratio) == written


@pytest.mark.parametrize(
    ("billion", "english", "chinese"),
    [
        ("3.6", "3.6\u00a0B", "36\u00a0亿"),
        ("122.11", "122.11\u00a0B", "1221.1\u00a0亿"),
        ("122", "122\u00a0B", "1220\u00a0亿"),
        ("1000", "1000\u00a0B", "1\u00a0万亿"),
        ("0.45", "0.45\u00a0B", "4.5\u00a0亿"),
        ("0.05", "0.05\u00a0B", "5000\u00a0万"),
    ],
)
def test_billions_are_counted_in_the_units_of_the_language(billion, english, chinese):
    assert numbers.billions(Decimal(billion), "en") == english
    assert numbers.billions(Decimal(billion), "zh") == chinese


@pytest.mark.parametrize(
    ("value", "english", "chinese"),
    [
        (date(2026, 11, 29), "2026-11-29", "2026 年 11 月 29 日"),
        (date(2026, 3, 5), "2026-03-05", "2026 年 3 月 5 日"),
        ("2026-08", "2026-08", "2026 年 8 月"),
        ("2026", "2026", "2026 年"),
    ],
)
def test_a_date_is_as_exact_as_it_is_known(value, english, chinese):
    assert numbers.day(value, "en") == english
    assert numbers.day(value, "zh").replace("\u00a0", " ") == chinese


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (Decimal("0.0764"), "76\u00a0ms", "76\u00a0毫秒"),
        (Decimal("1.5"), "1.5\u00a0s", "1.5\u00a0秒"),
        (600, "10\u00a0min", "10\u00a0分钟"),
        (9000, "2.5\u00a0h", "2.5\u00a0小时"),
    ],
)
def test_a_duration_takes_the_unit_that_keeps_it_short(seconds, english, chinese):
    assert numbers.duration(seconds, "en") == english
    assert numbers.duration(seconds, "zh") == chinese


@pytest.mark.parametrize(
    ("first", "fixed", "english", "chinese"),
    [
        ("0.24.0", None, "0.24.0 and later, not fixed", "0.24.0 起，尚未修复"),
        ("0.24.0", "0.27.0", "0.24.0 to before 0.27.0", "0.24.0 起，0.27.0 修复"),
        (None, "0.27.0", "before 0.27.0", "0.27.0 之前"),
        (None, None, "versions not known", "版本未知"),
    ],
)
def test_a_range_of_versions_says_where_it_ends(first, fixed, english, chinese):
    assert numbers.version_range(first, fixed, "en") == english
    assert numbers.version_range(first, fixed, "zh") == chinese


def test_a_range_of_one_number_is_that_number():
    assert numbers.span("22.5", "25.3") == "22.5–25.3"
    assert numbers.span("22.5", "22.5") == "22.5"


def test_han_and_latin_stand_apart():
    assert numbers.spaced("在GB10上跑Qwen3.5，约55tok/s") == "在 GB10 上跑 Qwen3.5，约 55tok/s"
    assert numbers.spaced("已有 空格") == "已有 空格"


def test_a_difference_shows_its_sign():
    assert numbers.signed(Decimal("0.457")) == "+0.46"
    assert numbers.signed(-1.318) == "−1.32"
    assert numbers.signed(0.001) == "0.00"
