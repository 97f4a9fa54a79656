"""Bases of the linking attacks: people in rows, the ranking, and the evidence for the first guess."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import MAX_GUESSES, AttackKind, Person, margin, not_fitted
from sfumato.attacks.linking.followed import Compares
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import InputError, NotMeasurable

Scores = NDArray[np.float32]
MAX_EVIDENCE = 50
"""Ranges of the text that an attempt names at most."""


class RangeWeights(NamedTuple):
    """What each range of a released text adds to a person's score; the weights sum to it."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    weights: NDArray[np.float64]


def merge_range_weights(parts: Sequence[RangeWeights]) -> RangeWeights:
    """Weights of the same range added up, without those of 0; heaviest first, then from left to right."""
    starts, ends, weights = map(np.concatenate, zip(*parts, strict=True))
    width = int(ends.max(initial=0)) + 1
    ranges, which = np.unique(starts * width + ends, return_inverse=True)
    total: NDArray[np.float64] = np.bincount(which, weights, len(ranges)).astype(np.float64)
    order = np.lexsort((ranges, -total))
    order = order[total[order] > 0]
    return RangeWeights(ranges[order] // width, ranges[order] % width, total[order])


def as_evidence(text: str, ranges: RangeWeights, score: float = 1.0, most: int | None = None) -> list[Evidence]:
    """The heaviest ranges with their words, and with weights as shares of a score."""
    starts, ends, weights = (values[:most] for values in ranges)
    rows = zip(starts.tolist(), ends.tolist(), (weights / score).tolist(), strict=True)
    return [Evidence(text[start:end], weight, start, end) for start, end, weight in rows]


class PeopleAttack(ABC):
    """Base of the attacks on people in rows, sorted by id, so that their order in the background has no effect."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str]
    goal: ClassVar[str]
    compares: ClassVar[Compares] = "words"

    _row: dict[str, int] | None = None

    def fit(self, background: Sequence[Person]) -> Self:
        """Learn the people; once, before any run."""
        people = sorted(background, key=lambda person: person.id)
        self.set_people([person.id for person in people])
        self.learn(people)
        return self

    def set_people(self, ids: Sequence[str]) -> None:
        """Set the people who can be guessed, in the order of the scores."""
        if not ids:
            raise InputError(f"the attack {self.name!r} has nobody to choose among: the background is empty")
        self._row = {key: row for row, key in enumerate(ids)}
        if twice := len(ids) - len(self._row):
            raise InputError(f"the background names {twice} people twice: merge each person's texts into one")
        self._ids = list(ids)

    def row(self, person_id: str) -> int:
        """A person's index in ``scores``."""
        if self._row is None:
            raise not_fitted(self.name)
        if person_id not in self._row:
            raise NotMeasurable(f"the background holds nobody with the id {person_id!r}")
        return self._row[person_id]

    @property
    def learned(self) -> str | None:
        """A fingerprint of what the last run learned of its releases; None before a run that learns of them."""
        return ""

    @abstractmethod
    def learn(self, people: Sequence[Person]) -> None:
        """Learn the texts of people, who come in the order of their ids."""

    @abstractmethod
    def scores(self, text: str) -> Scores:
        """How well each person fits a released text, in the order of their ids, before people compete for texts."""

    @abstractmethod
    def evidence(self, text: str, row: int) -> RangeWeights:
        """What each range of a released text says for the person in a row, heaviest first."""

    def _attempt_of(self, document_id: str, text: str, guesses: tuple[Guess, ...], score: float = 1.0) -> Attempt:
        """``score``: the sum of the weights of the evidence for the first guess."""
        if not guesses:
            return Attempt(self.name, document_id, ())
        evidence = as_evidence(text, self.evidence(text, self.row(guesses[0].answer)), score, MAX_EVIDENCE)
        return Attempt(self.name, document_id, guesses, score=margin(guesses), evidence=tuple(evidence))


class RankingAttack(PeopleAttack):
    """Scores every person for a text: 0 where nothing is shared; the weights of the evidence sum to the score."""

    def contributions(self, text: str, person_id: str) -> list[Evidence]:
        """What each term of a released text adds to a person's score, heaviest first; the weights sum to the score.

        A term that occurs more than once is named each time, with an equal part of its weight.
        """
        return as_evidence(text, self.evidence(text, self.row(person_id)))

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each released text (document id -> text), in order."""
        if self._row is None and released:
            raise not_fitted(self.name)
        attempts = []
        for key, text in released.items():
            scores = self.scores(text)
            best = [(row, float(scores[row])) for row in top_rows(scores, MAX_GUESSES)]
            attempts.append(self._attempt_by_score(key, text, best))
        return attempts

    def _attempt_by_score(self, document_id: str, text: str, best: Sequence[tuple[int, float]]) -> Attempt:
        """The attempt that names the people in these rows, by their scores, best first."""
        guesses = tuple(Guess(self._ids[row], score) for row, score in best)
        return self._attempt_of(document_id, text, guesses, guesses[0].score if guesses else 1.0)


def top_rows(scores: Scores, size: int) -> list[int]:
    """The rows with the highest scores above 0, best first; of equal ones the first."""
    border = np.partition(scores, -size)[-size] if len(scores) > size else 0.0
    rows = np.flatnonzero((scores >= border) & (scores > 0))
    order = np.argsort(-scores[rows], kind="stable")[:size]
    return [int(row) for row in rows[order]]
