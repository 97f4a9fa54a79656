"""Shares before and after, one line each, with their intervals and the level that they should not pass. Plain SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from sfumato.report.scale import Interval, Scale, reach

WIDTH = 640
_LEFT, _RIGHT, _TOP, _ROW, _BOTTOM = 150, 20, 58, 46, 34
_APART = 8
"""How far above and below the middle of its line the two values stand, so that their bars do not cover each other."""
BEFORE, WITHIN, OVER = "#767676", "#00785a", "#b00020"

Measured = tuple[float, Interval]
"""A share and its interval."""


@dataclass(frozen=True, slots=True)
class Change:
    """One line of the picture. ``about`` is put below the name, in small; None: was not measured."""

    name: str
    about: str
    before: Measured | None
    after: Measured | None


def dumbbell(changes: Sequence[Change], limit: float, limit_title: str) -> str:
    """The changes as an SVG element that stands for itself."""
    both = [value for one in changes for value in (one.before, one.after) if value]
    scale = Scale(reach([0.0, limit, *(v for value, ends in both for v in (value, *ends))]), _LEFT, WIDTH - _RIGHT)
    bottom = _TOP + _ROW * len(changes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + _BOTTOM}" width="{WIDTH}" '
        f'height="{bottom + _BOTTOM}" role="img" font-family="system-ui, sans-serif" font-size="14">',
        "<title>risk before and after</title>",
        f'<rect width="{WIDTH}" height="{bottom + _BOTTOM}" fill="#ffffff"/>',
        *_legend(),
    ]
    for value in scale.ticks():
        at = scale(value)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{bottom}" stroke="#e4e4e4"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{bottom + 20}" text-anchor="middle" fill="#555">{scale.tick(value)}</text>'
        )
    for number, one in enumerate(changes):
        parts += _line(one, _TOP + _ROW * (number + 0.5), scale, limit)
    at = scale(limit)
    parts += [
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP - 8}" y2="{bottom}" stroke="{OVER}" stroke-dasharray="6 4"/>',
        f'<text x="{at + 5:.1f}" y="{_TOP - 8}" fill="{OVER}" font-size="13">{escape(limit_title)}</text>',
    ]
    return "\n".join([*parts, "</svg>"])


def _legend() -> Iterator[str]:
    yield f'<circle cx="{_LEFT + 6}" cy="16" r="5" fill="#fff" stroke="{BEFORE}" stroke-width="2"/>'
    yield f'<text x="{_LEFT + 17}" y="21" fill="#444">before</text>'
    yield f'<circle cx="{_LEFT + 86}" cy="16" r="6" fill="{WITHIN}"/>'
    yield f'<text x="{_LEFT + 97}" y="21" fill="#444">after</text>'
    yield f'<path d="M{_LEFT + 156} 16h26" stroke="#444" stroke-width="2"/>'
    yield f'<text x="{_LEFT + 189}" y="21" fill="#444">95 % interval</text>'


def _line(one: Change, middle: float, scale: Scale, limit: float) -> Iterator[str]:
    yield f'<path d="M8 {middle + _ROW / 2:.1f}H{WIDTH - _RIGHT}" stroke="#f0f0f0"/>'
    yield f'<text x="8" y="{middle - 2:.1f}" fill="#222" font-weight="600">{escape(one.name)}</text>'
    yield f'<text x="8" y="{middle + 14:.1f}" fill="#666" font-size="12">{escape(one.about)}</text>'
    if one.before and one.after:
        yield (
            f'<path d="M{scale(one.before[0]):.1f} {middle - _APART}L{scale(one.after[0]):.1f} {middle + _APART}" '
            'stroke="#bbb" stroke-width="1.2"/>'
        )
    if one.before:
        yield from _mark(one.before, middle - _APART, scale, BEFORE, "#ffffff", f"{one.name}, before")
    if one.after:
        ink = WITHIN if one.after[0] <= limit * (1 + 1e-9) else OVER
        yield from _mark(one.after, middle + _APART, scale, ink, ink, f"{one.name}, after")


def _mark(value: Measured, height: float, scale: Scale, ink: str, fill: str, title: str) -> Iterator[str]:
    share, (low, high) = value
    yield f'<path d="M{scale(low):.1f} {height:.1f}H{scale(high):.1f}" stroke="{ink}" stroke-width="2"/>'
    yield f'<circle cx="{scale(share):.1f}" cy="{height:.1f}" r="5" fill="{fill}" stroke="{ink}" stroke-width="2">'
    yield f"<title>{escape(title)}: {share:.3g} [{low:.3g}, {high:.3g}]</title></circle>"
