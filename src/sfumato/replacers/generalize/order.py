"""How abstract an expression is, measured: the kinds of its head noun, shared out among what its other words tell."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.knowledge.grammar.function_words import DETERMINERS, PREPOSITIONS, STOP_WORDS
from sfumato.knowledge.grammar.lemmas import words
from sfumato.knowledge.ladders.base import Rung
from sfumato.models.taxonomy import hyponyms, lookup

_SHARE = 4.0
"""So many times fewer things fit with each further word: a small city, in the north, of a country."""


def head(phrase: str) -> str:
    """The noun that says what kind of thing it is: *city* of "a large city in Poland"."""
    found = [word for word in _core(phrase) if word.lower() not in DETERMINERS]
    return found[-1] if found else phrase.strip()


def width(phrase: str) -> float:
    """About how many kinds of things fall under the phrase; 1 for a name, and less the more it is narrowed."""
    telling = [word for word in words(phrase) if word.lower() not in STOP_WORDS["en"]]
    below = lookup(head(phrase).lower(), hyponyms("noun"), "noun")
    return ((below or 0) + 1) / _SHARE ** max(0, len(telling) - 1)


def merged(ladder: Sequence[Rung], offered: Sequence[Rung]) -> list[Rung]:
    """Both in one order of width. The ladder's own order holds: what its tables count is surer than a taxonomy."""
    known = {rung.text.casefold() for rung in ladder}
    placed, widest = list[tuple[float, Rung]](), 0.0
    for rung in ladder:
        widest = max(widest, width(rung.text))
        placed.append((widest, rung))
    placed += [(width(rung.text), rung) for rung in offered if rung.text.casefold() not in known]
    return [rung for _, rung in sorted(placed, key=lambda item: item[0])]


def _core(phrase: str) -> list[str]:
    found: list[str] = []
    for word in words(phrase):
        if word.lower() in PREPOSITIONS and found:
            break
        found.append(word)
    return found
