"""What any background could hold, whatever ours says: exact figures, quotations, rare words, unusual phrases.

The loop removes what it sees in the background that it was given. What follows here does not look at the subject at
all, only at how many people share something, and each kind has a budget: rare words alone carry no link, but an
amount to the cent or a sentence that can be searched for does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.errors import RecipeError
from sfumato.generalize.words.figures import find_figures, find_quotations
from sfumato.models.table_scorers import LANGUAGES, RAREST, frequencies
from sfumato.protection.text import WorkingText

BUDGETS: Mapping[str, float] = {"figures": 0.01, "quotations": 0.005, "rare words": 0.005, "unusual phrases": 0.005}
"""By kind, the share of a document's information that may go for it."""
_FEW = 2
"""So many people, or fewer, share what is rare."""
_MANY = 30
"""So many people have a word that says nothing by itself."""
_VERBATIM = 5
"""Words of a quotation that may stand together: fewer do not find it."""


@dataclass(frozen=True)
class PrecautionaryRepair:
    """A kind of telling things, the most telling first, and what may be spent on them."""

    kind: str
    places: tuple[tuple[int, ...], ...]
    budget: float


def checked(budgets: Mapping[str, float]) -> dict[str, float]:
    """The usual budgets with those that are given in their place."""
    for kind, budget in budgets.items():
        if kind not in BUDGETS:
            raise RecipeError(f"no caution {kind!r}; choose from: {', '.join(BUDGETS)}")
        if not 0 <= budget <= 1:
            raise RecipeError(f"the budget for {kind} is {budget!r}; it is a share of the information, 0 to 1")
    return {**BUDGETS, **budgets}


def precautionary_repairs(
    text: WorkingText, attack: SparseAttack, budgets: Mapping[str, float]
) -> list[PrecautionaryRepair]:
    """What to lower in a document. ``attack``: phrases of the background, which say how many people have one."""
    released, owners = text.release()
    seen = _Seen(text, attack, released.text, owners)
    found = {
        "figures": seen.figures,
        "quotations": seen.quotations,
        "rare words": seen.rare_words,
        "unusual phrases": seen.phrases,
    }
    return [PrecautionaryRepair(kind, tuple(found[kind]()), budget) for kind, budget in budgets.items() if budget > 0]


class _Seen:
    """A document's words, and how many people have them."""

    def __init__(self, text: WorkingText, attack: SparseAttack, released: str, owners: Ints) -> None:
        self._text, self._attack = text, attack
        self._read = attack.read(released)
        self._query = attack.raw_query(self._read)
        self._place = owners[self._read.starts] if len(self._read) else np.zeros(0, np.int64)
        people = attack.frequency(self._query.terms)[self._query.which]
        found = self._query.found
        length = found.last - found.first
        self._people = np.zeros(len(self._read), np.int64)
        """By word; 0 where nobody has it."""
        self._people[found.first[length == 0]] = people[length == 0]
        self._pairs = [
            (int(at), int(many)) for at, many in zip(found.first[length == 1], people[length == 1], strict=True)
        ]

    def figures(self) -> Iterator[tuple[int, ...]]:
        """Exact figures that few people share, the longest first."""
        spans = sorted(find_figures(self._text.document.text), key=lambda span: span[0] - span[1])
        few = {int(self._place[at]) for at in np.flatnonzero(self._people <= _FEW)}
        for start, end in spans:
            places = tuple(at for at in self._inside(start, end) if at in few and len(self._text.alternatives(at)) > 1)
            if places:
                yield places[:1]

    def quotations(self) -> Iterator[tuple[int, ...]]:
        """The rarest word of every few words of a quotation, so that none can be searched for."""
        for start, end in find_quotations(self._text.document.text):
            words = [at for at in self._inside(start, end) if not self._text.places[at].empty]
            for first in range(0, len(words) - _VERBATIM + 1, _VERBATIM):
                yield (max(words[first : first + _VERBATIM], key=self._rarity),)

    def rare_words(self) -> Iterator[tuple[int, ...]]:
        """Words that are rare in the language and that few people of the background have, the rarest first."""
        few = {int(self._place[at]) for at in np.flatnonzero(self._people <= _FEW)}
        open_ = [at for at in few if at < len(self._text.places) and self._text.places[at].edit is None]
        rare = [at for at in open_ if self._rarity(at) >= RAREST and not self._said(at).isdigit()]
        for at in sorted(rare):
            yield tuple(self._text.groups[self._text.places[at].group])

    def phrases(self) -> Iterator[tuple[int, ...]]:
        """Pairs of common words that few people have together: one of the two goes, there and nowhere else."""
        for at, many in self._pairs:
            if many <= _FEW and min(self._people[at], self._people[at + 1]) >= _MANY:
                pair = [int(place) for place in self._place[[at, at + 1]] if place < len(self._text.places)]
                ordinary = [place for place in pair if not self._text.places[place].empty]
                if len(ordinary) == 2:
                    yield (max(ordinary, key=lambda place: len(self._text.alternatives(place))),)

    def _inside(self, start: int, end: int) -> list[int]:
        places = self._text.places
        first = int(np.searchsorted(self._text.starts, start))
        last = int(np.searchsorted(self._text.starts, end))
        return [at for at in range(first, last) if places[at].edit is None]

    def _said(self, at: int) -> str:
        core = self._text.places[at].core
        return self._text.document.text[core.start : core.end]

    def _rarity(self, at: int) -> int:
        language = self._text.language
        return frequencies(language if language in LANGUAGES else "en").get(self._said(at).lower(), RAREST)
