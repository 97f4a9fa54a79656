"""The frontier: what each target costs a corpus, as a curve to choose from by looking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import inf

from sfumato.attacks.risk import STRONG
from sfumato.errors import NotMeasurable
from sfumato.protection.records import FrontierPoint
from sfumato.report.scale import Interval
from sfumato.report.scatter import Axis, Line, Point, scatter
from sfumato.report.sheet import cell, row, sheet, table
from sfumato.report.words import percent, tabled
from sfumato.version import __version__

_START, _LOOP = "#767676", "#0072b2"


def frontier_svg(points: Sequence[FrontierPoint]) -> str:
    """The curve: information kept to the right, verified risk upwards, the points joined in the order of k."""
    if not points:
        raise NotMeasurable("there is no point to draw; give at least one target")
    ordered = _ordered(points)
    marks = [
        Point(_label(one), one.kept, one.kept_interval, one.risk, one.risk_interval, _START if one.k is None else _LOOP)
        for one in ordered
    ]
    return scatter(
        marks,
        Axis("information kept (TPS)", "more useful →"),
        Axis("verified risk (strongest attack)", "↓ more private"),
        Line(STRONG, f"{percent(STRONG)}: 1 in {round(1 / STRONG)}"),
        joined=range(len(marks)),
    )


def frontier_page(points: Sequence[FrontierPoint], *, about: str = "") -> str:
    """The curve, the points in figures, and how to read them. ``about``: a sentence on the corpus."""
    ordered = _ordered(points)
    return sheet(
        "risk and utility",
        [
            "<h1>What each target costs</h1>",
            *([f"<p>{escape(about)}</p>"] if about else []),
            f'<div class="wide">{frontier_svg(points)}</div>',
            *_reading(ordered),
            *_figures(ordered),
            f'<p class="quiet">Sfumato {__version__}.</p>',
        ],
        ".wide svg{min-width:520px}@media print{table{font-size:11px}}",
    )


def _label(point: FrontierPoint) -> str:
    return f"{point.name} ({point.withheld:,} withheld)" if point.withheld else point.name


def _ordered(points: Sequence[FrontierPoint]) -> list[FrontierPoint]:
    return sorted(points, key=lambda one: -inf if one.k is None else one.k)


def advised(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint, bool] | None:
    """The most useful point below the line, and whether its whole interval is; None where no point is fit for use.

    A document that is withheld is of no use, so points that withhold many come after those that release them, and a
    point that withholds more than it releases is no choice at all.
    """
    within = [one for one in points if one.risk <= STRONG and one.withheld <= one.n]
    sure = [one for one in within if one.risk_interval[1] <= STRONG]
    if not within:
        return None
    return max(sure or within, key=lambda one: one.kept * one.n / (one.n + one.withheld)), bool(sure)


def price(point: FrontierPoint) -> str:
    """What a point keeps, and what it withholds."""
    said = f"keeps {kept(point.kept)}"
    return f"{said} of what it releases, but withholds {_withheld(point)}" if point.withheld else said


def doubt(point: FrontierPoint) -> str:
    """Why a point that lies below the line may be above it in truth."""
    over = f"{point.n:,} document{'' if point.n == 1 else 's'}"
    return f"its bar, over {over}, does not lie below the line as a whole: the true risk may be higher"


def nowhere(points: Sequence[FrontierPoint]) -> str:
    """Why no point can be advised, and what to try."""
    if any(one.risk <= STRONG for one in points):
        return (
            "every point below the line withholds more documents than it releases: these texts say little besides "
            "whom they are about; start from a recipe that hides more, or accept a higher risk"
        )
    return "no point lies below the line: take a larger k, a larger background, or another recipe to start from"


def _withheld(point: FrontierPoint) -> str:
    return f"{point.withheld:,} of {point.withheld + point.n:,} documents"


def _reading(points: Sequence[FrontierPoint]) -> Iterator[str]:
    yield (
        "<p>Each point is the corpus released with another target: the further right, the more information is "
        "kept; the further down, the fewer people the strongest attack that verifies it can still find. "
        f"Choose the point furthest right that lies below the line ({percent(STRONG)}), and look at the whole of its "
        "bar, not only at the dot: bars are 95 % intervals. Documents that miss their target are withheld; a point "
        "says how many.</p>"
    )
    chosen = advised(points)
    if chosen is None:
        yield f"<p>Here {nowhere(points)}.</p>"
        return
    best, is_sure = chosen
    yield (
        f"<p>Here that is <b>{escape(best.name)}</b>, which {price(best)}{'' if is_sure else f'; {doubt(best)}'}.</p>"
    )


def _figures(points: Sequence[FrontierPoint]) -> Iterator[str]:
    rows = []
    for one in points:
        cells = [
            f"<td>{'–' if one.k is None else f'{one.k:,}'}</td>",
            _share(one.risk, one.risk_interval, "over" if one.risk > STRONG else ""),
            f"<td>{escape(one.attack)}</td>",
            cell(kept(one.kept), (kept(one.kept_interval[0]), kept(one.kept_interval[1]))),
            f"<td>{one.withheld:,}</td><td>{one.n:,}</td>",
        ]
        rows.append(row(one.name, cells))
    yield "<h2>In figures</h2>"
    yield from table(["", "k", "verified risk", "strongest attack", "information kept", "withheld", "released"], rows)
    yield (
        '<p class="quiet">Below each value its 95 % interval; in red: above the line. Risk and information are those '
        "of the documents that are released: where some are withheld, the others look the better for it.</p>"
    )


def _share(value: float, interval: Interval, kind: str = "") -> str:
    low, high = map(tabled, interval)
    return cell(tabled(value), (low, high), kind)


def kept(share: float) -> str:
    """A share of information with a decimal, for that is what points differ by."""
    return tabled(share)
