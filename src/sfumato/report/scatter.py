"""Points with their intervals on two axes, joined by a line where they follow each other. Plain SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import hypot

from sfumato.report.scale import Interval, Scale, reach

WIDTH, HEIGHT = 760, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 24, 30, 64
_LETTER, _LINE = 7.7, 15
"""About how wide a letter and how high a line of the labels is."""
_COLOURS = ("#0072b2", "#c44500", "#00785a", "#9c3f76", "#8a6d00", "#222222", "#5b5ea6", "#767676")
"""After Okabe and Ito's, which colour-blind people can tell apart, but dark enough to read names in."""
_REACH = 26
"""A name farther from its point than this is tied to it by a line."""

_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Point:
    """A name, and its value and interval on both axes. ``ink``: its colour; None takes one that no other has."""

    name: str
    x: float
    x_interval: Interval
    y: float
    y_interval: Interval
    ink: str | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis shows, and in which direction it gets better."""

    title: str
    better: str


@dataclass(frozen=True, slots=True)
class Line:
    """A level worth knowing on the y axis."""

    y: float
    title: str


def scatter(points: Sequence[Point], x: Axis, y: Axis, line: Line | None = None, joined: Sequence[int] = ()) -> str:
    """The points as an SVG element that stands for itself: no script, no font, nothing from elsewhere.

    ``joined``: numbers of points, in the order in which a line runs through them.
    """
    across = Scale(reach([v for p in points for v in (p.x, *p.x_interval)]), _LEFT, WIDTH - _RIGHT)
    levels = [v for p in points for v in (p.y, *p.y_interval)] + ([line.y] if line else [])
    up = Scale(reach(levels), HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(y.title)} against {escape(x.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(across, up, x, y),
    ]
    if line:
        at = up(line.y)
        parts += [
            f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#b00020" '
            'stroke-dasharray="6 4"/>',
            f'<text x="{WIDTH - _RIGHT - 4}" y="{at - 5:.1f}" text-anchor="end" fill="#b00020" font-size="12">'
            f"{escape(line.title)}</text>",
        ]
    placed = [(across(p.x), up(p.y)) for p in points]
    way = [placed[number] for number in joined]
    if len(way) > 1:
        corners = " ".join(f"{px:.1f},{py:.1f}" for px, py in way)
        parts.append(f'<polyline points="{corners}" fill="none" stroke="#9a9a9a" stroke-width="1.6"/>')
    taken: list[_Box] = [(px - 6, py - 6, px + 6, py + 6) for px, py in placed]
    for point, (px, py) in zip(points, placed, strict=True):
        taken.append((px - 1, up(point.y_interval[1]), px + 1, up(point.y_interval[0])))
        taken.append((across(point.x_interval[0]), py - 1, across(point.x_interval[1]), py + 1))
    if line:
        width = _LETTER * len(line.title)
        taken.append((WIDTH - _RIGHT - width, up(line.y) - _LINE - 4, WIDTH - _RIGHT, up(line.y) + 2))
        taken.append((_LEFT, up(line.y) - 2, WIDTH - _RIGHT, up(line.y) + 2))
    taken += _along(way)
    inks = [point.ink or _COLOURS[number % len(_COLOURS)] for number, point in enumerate(points)]
    for point, ink in zip(points, inks, strict=True):
        parts += _mark(point, ink, across, up)
    for point, ink, (px, py) in zip(points, inks, placed, strict=True):
        parts += _label(point.name, px, py, ink, taken)
    return "\n".join([*parts, "</svg>"])


def _grid(across: Scale, up: Scale, x: Axis, y: Axis) -> Iterator[str]:
    bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
    for value in up.ticks():
        at = up(value)
        yield f'<line x1="{_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e4e4e4"/>'
        yield f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#555">{up.tick(value)}</text>'
    for value in across.ticks():
        at = across(value)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{bottom}" stroke="#e4e4e4"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{across.tick(value)}</text>'
    yield f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#333"/>'
    middle = (_TOP + bottom) / 2
    yield (
        f'<text x="{(_LEFT + right) / 2:.0f}" y="{HEIGHT - 22}" text-anchor="middle" fill="#222">'
        f"{escape(x.title)}</text>"
    )
    yield (
        f'<text transform="translate(20 {middle:.0f}) rotate(-90)" text-anchor="middle" fill="#222">'
        f"{escape(y.title)}</text>"
    )
    yield f'<text x="{right}" y="{HEIGHT - 6}" text-anchor="end" fill="#777" font-size="12">{escape(x.better)}</text>'
    yield f'<text x="{_LEFT}" y="{_TOP - 12}" fill="#777" font-size="12">{escape(y.better)}</text>'


def _mark(point: Point, ink: str, across: Scale, up: Scale) -> Iterator[str]:
    px, py = across(point.x), up(point.y)
    (x1, x2), (y1, y2) = map(across, point.x_interval), map(up, point.y_interval)
    low, high = (f"{value:.3g}" for value in point.y_interval)
    yield f'<g stroke="{ink}" stroke-width="1.6" stroke-opacity="0.75">'
    yield f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{py:.1f}" y2="{py:.1f}"/>'
    yield f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/></g>'
    yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="5" fill="{ink}">'
    yield f"<title>{escape(point.name)}: {point.x:.3g}, {point.y:.3g} [{low}, {high}]</title></circle>"


def _label(name: str, px: float, py: float, ink: str, taken: list[_Box]) -> Iterator[str]:
    """Near the point, at the first place where it covers nothing that is there already."""
    width = _LETTER * len(name)
    drops = [-9, 18, *(sign * (9 + 16 * step) for step in range(1, 10) for sign in (-1, 1))]
    aside = (9, 34, 60)
    spots = sorted(
        ((left, py + drop) for drop in drops for far in aside for left in (px + far, px - far - width)),
        key=lambda spot: _distance(spot, width, px, py),
    )
    boxes = [(left, base - _LINE + 3, left + width, base + 3) for left, base in spots]
    inside = [box for box in boxes if _inside(box)] or boxes
    box = next((box for box in inside if not any(_meet(box, other) for other in taken)), inside[0])
    taken.append(box)
    if _distance((box[0], box[3] - 3), width, px, py) > _REACH:
        end = box[0] - 2 if box[0] > px else box[2] + 2
        middle = (box[1] + box[3]) / 2
        yield (
            f'<line x1="{px:.1f}" y1="{py:.1f}" x2="{end:.1f}" y2="{middle:.1f}" stroke="{ink}" '
            'stroke-width="0.8" stroke-opacity="0.6"/>'
        )
    yield f'<text x="{box[0]:.1f}" y="{box[3] - 3:.1f}" fill="{ink}" font-weight="600">{escape(name)}</text>'


def _along(way: Sequence[tuple[float, float]]) -> Iterator[_Box]:
    """Small boxes that cover a line through some places."""
    for (x1, y1), (x2, y2) in pairwise(way):
        steps = max(1, round(hypot(x2 - x1, y2 - y1) / 4))
        for step in range(steps + 1):
            px, py = x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps
            yield px - 2, py - 2, px + 2, py + 2


def _distance(spot: tuple[float, float], width: float, px: float, py: float) -> float:
    """From a point to the nearer end of a label."""
    left, base = spot
    return hypot(min(abs(left - px), abs(left + width - px)), base - 4 - py)


def _inside(box: _Box) -> bool:
    return box[0] >= _LEFT and box[1] >= 2 and box[2] <= WIDTH and box[3] <= HEIGHT - _BOTTOM + 2


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
