"""Repairs that the loop may try, best first: by the share of the gaps that they close for what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from sfumato.attacks.linking.followed import MarginalGain
from sfumato.models.base import Floats
from sfumato.protection.loss import Loss
from sfumato.protection.ranks import RankedSubjects
from sfumato.protection.text import WorkingText


class Constraint(NamedTuple):
    """A subject whom an attack still finds too well."""

    attack: RankedSubjects
    row: int
    gap: float
    share: float
    """The gap as a share of the subject's score: attacks have different scales."""


_SENTENCE = 4.0
"""In mean terms: the cost of removing a function word from its sentence, of which TPS knows nothing."""
UNREADABLE = 3.0
"""In mean terms: the cost of a mark of omission in a sentence, where no wider wording reads. A sentence that costs less
than its marks is left out."""
_ROUNDING = 1e-9


class LossBudget:
    """Costs of repairs (information, a little for every change, damage to the sentence), and the limit of the loss."""

    def __init__(self, text: WorkingText, loss: Loss, limit: float | None) -> None:
        """``limit``: None is unlimited."""
        self._text, self._loss, self.limit = text, loss, limit
        self._unreadable = UNREADABLE * loss.mean
        self._sentence = np.array([_SENTENCE * loss.mean * place.is_function_word for place in text.places])

    @property
    def left(self) -> float:
        return (1.0 if self.limit is None else self.limit) - self._loss.lost

    @property
    def is_exceeded(self) -> bool:
        """Whether more is lost than the limit, as of the last update of the loss."""
        return self.limit is not None and self.left < -_ROUNDING

    def suppression_costs(self) -> Floats:
        """By place, the cost of suppressing it now."""
        costs: Floats = self._loss.suppression_costs(self._text.starts, self._text.ends) + self._sentence
        return costs + [self._unreadable * self._text.is_unreadable_next(n) for n in range(len(self._text.places))]

    def cost(self, places: Sequence[int]) -> float:
        """The cost of moving places on to their next alternative."""
        unreadable = sum(self._text.is_unreadable_next(number) for number in places)
        change = self._loss.least * len(places) + float(self._sentence[list(places)].sum())
        return self.information(places) + change + self._unreadable * unreadable

    def information(self, places: Sequence[int]) -> float:
        """The part of the cost that is information."""
        alternatives = [self._text.next_alternative(number) for number in places]
        return self._loss.cost([alternative.edit for alternative in alternatives if alternative])

    def can_afford(self, places: Sequence[int]) -> bool:
        return self.limit is None or self.spending(places) <= self.left + _ROUNDING

    def spending(self, places: Sequence[int]) -> float:
        """What counts against the budget: a function word as much as a mean term."""
        return self.information(places) + float(self._sentence[list(places)].sum()) / _SENTENCE


_CONSIDERED = 16
"""Candidates whose wordings are looked up before one is chosen."""
_REWORDED = 8
"""Most candidates for which the masked language model is asked before one is chosen."""


class RepairCandidate(NamedTuple):
    """The next alternative of some places."""

    places: tuple[int, ...]
    value: float
    closes: float
    """The share of the gaps, summed over constraints, that it is expected to close."""


def rank_candidates(
    text: WorkingText, budget: LossBudget, constraints: Sequence[Constraint], gains: Sequence[MarginalGain]
) -> list[RepairCandidate]:
    """Repairs of groups and of single places, best first."""
    is_open = np.array([text.is_open(number) for number in range(len(text.places))])
    together, alone = (
        np.array([np.where(is_open, gain / item.gap, 0.0) for item, gain in zip(constraints, parts, strict=True)])
        for parts in zip(*gains, strict=True)
    )
    costs = budget.suppression_costs()
    group_gains = np.array([np.bincount(text.group_of, part, len(text.groups)) for part in together])
    group_costs = np.bincount(text.group_of, costs * is_open, len(text.groups))
    # More than the whole gap is worth no more than the gap.
    group_closes = np.minimum(group_gains, 1.0).sum(axis=0)
    place_closes = np.minimum(alone, 1.0).sum(axis=0)
    ranked = [
        (value, tuple(number for number in text.groups[group] if is_open[number]), group_closes[group])
        for group, value in _best(group_closes / np.where(group_costs > 0, group_costs, 1.0))
    ]
    ranked += [
        (value, (number,), place_closes[number])
        for number, value in _best(place_closes / costs)
        # What is said of an entity is said everywhere; a word may be taken out of one phrase alone.
        if text.places[number].edit is None and len(text.groups[text.places[number].group]) > 1
    ]
    ranked.sort(key=lambda candidate: -candidate[0])
    affordable = ((places, float(closes)) for _, places, closes in ranked if budget.can_afford(places))
    return _after_rewording(text, budget, list(islice(affordable, _CONSIDERED)))


def _after_rewording(
    text: WorkingText, budget: LossBudget, considered: Sequence[tuple[tuple[int, ...], float]]
) -> list[RepairCandidate]:
    """Places, by what they close for what they cost with the wordings that were looked for."""
    candidates = list[RepairCandidate]()
    for _ in range(_REWORDED):
        candidates = [RepairCandidate(places, closes / budget.cost(places), closes) for places, closes in considered]
        candidates.sort(key=lambda candidate: -candidate.value)
        # What the first candidate costs is known only when its words have been looked at; that may make it the second.
        if not candidates or not reword(text, candidates[0].places):
            break
    return candidates


def reword(text: WorkingText, places: Sequence[int]) -> bool:
    """Look for wordings of places that would be suppressed next; whether any was looked for."""
    looked_for = [text.reword(number) for number in places if text.is_suppressed_next(number)]
    return any(looked_for)


def non_overlapping(candidates: Sequence[RepairCandidate]) -> list[RepairCandidate]:
    """The candidates in order, without those that touch a place of an earlier one."""
    chosen, touched = list[RepairCandidate](), set[int]()
    for candidate in candidates:
        if touched.isdisjoint(candidate.places):
            chosen.append(candidate)
            touched.update(candidate.places)
    return chosen


def _best(values: Floats) -> list[tuple[int, float]]:
    size = min(len(values), 3 * _CONSIDERED)
    if not size:
        return []
    rows = np.argpartition(-values, size - 1)[:size]
    return [(int(row), float(values[row])) for row in rows if values[row] > 0]
