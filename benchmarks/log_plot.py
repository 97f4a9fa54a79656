"""Growth curves as a self-contained SVG with logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 520, 20, 370
_COLORS = ("#1b6ca8", "#c2571a", "#3b7d3b", "#8a3b8f", "#555555", "#a8861b", "#1ba89b", "#a81b3e")
_LINE = 16


@dataclass(frozen=True)
class Curve:
    """A line through points; a bar is a curve of two points, drawn dashed."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    is_bar: bool = False


def log_plot(curves: Sequence[Curve], x_title: str, y_title: str) -> str:
    """All curves in one picture, each with its name beside its last point."""
    x_low, x_high = _decades([value for curve in curves for value in curve.x])
    y_low, y_high = _decades([value for curve in curves for value in curve.y])

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x_low) / (x_high - x_low)
        up = (math.log10(y) - y_low) / (y_high - y_low)
        return _LEFT + across * (_RIGHT - _LEFT), _BOTTOM - up * (_BOTTOM - _TOP)

    title = f"{escape(y_title)} against {escape(x_title)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{title}" font-family="sans-serif" font-size="13">',
        f"<title>{title}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    for power in range(x_low, x_high + 1):
        px, _ = place(10.0**power, 10.0**y_low)
        parts.append(f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{_TOP}" y2="{_BOTTOM}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{px:.1f}" y="{_BOTTOM + 18}" text-anchor="middle" fill="#555">{_number(power)}</text>')
    for power in range(y_low, y_high + 1):
        _, py = place(10.0**x_low, 10.0**power)
        parts.append(f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{py:.1f}" y2="{py:.1f}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{py + 4:.1f}" text-anchor="end" fill="#555">{_number(power)}</text>')
    parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 40}" text-anchor="middle">{escape(x_title)}</text>')
    parts.append(
        f'<text x="20" y="{(_TOP + _BOTTOM) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 20 {(_TOP + _BOTTOM) / 2})">{escape(y_title)}</text>'
    )
    taken: list[float] = []
    ends = sorted(range(len(curves)), key=lambda number: place(curves[number].x[-1], curves[number].y[-1])[1])
    for number in ends:
        curve, color = curves[number], _COLORS[number % len(_COLORS)]
        points = [place(x, y) for x, y in zip(curve.x, curve.y, strict=True)]
        corners = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        dashed = ' stroke-dasharray="6 4"' if curve.is_bar else ""
        parts.append(f'<polyline points="{corners}" fill="none" stroke="{color}" stroke-width="1.8"{dashed}/>')
        if not curve.is_bar and len(points) < 12:
            parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{color}"/>' for px, py in points]
        label = max(points[-1][1] + 4, (taken[-1] if taken else 0) + _LINE)
        taken.append(label)
        parts.append(
            f'<text x="{_RIGHT + 8}" y="{label:.1f}" fill="{color}" font-size="12">{escape(curve.name)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """Powers of ten around all values."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _number(power: int) -> str:
    if power < 0:
        return f"{10.0**power:g}"
    return {6: "1 M", 7: "10 M", 8: "100 M", 9: "1 G"}.get(power, f"{10**power:,}")
