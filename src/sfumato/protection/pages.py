"""The HTML reports of protection: a protected release, for whoever has to sign it, and the frontier.

The report of a release quotes words of the originals and names documents, so it belongs with the audit. Ranks are
given in words only: neither those that the loop had to reach nor those it did reach are in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from math import inf

from sfumato.attacks.continuation import describe_continuation
from sfumato.attacks.risk import STRONG_RISK, RiskAtRank
from sfumato.errors import NotMeasurable, listed
from sfumato.protection.certificate import (
    DOES_NOT_SAY,
    MEANS,
    NO_PROOF,
    strongest_binding,
    uncertainty,
    unverified_parts,
)
from sfumato.protection.records import FrontierPoint, ProtectedDocument, Protection, Repair, ThreatScenario
from sfumato.report.html import (
    cell,
    format_percent,
    format_percent_column,
    html_page,
    load_style,
    pluralize,
    row,
    table,
)
from sfumato.report.plots import Axis, Change, Interval, Line, Point, dumbbell, scatter
from sfumato.version import __version__

_REASONS = 6
"""Most reasons for withholding that are listed; the rest is counted."""


def verdict(protection: Protection) -> Iterator[str]:
    """The box at the top of the page."""
    kind, sentence = _sentence(protection)
    yield f'<div class="verdict {kind}"><p class="big">{escape(sentence)}</p>'
    yield from (f"<p>{escape(line)}</p>" for line in _reservations(protection))
    yield from _withheld(protection)
    yield "</div>"


def _sentence(protection: Protection) -> tuple[str, str]:
    target = f"1 in {protection.target.k:,} ({format_percent(protection.target.risk)})"
    if not protection.released:
        return "missed", f"✗ Nothing is released: no document was shown to be within the target of {target}."
    worst = strongest_binding(protection)
    if worst is None:
        return "unsure", (
            f"? Not verified: the loop worked towards the target of {target}, but no other attack has checked it."
        )
    scenario, name, best = worst
    low, high = map(format_percent, best.interval)
    n = pluralize(scenario.attacks[name].n, "released document")
    named = f"names the person in {format_percent(best.risk)} of {n}" if best.risk else f"names nobody in {n}"
    kept_back = f"; {len(protection.withheld):,} withheld" if protection.withheld else ""
    which = "the strongest verifying attack" if scenario.verifying else "the strongest attack"
    result = f"{which}, {name}, {named} (95 % interval {low} to {high}){kept_back}."
    if protection.met and describe_continuation(protection.continuation):
        return "unsure", f"? The target of {target} is met against attacks that do not read as people do: {result}"
    match protection.standing:
        case "shown":
            return "met", f"✓ The target of {target} is shown to be met: {result}"
        case "met in this sample":
            return "unsure", f"? The target of {target} is met in this sample, but so few do not show it: {result}"
        case _:
            return "missed", f"✗ The target of {target} is missed: {result}"


def _reservations(protection: Protection) -> Iterator[str]:
    """What weakens the verdict, and what the guarantee means."""
    worst = strongest_binding(protection) if protection.released else None
    if worst is not None and not worst[0].verifying:
        yield NO_PROOF
    yield from uncertainty(protection, protection.met)
    if protection.released_anyway:
        count = pluralize(protection.released_anyway, "document")
        yield f"{count} could not be brought to the target and went out all the same, as asked."
    yield from unverified_parts(protection)
    if protection.also_named:
        yield f"They are named in {listed(protection.also_named)}."
    if protection.released:
        people, guarantee = pluralize(protection.people, "person", "people"), protection.guarantee
        how = f"against a background of {people}" if guarantee == "background" else "without a background"
        yield f"Checked {how}. {MEANS[guarantee]} {DOES_NOT_SAY[guarantee]}"


def _withheld(protection: Protection) -> Iterator[str]:
    if not protection.withheld:
        yield "<p>No document is withheld.</p>"
        return
    total = pluralize(len(protection.documents), "document")
    yield f"<p>{len(protection.withheld):,} of {total} withheld, because:</p><ul>"
    reasons = Counter(document.withheld or "" for document in protection.withheld).most_common()
    for reason, count in reasons[:_REASONS]:
        yield f"<li>{escape(reason)} ({count:,})</li>"
    if len(reasons) > _REASONS:
        yield f"<li>other reasons ({sum(count for _, count in reasons[_REASONS:]):,})</li>"
    yield "</ul>"


REPAIR_NAMES = {
    "generalize": "a step up the hierarchy",
    "hypernym": "a wider word",
    "figure": "an exact figure made round",
    "rephrase": "a name for anything of its kind",
    "drop": "a modifier, a phrase or a sentence left out",
    "suppress": "removed, with a mark of omission",
    "form": "signs made uniform and paragraphs joined",
}
"""Kinds of repairs in words."""
_LONG = 120


def format_loss(share: float) -> str:
    """A share of information lost, which is often small."""
    return "less than 0.1 %" if 0 < share < 0.0005 else format_percent(share)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONG else text[: _LONG - 1].rstrip() + "…"


_REPAIRS = 30
"""Most repairs of a document that are listed, the costliest first; the rest is counted."""


def documents(protection: Protection, show: int) -> Iterator[str]:
    """The first ``show`` documents: withheld, then at most risk, then costliest."""
    order = sorted(protection.documents, key=_most_at_risk_first)[: max(0, show)]
    if not order:
        return
    yield "<h2>Documents at most risk</h2>"
    left = len(protection.documents) - len(order)
    rest = f" {pluralize(left, 'other document')} not shown; the audit has all of them." if left else ""
    yield (
        f'<p class="quiet">Withheld ones first, then those whose person was easiest to find before the loop, then '
        f"those that cost most.{rest}</p>"
    )
    for number, document in enumerate(order):
        yield from _document(document, protection.target.k, " open" if number == 0 else "")


def _most_at_risk_first(document: ProtectedDocument) -> tuple[bool, float, float, str]:
    best = min((rank for rank in document.ranks_before.values() if rank is not None), default=inf)
    return document.withheld is None, best, -document.loss, document.id


def _document(document: ProtectedDocument, k: int, opened: str) -> Iterator[str]:
    tag = ' <span class="tag">withheld</span>' if document.withheld is not None else ""
    places = sum(repair.places for repair in document.repairs)
    short = f"{pluralize(places, 'place')} repaired, {format_loss(document.loss)} of its information lost"
    yield f"<details{opened}><summary><b>{escape(document.id)}</b>{tag}<small>{short}</small></summary>"
    if document.withheld is not None:
        yield f"<p>Withheld: {escape(document.withheld)}</p>"
    if ranks := "".join(_ranks(document, k)):
        yield f"<ul>{ranks}</ul>"
    if document.hardest_subject is not None:
        yield f"<p>Hardest to protect of its people: {escape(document.hardest_subject)}</p>"
    yield from _repairs(document)
    yield "</details>"


def _ranks(document: ProtectedDocument, k: int) -> Iterator[str]:
    """The person's rank before and after, in words that tell no rank but the first."""
    # Where the person must not be: with k = 11 among the first 10 of an attack's list.
    top = "the first guess" if k == 2 else f"among the first {k - 1:,} guesses"
    for attack in dict.fromkeys([*document.ranks_before, *document.ranks]):
        before, after = document.ranks_before.get(attack), document.ranks.get(attack)
        was = "the first guess" if before == 1 else top if before is not None and before < k else f"not {top}"
        reached = after is None or after >= k
        is_now = (f"still not {top}" if was.startswith("not") else f"now not {top}") if reached else f"still {top}"
        yield f"<li><b>{escape(attack)}</b>: the person was {was}, and is {is_now}</li>"


