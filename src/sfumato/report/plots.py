"""SVG plots: a scatter plot with intervals on both axes, and a dumbbell plot of values before and after."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import floor, hypot, log10

Interval = tuple[float, float]


class Scale:
    """A linear scale from values to positions on an axis."""

    def __init__(self, values: Interval, start: float, end: float) -> None:
        self.low, self.high = values
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        return self._start + (value - self.low) / (self.high - self.low) * (self._end - self._start)

    def ticks(self) -> list[float]:
        step = _round_step((self.high - self.low) / 5)
        first = -floor(-self.low / step + 1e-9)
        return [number * step for number in range(first, floor(self.high / step + 1e-9) + 1)]

    def tick(self, value: float) -> str:
        """A value as the axis writes it: shares in per cent."""
        return f"{100 * value:.0f} %" if self.low >= 0 and self.high <= 1 else f"{value:g}"


def axis_range(values: Sequence[float]) -> Interval:
    """The range of an axis: shares in whole tenths, percentages in tens, from 0 if any value lies below the middle."""
    low, high = min(values), max(values)
    for whole in (1.0, 100.0):
        if low >= 0 and whole / 100 < high <= whole:
            step = whole / 10
            start = 0.0 if low < whole / 2 else step * floor(low / step - 0.5)
            return start, min(whole, max(2 * step, step * -floor(-high / step - 0.2)))
    padding = (high - low) * 0.08 or 1.0
    return low - padding, high + padding


def _open_svg(width: int, height: int, font_size: int, title: str) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="{font_size}">'
    )
    yield f"<title>{title}</title>"
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'


def _round_step(step: float) -> float:
    size = 10.0 ** floor(log10(step))
    return next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= step * 0.999)


_WIDTH, _HEIGHT = 760, 480
"""The size of the scatter plot."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 736, 30, 416
"""The edges of the plot within the picture."""
_LETTER, _LINE = 7.7, 15
"""Approximate width of a letter and height of a line of a label."""
_COLORS = ("#0072b2", "#c44500", "#00785a", "#9c3f76", "#8a6d00", "#222222", "#5b5ea6", "#767676")
"""After Okabe and Ito, which colour-blind people can tell apart, but dark enough for text."""
_FAR = 26
"""A label farther from its point than this is connected to it by a line."""

