"""Precautionary repairs: exact figures, quotations, rare words and unusual phrases that any background could hold.

The loop removes what it finds in the background that it was given. These repairs do not look at the subject at all,
only at how many people share something, and each kind has a budget: rare words alone carry no link, but an amount to
the cent or a sentence that can be searched for does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.errors import RecipeError
from sfumato.generalize.words.figures import find_figures, find_quotations
from sfumato.models.table_scorers import FREQUENCY_LANGUAGES, RAREST, frequencies
from sfumato.protection.text import WorkingText

PRECAUTION_BUDGETS: Mapping[str, float] = {
    "figures": 0.01,
    "quotations": 0.005,
    "rare words": 0.005,
    "unusual phrases": 0.005,
}
"""By kind, the share of a document's information that may be lost for it."""
_FEW = 2
"""Shared by so many people or fewer is rare."""
_MANY = 30
"""Shared by so many people or more is common."""
_VERBATIM = 5
"""Of so many words of a quotation one is changed, so that it cannot be searched for."""


@dataclass(frozen=True)
class PrecautionaryRepair:
    """Places with one kind of identifying detail, the most identifying first, and the loss allowed for them."""

    kind: str
    places: tuple[tuple[int, ...], ...]
    budget: float


def merge_budgets(budgets: Mapping[str, float]) -> dict[str, float]:
    """The default budgets, overridden by those given."""
    for kind, budget in budgets.items():
        if kind not in PRECAUTION_BUDGETS:
            raise RecipeError(f"no precaution {kind!r}; choose from: {', '.join(PRECAUTION_BUDGETS)}")
        if not 0 <= budget <= 1:
            raise RecipeError(f"the budget for {kind} is {budget!r}; it is a share of the information, 0 to 1")
    return {**PRECAUTION_BUDGETS, **budgets}


def precautionary_repairs(
    text: WorkingText, attack: SparseAttack, budgets: Mapping[str, float]
) -> list[PrecautionaryRepair]:
    """The precautions for a document. ``attack``: knows how many people of the background have a phrase."""
    release, place_of = text.release()
    details = _Details(text, attack, release.text, place_of)
    finders = {
        "figures": details.figures,
        "quotations": details.quotations,
        "rare words": details.rare_words,
        "unusual phrases": details.phrases,
    }
    return [PrecautionaryRepair(kind, tuple(finders[kind]()), budget) for kind, budget in budgets.items() if budget > 0]


class _Details:
    """Finds identifying details by how many people have a document's words."""

    def __init__(self, text: WorkingText, attack: SparseAttack, released: str, place_of: Ints) -> None:
        self._text, self._attack = text, attack
        self._read = attack.read(released)
        self._query = attack.raw_query(self._read)
        self._place = place_of[self._read.starts] if len(self._read) else np.zeros(0, np.int64)
        people = attack.frequency(self._query.terms)[self._query.term_index]
        occurrences = self._query.occurrences
        length = occurrences.last - occurrences.first
        self._people = np.zeros(len(self._read), np.int64)
        """By word of the text."""
        self._people[occurrences.first[length == 0]] = people[length == 0]
        self._pairs = [
            (int(word), int(count))
            for word, count in zip(occurrences.first[length == 1], people[length == 1], strict=True)
        ]

    def figures(self) -> Iterator[tuple[int, ...]]:
        """Exact figures that few people share, the longest first."""
        spans = sorted(find_figures(self._text.document.text), key=lambda span: span[0] - span[1])
        few = self._rare_places()
        for start, end in spans:
            inside = self._places_in(start, end)
            places = [number for number in inside if number in few and len(self._text.alternatives(number)) > 1]
            if places:
                yield (places[0],)

    def quotations(self) -> Iterator[tuple[int, ...]]:
        """The rarest word of every few words of a quotation, so that none can be searched for."""
        for start, end in find_quotations(self._text.document.text):
            words = [number for number in self._places_in(start, end) if not self._text.places[number].is_function_word]
            for first in range(0, len(words) - _VERBATIM + 1, _VERBATIM):
                yield (max(words[first : first + _VERBATIM], key=self._rarity),)

    def rare_words(self) -> Iterator[tuple[int, ...]]:
        """Words that are rare in the language and that few people of the background have, the rarest first."""
        places = self._text.places
        words = [number for number in self._rare_places() if number < len(places) and places[number].edit is None]
        rare = [number for number in words if self._rarity(number) >= RAREST and not self._word(number).isdigit()]
        for number in sorted(rare):
            yield tuple(self._text.groups[places[number].group])

    def phrases(self) -> Iterator[tuple[int, ...]]:
        """Pairs of common words that few people have together: one of the two goes, there and nowhere else."""
        for word, count in self._pairs:
            if count <= _FEW and min(self._people[word], self._people[word + 1]) >= _MANY:
                pair = [int(place) for place in self._place[[word, word + 1]] if place < len(self._text.places)]
                ordinary = [place for place in pair if not self._text.places[place].is_function_word]
                if len(ordinary) == 2:
                    yield (max(ordinary, key=lambda place: len(self._text.alternatives(place))),)

    def _rare_places(self) -> set[int]:
        return {int(self._place[word]) for word in np.flatnonzero(self._people <= _FEW)}

    def _places_in(self, start: int, end: int) -> list[int]:
        first, last = map(int, np.searchsorted(self._text.starts, [start, end]))
        return [number for number in range(first, last) if self._text.places[number].edit is None]

    def _word(self, number: int) -> str:
        span = self._text.places[number].span
        return self._text.document.text[span.start : span.end]

    def _rarity(self, number: int) -> int:
        language = self._text.language if self._text.language in FREQUENCY_LANGUAGES else "en"
        return frequencies(language).get(self._word(number).lower(), RAREST)
