"""A protected release as one HTML file that stands for itself, for whoever has to sign it.

It quotes words of the originals and names documents, so it belongs with the audit. Ranks are said in words only:
neither those that the loop had to reach nor those it did reach are told here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from sfumato.attacks.risk import BestRank, Linked
from sfumato.protection.pages.documents import documents
from sfumato.protection.pages.verdict import verdict
from sfumato.protection.pages.words import WORDS_OF_KINDS, clipped, lost, target_in_words
from sfumato.protection.records import Column, Protection
from sfumato.report.dumbbell import Change, Measured, dumbbell
from sfumato.report.sheet import cell, row, sheet, table
from sfumato.report.words import counted, percent, tabled
from sfumato.version import __version__

_STYLE = """
body{max-width:860px}.verdict{border-left:8px solid;padding:.9em 1.2em;margin:1.2em 0;border-radius:4px}
.verdict p{margin:.5em 0}.verdict .big{font-size:1.3em;line-height:1.4;font-weight:600;margin-top:0}
.met{background:#e9f5f0;border-color:#00785a}.missed{background:#fbebed;border-color:#b00020}
.unsure{background:#fff6e0;border-color:#b07800}
.notice{border:1px solid #b07800;background:#fff6e0;padding:.5em 1em;border-radius:4px;font-size:14px}
table.words td,table.words th{white-space:normal;text-align:left;vertical-align:top}
table.words small{white-space:nowrap}table.words td:first-child small{white-space:normal}
table.words td:first-child{min-width:8em}
.wide svg{min-width:470px}details{border:1px solid #ddd;border-radius:4px;padding:.5em .9em;margin:.5em 0}
summary{cursor:pointer;overflow-wrap:anywhere}summary small{display:block;margin-left:1.1em}
details ul{margin:.4em 0;padding-left:1.3em}.said{background:#f7e3e5}.put{background:#e1f1ea}
.said,.put{padding:0 .25em;border-radius:3px;overflow-wrap:break-word}table.words td.figure{white-space:nowrap}
.tag{font-size:12px;font-weight:600;padding:.05em .5em;border-radius:9px;background:#b00020;color:#fff}
footer{margin-top:3em;border-top:1px solid #ccc;padding-top:.6em;color:#666;font-size:13px;overflow-wrap:anywhere}
@media(max-width:600px){body{margin:1em auto;padding:0 .8em}.verdict .big{font-size:1.12em}
th,td{padding:.3em .45em}}
@media print{.verdict,.notice,.tag,.said,.put{print-color-adjust:exact;-webkit-print-color-adjust:exact}
@page{margin:16mm}body{font-size:12px;padding:0}table{font-size:11px}.quiet,.notice{font-size:11px}
svg,summary,.verdict{break-inside:avoid}h2,summary{break-after:avoid}details::details-content{content-visibility:visible;height:auto}
.wide{overflow:visible}}
"""


def page(protection: Protection, *, show: int = 10) -> str:
    """The whole page. ``show``: how many documents are told of one by one, those at most risk first."""
    parts = [
        "<h1>Protected release: what attackers still find</h1>",
        f'<p class="quiet">{counted(len(protection.documents), "document")}: {len(protection.released):,} released, '
        f"{len(protection.withheld):,} withheld.</p>",
        '<p class="notice"><b>Confidential.</b> This page quotes words of the originals and names documents. '
        "Keep it with the audit; do not publish it with the release.</p>",
        *verdict(protection),
        *_risk(protection),
        *_columns(protection),
        *_cost(protection),
        *documents(protection, show),
        *_footer(protection),
    ]
    return sheet("protected release", parts, _STYLE)


def _risk(found: Protection) -> Iterator[str]:
    names = list(dict.fromkeys([*found.before, *found.after]))
    if not names:
        return
    yield "<h2>Risk before and after</h2>"
    limit = target_in_words(found.target)
    changes = [
        Change(name, _role(found, name), _measured(found.before.get(name)), _measured(found.after.get(name)))
        for name in names
    ]
    yield f'<div class="wide">{dumbbell(changes, found.target.risk, limit)}</div>'
    rows = [
        row(name, [f"<td>{_role(found, name)}</td>", *(_share(found, side.get(name)) for side in _sides(found))])
        for name in names
    ]
    yield from table(["attack", "what it is for", "before", "after"], rows, "words")
    people = counted(found.people, "person", "people")
    before, after = _sizes(found)
    yield (
        f'<p class="quiet">Share of documents whose person an attacker names among {people} by the first guess, '
        f"or by the place in the attack’s list that the other documents teach; below it the 95 % interval. “Before” is "
        f"what the recipe made of {counted(before, 'document')}, “after” what the loop made of {after:,}. The loop "
        "repairs until its own attacks fail, so what the others find says more. In red: above the target.</p>"
    )


def _sides(found: Protection) -> tuple[Mapping[str, Linked], Mapping[str, Linked]]:
    return found.before, found.after


def _sizes(found: Protection) -> list[int]:
    return [max((one.n for one in side.values()), default=0) for side in _sides(found)]


def _role(found: Protection, name: str) -> str:
    return "used by the loop" if name in found.loop_attacks else "verifies"


def _measured(one: Linked | None) -> Measured | None:
    return (one.learned.risk, one.learned.interval) if one else None


def _share(found: Protection, one: Linked | None) -> str:
    return _best(found, one.learned) if one else "<td>–</td>"


def _best(found: Protection, best: BestRank) -> str:
    low, high = map(tabled, best.interval)
    return cell(tabled(best.risk), (low, high), "" if found.target.is_met(best.risk) else "over")


def _columns(found: Protection) -> Iterator[str]:
    yield "<h2>Verified against other attackers</h2>"
    if not found.columns:
        yield "<p>Nothing was verified with other attacks or other knowledge.</p>"
        return
    rows = [_column(found, column) for column in found.columns]
    yield from table(["attacker", "strongest attack", "finds", "the target"], rows, "words")


def _column(found: Protection, column: Column) -> str:
    about = f"<td><b>{escape(column.name)}</b><br><small>{escape(column.about)}</small></td>"
    holds = "must hold here" if column.binding else "is for information here"
    if not column.attacks:
        return f"<tr>{about}<td>not run</td><td>–</td><td>{holds}</td></tr>"
    name, best = column.strongest
    return (
        f"<tr>{about}<td>{escape(name)}<br><small>among {counted(column.people, 'person', 'people')}</small>"
        f"</td>{_best(found, best)}<td>{holds}</td></tr>"
    )


def _cost(found: Protection) -> Iterator[str]:
    out = found.released
    if not out:
        return
    yield "<h2>What it cost</h2>"
    untouched = sum(not one.repairs for one in out)
    spared = f" {counted(untouched, 'document')} needed no repair." if untouched else ""
    allowed = "" if found.target.budget is None else f" At most {percent(found.target.budget)} was allowed."
    yield (
        f"<p>The loop cost a released document <b>{lost(found.loss)}</b> of its information on average, beyond what "
        f"the recipe had taken already; the dearest lost {lost(max(one.loss for one in out))}.{allowed}{spared}</p>"
    )
    if not found.repairs:
        return
    total = sum(found.repairs.values())
    rows = [
        row(WORDS_OF_KINDS.get(kind, kind), [f"<td>{count:,}</td><td>{tabled(count / total)}</td>"])
        for kind, count in found.repairs.most_common()
    ]
    yield from table(["what was done", "places", "share"], rows)


def _footer(found: Protection) -> Iterator[str]:
    told = [
        f"Sfumato {__version__}",
        f"background {found.background[:12] or 'none'}, {counted(found.people, 'person', 'people')}",
        f"{counted(found.rounds, 'round')} of the loop",
        f"{found.seconds:,.0f} seconds" if found.seconds >= 10 else f"{found.seconds:.1f} seconds",
    ]
    # Not even here: whoever has it can tell which rank each document had to reach.
    settings = {key: clipped(str(value)) for key, value in found.settings.items() if key not in ("secret", "seed")}
    yield f"<footer><p>{escape(' · '.join(told))}</p>"
    if settings:
        yield f"<p>{escape('; '.join(f'{key}: {value}' for key, value in settings.items()))}</p>"
    yield "</footer>"
