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
        self._known = {one.id: {found for text in one.texts for found in _FIGURE.findall(text)} for one in background}
        people = Counter(figure for figures in self._known.values() for figure in figures)
        self._weights = {figure: log(1 + len(background) / n) for figure, n in people.items()}
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        return [self._attempt(key, text) for key, text in released.items()]

    def _attempt(self, key: str, text: str) -> Attempt:
        places = list(_FIGURE.finditer(text))
        times = Counter(place[0] for place in places)
        told = [Evidence(one[0], self._weights.get(one[0], 0) / times[one[0]], *one.span()) for one in places]
        found = {who: [one for one in told if one.term in known] for who, known in self._known.items()}
        return ranked_attempt(self.name, key, found)
