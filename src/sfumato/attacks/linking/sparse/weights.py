"""How much a shared term counts: TF-IDF with cosine, or BM25."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Weights = NDArray[np.float32]


class Weighting(Protocol):
    """Turns counts into weights so that a score is the dot product of a text's and a person's weights."""

    def learn(self, counts: csr_array) -> csr_array:
        """People's weights [term, person] of their counts, which may be overwritten."""
        ...

    def weigh(self, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> Weights:
        """A text's weights of its terms."""
        ...

    def raw(self, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same but for a factor that all terms share: each is a matter of its own count alone."""
        ...


class TfIdf:
    """Cosine of (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1) over N people: their lengths do not matter."""

    def learn(self, counts: csr_array) -> csr_array:
        frequency = np.diff(counts.indptr)
        self._idf = (np.log((1 + counts.shape[1]) / (1 + frequency)) + 1).astype(np.float32)
        weights = np.log(counts.data, out=counts.data)
        weights += 1
        weights *= np.repeat(self._idf, frequency)
        lengths = np.sqrt(np.bincount(counts.indices, weights.astype(np.float64) ** 2, counts.shape[1]))
        weights /= np.where(lengths > 0, lengths, 1).astype(np.float32)[counts.indices]
        return counts

    def weigh(self, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> Weights:
        raw = self.raw(terms, counts)
        weights: Weights = (raw / (np.sqrt(raw @ raw) or 1)).astype(np.float32)
        return weights

    def raw(self, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        raw: NDArray[np.float64] = (1 + np.log(counts)) * self._idf[terms]
        return raw


class Bm25:
    """Sum over the text's terms of idf · tf (k1 + 1) / (tf + k1 (1 - b + b · length / mean length)).

    idf = ln(1 + (N - df + 0.5) / (df + 0.5)); a person's length is their number of terms.
    """

    def __init__(self, k1: float, b: float) -> None:
        if k1 < 0 or not 0 <= b <= 1:
            raise ValueError(f"BM25 needs k1 of 0 or more and b between 0 and 1, got {k1} and {b}")
        self._k1, self._b = k1, b

    def learn(self, counts: csr_array) -> csr_array:
        frequency, people = np.diff(counts.indptr), counts.shape[1]
        idf = np.log(1 + (people - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        lengths = np.bincount(counts.indices, counts.data, people)
        relative = lengths / (lengths.mean() or 1)
        damping = (self._k1 * (1 - self._b + self._b * relative)).astype(np.float32)
        weights = counts.data
        weights *= np.float32(self._k1 + 1) / (weights + damping[counts.indices])
        weights *= np.repeat(idf, frequency)
        return counts

    def weigh(self, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> Weights:
        return counts.astype(np.float32)

    def raw(self, terms: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return counts.astype(np.float64)
