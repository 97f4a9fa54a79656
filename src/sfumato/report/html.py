"""The frame of a page that stands for itself: no script, no font, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from html import escape

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:980px;margin:2.5em auto;padding:0 1.2em}
h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.15em;margin-top:2.2em}
svg{max-width:100%;height:auto}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:14px}th,td{padding:.3em .8em;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}thead th{border-bottom:2px solid #333}
thead th{white-space:normal;overflow-wrap:anywhere;vertical-align:bottom}
tbody td{border-bottom:1px solid #eee}tr.family td{font-weight:600;padding-top:1em;border:0}
small{color:#666}.quiet{color:#666;font-size:14px}td.over{color:#b00020}
@media print{body{margin:0}h2{break-after:avoid}tr{break-inside:avoid}table{font-size:9px}th,td{padding:.2em .5em}}
"""


def html_page(title: str, parts: Iterable[str], style: str = "") -> str:
    """A whole page. ``parts`` are markup; ``style`` is put after the style that all pages share."""
    head = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Sfumato: {escape(title)}</title><style>{_STYLE}{style}</style></head><body>",
    ]
    return "\n".join([*head, *parts, "</body></html>"]) + "\n"


def table(header: Sequence[str], rows: Iterable[str], kind: str = "") -> Iterator[str]:
    """A table that scrolls by itself where it is wider than the page. ``rows`` are markup; ``kind`` is its class."""
    yield f'<div class="wide"><table{_class(kind)}><thead><tr>'
    yield "".join(f"<th>{escape(name)}</th>" for name in header)
    yield "</tr></thead><tbody>"
    yield from rows
    yield "</tbody></table></div>"


def row(name: str, cells: Iterable[str]) -> str:
    """A row of a table: its name, and cells that are markup."""
    return f"<tr><td>{escape(name)}</td>{''.join(cells)}</tr>"


def cell(value: str, interval: tuple[str, str], kind: str = "") -> str:
    """A figure with its interval below. ``kind``: its class in the style."""
    low, high = interval
    return f"<td{_class(kind)}>{escape(value)}<br><small>{escape(low)} – {escape(high)}</small></td>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


# -- Numbers as people read them.


_SIMPLE = sorted({Fraction(above, below) for below in (2, 3, 4, 5, 10) for above in range(1, below + 1)})
"""The fractions that people picture at once; smaller shares are said as 1 in so many."""


def format_percent(share: float) -> str:
    """A share as people write it in a sentence, with a decimal below ten per cent and above ninety."""
    near_an_end = share < 0.1 or share > 0.9
    return f"{_rounded(share, 1)}".removesuffix(".0") + " %" if near_an_end else f"{_rounded(share, 0)} %"


def format_percent_column(share: float) -> str:
    """A share in a column of others: with one decimal, always."""
    return f"{_rounded(share, 1)} %"


def _rounded(share: float, decimals: int) -> Decimal:
    """Per cent, as people round: halves away from zero. The value is taken as it is written, not as it is stored."""
    return (Decimal(repr(float(share))) * 100).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def format_estimate(value: float, interval: tuple[float, float]) -> tuple[str, str, str]:
    """Value and bounds with as many decimals as their size bears: three for shares, two for what is times 100."""
    every = (value, *interval)
    size = max(map(abs, every))
    decimals = 3 if size < 2 else 2 if size < 1000 else 0
    told, low, high = (f"{one:,.{decimals}f}" for one in every)
    return told, low, high


def pluralize(number: int, one: str, many: str = "") -> str:
    """``1 document``, ``2 documents``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def format_odds(share: float) -> str:
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
