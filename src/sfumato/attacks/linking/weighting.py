"""Weights of terms by TF-IDF or BM25, in what is known of people and in released texts."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.attacks.linking.cleaning import Ints
from sfumato.models.base import Floats

Weights = NDArray[np.float32]


class _Weighting(ABC):
    """Base of the weightings of terms."""

    def learn(self, counts: csr_array) -> csr_array:
        """People's weights [term, person] of their counts, which are overwritten."""
        rarity = self.rarity(np.diff(counts.indptr), counts.shape[1])
        self.set_rarity(rarity)
        lengths = np.bincount(counts.indices, counts.data, counts.shape[1])
        return self.weigh_people(counts, rarity, float(lengths.mean()))

    @abstractmethod
    def rarity(self, frequency: Ints, people: int) -> Weights:
        """The idf of terms, by how many people have each."""

    def set_rarity(self, rarity: Weights) -> None:
        """Set the idf of all terms, where a text's weights need it."""
        return

    @abstractmethod
    def weigh_people(self, counts: csr_array, rarity: Weights, mean_length: float) -> csr_array:
        """Weights of the counts of some or all people, which are overwritten."""

    @abstractmethod
    def weigh(self, terms: Ints, counts: Ints) -> Weights:
        """A text's weights of its terms."""

    @abstractmethod
    def raw(self, terms: Ints, counts: Ints) -> Floats:
        """The same but for a factor that all terms share, so that each depends on its own count alone."""


class TfIdf(_Weighting):
    """Cosine of (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1) ^ rarity over N people: their lengths do not matter."""

    def __init__(self, rarity: float = 1.0) -> None:
        """``rarity``: 1 is the usual weight; above, few rare terms outweigh many common ones."""
        if not 0 < rarity <= 5:
            raise ValueError(f"rarity is a power above 0 and up to 5, got {rarity}")
        self.power = rarity

    def rarity(self, frequency: Ints, people: int) -> Weights:
        idf: Weights = ((np.log((1 + people) / (1 + frequency)) + 1) ** self.power).astype(np.float32)
        return idf

    def set_rarity(self, rarity: Weights) -> None:
        self._idf = rarity

    def weigh_people(self, counts: csr_array, rarity: Weights, mean_length: float) -> csr_array:
        weights = np.log(counts.data, out=counts.data)
        weights += 1
        weights *= np.repeat(rarity, np.diff(counts.indptr))
        lengths = np.sqrt(np.bincount(counts.indices, weights.astype(np.float64) ** 2, counts.shape[1]))
        weights /= np.where(lengths > 0, lengths, 1).astype(np.float32)[counts.indices]
        return counts

    def weigh(self, terms: Ints, counts: Ints) -> Weights:
        raw = self.raw(terms, counts)
        weights: Weights = (raw / (np.sqrt(raw @ raw) or 1)).astype(np.float32)
        return weights

    def raw(self, terms: Ints, counts: Ints) -> Floats:
        raw: Floats = (1 + np.log(counts)) * self._idf[terms]
        return raw


class Bm25(_Weighting):
    """Sum over the text's terms of idf · tf (k1 + 1) / (tf + k1 (1 - b + b · length / mean length)).

    idf = ln(1 + (N - df + 0.5) / (df + 0.5)); a person's length is their number of terms.
    """

    def __init__(self, k1: float, b: float) -> None:
        if k1 < 0 or not 0 <= b <= 1:
            raise ValueError(f"BM25 needs k1 of 0 or more and b between 0 and 1, got {k1} and {b}")
        self._k1, self._b = k1, b

    def rarity(self, frequency: Ints, people: int) -> Weights:
        idf: Weights = np.log(1 + (people - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        return idf

    def weigh_people(self, counts: csr_array, rarity: Weights, mean_length: float) -> csr_array:
        lengths = np.bincount(counts.indices, counts.data, counts.shape[1])
        relative = lengths / (mean_length or 1)
        damping = (self._k1 * (1 - self._b + self._b * relative)).astype(np.float32)
        weights = counts.data
        weights *= np.float32(self._k1 + 1) / (weights + damping[counts.indices])
        weights *= np.repeat(rarity, np.diff(counts.indptr))
        return counts

    def weigh(self, terms: Ints, counts: Ints) -> Weights:
        return counts.astype(np.float32)

    def raw(self, terms: Ints, counts: Ints) -> Floats:
        return counts.astype(np.float64)


Weighting = TfIdf | Bm25


def raw_weights(weighting: Weighting, terms: Ints, counts: Ints) -> Floats:
    """A text's raw weights of terms by their counts, which may be 0."""
    return np.where(counts > 0, weighting.raw(terms, np.maximum(counts, 1)), 0.0)
