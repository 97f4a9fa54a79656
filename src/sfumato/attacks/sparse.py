"""Linking by shared terms: a text's weights times each person's, by an inverted index and never a full matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from sfumato.attacks.base import Person
from sfumato.attacks.evidence import Carried, merged
from sfumato.attacks.ranking import RankingAttack, Scores
from sfumato.attacks.sparse_terms import Occurrences, Terms
from sfumato.attacks.sparse_weights import Weighting, Weights
from sfumato.attacks.sparse_words import Ints, Lexicon, ReadText, Words


class _Query(NamedTuple):
    """A released text's different terms with its weights, where they stand, and which term each place is."""

    terms: Ints
    weights: Weights
    found: Occurrences
    which: Ints
    times: Ints


class SparseAttack(RankingAttack):
    """Base of the attacks by shared terms: a family of terms and a weighting make one."""

    def __init__(self, terms: Terms, weighting: Weighting, stems: str) -> None:
        self._terms, self._weighting = terms, weighting
        self.stems = stems
        self._lexicon = Lexicon(stems)

    def learn(self, people: Sequence[Person]) -> None:
        self.learn_words(self._lexicon.read(people), self._lexicon)

    def learn_words(self, words: Words, lexicon: Lexicon) -> None:
        """Learn people whose words were read by someone else."""
        self._lexicon = lexicon
        self._index: csr_array = self._weighting.learn(self._terms.learn(words))

    def all_scores(self, text: str) -> Scores:
        return self.all_scores_of(self._lexicon.read_released(text))

    def all_scores_of(self, read: ReadText) -> Scores:
        """As ``all_scores``, of a text that was read."""
        query = self._query(read)
        scores: Scores = query.weights @ self._index[query.terms]
        return scores

    def carried(self, text: str, row: int) -> Carried:
        read = self._lexicon.read_released(text)
        query = self._query(read)
        weights = query.weights.astype(np.float64) * self._weights_of(row, query.terms) / query.times
        found = query.found
        return merged([Carried(read.starts[found.first], read.ends[found.last], weights[query.which])])

    def _query(self, read: ReadText) -> _Query:
        found = self._terms.find(read)
        terms, which, times = np.unique(found.term, return_inverse=True, return_counts=True)
        return _Query(terms, self._weighting.weigh(terms, times), found, which, times)

    def _weights_of(self, row: int, terms: Ints) -> Weights:
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