def _repairs(document: ProtectedDocument) -> Iterator[str]:
    if not document.repairs:
        yield '<p class="quiet">Nothing was repaired.</p>'
        return
    costliest = sorted(document.repairs, key=lambda repair: -repair.loss)
    rows = "".join(map(_repair, costliest[:_REPAIRS]))
    yield from table(["before", "after", "what was done", "places", "forced by", "cost"], [rows], "words")
    if len(costliest) > _REPAIRS:
        yield f'<p class="quiet">And {pluralize(len(costliest) - _REPAIRS, "cheaper repair")}.</p>'


def _repair(repair: Repair) -> str:
    kind = escape(REPAIR_NAMES.get(repair.kind, repair.kind))
    partial = "<br><small>only in an identifying phrase</small>" if repair.partial else ""
    after = _shorten(repair.after)
    shown = f'<span class="replacement">{escape(after)}</span>' if after else "<small>nothing</small>"
    return (
        f'<tr><td><span class="original">{escape(_shorten(repair.before))}</span></td><td>{shown}</td>'
        f"<td>{kind}{partial}</td>"
        f'<td>{repair.places:,}</td><td class="figure">{escape(repair.attack)}</td>'
        f'<td class="figure">{format_loss(repair.loss)}</td></tr>'
    )


def page(protection: Protection, *, show: int = 10) -> str:
    """The whole page. ``show``: how many documents are shown, those at most risk first."""
    parts = [
        "<h1>Protected release: what attackers still find</h1>",
        f'<p class="quiet">{pluralize(len(protection.documents), "document")}: {len(protection.released):,} released, '
        f"{len(protection.withheld):,} withheld.</p>",
        '<p class="notice"><b>Confidential.</b> This page quotes words of the originals and names documents. '
        "Keep it with the audit; do not publish it with the release.</p>",
        *verdict(protection),
        *_risk(protection),
        *_scenarios(protection),
        *_cost(protection),
        *documents(protection, show),
        *_footer(protection),
    ]
    return html_page("protected release", parts, "\n" + load_style("protection"))


