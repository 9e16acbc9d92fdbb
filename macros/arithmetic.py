"""Pure numbers: bits to bytes, experts touched, what stated decimals allow, partial dates."""

from datetime import date
from decimal import Decimal


def bytes_of(params: int, bits: Decimal) -> float:
    """Return the bytes of `params` weights at `bits` bits each."""
    return params * float(bits) / 8


def expected_distinct(num_experts: int, top_k: int, num_tokens: int) -> float:
    """Return how many experts a layer reads if every token routes independently and uniformly.

    Each token picks `top_k` of `num_experts` without repetition, so an expert stays untouched
    with probability (1 - top_k / num_experts) ** num_tokens.
    """
    return num_experts * (1 - (1 - top_k / num_experts) ** num_tokens)


def stated_interval(value: Decimal) -> tuple[float, float]:
    """Return the interval that a figure with its stated decimals stands for: 55 → 54.5 to 55.5.

    A figure written with an exponent states no fewer decimals than a whole number: 1e2 is 100.
    """
    half = Decimal(5).scaleb(min(int(value.as_tuple().exponent), 0) - 1)
    return float(value - half), float(value + half)


def states(value: Decimal, computed: float) -> bool:
    """Tell whether a stated figure is the computed one, to as many decimals as were stated."""
    low, high = stated_interval(value)
    slack = 1e-9 * max(abs(low), abs(high))
    return low - slack <= computed <= high + slack


def median(values: list[float]) -> float:
    """Return the middle value; ValueError for an empty list."""
    if not values:
        raise ValueError("the median of nothing")
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def day(value: date | str | None) -> date | None:
    """Return a date; the first of the month, or of the year, where that is all that is known."""
    if isinstance(value, str):
        year, _, month = value.partition("-")
        return date(int(year), int(month or 1), 1)
    return value
