"""The dense linking attack: chunks of a text and of the background compared by the cosine of their embeddings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.followed import Compares, Followed, MarginalGain
from sfumato.attacks.linking.ranking import RangeWeights, RankingAttack, Scores, merge_range_weights
from sfumato.models.base import Embedder, Floats, Range, SummingEmbedder, load_embedder

Vectors = NDArray[np.float32]

_BATCH = 2**22
"""Cosines computed at once: bounds memory."""
_ROUNDING = 1e-4
"""A sum of vectors shorter than this is none."""
_FEWEST_RIVALS = 60


class DenseAttack(RankingAttack):
    """Link a text to the person whose background is nearest in meaning, chunk by chunk.

    A score is the mean over the text's chunks of the cosine with the person's nearest chunk (0 where it is negative),
    after what all chunks of the background have in common, their mean, is taken away.
    """

    name: ClassVar[str] = "dense"
    goal: ClassVar[str] = "Find whom a text is about though it was said in other words."
    compares: ClassVar[Compares] = "meaning"
    uses: ClassVar[tuple[str, ...]] = ("embedder",)

    def __init__(self, *, embedder: str = "default", words: int = 100) -> None:
        """``embedder``: a model as in docs/models.md. ``words``: in a chunk, about 128 sub-tokens."""
        if words < 1:
            raise ValueError(f"a chunk has 1 word or more, got {words}")
        self.embedder: Embedder = load_embedder(embedder)
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
        vectors = self.embedder.embed(chunks)
        has_words = vectors.any(axis=1)
        self._mean: Vectors = vectors[has_words].mean(axis=0) if has_words.sum() > 1 else np.zeros_like(vectors[0])
        self._vectors = self.center(vectors)
        self._starts = np.array(starts)
        self._last = None

    def scores(self, text: str) -> Scores:
        _, vectors = self.read(text)
        scores = np.zeros(len(self._starts), np.float32)
        step = max(1, _BATCH // len(self._vectors))
        for low in range(0, len(vectors), step):
            nearest = np.maximum.reduceat(vectors[low : low + step] @ self._vectors.T, self._starts, axis=1)
            scores += np.maximum(nearest, 0).sum(axis=0)
        return scores / np.float32(len(vectors) or 1)

    def evidence(self, text: str, row: int) -> RangeWeights:
        chunks, vectors = self.read(text)
        starts, ends = np.array(chunks, np.int64).reshape(-1, 2).T
        weights = self.nearest(vectors, row) / np.float64(len(chunks) or 1)
        return merge_range_weights([RangeWeights(starts, ends, weights)])

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedDense:
        return FollowedDense(self, text, subjects, rank)

    def nearest(self, vectors: Vectors, row: int) -> Vectors:
        """The cosine of each vector with the person's nearest chunk; 0 where it is negative."""
        cosines: Vectors = (vectors @ self.known_vectors(row).T).max(axis=1)
        return np.maximum(cosines, 0)

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
        return self.center(self.embedder.embed(texts))

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


class FollowedDense(Followed):
    """A text that changes, by its embeddings: a place's part of the score is found by leaving the place out.

    Subjects are compared with the people who fitted best at the start: whoever is left out could only hide a subject
    better. Where the embedder adds up the vectors of words, no text is embedded twice.
    """

    def __init__(self, attack: DenseAttack, text: str, subjects: Sequence[int], rank: int) -> None:
        self._attack = attack
        sums = attack.embedder.sums if isinstance(attack.embedder, SummingEmbedder) else None
        self._embed = EmbeddedChunks(attack) if sums is None else SummedChunks(attack, sums)
        scores = attack.scores(text)
        size = min(len(scores), len(subjects) + max(_FEWEST_RIVALS, 3 * rank))
        order = np.argsort(-scores, kind="stable")
        others = order[~np.isin(order, subjects)]
        self._rows: Ints = np.concatenate([np.array(subjects, np.int64), others])[:size]
        self._index = {int(row): index for index, row in enumerate(self._rows)}
        known = [attack.known_vectors(int(row)) for row in self._rows]
        self._known = np.concatenate(known)
        self._starts = np.cumsum([0, *map(len, known)])
        self._people = len(scores)
        self.change(text)

    def change(self, text: str) -> None:
        self._text = text
        self._reduced: list[tuple[list[int], Vectors]] = []
        self._chunks, self._vectors = self._embed.chunks(text)
        self.scores = np.full(self._people, -np.inf)
        self.scores[self._rows] = self._scores_of_rows()

    def gain(self, row: int, rivals: Ints, places: Ints, count: int) -> MarginalGain:
        """How much the subject's score falls without each place, less how much the rivals' mean falls.

        As far as what is known of each of them that is nearest to a chunk stays the same: a bound, and far faster.
        """
        rows = [self._index[person] for person in (row, *rivals.tolist()) if person in self._index]
        share = np.full(len(rows), -1 / max(1, len(rows) - 1))
        share[0] = 1.0
        gain = np.zeros(count)
        nearest_chunks = self._nearest_chunks(rows)
        for number, (numbers, reduced) in enumerate(self._reduced_chunks(places, count)):
            if len(numbers):
                known = nearest_chunks[number]  # [row, dimension]
                before = np.maximum(known @ self._vectors[number], 0)
                gain[numbers] += (before - np.maximum(reduced @ known.T, 0)) @ share / len(self._chunks)
        return MarginalGain(gain, gain)

    def _nearest_chunks(self, rows: Sequence[int]) -> Vectors:
        """[chunk, row, dimension]: of what is known of each person, what is nearest to each chunk of the text."""
        nearest = [
            self._known[
                self._starts[row]
                + (self._vectors @ self._known[self._starts[row] : self._starts[row + 1]].T).argmax(axis=1)
            ]
            for row in rows
        ]
        stacked: Vectors = np.stack(nearest, axis=1)
        return stacked

    def _scores_of_rows(self) -> Floats:
        """By candidate, the mean over chunks of the cosine with their nearest chunk; 0 where it is negative."""
        if not len(self._vectors):
            return np.zeros(len(self._rows))
        cosines = np.maximum.reduceat(self._vectors @ self._known.T, self._starts[:-1], axis=1)
        scores: Floats = np.maximum(cosines, 0).mean(axis=0, dtype=np.float64)
        return scores

    def _reduced_chunks(self, places: Ints, count: int) -> list[tuple[list[int], Vectors]]:
        """For each chunk its places, and its vectors without each of them; computed once per text."""
        if not self._reduced:
            self._reduced = [
                (list(ranges), self._embed.without(self._text, chunk, list(ranges.values())))
                for chunk in self._chunks
                for ranges in [_place_ranges(places[chunk[0] : chunk[1]], chunk[0], count)]
            ]
        return self._reduced


