"""The verdict in one sentence, what kind of guarantee that is, and what is withheld."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape

from sfumato.errors import listed
from sfumato.protection.certificate.words import DOES_NOT_SAY, MEANS, NO_PROOF, beside, doubt, strongest_binding
from sfumato.protection.records import Protection
from sfumato.report.words import counted, percent

_REASONS = 6
"""Reasons for withholding that are told; the rest is counted."""


def verdict(found: Protection) -> Iterator[str]:
    """The box at the top of the page."""
    kind, said = _sentence(found)
    yield f'<div class="verdict {kind}"><p class="big">{escape(said)}</p>'
    yield from (f"<p>{escape(line)}</p>" for line in (*_caution(found), *_guarantee(found)))
    yield from _withheld(found)
    yield "</div>"


def _sentence(found: Protection) -> tuple[str, str]:
    target = f"1 in {found.target.k:,} ({percent(found.target.risk)})"
    if not found.released:
        return "missed", f"✗ Nothing is released: no document was shown to be within the target of {target}."
    worst = strongest_binding(found)
    if worst is None:
        return "unsure", (
            f"? Not verified: the loop worked towards the target of {target}, but no other attack has checked it."
        )
    column, name, best = worst
    low, high = map(percent, best.interval)
    n = counted(column.attacks[name].n, "released document")
    named = f"names the person in {percent(best.risk)} of {n}" if best.risk else f"names nobody in {n}"
    kept_back = f"; {len(found.withheld):,} withheld" if found.withheld else ""
    which = "the strongest verifying attack" if column.verifying else "the strongest attack"
    said = f"{which}, {name}, {named} (95 % interval {low} to {high}){kept_back}."
    if found.met:
        return "met", f"✓ The target of {target} is met: {said}"
    return "missed", f"✗ The target of {target} is not met: {said}"


def _caution(found: Protection) -> Iterator[str]:
    worst = strongest_binding(found) if found.released else None
    if worst is not None and not worst[0].verifying:
        yield NO_PROOF
    yield from doubt(found, found.met)
    if insisted := sum(one.insisted is not None for one in found.released):
        yield f"{counted(insisted, 'document')} could not be brought to the target and went out all the same, as asked."
    yield from beside(found)
    if found.also_named:
        yield f"They are named in {listed(found.also_named)}."


def _guarantee(found: Protection) -> Iterator[str]:
    if not found.released:
        return
    people = counted(found.people, "person", "people")
    how = f"against a background of {people}" if found.guarantee == "background" else "without a background"
    yield f"Checked {how}. {MEANS[found.guarantee]} {DOES_NOT_SAY[found.guarantee]}"


def _withheld(found: Protection) -> Iterator[str]:
    if not found.withheld:
        yield "<p>No document is withheld.</p>"
        return
    yield f"<p>{len(found.withheld):,} of {counted(len(found.documents), 'document')} withheld, because:</p><ul>"
    reasons = Counter(one.withheld or "" for one in found.withheld)
    for reason, count in reasons.most_common(_REASONS):
        yield f"<li>{escape(reason)} ({count:,})</li>"
    if len(reasons) > _REASONS:
        yield f"<li>other reasons ({sum(reasons.values()) - sum(n for _, n in reasons.most_common(_REASONS)):,})</li>"
    yield "</ul>"
