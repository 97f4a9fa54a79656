"""Scores in figures that people can read."""

from __future__ import annotations

from sfumato.document import Score


def numbers(score: Score) -> tuple[str, str, str]:
    """Value and bounds with as many decimals as their size bears: three for shares, two for what is times 100."""
    every = (score.value, *score.interval)
    size = max(map(abs, every))
    decimals = 3 if size < 2 else 2 if size < 1000 else 0
    value, low, high = (f"{one:,.{decimals}f}" for one in every)
    return value, low, high
