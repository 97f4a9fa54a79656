"""From values to places on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

Interval = tuple[float, float]


class Scale:
    """From values to places."""

    def __init__(self, values: Interval, start: float, end: float) -> None:
        self.low, self.high = values
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        return self._start + (value - self.low) / (self.high - self.low) * (self._end - self._start)

    def ticks(self) -> list[float]:
        step = _nice((self.high - self.low) / 5)
        first = -floor(-self.low / step + 1e-9)
        return [number * step for number in range(first, floor(self.high / step + 1e-9) + 1)]

    def tick(self, value: float) -> str:
        """A value as the axis writes it: shares in per cent."""
        return f"{100 * value:.0f} %" if self.low >= 0 and self.high <= 1 else f"{value:g}"


def reach(values: Sequence[float]) -> Interval:
    """As far as the values go: shares in whole tenths, percentages in tens, from 0 if any lies below the middle."""
    low, high = min(values), max(values)
    for whole in (1.0, 100.0):
        if low >= 0 and whole / 100 < high <= whole:
            step = whole / 10
            start = 0.0 if low < whole / 2 else step * floor(low / step - 0.5)
            return start, min(whole, max(2 * step, step * -floor(-high / step - 0.2)))
    room = (high - low) * 0.08 or 1.0
    return low - room, high + room


def _nice(step: float) -> float:
    size = 10.0 ** floor(log10(step))
    return next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= step * 0.999)