def _risk(protection: Protection) -> Iterator[str]:
    sides = protection.before, protection.after
    names = list(dict.fromkeys(name for side in sides for name in side))
    if not names:
        return
    yield "<h2>Risk before and after</h2>"
    changes, rows = [], []
    for name in names:
        role = "used by the loop" if name in protection.loop_attacks else "verifies"
        risks = [side[name].learned if name in side else None for side in sides]
        before, after = ((risk.risk, risk.interval) if risk else None for risk in risks)
        changes.append(Change(name, role, before, after))
        cells = (_risk_cell(protection, risk) if risk else "<td>–</td>" for risk in risks)
        rows.append(row(name, [f"<td>{role}</td>", *cells]))
    target = protection.target
    plot = dumbbell(changes, target.risk, f"target {format_percent(target.risk)}: 1 in {target.k:,}")
    yield f'<div class="wide">{plot}</div>'
    yield from table(["attack", "what it is for", "before", "after"], rows, "words")
    people = pluralize(protection.people, "person", "people")
    documents_before, documents_after = (max((risk.n for risk in side.values()), default=0) for side in sides)
    yield (
        f'<p class="quiet">Share of documents whose person an attacker names among {people} by the first guess, '
        "or by the place in the attack’s list that the other documents teach; below it the 95 % interval. “Before” is "
        f"what the recipe made of {pluralize(documents_before, 'document')}, “after” what the loop made of "
        f"{documents_after:,}. The loop repairs until its own attacks fail, so what the others find says more. In red: "
        "above the target.</p>"
    )


def _risk_cell(protection: Protection, best: RiskAtRank) -> str:
    return _share_cell(best.risk, best.interval, "" if protection.target.is_met(best.risk) else "over")


def _scenarios(protection: Protection) -> Iterator[str]:
    yield "<h2>Verified against other attackers</h2>"
    if not protection.scenarios:
        yield "<p>Nothing was verified with other attacks or other knowledge.</p>"
        return
    rows = [_scenario(protection, scenario) for scenario in protection.scenarios]
    yield from table(["attacker", "strongest attack", "finds", "the target"], rows, "words")


def _scenario(protection: Protection, scenario: ThreatScenario) -> str:
    about = f"<td><b>{escape(scenario.name)}</b><br><small>{escape(scenario.about)}</small></td>"
    holds = "must hold here" if scenario.binding else "is for information here"
    if not scenario.attacks:
        return f"<tr>{about}<td>not run</td><td>–</td><td>{holds}</td></tr>"
    name, best = scenario.strongest
    return (
        f"<tr>{about}<td>{escape(name)}<br><small>among {pluralize(scenario.people, 'person', 'people')}</small>"
        f"</td>{_risk_cell(protection, best)}<td>{holds}</td></tr>"
    )


def _cost(protection: Protection) -> Iterator[str]:
    released = protection.released
    if not released:
        return
    yield "<h2>What it cost</h2>"
    untouched = sum(not document.repairs for document in released)
    spared = f" {pluralize(untouched, 'document')} needed no repair." if untouched else ""
    budget = protection.target.budget
    allowed = "" if budget is None else f" At most {format_percent(budget)} was allowed."
    yield (
        f"<p>The loop cost a released document <b>{format_loss(protection.loss)}</b> of its information on average, "
        f"beyond what the recipe had taken already; the most that one lost is "
        f"{format_loss(max(document.loss for document in released))}.{allowed}{spared}</p>"
    )
    if not protection.repairs:
        return
    total = sum(protection.repairs.values())
    rows = [
        row(REPAIR_NAMES.get(kind, kind), [f"<td>{count:,}</td><td>{format_percent_column(count / total)}</td>"])
        for kind, count in protection.repairs.most_common()
    ]
    yield from table(["what was done", "places", "share"], rows)


def _footer(protection: Protection) -> Iterator[str]:
    lines = [
        f"Sfumato {__version__}",
        f"background {protection.background[:12] or 'none'}, {pluralize(protection.people, 'person', 'people')}",
        f"{pluralize(protection.rounds, 'round')} of the loop",
        f"{protection.seconds:,.0f} seconds" if protection.seconds >= 10 else f"{protection.seconds:.1f} seconds",
    ]
    yield f"<footer><p>{escape(' · '.join(lines))}</p>"
    # The secret would tell which rank each document had to reach.
    settings = [(key, value) for key, value in protection.settings.items() if key not in ("secret", "seed")]
    if settings:
        yield f"<p>{escape('; '.join(f'{key}: {_shorten(str(value))}' for key, value in settings))}</p>"
    yield "</footer>"


