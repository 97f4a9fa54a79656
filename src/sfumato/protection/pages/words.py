"""How the page says things."""

from __future__ import annotations

from sfumato.protection.target import Target
from sfumato.report.words import percent

WORDS_OF_KINDS = {
    "climb": "a step up the ladder",
    "hypernym": "a wider word",
    "figure": "an exact figure made round",
    "drop": "a modifier left out",
    "suppress": "removed",
}
"""Kinds of repairs as people understand them."""
_LONG = 120


def lost(share: float) -> str:
    """A share of information, which is often small."""
    return "less than 0.1 %" if 0 < share < 0.0005 else percent(share)


def target_in_words(target: Target) -> str:
    return f"target {percent(target.risk)}: 1 in {target.k:,}"


def clipped(said: str) -> str:
    """As much of it as a line of a table bears."""
    said = " ".join(said.split())
    return said if len(said) <= _LONG else said[: _LONG - 1].rstrip() + "…"


def first_places(k: int) -> str:
    """Where the person must not stand: with k = 11 among the first 10 of an attack's list."""
    return "the first guess" if k == 2 else f"among the first {k - 1:,} guesses"
