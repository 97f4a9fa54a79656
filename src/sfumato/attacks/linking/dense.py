"""Linking by meaning: chunks of a text and of what is known about people, compared as vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.models.base import Embedder, load_embedder

Vectors = NDArray[np.float32]

_BATCH = 2**22
"""Cosines computed together: bounds memory."""


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
        self._last: tuple[str, list[tuple[int, int]], Vectors] | None = None  # evidence is asked for after scores

    def learn(self, people: Sequence[Person]) -> None:
        chunks: list[str] = []
        starts: list[int] = []
        for person in people:
            starts.append(len(chunks))
            for text in person.texts:
                places = [match.span() for match in cleaning.WORD.finditer(text)]
                chunks += [text[start:end] for start, end in _chunk_ranges(places, self._size)]
            if len(chunks) == starts[-1]:
                chunks.append("")  # nothing is known: a vector of zeros, which is near to nothing
        vectors = self._embedder.embed(chunks)
        known = np.linalg.norm(vectors, axis=1) > 0
        self._mean: Vectors = vectors[known].mean(axis=0) if known.sum() > 1 else np.zeros_like(vectors[0])
        self._vectors = self._centred(vectors)
        self._starts = np.array(starts)
        self._last = None

    def all_scores(self, text: str) -> Scores:
        _, vectors = self.read(text)
        scores = np.zeros(len(self._starts), np.float32)
        step = max(1, _BATCH // len(self._vectors))
        for at in range(0, len(vectors), step):
            nearest = np.maximum.reduceat(vectors[at : at + step] @ self._vectors.T, self._starts, axis=1)
            scores += np.maximum(nearest, 0).sum(axis=0)
        return scores / np.float32(len(vectors) or 1)

    def range_weights(self, text: str, row: int) -> RangeWeights:
        places, vectors = self.read(text)
        starts, ends = np.array(places, np.int64).reshape(-1, 2).T
        return merge_range_weights(
            [RangeWeights(starts, ends, self.nearest(vectors, row) / np.float64(len(places) or 1))]
        )

    def nearest(self, vectors: Vectors, row: int) -> Vectors:
        """Of each chunk's vector the cosine with a person's nearest chunk; 0 where it is negative."""
        end = self._starts[row + 1] if row + 1 < len(self._starts) else len(self._vectors)
        found: Vectors = np.maximum((vectors @ self._vectors[self._starts[row] : end].T).max(axis=1), 0)
        return found

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Chunks as they are compared: embedded, and without what all chunks have in common."""
        return self._centred(self._embedder.embed(texts))

    def read(self, text: str) -> tuple[list[tuple[int, int]], Vectors]:
        """Chunks of a released text and their vectors, in which placeholders have no part."""
        if self._last is None or self._last[0] != text:
            found = cleaning.clean(text)
            words = list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))
            places = list(_chunk_ranges(words, self._size))
            hidden = cleaning.placeholders(text)
            self._last = text, places, self.vectors([remove_ranges(text, place, hidden) for place in places])
        return self._last[1:]

    def _centred(self, vectors: Vectors) -> Vectors:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        moved = np.where(lengths > 0, vectors - self._mean, 0)
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        centred: Vectors = (moved / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return centred


def _chunk_ranges(places: Sequence[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    for at in range(0, len(places), size):
        group = places[at : at + size]
        yield group[0][0], group[-1][1]


def remove_ranges(text: str, place: tuple[int, int], hidden: Sequence[tuple[int, int]]) -> str:
    """A stretch of a text without the hidden parts that lie in it, which are sorted and may overlap."""
    parts, at = list[str](), place[0]
    for start, end in hidden:
        if place[0] <= start and end <= place[1]:
            parts.append(text[at:start])
            at = max(at, end)
    return " ".join([*parts, text[at : place[1]]])