_START, _LOOP = "#767676", "#0072b2"


def frontier_svg(points: Sequence[FrontierPoint]) -> str:
    """The curve as SVG: information kept to the right, verified risk upwards, points joined in the order of k."""
    if not points:
        raise NotMeasurable("there is no point to draw; give at least one target")
    marks = []
    for point in _ordered(points):
        label = f"{point.name} ({point.withheld:,} withheld)" if point.withheld else point.name
        color = _START if point.k is None else _LOOP
        marks.append(Point(label, point.kept, point.kept_interval, point.risk, point.risk_interval, color))
    return scatter(
        marks,
        Axis("information kept (TPS)", "more useful →"),
        Axis("verified risk (strongest attack)", "↓ more private"),
        Line(STRONG_RISK, f"{format_percent(STRONG_RISK)}: 1 in {round(1 / STRONG_RISK)}"),
        joined=[range(len(marks))],
    )


def frontier_page(points: Sequence[FrontierPoint], *, about: str = "") -> str:
    """The curve, a table of the points, and how to read them. ``about``: a sentence on the corpus."""
    ordered = _ordered(points)
    return html_page(
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


def _ordered(points: Sequence[FrontierPoint]) -> list[FrontierPoint]:
    return sorted(points, key=lambda point: -inf if point.k is None else point.k)


def recommend_point(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint, bool] | None:
    """The most useful point below the line, and whether its whole interval is; None where no point is usable.

    A document that is withheld is of no use, so points that withhold many come after those that release them, and a
    point that withholds more than it releases is no choice at all.
    """
    within = [point for point in points if point.risk <= STRONG_RISK and point.withheld <= point.n]
    sure = [point for point in within if point.risk_interval[1] <= STRONG_RISK]
    if not within:
        return None
    return max(sure or within, key=lambda point: point.kept * point.n / (point.n + point.withheld)), bool(sure)


def describe_cost(point: FrontierPoint) -> str:
    """What a point keeps, and what it withholds."""
    kept = f"keeps {format_percent_column(point.kept)}"
    withheld = f"withholds {point.withheld:,} of {point.withheld + point.n:,} documents"
    return f"{kept} of what it releases, but {withheld}" if point.withheld else kept


def describe_uncertainty(point: FrontierPoint) -> str:
    """Why the true risk of a point below the line may be above it."""
    documents = pluralize(point.n, "document")
    return f"its bar, over {documents}, does not lie below the line as a whole: the true risk may be higher"


def why_none(points: Sequence[FrontierPoint]) -> str:
    """Why no point can be recommended, and what to try."""
    if any(point.risk <= STRONG_RISK for point in points):
        return (
            "every point below the line withholds more documents than it releases: these texts say little besides "
            "whom they are about; start from a recipe that hides more, or accept a higher risk"
        )
    return "no point lies below the line: take a larger k, a larger background, or another recipe to start from"


def _reading(points: Sequence[FrontierPoint]) -> Iterator[str]:
    yield (
        "<p>Each point is the corpus released with another target: the further right, the more information is "
        "kept; the further down, the fewer people the strongest attack that verifies it can still find. "
        f"Choose the point furthest right that lies below the line ({format_percent(STRONG_RISK)}), and look at the "
        "whole of its bar, not only at the dot: bars are 95 % intervals. Documents that miss their target are "
        "withheld; a point says how many.</p>"
    )
    recommended = recommend_point(points)
    if recommended is None:
        yield f"<p>Here {why_none(points)}.</p>"
        return
    best, is_sure = recommended
    doubt = "" if is_sure else f"; {describe_uncertainty(best)}"
    yield f"<p>Here that is <b>{escape(best.name)}</b>, which {describe_cost(best)}{doubt}.</p>"


def _figures(points: Sequence[FrontierPoint]) -> Iterator[str]:
    rows = []
    for point in points:
        cells = [
            f"<td>{'–' if point.k is None else f'{point.k:,}'}</td>",
            _share_cell(point.risk, point.risk_interval, "over" if point.risk > STRONG_RISK else ""),
            f"<td>{escape(point.attack)}</td>",
            _share_cell(point.kept, point.kept_interval),
            f"<td>{point.withheld:,}</td><td>{point.n:,}</td>",
        ]
        rows.append(row(point.name, cells))
    yield "<h2>In figures</h2>"
    yield from table(["", "k", "verified risk", "strongest attack", "information kept", "withheld", "released"], rows)
    yield (
        '<p class="quiet">Below each value its 95 % interval; in red: above the line. Risk and information are those '
        "of the documents that are released: where some are withheld, the others look the better for it.</p>"
    )


def _share_cell(value: float, interval: Interval, kind: str = "") -> str:
    low, high = map(format_percent_column, interval)
    return cell(format_percent_column(value), (low, high), kind)
