"""Who has the same numbers? What somebody tries who knows a birth year, a house number and a sum."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Self

from sfumato.attacks.base import Person, ranked_attempt
from sfumato.document import Attempt, Evidence

_FIGURE = re.compile(r"(?<!\w)\d+(?:[.,]\d+)*(?!\w)")  # the 1 of PERSON_1 is no figure


class FiguresAttack:
    """Link a text to the person with whom it shares the rarest numbers."""

    kind = "linking"
    name = "figures"
    goal = "Find whom a text is about by the years, ages and sums that stand in what is known of them."

    def fit(self, background: Sequence[Person]) -> Self:
        self._known = {person.id: set(_FIGURE.findall("\n".join(person.texts))) for person in background}
        people = Counter(figure for figures in self._known.values() for figure in figures)
        self._weights = {figure: log(1 + len(background) / n) for figure, n in people.items()}
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        return [self._attempt(key, text) for key, text in released.items()]

    def _attempt(self, key: str, text: str) -> Attempt:
        matches = list(_FIGURE.finditer(text))
        counts = Counter(match[0] for match in matches)
        weights = {figure: self._weights.get(figure, 0) / count for figure, count in counts.items()}
        terms = [Evidence(match[0], weights[match[0]], *match.span()) for match in matches]
        terms_of = {person: [term for term in terms if term.term in known] for person, known in self._known.items()}
        return ranked_attempt(self.name, key, terms_of)
