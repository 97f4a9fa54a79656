"""Self-contained HTML pages (no scripts, no fonts, nothing loaded), their tables, and numbers as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache
from html import escape
from importlib import resources

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""A page has the styles in it and nothing else: a browser runs no script in it, and loads and sends nothing."""


@cache
def load_style(name: str) -> str:
    """A style sheet of ``report/data``."""
    return resources.files(__package__).joinpath("data", f"{name}.css").read_text("utf-8")


def html_page(title: str, parts: Iterable[str], style: str = "") -> str:
    """A whole page. ``parts`` are markup; ``style`` is CSS that follows the style of all pages."""
    head = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Sfumato: {escape(title)}</title><style>\n{load_style('page')}{style}</style></head><body>",
    ]
    return "\n".join([*head, *parts, "</body></html>"]) + "\n"


def table(header: Sequence[str], rows: Iterable[str], kind: str = "") -> Iterator[str]:
    """A table that scrolls where it is wider than the page. ``rows`` are markup; ``kind`` is its class."""
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


_SIMPLE = sorted({Fraction(above, below) for below in (2, 3, 4, 5, 10) for above in range(1, below + 1)})
"""Fractions that are easy to picture; smaller shares are given as 1 in so many."""


def format_percent(share: float) -> str:
    """A share in a sentence: with one decimal below ten per cent and above ninety."""
    near_an_end = share < 0.1 or share > 0.9
    return f"{_rounded(share, 1)}".removesuffix(".0") + " %" if near_an_end else f"{_rounded(share, 0)} %"


def format_percent_column(share: float) -> str:
    """A share in a column of others: always with one decimal."""
    return f"{_rounded(share, 1)} %"


def _rounded(share: float, decimals: int) -> Decimal:
    """Per cent, halves rounded away from zero. The decimal notation of the value is rounded, not its binary one."""
    return (Decimal(repr(float(share))) * 100).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def format_estimate(value: float, interval: tuple[float, float]) -> tuple[str, str, str]:
    """Value and bounds with decimals by their size: three for shares, two for percentages."""
    numbers = (value, *interval)
    size = max(map(abs, numbers))
    decimals = 3 if size < 2 else 2 if size < 1000 else 0
    shown, low, high = (f"{number:,.{decimals}f}" for number in numbers)
    return shown, low, high


def pluralize(number: int, singular: str, plural: str = "") -> str:
    """``1 document``, ``2 documents``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


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
