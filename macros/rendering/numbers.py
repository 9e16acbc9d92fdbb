"""Numbers, dates and versions as each language writes them."""

from __future__ import annotations

import re
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal

THIN_SPACE = "\u202f"
FIXED_SPACE = "\u00a0"
DASH = "–"
BYTES_PER_GB = 10**9
BYTES_PER_GIB = 2**30

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
LATIN = "A-Za-z0-9"
BETWEEN_SCRIPTS = re.compile(f"(?<=[{HAN}])(?=[{LATIN}])|(?<=[{LATIN}%])(?=[{HAN}])")


def figure(value: Decimal | int | str) -> str:
    """Return a number with exactly the decimals it was stated with; five digits are set apart."""
    number = Decimal(value)
    text = f"{number:,f}" if abs(number) >= 10_000 else f"{number:f}"
    return text.replace(",", THIN_SPACE).replace("-", "−")


def rounded(value: Decimal | float | int | str, *, decimals: int) -> str:
    """Return a derived number rounded half to even to `decimals` decimals."""
    return figure(_quantized(value, decimals))


def tokens_per_s(value: Decimal | int | str, *, decimals: int | None = None) -> str:
    """Return a speed with its unit: as stated, or rounded where it is derived."""
    number = figure(value) if decimals is None else rounded(value, decimals=decimals)
    return f"{number}{FIXED_SPACE}tok/s"


def gigabytes(num_bytes: int, *, decimals: int = 2, unit: bool = True) -> str:
    """Return bytes of traffic in GB of 10^9."""
    return _bytes_as(num_bytes, BYTES_PER_GB, "GB", decimals, unit)


def gibibytes(num_bytes: int, *, decimals: int = 1, unit: bool = True) -> str:
    """Return bytes of memory in GiB of 2^30."""
    return _bytes_as(num_bytes, BYTES_PER_GIB, "GiB", decimals, unit)


def percent(ratio: Decimal | float | int | str, *, decimals: int = 0, unit: bool = True) -> str:
    """Return a ratio from 0 to 1 as a percentage."""
    number = rounded(_decimal(ratio) * 100, decimals=decimals)
    return f"{number}%" if unit else number


def times(ratio: Decimal | float | int | str, *, decimals: int = 1) -> str:
    """Return a factor such as 2.0×."""
    return f"{rounded(ratio, decimals=decimals)}×"


def signed(value: Decimal | float, *, decimals: int = 2) -> str:
    """Return a difference with its sign: +0.46, −1.32, 0.00."""
    text = rounded(value, decimals=decimals)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def billions(value: Decimal | int | str, language: str) -> str:
    """Return a count stated in billions: 3.6 B in English, 36 亿 in Chinese."""
    number = Decimal(value)
    if language == "en":
        return f"{figure(number)}{FIXED_SPACE}B"
    hundred_millions = number * 10
    if hundred_millions >= 10_000:
        return f"{_plain(hundred_millions / 10_000)}{FIXED_SPACE}万亿"
    if hundred_millions >= 1:
        return f"{_plain(hundred_millions)}{FIXED_SPACE}亿"
    return f"{_plain(hundred_millions * 10_000)}{FIXED_SPACE}万"


def day(value: date | str, language: str) -> str:
    """Return a date, or a month where the day is unknown, as 2026-11-29 or 2026 年 11 月 29 日."""
    text = value if isinstance(value, str) else value.isoformat()
    if language == "en":
        return text
    units = zip(text.split("-"), "年月日", strict=False)
    return f"{FIXED_SPACE}".join(f"{int(part)}{FIXED_SPACE}{unit}" for part, unit in units)


def duration(seconds: Decimal | float | int | str, language: str) -> str:
    """Return a time in the unit that keeps its number short: ms, s, min or h."""
    return durations(seconds, seconds, language)


def durations(
    low_s: Decimal | float | int | str, high_s: Decimal | float | int | str, language: str
) -> str:
    """Return a range of times in the unit of the longer one."""
    low, high = _decimal(low_s), _decimal(high_s)
    unit_s, names = next(unit for limit_s, *unit in _DURATION_UNITS if high < limit_s)
    return f"{span(_short(low / unit_s), _short(high / unit_s))}{FIXED_SPACE}{names[language]}"


def version_range(first: str | None, fixed: str | None, language: str) -> str:
    """Return the versions from `first` up to, not including, `fixed`, where each may be unknown."""
    match language, first, fixed:
        case "en", None, None:
            return "versions not known"
        case "en", first, None:
            return f"{first} and later, not fixed"
        case "en", None, fixed:
            return f"before {fixed}"
        case "en", first, fixed:
            return f"{first} to before {fixed}"
        case _, None, None:
            return "版本未知"
        case _, first, None:
            return f"{first} 起，尚未修复"
        case _, None, fixed:
            return f"{fixed} 之前"
        case _, first, fixed:
            return f"{first} 起，{fixed} 修复"


def span(low: str, high: str) -> str:
    """Return two written numbers as a range, or one where both are written alike."""
    return low if low == high else f"{low}{DASH}{high}"


def spaced(text: str) -> str:
    """Return Chinese text with a space between Han and Latin characters or digits."""
    return BETWEEN_SCRIPTS.sub(" ", text)


_DURATION_UNITS: tuple[tuple[Decimal, Decimal, dict[str, str]], ...] = (
    (Decimal(1), Decimal("0.001"), {"en": "ms", "zh": "毫秒"}),
    (Decimal(120), Decimal(1), {"en": "s", "zh": "秒"}),
    (Decimal(7200), Decimal(60), {"en": "min", "zh": "分钟"}),
    (Decimal("Infinity"), Decimal(3600), {"en": "h", "zh": "小时"}),
)


def _decimal(value: Decimal | float | int | str) -> Decimal:
    return Decimal(str(value)) if isinstance(value, float) else Decimal(value)


def _quantized(value: Decimal | float | int | str, decimals: int) -> Decimal:
    return _decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)


def _bytes_as(num_bytes: int, divisor: int, name: str, decimals: int, unit: bool) -> str:
    number = rounded(Decimal(num_bytes) / divisor, decimals=decimals)
    return f"{number}{FIXED_SPACE}{name}" if unit else number


def _plain(value: Decimal) -> str:
    normalized = value.normalize()
    return figure(
        normalized.quantize(Decimal(1)) if normalized.as_tuple().exponent > 0 else normalized
    )


def _short(value: Decimal) -> str:
    return rounded(value, decimals=0 if value >= 10 else 1).removesuffix(".0")
