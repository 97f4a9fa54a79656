"""Shares and votes: *two-thirds* -> *more than half*; *ten votes to two* -> *a large majority*."""

from __future__ import annotations

import re
from fractions import Fraction

from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.quantities.reading import Quantity
from sfumato.knowledge.numbers.read import number_at

_SOURCE = "rule: shares"
_PARTS = {
    "en": (
        (Fraction(1, 10), "a tenth"),
        (Fraction(1, 4), "a quarter"),
        (Fraction(1, 3), "a third"),
        (Fraction(1, 2), "half"),
        (Fraction(2, 3), "two-thirds"),
        (Fraction(3, 4), "three quarters"),
    ),
    "es": (
        (Fraction(1, 10), "una décima parte"),
        (Fraction(1, 4), "un cuarto"),
        (Fraction(1, 3), "un tercio"),
        (Fraction(1, 2), "la mitad"),
        (Fraction(2, 3), "dos tercios"),
        (Fraction(3, 4), "tres cuartos"),
    ),
}
_VOTES = re.compile(r"\s+(?:votes?|votos)\s+(?:to|against|contra|a)\s+", re.IGNORECASE)


def share_steps(quantity: Quantity, language: str) -> list[Rung]:
    """Between which simple parts of the whole it lies; then on which side of the half."""
    low, high = quantity.low, quantity.high
    if high is None or not 0 < low <= high < 1:
        return []
    said = quantity.said.lower()
    parts = [(part, name) for part, name in _PARTS[language] if not any(word[:5] in said for word in name.split()[-1:])]
    below = [(part, name) for part, name in parts if part < low]
    above = [(part, name) for part, name in parts if part > high]
    more, less, between, and_ = (
        ("more than", "less than", "between", "and") if language == "en" else ("más de", "menos de", "entre", "y")
    )
    texts: list[tuple[Fraction, Fraction, str]] = []
    if below and above:
        texts.append((below[-1][0], above[0][0], f"{between} {below[-1][1]} {and_} {above[0][1]}"))
    texts += [(part, Fraction(1), f"{more} {name}") for part, name in reversed(below) if part >= Fraction(1, 2)]
    texts += [(Fraction(0), part, f"{less} {name}") for part, name in above if part <= Fraction(1, 2)]
    if not texts:
        texts = [(Fraction(0), above[0][0], f"{less} {above[0][1]}")] if above else []
        texts = texts or ([(below[-1][0], Fraction(1), f"{more} {below[-1][1]}")] if below else [])
    found: list[Rung] = []
    last: tuple[Fraction, Fraction] | None = None
    for least, most, text in texts:
        if last is None or (least <= last[0] and most >= last[1] and (least, most) != last):
            last = least, most
            found.append(Rung(f"{text}{quantity.tail}", float(most - least) * 100, "", source=_SOURCE))
    return found


def vote_rung(said: str, language: str) -> Rung | None:
    """*ten votes to two* -> *large majority*."""
    first = number_at(said, 0, language)
    joined = _VOTES.match(said, first.end) if first else None
    second = number_at(said, joined.end(), language) if joined else None
    if not first or not second or first.value is None or second.value is None or second.end != len(said):
        return None
    if first.value <= second.value:
        return None
    if language == "es":
        return Rung("mayoría", 20.0, "a", source=_SOURCE)
    return Rung("large majority" if first.value >= 2 * second.value else "majority", 20.0, "a", source=_SOURCE)
