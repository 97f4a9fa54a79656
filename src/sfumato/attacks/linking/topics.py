"""The linking attack by topics (latent semantic analysis), with which the loop of ``protect`` looks past words."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from sfumato.attacks.linking.cleaning import BackgroundTokens, Ints, TextTokens, Vocabulary
from sfumato.attacks.linking.index import MemoryIndex
from sfumato.attacks.linking.ranking import Scores
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.attacks.linking.terms import NGrams
from sfumato.attacks.linking.weighting import TfIdf, Weights
from sfumato.models.base import Floats

TOPICS = 60
_READ = 4000
"""People from whom the topics are learned; all are then projected."""


class TopicAttack(SparseAttack):
    """Link a text to the person whose background has the same topics (latent semantic analysis).

    The loop needs one attack that looks past words: without *trawler*, the words *nets*, *harbour* and *catch* still
    point to the fisherman. A score is linear in the text's terms, like those of the other attacks, so the loop can
    follow it: score = q V · p, where q are the text's TF-IDF weights, V the topics and p the person's topics.
    """

    name: ClassVar[str] = "topics"
    goal: ClassVar[str] = "Find whom a text is about by what it is about, though the identifying words are gone."
    min_score: ClassVar[float] = 1e-6  # unrelated topics differ from 0 by rounding
    can_be_sharded: ClassVar[bool] = False

    def __init__(self, *, topics: int = TOPICS, stems: str = "english") -> None:
        super().__init__(NGrams(1), TfIdf(), stems)
        self._most = topics

    def learn_tokens(self, words: BackgroundTokens, vocabulary: Vocabulary) -> None:
        super().learn_tokens(words, vocabulary)
        assert isinstance(self._index, MemoryIndex)
        matrix = self._index.matrix
        terms, people = matrix.shape
        chosen = np.random.default_rng(0).permutation(people)[:_READ]
        size = min(self._most, terms - 1, len(chosen) - 1)
        if size < 1:
            self._topics = np.zeros((terms, 1))
        else:
            start = np.random.default_rng(0).standard_normal(min(terms, len(chosen)))
            self._topics = svds(matrix[:, chosen].astype(np.float64), k=size, v0=start)[0]
        placed = (matrix.T @ self._topics).astype(np.float64)
        lengths = np.linalg.norm(placed, axis=1, keepdims=True)
        # A person without any topic would get one by rounding.
        self._placed: Weights = (placed / np.where(lengths > self.min_score, lengths, np.inf)).astype(np.float32)

    def scores_of(self, tokens: TextTokens) -> Scores:
        query = self._query(tokens)
        place = query.weights.astype(np.float64) @ self._topics[query.terms]
        scores: Scores = self._near(place)
        scores[scores <= self.min_score] = 0  # the text's weights have length 1
        return scores / np.float32(np.linalg.norm(place) or 1)

    def weights_of(self, row: int, terms: Ints) -> Floats:
        weights: Floats = self._topics[terms] @ self._placed[row]
        return weights

    def score_change(self, terms: Ints, weights: Floats) -> Floats:
        return self._near(weights @ self._topics[terms]).astype(np.float64)

    def _near(self, place: Floats) -> Scores:
        # Kernels for short floats read past the end of a row, and now and then warn of what they found there.
        with np.errstate(invalid="ignore"):
            scores: Scores = self._placed @ place.astype(np.float32)
        return scores

    def weights_of_some(self, terms: Ints, rows: Ints) -> csr_array:
        return csr_array(self._topics[terms] @ self._placed[rows].T)
