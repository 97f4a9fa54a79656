"""The late-interaction attack: each word of a release, in its context, matched to a person's nearest word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import WORD, Ints, clean
from sfumato.attacks.linking.joint import JointLinking, TextScores, learn_scale
from sfumato.attacks.linking.ranking import RangeWeights, Scores, merge_range_weights
from sfumato.attacks.linking.sparse import TfIdfAttack, fit_together
from sfumato.models import word_vectors
from sfumato.models.base import Floats, Range
from sfumato.models.word_vectors import Vectors

DIMENSIONS = 96
"""Principal components that are kept of a word's vector."""
SAMPLE = 20_000
"""Words from which they are learned."""
COMMON = 0.3
"""Words that a larger share of people have are not compared."""
NEAR = 0.4
"""Cosines below this say nothing."""
_BLOCK = 2**23
"""Cosines computed at once: bounds memory."""
_TEXTS = 256
"""Texts read at once."""


class LateInteractionAttack(JointLinking):
    """Link all texts at once by words that are near in meaning where they stand.

    A score is the sum over a text's words of rarity · max(0, cosine with the person's nearest word - NEAR), as a share
    of the sum of rarities; a word that a text has n times counts 1 + ln n times, shared by its occurrences. Rarity is
    ln((1 + people) / (1 + people who have the word)).
    """

    name: ClassVar[str] = "late-interaction"
    goal: ClassVar[str] = (
        "Find whom each text is about by words that mean what a person's words mean where they stand, with all texts "
        "at hand."
    )
    cite: ClassVar[str | None] = "khattab2020"
    named_only: ClassVar[bool] = True
    """It reads the background by a network, which takes minutes where others take seconds."""

    def __init__(self, *, per_person: int | None = None) -> None:
        """``per_person``: how many of the texts may be about one person; by default as for ``joint``."""
        super().__init__(per_person)
        self._model = word_vectors.load()
        self._words = TfIdfAttack()
        self._last: tuple[str, Ints, Ints, Floats, Vectors] | None = None  # evidence is asked for after scores

    def learn(self, people: Sequence[Person]) -> None:
        fit_together([self._words], people)
        self._people_with = _count_people(people)
        self._total = len(people)
        vectors: list[Vectors] = []
        sizes = np.zeros(len(people), np.int64)
        for owners, texts in _batches(people):
            ranges = [self._compared(text) for text in texts]
            for owner, part in zip(owners, self._model.embed(list(zip(texts, ranges, strict=True))), strict=True):
                vectors.append(part)
                sizes[owner] += len(part)
        whole = np.concatenate(vectors)
        drawn = whole[np.random.default_rng(0).permutation(len(whole))[:SAMPLE]]
        self._mean: Vectors = drawn.mean(axis=0) if len(drawn) else np.zeros(word_vectors.DIMENSIONS, np.float32)
        centred = drawn - self._mean
        self._components: Vectors = np.linalg.svd(centred.T @ centred)[0][:, :DIMENSIONS]
        self._known = self._reduce(whole)
        self._sizes = sizes
        self._last = None

    def read(self, text: str) -> TextScores:
        """In standard deviations over people."""
        scores = self.raw_scores(text)
        return TextScores((scores - scores.mean()) / (scores.std() or np.float32(1)), scores > 0)

    def raw_scores(self, text: str) -> Scores:
        """How well each person fits a text, in the order of their ids; 0 where no word is near."""
        _, _, weights, vectors = self._words_of(text)
        scores = np.zeros(self._total, np.float32)
        for first, last, start, end in self._blocks(max(1, len(vectors))):
            owned = np.flatnonzero(self._sizes[first:last])
            borders = np.cumsum(self._sizes[first:last])[owned] - self._sizes[first:last][owned]
            nearest = np.maximum.reduceat(vectors @ self._known[start:end].T, borders, axis=1)
            scores[first + owned] = weights @ np.maximum(nearest - NEAR, 0)
        return scores

    def is_centred(self, texts: Sequence[str]) -> bool:
        """As links by shared words tell: of what kind the people are does not depend on the attack, and near words can
        be found of whoever has much text."""
        scores = np.stack([self._words.all_scores(text) for text in texts])
        deviations = scores.std(axis=1, keepdims=True)
        scaled = (scores - scores.mean(axis=1, keepdims=True)) / np.where(deviations > 0, deviations, 1)
        return learn_scale(scaled).centred

    def range_weights(self, text: str, row: int) -> RangeWeights:
        starts, ends, weights, vectors = self._words_of(text)
        end = int(self._sizes[: row + 1].sum())
        known = self._known[end - int(self._sizes[row]) : end]
        nearest = (vectors @ known.T).max(axis=1, initial=0.0)
        parts = weights * np.maximum(nearest - NEAR, 0)
        return merge_range_weights([RangeWeights(starts, ends, parts / (parts.sum() or 1))])

    def _words_of(self, text: str) -> tuple[Ints, Ints, Floats, Vectors]:
        """The words of a release that are compared: their ranges, weights that sum to 1, and vectors."""
        if self._last is None or self._last[0] != text:
            cleaned = clean(text)
            kept = [number for number, word in enumerate(cleaned.words) if self._is_rare(word)]
            starts, ends = cleaned.starts[kept], cleaned.ends[kept]
            forms = np.array([cleaned.words[number].lower() for number in kept], np.str_)
            _, which, counts = np.unique(forms, return_inverse=True, return_counts=True)
            rarity = np.array([self._rarity(form) for form in forms.tolist()])
            weights = rarity * (1 + np.log(counts))[which] / counts[which] if len(forms) else np.zeros(0)
            (vectors,) = self._model.embed([(text, list(zip(starts.tolist(), ends.tolist(), strict=True)))])
            self._last = text, starts, ends, weights / (weights.sum() or 1), self._reduce(vectors)
        return self._last[1:]

    def _compared(self, text: str) -> list[Range]:
        return [match.span() for match in WORD.finditer(text) if self._is_rare(match.group())]

    def _is_rare(self, word: str) -> bool:
        return self._people_with.get(word.lower(), 0) <= max(1, COMMON * self._total)

    def _rarity(self, form: str) -> float:
        return float(np.log((1 + self._total) / (1 + self._people_with.get(form, 0))))

    def _reduce(self, vectors: Vectors) -> Vectors:
        moved = (vectors - self._mean) @ self._components
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        reduced: Vectors = (moved / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return reduced

    def _blocks(self, words: int) -> Iterator[tuple[int, int, int, int]]:
        """Ranges of people, and of their words, few enough to be compared with so many words at once."""
        ends = np.cumsum(self._sizes)
        first = start = 0
        while first < self._total:
            last = max(first + 1, int(np.searchsorted(ends, start + max(1, _BLOCK // words), "right")))
            end = int(ends[last - 1])
            if end > start:
                yield first, last, start, end
            first, start = last, end


def _count_people(people: Sequence[Person]) -> dict[str, int]:
    """How many people have each word."""
    counts: dict[str, int] = {}
    for person in people:
        for form in {word.lower() for text in person.texts for word in WORD.findall(text)}:
            counts[form] = counts.get(form, 0) + 1
    return counts


def _batches(people: Sequence[Person]) -> Iterator[tuple[list[int], list[str]]]:
    """Texts in batches, each with the row of its person."""
    owners, texts = list[int](), list[str]()
    for row, person in enumerate(people):
        owners += [row] * len(person.texts)
        texts += person.texts
        if len(texts) >= _TEXTS:
            yield owners, texts
            owners, texts = [], []
    if texts:
        yield owners, texts
