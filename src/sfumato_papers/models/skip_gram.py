"""Word embeddings of a corpus of one's own: skip-gram with negative sampling (Mikolov et al. 2013), in numpy.

Pairs of a word and a word near it are told from pairs with words drawn at random. A batch's gradients are added up
before they are applied, where the reference implementation applies them one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.errors import InputError

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]
_LARGEST_BATCH, _WORDS_PER_PAIR = 1024, 4
"""Pairs whose gradients are added up: at most so many, and one for so many words of the vocabulary. Where a word came
often in one batch, the sum of its gradients would be too large a step."""
_NOISE_POWER = 0.75
"""Negatives are drawn by frequency to this power."""
_MOST_EXPONENT = 30.0


@dataclass(frozen=True)
class SkipGramSettings:
    """The settings of the reference implementation, with its defaults but for ``subsample``.

    ``subsample``: words more frequent than this share are left out at random; 0 leaves out none.
    """

    dimensions: int = 100
    window: int = 5
    negatives: int = 5
    epochs: int = 5
    rate: float = 0.025
    subsample: float = 1e-3
    least_count: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("dimensions", "window", "negatives", "epochs", "least_count"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} is a whole number of 1 or more, got {value!r}")
        if not 0 < self.rate <= 1 or not 0 <= self.subsample < 1:
            raise ValueError(f"rate lies above 0 and up to 1, subsample from 0 to 1; got {self.rate}, {self.subsample}")


@dataclass(frozen=True)
class WordVectors:
    """A vector of length 1 for each word that was trained."""

    index: Mapping[str, int] = field(repr=False)
    vectors: Vectors = field(repr=False)

    def __contains__(self, word: str) -> bool:
        return word in self.index

    def __len__(self) -> int:
        return len(self.index)

    def vector(self, word: str) -> Vectors:
        vector: Vectors = self.vectors[self.index[word]]
        return vector

    def cosine(self, first: str, second: str) -> float:
        """The cosine of two words' vectors."""
        return float(self.vector(first) @ self.vector(second))


def train(sentences: Sequence[Sequence[str]], settings: SkipGramSettings | None = None) -> WordVectors:
    """Vectors of the words of sentences. Raises InputError where no two words stand beside each other."""
    settings = settings or SkipGramSettings()
    counts = Counter(word for sentence in sentences for word in sentence)
    words = sorted((word for word, n in counts.items() if n >= settings.least_count), key=lambda w: (-counts[w], w))
    index = {word: number for number, word in enumerate(words)}
    rows = [np.array([index[word] for word in sentence if word in index], np.int64) for sentence in sentences]
    ids: Ints = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    sentence_of: Ints = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    if len(words) < 2 or not np.any(sentence_of[1:] == sentence_of[:-1]):
        raise InputError(
            f"{len(ids)} words are too few to train embeddings on: give more documents, or a background with more text"
        )
    frequency = np.array([counts[word] for word in words], np.float64)
    return WordVectors(index, _Training(settings, frequency).run(ids, sentence_of))


class _Training:
    """The two matrices of the network, and the random numbers of one run."""

    def __init__(self, settings: SkipGramSettings, frequency: NDArray[np.float64]) -> None:
        self._settings, self._random = settings, np.random.default_rng(settings.seed)
        shape = (len(frequency), settings.dimensions)
        self._words = ((self._random.random(shape, np.float32) - 0.5) / settings.dimensions).astype(np.float32)
        self._contexts = np.zeros(shape, np.float32)
        noise = frequency**_NOISE_POWER
        self._noise = np.cumsum(noise / noise.sum())
        share = frequency / frequency.sum()
        limit = settings.subsample
        self._kept = np.minimum(1, np.sqrt(limit / share) + limit / share) if limit else np.ones(len(frequency))

    def run(self, ids: Ints, sentence_of: Ints) -> Vectors:
        size = max(1, min(_LARGEST_BATCH, len(self._words) // _WORDS_PER_PAIR))
        for epoch in range(self._settings.epochs):
            centers, contexts = self._pairs(ids, sentence_of)
            for start in range(0, len(centers), size):
                done = (epoch + start / max(1, len(centers))) / self._settings.epochs
                batch = slice(start, start + size)
                self._step(centers[batch], contexts[batch], self._settings.rate * max(1e-4, 1 - done))
        lengths = np.linalg.norm(self._words, axis=1, keepdims=True)
        return (self._words / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def _pairs(self, ids: Ints, sentence_of: Ints) -> tuple[Ints, Ints]:
        """Centers and contexts of an epoch, in random order; each center has a window of 1 to ``window`` words."""
        kept = self._random.random(len(ids)) < self._kept[ids]
        ids, sentence_of = ids[kept], sentence_of[kept]
        reach = self._random.integers(1, self._settings.window + 1, len(ids))
        centers, contexts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for distance in range(1, self._settings.window + 1):
            together = sentence_of[distance:] == sentence_of[:-distance]
            later, earlier = slice(distance, None), slice(None, -distance)
            for center, context in ((later, earlier), (earlier, later)):
                chosen = together & (reach[center] >= distance)
                centers.append(ids[center][chosen])
                contexts.append(ids[context][chosen])
        order = self._random.permutation(sum(map(len, centers)))
        return np.concatenate(centers)[order], np.concatenate(contexts)[order]

    def _step(self, centers: Ints, contexts: Ints, rate: float) -> None:
        size, negatives = len(centers), self._settings.negatives
        drawn = np.searchsorted(self._noise, self._random.random((size, negatives))).clip(max=len(self._noise) - 1)
        targets = np.concatenate([contexts[:, None], drawn], axis=1)
        words, others = self._words[centers], self._contexts[targets]
        scores = np.einsum("pd,ptd->pt", words, others)
        truth = np.zeros_like(scores)
        truth[:, 0] = 1
        error = (truth - 1 / (1 + np.exp(-scores.clip(-_MOST_EXPONENT, _MOST_EXPONENT)))) * np.float32(rate)
        error[:, 1:][drawn == contexts[:, None]] = 0  # a negative that is the context itself teaches nothing
        change_of_words = np.einsum("pt,ptd->pd", error, others)
        change_of_others = (error[:, :, None] * words[:, None, :]).reshape(-1, words.shape[1])
        _add_rows(self._words, centers, change_of_words)
        _add_rows(self._contexts, targets.ravel(), change_of_others)


def _add_rows(matrix: Vectors, rows: Ints, changes: Vectors) -> None:
    """Add each change to its row; a row that is named more than once gets all of its changes."""
    different, position = np.unique(rows, return_inverse=True)
    ones = np.ones(len(rows), np.float32)
    sums = csr_array((ones, (position, np.arange(len(rows)))), shape=(len(different), len(rows)))
    matrix[different] += sums @ changes
