"""Numbers as people read them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

_SIMPLE = sorted({Fraction(above, below) for below in (2, 3, 4, 5, 10) for above in range(1, below + 1)})
"""The fractions that people picture at once; smaller shares are said as 1 in so many."""


def percent(share: float) -> str:
    """A share as people write it in a sentence, with a decimal below ten per cent and above ninety."""
    near_an_end = share < 0.1 or share > 0.9
    return f"{_rounded(share, 1)}".removesuffix(".0") + " %" if near_an_end else f"{_rounded(share, 0)} %"


def tabled(share: float) -> str:
    """A share in a column of others: with one decimal, always."""
    return f"{_rounded(share, 1)} %"


def _rounded(share: float, decimals: int) -> Decimal:
    """Per cent, as people round: halves away from zero. The value is taken as it is written, not as it is stored."""
    return (Decimal(repr(float(share))) * 100).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def numbers(value: float, interval: tuple[float, float]) -> tuple[str, str, str]:
    """Value and bounds with as many decimals as their size bears: three for shares, two for what is times 100."""
    every = (value, *interval)
    size = max(map(abs, every))
    decimals = 3 if size < 2 else 2 if size < 1000 else 0
    told, low, high = (f"{one:,.{decimals}f}" for one in every)
    return told, low, high


def counted(number: int, one: str, many: str = "") -> str:
    """``1 document``, ``2 documents``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def in_words(share: float) -> str:
    """``1 in 3``, ``9 in 10``; with "about" in front where that is not exact."""
    if share <= 0 or share >= 1:
        return "none" if share <= 0 else "all"
    simple = min(_SIMPLE, key=lambda fraction: abs(float(fraction) - share))
    if share < _SIMPLE[0]:
        simple = Fraction(1, round(1 / share))
    if simple == 1:
        return "almost all"
    exact = abs(float(simple) - share) < 1e-9
    return f"{'' if exact else 'about '}{simple.numerator} in {simple.denominator}"