_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Point:
    """A name, and its value and interval on both axes. ``color``: None takes one that no point elsewhere has."""

    name: str
    x: float
    x_interval: Interval
    y: float
    y_interval: Interval
    color: str | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis title, and a hint in which direction values get better."""

    title: str
    better: str


@dataclass(frozen=True, slots=True)
class Line:
    """A reference line on the y axis."""

    y: float
    title: str


def scatter(
    points: Sequence[Point], x: Axis, y: Axis, line: Line | None = None, joined: Sequence[Sequence[int]] = ()
) -> str:
    """The points as a self-contained SVG element, without scripts or fonts.

    ``joined``: indices of points that a line connects, in its order; they have the colour of the first of them.
    """
    x_scale, y_scale = _scales(points, [line.y] if line else [])
    title = f"{escape(y.title)} against {escape(x.title)}"
    parts = [*_open_svg(_WIDTH, _HEIGHT, 13, title), *_grid(x_scale, y_scale, x, y)]
    if line:
        parts += _reference_line(y_scale(line.y), line.title)
    positions = [(x_scale(p.x), y_scale(p.y)) for p in points]
    colors = _point_colors(points, joined)
    paths = [[positions[number] for number in path] for path in joined]
    for path, numbers in zip(paths, joined, strict=True):
        parts += _polyline(path, colors[numbers[0]]) if len(path) > 1 else ()
    occupied = [*_point_boxes(points, positions, x_scale, y_scale), *(box for path in paths for box in _along(path))]
    if line:
        py = y_scale(line.y)
        occupied.append((_RIGHT - _LETTER * len(line.title), py - _LINE - 4, _RIGHT, py + 2))
        occupied.append((_LEFT, py - 2, _RIGHT, py + 2))
    for point, color in zip(points, colors, strict=True):
        parts += _scatter_mark(point, color, x_scale, y_scale)
    for point, color, (px, py) in zip(points, colors, positions, strict=True):
        parts += _label(point.name, px, py, color, occupied)
    return "\n".join([*parts, "</svg>"])


def _scales(points: Sequence[Point], levels: Sequence[float]) -> tuple[Scale, Scale]:
    widths = [v for p in points for v in (p.x, *p.x_interval)]
    heights = [v for p in points for v in (p.y, *p.y_interval)]
    return Scale(axis_range(widths), _LEFT, _RIGHT), Scale(axis_range([*heights, *levels]), _BOTTOM, _TOP)


def _reference_line(py: float, title: str) -> Iterator[str]:
    yield f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{py:.1f}" y2="{py:.1f}" stroke="#b00020" stroke-dasharray="6 4"/>'
    place = f'x="{_RIGHT - 4}" y="{py - 5:.1f}" text-anchor="end"'
    yield f'<text {place} fill="#b00020" font-size="12">{escape(title)}</text>'


def _polyline(path: Sequence[tuple[float, float]], color: str) -> Iterator[str]:
    corners = " ".join(f"{px:.1f},{py:.1f}" for px, py in path)
    yield f'<polyline points="{corners}" fill="none" stroke="{color}" stroke-width="1.6" stroke-opacity="0.5"/>'


def _point_boxes(
    points: Sequence[Point], positions: Sequence[tuple[float, float]], x_scale: Scale, y_scale: Scale
) -> Iterator[_Box]:
    for point, (px, py) in zip(points, positions, strict=True):
        yield px - 6, py - 6, px + 6, py + 6
        yield px - 1, y_scale(point.y_interval[1]), px + 1, y_scale(point.y_interval[0])
        yield x_scale(point.x_interval[0]), py - 1, x_scale(point.x_interval[1]), py + 1


def _point_colors(points: Sequence[Point], joined: Sequence[Sequence[int]]) -> list[str]:
    first = {number: path[0] for path in joined for number in path}
    groups = list(dict.fromkeys(first.get(number, number) for number in range(len(points))))
    of_group = {number: points[number].color or _COLORS[at % len(_COLORS)] for at, number in enumerate(groups)}
    return [point.color or of_group[first.get(number, number)] for number, point in enumerate(points)]


def _grid(x_scale: Scale, y_scale: Scale, x: Axis, y: Axis) -> Iterator[str]:
    for value in y_scale.ticks():
        py = y_scale(value)
        yield f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{py:.1f}" y2="{py:.1f}" stroke="#e4e4e4"/>'
        yield f'<text x="{_LEFT - 8}" y="{py + 4:.1f}" text-anchor="end" fill="#555">{y_scale.tick(value)}</text>'
    for value in x_scale.ticks():
        px = x_scale(value)
        yield f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{_TOP}" y2="{_BOTTOM}" stroke="#e4e4e4"/>'
        yield f'<text x="{px:.1f}" y="{_BOTTOM + 18}" text-anchor="middle" fill="#555">{x_scale.tick(value)}</text>'
    yield f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="#333"/>'
    px, py = (_LEFT + _RIGHT) / 2, (_TOP + _BOTTOM) / 2
    centered = 'text-anchor="middle" fill="#222"'
    yield f'<text x="{px:.0f}" y="{_HEIGHT - 22}" {centered}>{escape(x.title)}</text>'
    yield f'<text transform="translate(20 {py:.0f}) rotate(-90)" {centered}>{escape(y.title)}</text>'
    yield f'<text x="{_RIGHT}" y="{_HEIGHT - 6}" text-anchor="end" fill="#777" font-size="12">{escape(x.better)}</text>'
    yield f'<text x="{_LEFT}" y="{_TOP - 12}" fill="#777" font-size="12">{escape(y.better)}</text>'


def _scatter_mark(point: Point, color: str, x_scale: Scale, y_scale: Scale) -> Iterator[str]:
    px, py = x_scale(point.x), y_scale(point.y)
    (x1, x2), (y1, y2) = map(x_scale, point.x_interval), map(y_scale, point.y_interval)
    low, high = (f"{value:.3g}" for value in point.y_interval)
    yield f'<g stroke="{color}" stroke-width="1.6" stroke-opacity="0.75">'
    yield f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{py:.1f}" y2="{py:.1f}"/>'
    yield f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/></g>'
    yield f'<circle cx="{px:.1f}" cy="{py:.1f}" r="5" fill="{color}">'
    yield f"<title>{escape(point.name)}: {point.x:.3g}, {point.y:.3g} [{low}, {high}]</title></circle>"


def _label(name: str, px: float, py: float, color: str, occupied: list[_Box]) -> Iterator[str]:
    """Near the point, at the nearest position where it covers nothing that is already drawn."""
    width = _LETTER * len(name)
    drops = [-9, 18, *(sign * (9 + 16 * step) for step in range(1, 10) for sign in (-1, 1))]
    aside = (9, 34, 60)
    candidates = sorted(
        ((left, py + drop) for drop in drops for far in aside for left in (px + far, px - far - width)),
        key=lambda candidate: _distance(candidate, width, px, py),
    )
    boxes = [(left, base - _LINE + 3, left + width, base + 3) for left, base in candidates]
    inside = [box for box in boxes if _inside(box)] or boxes
    box = next((box for box in inside if not any(_overlap(box, other) for other in occupied)), inside[0])
    occupied.append(box)
    if _distance((box[0], box[3] - 3), width, px, py) > _FAR:
        end = box[0] - 2 if box[0] > px else box[2] + 2
        middle = (box[1] + box[3]) / 2
        yield (
            f'<line x1="{px:.1f}" y1="{py:.1f}" x2="{end:.1f}" y2="{middle:.1f}" stroke="{color}" '
            'stroke-width="0.8" stroke-opacity="0.6"/>'
        )
    yield f'<text x="{box[0]:.1f}" y="{box[3] - 3:.1f}" fill="{color}" font-weight="600">{escape(name)}</text>'


def _along(path: Sequence[tuple[float, float]]) -> Iterator[_Box]:
    """Small boxes that cover a line through some positions."""
    for (x1, y1), (x2, y2) in pairwise(path):
        steps = max(1, round(hypot(x2 - x1, y2 - y1) / 4))
        for step in range(steps + 1):
            px, py = x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps
            yield px - 2, py - 2, px + 2, py + 2


def _distance(candidate: tuple[float, float], width: float, px: float, py: float) -> float:
    """From a point to the nearer end of a label."""
    left, base = candidate
    return hypot(min(abs(left - px), abs(left + width - px)), base - 4 - py)


def _inside(box: _Box) -> bool:
    return box[0] >= _LEFT and box[1] >= 2 and box[2] <= _WIDTH and box[3] <= _BOTTOM + 2


def _overlap(first: _Box, second: _Box) -> bool:
    return first[0] < second[2] and second[0] < first[2] and first[1] < second[3] and second[1] < first[3]


_ROW_WIDTH, _ROW_HEIGHT = 640, 46
"""The width of the dumbbell plot, and the height of each of its rows."""
_FIRST, _LAST, _HEADER, _FOOTER = 150, 620, 58, 34
"""The left and right edge of the bars, and the height above and below the rows."""
_OFFSET = 8
"""How far above and below the middle of a row the two values are, so that their bars do not cover each other."""
BEFORE, WITHIN, OVER = "#767676", "#00785a", "#b00020"

Measured = tuple[float, Interval]
"""A share and its interval."""


@dataclass(frozen=True, slots=True)
class Change:
    """One row of the plot. ``about``: small text below the name. None: not measured."""

    name: str
    about: str
    before: Measured | None
    after: Measured | None


def dumbbell(changes: Sequence[Change], limit: float, limit_title: str) -> str:
    """The changes as a self-contained SVG element, with the limit that they should not exceed."""
    measured = [value for change in changes for value in (change.before, change.after) if value]
    values = [0.0, limit, *(v for value, ends in measured for v in (value, *ends))]
    scale = Scale(axis_range(values), _FIRST, _LAST)
    bottom = _HEADER + _ROW_HEIGHT * len(changes)
    parts = [*_open_svg(_ROW_WIDTH, bottom + _FOOTER, 14, "risk before and after"), *_legend()]
    for value in scale.ticks():
        px = scale(value)
        parts.append(f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{_HEADER}" y2="{bottom}" stroke="#e4e4e4"/>')
        parts.append(
            f'<text x="{px:.1f}" y="{bottom + 20}" text-anchor="middle" fill="#555">{scale.tick(value)}</text>'
        )
    for number, change in enumerate(changes):
        parts += _row(change, _HEADER + _ROW_HEIGHT * (number + 0.5), scale, limit)
    px = scale(limit)
    parts += [
        f'<line x1="{px:.1f}" x2="{px:.1f}" y1="{_HEADER - 8}" y2="{bottom}" stroke="{OVER}" stroke-dasharray="6 4"/>',
        f'<text x="{px + 5:.1f}" y="{_HEADER - 8}" fill="{OVER}" font-size="13">{escape(limit_title)}</text>',
    ]
    return "\n".join([*parts, "</svg>"])


def _legend() -> Iterator[str]:
    yield f'<circle cx="{_FIRST + 6}" cy="16" r="5" fill="#fff" stroke="{BEFORE}" stroke-width="2"/>'
    yield f'<text x="{_FIRST + 17}" y="21" fill="#444">before</text>'
    yield f'<circle cx="{_FIRST + 86}" cy="16" r="6" fill="{WITHIN}"/>'
    yield f'<text x="{_FIRST + 97}" y="21" fill="#444">after</text>'
    yield f'<path d="M{_FIRST + 156} 16h26" stroke="#444" stroke-width="2"/>'
    yield f'<text x="{_FIRST + 189}" y="21" fill="#444">95 % interval</text>'


def _row(change: Change, middle: float, scale: Scale, limit: float) -> Iterator[str]:
    yield f'<path d="M8 {middle + _ROW_HEIGHT / 2:.1f}H{_LAST}" stroke="#f0f0f0"/>'
    yield f'<text x="8" y="{middle - 2:.1f}" fill="#222" font-weight="600">{escape(change.name)}</text>'
    yield f'<text x="8" y="{middle + 14:.1f}" fill="#666" font-size="12">{escape(change.about)}</text>'
    if change.before and change.after:
        start, end = scale(change.before[0]), scale(change.after[0])
        path = f"M{start:.1f} {middle - _OFFSET}L{end:.1f} {middle + _OFFSET}"
        yield f'<path d="{path}" stroke="#bbb" stroke-width="1.2"/>'
    if change.before:
        yield from _dumbbell_mark(change.before, middle - _OFFSET, scale, BEFORE, "#ffffff", f"{change.name}, before")
    if change.after:
        color = WITHIN if change.after[0] <= limit * (1 + 1e-9) else OVER
        yield from _dumbbell_mark(change.after, middle + _OFFSET, scale, color, color, f"{change.name}, after")


def _dumbbell_mark(value: Measured, height: float, scale: Scale, color: str, fill: str, title: str) -> Iterator[str]:
    share, (low, high) = value
    yield f'<path d="M{scale(low):.1f} {height:.1f}H{scale(high):.1f}" stroke="{color}" stroke-width="2"/>'
    yield f'<circle cx="{scale(share):.1f}" cy="{height:.1f}" r="5" fill="{fill}" stroke="{color}" stroke-width="2">'
    yield f"<title>{escape(title)}: {share:.3g} [{low:.3g}, {high:.3g}]</title></circle>"