class EmbeddedChunks:
    """Chunks of a document as a dense attack compares them, by any embedder; each text is embedded once."""

    def __init__(self, attack: DenseAttack) -> None:
        self._attack = attack
        self._known: dict[str, Vectors] = {}

    def chunks(self, text: str) -> tuple[list[Range], Vectors]:
        ranges, hidden = self._attack.chunks(text), cleaning.placeholders(text)
        return ranges, self._vectors([remove_ranges(text, chunk, hidden) for chunk in ranges])

    def without(self, text: str, chunk: Range, parts: Sequence[Range]) -> Vectors:
        """The vectors of a chunk without each of its parts."""
        hidden = cleaning.placeholders(text)
        return self._vectors([remove_ranges(text, chunk, sorted([*hidden, part])) for part in parts])

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._attack.vectors(new), strict=True))
        return np.stack([self._known[text] for text in texts]) if texts else self._attack.vectors([])


class SummedChunks:
    """The same where the embedder adds up the vectors of words: words are looked up once, and taken away again."""

    def __init__(self, attack: DenseAttack, sums: Callable[[Sequence[str]], Vectors]) -> None:
        self._attack, self._sums = attack, sums
        self._words: dict[str, Vectors] = {}
        self._chunk_sums: dict[Range, Vectors] = {}

    def chunks(self, text: str) -> tuple[list[Range], Vectors]:
        ranges, self._hidden = self._attack.chunks(text), cleaning.placeholders(text)
        sums = self._sums_of([remove_ranges(text, chunk, self._hidden) for chunk in ranges])
        self._chunk_sums = dict(zip(ranges, sums, strict=True))
        return ranges, self._centered(sums)

    def without(self, text: str, chunk: Range, parts: Sequence[Range]) -> Vectors:
        """The vectors of a chunk without each of its parts."""
        hidden = [place for place in self._hidden if chunk[0] <= place[0] and place[1] <= chunk[1]]
        removed = [remove_ranges(text, part, _inside(part, hidden)) for part in parts]
        return self._centered(self._chunk_sums[chunk] - self._sums_of(removed))

    def _sums_of(self, texts: Sequence[str]) -> Vectors:
        words = [text.split() for text in texts]
        new = list(dict.fromkeys(word for row in words for word in row if word not in self._words))
        if new or not self._words:
            self._words.update(zip(["", *new], self._sums(["", *new]), strict=True))
        nothing = self._words[""]
        if not words:
            return np.zeros((0, len(nothing)), np.float32)
        return np.stack([np.sum([self._words[word] for word in row], axis=0) if row else nothing for row in words])

    def _centered(self, sums: Vectors) -> Vectors:
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        # What rounding leaves of a sum whose words were all taken away is nothing.
        return self._attack.center(np.where(lengths > _ROUNDING, sums / np.maximum(lengths, _ROUNDING), 0))


def _inside(part: Range, hidden: Sequence[Range]) -> list[Range]:
    """The hidden ranges as far as they lie inside a part."""
    cut = [(max(start, part[0]), min(end, part[1])) for start, end in hidden]
    return [(start, end) for start, end in cut if start < end]


def _place_ranges(places: Ints, start: int, count: int) -> dict[int, tuple[int, int]]:
    """The range of each place in a part of the text that begins at ``start``."""
    borders = np.flatnonzero(np.diff(places)) + 1
    ranges: dict[int, tuple[int, int]] = {}
    for first, last in zip([0, *borders.tolist()], [*borders.tolist(), len(places)], strict=True):
        if first < last and places[first] != count:
            ranges[int(places[first])] = (start + first, start + last)
    return ranges
