"""Documents one by one: those withheld, those at most risk, those that cost most."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import inf

from sfumato.protection.pages.words import WORDS_OF_KINDS, clipped, first_places, lost
from sfumato.protection.records import Protected, Protection, Repair
from sfumato.report.sheet import table
from sfumato.report.words import counted

_REPAIRS = 30
"""Repairs of a document that are told, dearest first; the rest is counted."""


def documents(found: Protection, show: int) -> Iterator[str]:
    """The first ``show`` of them."""
    order = sorted(found.documents, key=_most_at_risk_first)[: max(0, show)]
    if not order:
        return
    yield "<h2>Documents at most risk</h2>"
    left = len(found.documents) - len(order)
    rest = f" {counted(left, 'other document')} not shown; the audit has all of them." if left else ""
    yield (
        f'<p class="quiet">Withheld ones first, then those whose person was easiest to find before the loop, then '
        f"those that cost most.{rest}</p>"
    )
    for number, one in enumerate(order):
        yield from _document(one, found.target.k, " open" if number == 0 else "")


def _most_at_risk_first(one: Protected) -> tuple[bool, float, float, str]:
    best = min((rank for rank in one.ranks_before.values() if rank is not None), default=inf)
    return one.withheld is None, best, -one.loss, one.id


def _document(one: Protected, k: int, opened: str) -> Iterator[str]:
    tag = ' <span class="tag">withheld</span>' if one.withheld is not None else ""
    places = sum(repair.places for repair in one.repairs)
    short = f"{counted(places, 'place')} repaired, {lost(one.loss)} of its information lost"
    yield f"<details{opened}><summary><b>{escape(one.id)}</b>{tag}<small>{short}</small></summary>"
    if one.withheld is not None:
        yield f"<p>Withheld: {escape(one.withheld)}</p>"
    ranks = list(_ranks(one, k))
    if ranks:
        yield f"<ul>{''.join(ranks)}</ul>"
    if one.hardest is not None:
        yield f"<p>Hardest to protect of its people: {escape(one.hardest)}</p>"
    yield from _repairs(one)
    yield "</details>"


def _ranks(one: Protected, k: int) -> Iterator[str]:
    """Where the person stood and stands, in words that tell no rank but the first."""
    top = first_places(k)
    for attack in dict.fromkeys([*one.ranks_before, *one.ranks]):
        before, after = one.ranks_before.get(attack), one.ranks.get(attack)
        was = "the first guess" if before == 1 else top if before is not None and before < k else f"not {top}"
        reached = after is None or after >= k
        is_now = (f"still not {top}" if was.startswith("not") else f"now not {top}") if reached else f"still {top}"
        yield f"<li><b>{escape(attack)}</b>: the person was {was}, and is {is_now}</li>"


def _repairs(one: Protected) -> Iterator[str]:
    if not one.repairs:
        yield '<p class="quiet">Nothing was repaired.</p>'
        return
    dearest = sorted(one.repairs, key=lambda repair: -repair.loss)
    rows = "".join(map(_repair, dearest[:_REPAIRS]))
    yield from table(["said", "says now", "what was done", "places", "forced by", "cost"], [rows], "words")
    if len(dearest) > _REPAIRS:
        yield f'<p class="quiet">And {counted(len(dearest) - _REPAIRS, "cheaper repair")}.</p>'


def _repair(one: Repair) -> str:
    kind = escape(WORDS_OF_KINDS.get(one.kind, one.kind))
    apart = "<br><small>only in a telling phrase</small>" if one.splits else ""
    put = f'<span class="put">{escape(clipped(one.put))}</span>' if one.put.strip() else "<small>nothing</small>"
    return (
        f'<tr><td><span class="said">{escape(clipped(one.said))}</span></td><td>{put}</td><td>{kind}{apart}</td>'
        f'<td>{one.places:,}</td><td class="figure">{escape(one.against)}</td>'
        f'<td class="figure">{lost(one.loss)}</td></tr>'
    )
