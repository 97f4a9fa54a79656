"""Guesses by the ladders themselves: the attacker knows our tables, and looks up what climbs to this rung."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import ClassVar, Self

from sfumato.attacks.base import Person
from sfumato.document import LABELS, Guess, Span
from sfumato.knowledge.grammar.language import language_of
from sfumato.knowledge.ladders.climb import originals


class LadderGuesser:
    """Guesses what climbs to this rung in our own tables, the commonest and best fitting first; needs no background."""

    paper: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None
    name = "ladder"

    def fit(self, background: Sequence[Person]) -> Self:
        """Nothing to learn: the tables are what it knows."""
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are 1, 1/2, 1/3 ... by the order of the tables; none where no table knows the phrase."""
        language = language_of(text) or "en"
        asked: dict[tuple[str, str], tuple[Guess, ...]] = {}
        found = []
        for span in spans:
            key = (text[span.start : span.end], span.label if span.label in LABELS else "MISC")
            if key not in asked:
                answers = islice(originals(key[0], text, key[1], language), count)
                asked[key] = tuple(Guess(answer, 1 / place) for place, answer in enumerate(answers, 1))
            found.append(asked[key])
        return found
