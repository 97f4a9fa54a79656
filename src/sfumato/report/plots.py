"""Points with their intervals on two axes, joined by a line where they follow each other. Plain SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import floor, hypot, log10

# -- From values to places on an axis.


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


# -- Points with their intervals on two axes, joined by a line where they follow each other. Plain SVG.


SCATTER_WIDTH, HEIGHT = 760, 480
_SCATTER_LEFT, _SCATTER_RIGHT, _SCATTER_TOP, _SCATTER_BOTTOM = 74, 24, 30, 64
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
    across = Scale(
        reach([v for p in points for v in (p.x, *p.x_interval)]), _SCATTER_LEFT, SCATTER_WIDTH - _SCATTER_RIGHT
    )
    levels = [v for p in points for v in (p.y, *p.y_interval)] + ([line.y] if line else [])
    up = Scale(reach(levels), HEIGHT - _SCATTER_BOTTOM, _SCATTER_TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SCATTER_WIDTH} {HEIGHT}" '
        f'width="{SCATTER_WIDTH}" height="{HEIGHT}" '
        'role="img" font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(y.title)} against {escape(x.title)}</title>",
        f'<rect width="{SCATTER_WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_grid(across, up, x, y),
    ]
    if line:
        at = up(line.y)
        parts += [
            f'<line x1="{_SCATTER_LEFT}" x2="{SCATTER_WIDTH - _SCATTER_RIGHT}" y1="{at:.1f}" y2="{at:.1f}" '
            'stroke="#b00020" stroke-dasharray="6 4"/>',
            f'<text x="{SCATTER_WIDTH - _SCATTER_RIGHT - 4}" y="{at - 5:.1f}" text-anchor="end" fill="#b00020" '
            'font-size="12">'
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
        taken.append(
            (
                SCATTER_WIDTH - _SCATTER_RIGHT - width,
                up(line.y) - _LINE - 4,
                SCATTER_WIDTH - _SCATTER_RIGHT,
                up(line.y) + 2,
            )
        )
        taken.append((_SCATTER_LEFT, up(line.y) - 2, SCATTER_WIDTH - _SCATTER_RIGHT, up(line.y) + 2))
    taken += _along(way)
    inks = [point.ink or _COLOURS[number % len(_COLOURS)] for number, point in enumerate(points)]
    for point, ink in zip(points, inks, strict=True):
        parts += _scatter_mark(point, ink, across, up)
    for point, ink, (px, py) in zip(points, inks, placed, strict=True):
        parts += _label(point.name, px, py, ink, taken)
    return "\n".join([*parts, "</svg>"])


def _grid(across: Scale, up: Scale, x: Axis, y: Axis) -> Iterator[str]:
    bottom, right = HEIGHT - _SCATTER_BOTTOM, SCATTER_WIDTH - _SCATTER_RIGHT
    for value in up.ticks():
        at = up(value)
        yield f'<line x1="{_SCATTER_LEFT}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#e4e4e4"/>'
        yield f'<text x="{_SCATTER_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end" fill="#555">{up.tick(value)}</text>'
    for value in across.ticks():
        at = across(value)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_SCATTER_TOP}" y2="{bottom}" stroke="#e4e4e4"/>'
        yield f'<text x="{at:.1f}" y="{bottom + 18}" text-anchor="middle" fill="#555">{across.tick(value)}</text>'
    yield f'<path d="M{_SCATTER_LEFT} {_SCATTER_TOP}V{bottom}H{right}" fill="none" stroke="#333"/>'
    middle = (_SCATTER_TOP + bottom) / 2
    yield (
        f'<text x="{(_SCATTER_LEFT + right) / 2:.0f}" y="{HEIGHT - 22}" text-anchor="middle" fill="#222">'
        f"{escape(x.title)}</text>"
    )
    yield (
        f'<text transform="translate(20 {middle:.0f}) rotate(-90)" text-anchor="middle" fill="#222">'
        f"{escape(y.title)}</text>"
    )
    yield f'<text x="{right}" y="{HEIGHT - 6}" text-anchor="end" fill="#777" font-size="12">{escape(x.better)}</text>'
    yield f'<text x="{_SCATTER_LEFT}" y="{_SCATTER_TOP - 12}" fill="#777" font-size="12">{escape(y.better)}</text>'


def _scatter_mark(point: Point, ink: str, across: Scale, up: Scale) -> Iterator[str]:
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
    return (
        box[0] >= _SCATTER_LEFT and box[1] >= 2 and box[2] <= SCATTER_WIDTH and box[3] <= HEIGHT - _SCATTER_BOTTOM + 2
    )


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


# -- Shares before and after, one line each, with their intervals and the level that they should not pass. Plain SVG.


DUMBBELL_WIDTH = 640
_DUMBBELL_LEFT, _DUMBBELL_RIGHT, _DUMBBELL_TOP, _ROW, _DUMBBELL_BOTTOM = 150, 20, 58, 46, 34
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
    scale = Scale(
        reach([0.0, limit, *(v for value, ends in both for v in (value, *ends))]),
        _DUMBBELL_LEFT,
        DUMBBELL_WIDTH - _DUMBBELL_RIGHT,
    )
    bottom = _DUMBBELL_TOP + _ROW * len(changes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {DUMBBELL_WIDTH} {bottom + _DUMBBELL_BOTTOM}" '
        f'width="{DUMBBELL_WIDTH}" height="{bottom + _DUMBBELL_BOTTOM}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14">',
        "<title>risk before and after</title>",
        f'<rect width="{DUMBBELL_WIDTH}" height="{bottom + _DUMBBELL_BOTTOM}" fill="#ffffff"/>',
        *_legend(),
    ]
    for value in scale.ticks():
        at = scale(value)
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_DUMBBELL_TOP}" y2="{bottom}" stroke="#e4e4e4"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{bottom + 20}" text-anchor="middle" fill="#555">{scale.tick(value)}</text>'
        )
    for number, one in enumerate(changes):
        parts += _line(one, _DUMBBELL_TOP + _ROW * (number + 0.5), scale, limit)
    at = scale(limit)
    parts += [
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_DUMBBELL_TOP - 8}" y2="{bottom}" stroke="{OVER}" '
        'stroke-dasharray="6 4"/>',
        f'<text x="{at + 5:.1f}" y="{_DUMBBELL_TOP - 8}" fill="{OVER}" font-size="13">{escape(limit_title)}</text>',
    ]
    return "\n".join([*parts, "</svg>"])


def _legend() -> Iterator[str]:
    yield f'<circle cx="{_DUMBBELL_LEFT + 6}" cy="16" r="5" fill="#fff" stroke="{BEFORE}" stroke-width="2"/>'
    yield f'<text x="{_DUMBBELL_LEFT + 17}" y="21" fill="#444">before</text>'
    yield f'<circle cx="{_DUMBBELL_LEFT + 86}" cy="16" r="6" fill="{WITHIN}"/>'
    yield f'<text x="{_DUMBBELL_LEFT + 97}" y="21" fill="#444">after</text>'
    yield f'<path d="M{_DUMBBELL_LEFT + 156} 16h26" stroke="#444" stroke-width="2"/>'
    yield f'<text x="{_DUMBBELL_LEFT + 189}" y="21" fill="#444">95 % interval</text>'


def _line(one: Change, middle: float, scale: Scale, limit: float) -> Iterator[str]:
    yield f'<path d="M8 {middle + _ROW / 2:.1f}H{DUMBBELL_WIDTH - _DUMBBELL_RIGHT}" stroke="#f0f0f0"/>'
    yield f'<text x="8" y="{middle - 2:.1f}" fill="#222" font-weight="600">{escape(one.name)}</text>'
    yield f'<text x="8" y="{middle + 14:.1f}" fill="#666" font-size="12">{escape(one.about)}</text>'
    if one.before and one.after:
        yield (
            f'<path d="M{scale(one.before[0]):.1f} {middle - _APART}L{scale(one.after[0]):.1f} {middle + _APART}" '
            'stroke="#bbb" stroke-width="1.2"/>'
        )
    if one.before:
        yield from _dumbbell_mark(one.before, middle - _APART, scale, BEFORE, "#ffffff", f"{one.name}, before")
    if one.after:
        ink = WITHIN if one.after[0] <= limit * (1 + 1e-9) else OVER
        yield from _dumbbell_mark(one.after, middle + _APART, scale, ink, ink, f"{one.name}, after")


def _dumbbell_mark(value: Measured, height: float, scale: Scale, ink: str, fill: str, title: str) -> Iterator[str]:
    share, (low, high) = value
    yield f'<path d="M{scale(low):.1f} {height:.1f}H{scale(high):.1f}" stroke="{ink}" stroke-width="2"/>'
    yield f'<circle cx="{scale(share):.1f}" cy="{height:.1f}" r="5" fill="{fill}" stroke="{ink}" stroke-width="2">'
    yield f"<title>{escape(title)}: {share:.3g} [{low:.3g}, {high:.3g}]</title></circle>"
