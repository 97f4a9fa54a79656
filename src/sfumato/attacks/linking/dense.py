"""The dense linking attack: chunks of a text and of the background compared by the cosine of their embeddings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.models.base import Embedder, Range, load_embedder

Vectors = NDArray[np.float32]

_BATCH = 2**22
"""Cosines computed at once: bounds memory."""


class DenseAttack(RankingAttack):
    """Link a text to the person whose background is nearest in meaning, chunk by chunk.

    A score is the mean over the text's chunks of the cosine with the person's nearest chunk (0 where it is negative),
    after what all chunks of the background have in common, their mean, is taken away.
    """

    name: ClassVar[str] = "dense"
    goal: ClassVar[str] = "Find whom a text is about though it was said in other words."
    uses: ClassVar[tuple[str, ...]] = ("embedder",)

    def __init__(self, *, embedder: str = "default", words: int = 100) -> None:
        """``embedder``: a model as in docs/models.md. ``words``: in a chunk, about 128 sub-tokens."""
        if words < 1:
            raise ValueError(f"a chunk has 1 word or more, got {words}")
        self._embedder: Embedder = load_embedder(embedder)
        self._size = words
        self._last: tuple[str, list[Range], Vectors] | None = None  # evidence is asked for after scores

    def learn(self, people: Sequence[Person]) -> None:
        chunks: list[str] = []
        starts: list[int] = []
        for person in people:
            starts.append(len(chunks))
            for text in person.texts:
                words = [match.span() for match in cleaning.WORD.finditer(text)]
                chunks += [text[start:end] for start, end in _chunk_ranges(words, self._size)]
            if len(chunks) == starts[-1]:
                chunks.append("")  # nothing is known: a vector of zeros, which is near to nothing
        vectors = self._embedder.embed(chunks)
        has_words = vectors.any(axis=1)
        self._mean: Vectors = vectors[has_words].mean(axis=0) if has_words.sum() > 1 else np.zeros_like(vectors[0])
        self._vectors = self.center(vectors)
        self._starts = np.array(starts)
        self._last = None

    def all_scores(self, text: str) -> Scores:
        _, vectors = self.read(text)
        scores = np.zeros(len(self._starts), np.float32)
        step = max(1, _BATCH // len(self._vectors))
        for low in range(0, len(vectors), step):
            nearest = np.maximum.reduceat(vectors[low : low + step] @ self._vectors.T, self._starts, axis=1)
            scores += np.maximum(nearest, 0).sum(axis=0)
        return scores / np.float32(len(vectors) or 1)

    def range_weights(self, text: str, row: int) -> RangeWeights:
        chunks, vectors = self.read(text)
        starts, ends = np.array(chunks, np.int64).reshape(-1, 2).T
        weights = self.nearest(vectors, row) / np.float64(len(chunks) or 1)
        return merge_range_weights([RangeWeights(starts, ends, weights)])

    def nearest(self, vectors: Vectors, row: int) -> Vectors:
        """The cosine of each vector with the person's nearest chunk; 0 where it is negative."""
        cosines: Vectors = (vectors @ self.known_vectors(row).T).max(axis=1)
        return np.maximum(cosines, 0)

    @property
    def embedder(self) -> Embedder:
        return self._embedder

    def chunks(self, text: str) -> list[Range]:
        """The chunks of a released text, by its words without placeholders."""
        cleaned = cleaning.clean(text)
        words = list(zip(cleaned.starts.tolist(), cleaned.ends.tolist(), strict=True))
        return list(_chunk_ranges(words, self._size))

    def known_vectors(self, row: int) -> Vectors:
        """The chunks of a person's background, as they are compared."""
        end = self._starts[row + 1] if row + 1 < len(self._starts) else len(self._vectors)
        vectors: Vectors = self._vectors[self._starts[row] : end]
        return vectors

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Chunks as they are compared: embedded, and without what all chunks have in common."""
        return self.center(self._embedder.embed(texts))

    def read(self, text: str) -> tuple[list[Range], Vectors]:
        """Chunks of a released text and their vectors, in which placeholders have no part."""
        if self._last is None or self._last[0] != text:
            chunks = self.chunks(text)
            hidden = cleaning.placeholders(text)
            self._last = text, chunks, self.vectors([remove_ranges(text, chunk, hidden) for chunk in chunks])
        return self._last[1:]

    def center(self, vectors: Vectors) -> Vectors:
        """Embeddings without what all chunks have in common, of length 1."""
        moved = np.where(vectors.any(axis=1, keepdims=True), vectors - self._mean, 0)
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        centered: Vectors = (moved / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return centered


def _chunk_ranges(words: Sequence[Range], size: int) -> Iterator[Range]:
    for first in range(0, len(words), size):
        chunk = words[first : first + size]
        yield chunk[0][0], chunk[-1][1]


def remove_ranges(text: str, part: Range, hidden: Sequence[Range]) -> str:
    """A part of a text without the hidden ranges inside it, which are sorted and may overlap."""
    pieces, offset = list[str](), part[0]
    for start, end in hidden:
        if part[0] <= start and end <= part[1]:
            pieces.append(text[offset:start])
            offset = max(offset, end)
    return " ".join([*pieces, text[offset : part[1]]])
