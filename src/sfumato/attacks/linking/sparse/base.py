"""Linking by shared terms: a text's weights times each person's, by an inverted index and never a full matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.attacks.base import Person
from sfumato.attacks.linking.evidence import Carried, merged
from sfumato.attacks.linking.ranking import RankingAttack, Scores
from sfumato.attacks.linking.sparse.terms import Occurrences, Terms
from sfumato.attacks.linking.sparse.weights import Weighting, Weights
from sfumato.attacks.linking.sparse.words import Ints, Lexicon, ReadText, Words


class Query(NamedTuple):
    """A released text's different terms with its weights, where they stand, and which term each place is."""

    terms: Ints
    weights: Weights | NDArray[np.float64]
    found: Occurrences
    which: Ints
    times: Ints


class SparseAttack(RankingAttack):
    """Base of the attacks by shared terms: a family of terms and a weighting make one."""

    least: ClassVar[float] = 0.0
    """Of a text's length in raw weights: who scores no more than that shares nothing with it."""

    def __init__(self, terms: Terms, weighting: Weighting, stems: str) -> None:
        self.terms, self._weighting = terms, weighting
        self.stems = stems
        self._lexicon = Lexicon(stems)

    def learn(self, people: Sequence[Person]) -> None:
        self.learn_words(self._lexicon.read(people), self._lexicon)

    def learn_words(self, words: Words, lexicon: Lexicon) -> None:
        """Learn people whose words were read by someone else."""
        self._lexicon = lexicon
        self._index: csr_array = self._weighting.learn(self.terms.learn(words))

    def read(self, text: str) -> ReadText:
        """The words of a released text."""
        return self._lexicon.read_released(text)

    def all_scores(self, text: str) -> Scores:
        return self.all_scores_of(self.read(text))

    def all_scores_of(self, read: ReadText) -> Scores:
        """As ``all_scores``, of a text that was read."""
        query = self._query(read)
        scores: Scores = query.weights @ self._index[query.terms]
        return scores

    def carried(self, text: str, row: int) -> Carried:
        read = self.read(text)
        query = self._query(read)
        weights = query.weights.astype(np.float64) * self.weights_of(row, query.terms) / query.times
        found = query.found
        return merged([Carried(read.starts[found.first], read.ends[found.last], weights[query.which])])

    def weights_of(self, row: int, terms: Ints) -> Weights | NDArray[np.float64]:
        """A person's weights of some terms: a search in all their rows of the index at once."""
        indices = self._index.indices
        low, ends = self._index.indptr[terms].astype(np.int64), self._index.indptr[terms + 1].astype(np.int64)
        high = ends.copy()
        while len(open_ := np.flatnonzero(low < high)):
            middle = (low[open_] + high[open_]) // 2
            before = indices[middle] < row
            low[open_[before]] = middle[before] + 1
            high[open_[~before]] = middle[~before]
        has = low < ends
        has[has] = indices[low[has]] == row
        weights = np.zeros(len(terms), np.float32)
        weights[has] = self._index.data[low[has]]
        return weights

    def _query(self, read: ReadText) -> Query:
        found, terms, which, times = self._found(read)
        return Query(terms, self._weighting.weigh(terms, times), found, which, times)

    def _found(self, read: ReadText) -> tuple[Occurrences, Ints, Ints, Ints]:
        found = self.terms.find(read)
        return found, *np.unique(found.term, return_inverse=True, return_counts=True)

    # What protection/ reckons with when it repairs a release against the attack.

    @property
    def people(self) -> int:
        return len(self._ids)

    def raw_query(self, read: ReadText) -> Query:
        """As what a text is scored by, but with weights that do not depend on the text's other terms."""
        found, terms, which, times = self._found(read)
        return Query(terms, self._weighting.raw(terms, times), found, which, times)

    def raw_weights(self, terms: Ints, times: Ints) -> NDArray[np.float64]:
        """What a text gets for some terms that it has so many times, 0 included; as in ``raw_query``."""
        raw = self._weighting.raw(terms, np.maximum(times, 1))
        return np.where(times > 0, raw, 0.0)

    def rarity(self, terms: Ints) -> NDArray[np.float64]:
        """What a text that has each of some terms once gets for it, but for a factor that all terms share."""
        return self.raw_weights(terms, np.ones(len(terms), np.int64))

    def frequency(self, terms: Ints) -> Ints:
        """How many people have each of some terms."""
        starts = self._index.indptr.astype(np.int64)
        frequency: Ints = starts[terms + 1] - starts[terms]
        return frequency

    def sample(self, size: int) -> tuple[Ints, Weights]:
        """Some terms that people have, with the weights they have there; the same for the same background."""
        chosen: Ints = np.random.default_rng(0).integers(max(1, self._index.nnz), size=min(size, self._index.nnz))
        terms = np.searchsorted(self._index.indptr, chosen, "right") - 1
        return terms.astype(np.int64), self._index.data[chosen]

    def added(self, terms: Ints, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """What some terms with a text's raw weights add to everyone's score."""
        added: NDArray[np.float64] = weights @ self._index[terms]
        return added

    def weights_of_some(self, terms: Ints, rows: Ints) -> csr_array:
        """Some people's weights of some terms: [term, person]."""
        return self._index[terms][:, rows]


def by_stems(attacks: Sequence[SparseAttack]) -> dict[str, list[SparseAttack]]:
    """Attacks that read words the same way, so that one reading does for all of them."""
    groups: dict[str, list[SparseAttack]] = {}
    for attack in attacks:
        groups.setdefault(attack.stems, []).append(attack)
    return groups


def fit_together(attacks: Sequence[SparseAttack], background: Sequence[Person]) -> None:
    """Fit several attacks on one background, reading it once for each way of stemming."""
    people = sorted(background, key=lambda person: person.id)
    ids = [person.id for person in people]
    for stems, group in by_stems(attacks).items():
        lexicon = Lexicon(stems)
        words = lexicon.read(people)
        for attack in group:
            attack.know(ids)
            attack.learn_words(words, lexicon)
