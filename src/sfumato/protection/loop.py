"""The loop on one document: repair what carries the link, with the least loss of information first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.document import Release
from sfumato.protection.incremental import IncrementalAttack, MarginalGain
from sfumato.protection.loss import Loss
from sfumato.protection.precautions import PrecautionaryRepair
from sfumato.protection.records import Ranks, Repair
from sfumato.protection.text import WorkingText

# -- What the loop made of a document, told as repairs.


@dataclass(frozen=True)
class Made:
    """One step of the loop: some places say their next wording."""

    places: tuple[int, ...]
    against: str
    cost: float
    loss: float
    """Of the cost what is information, and not the sentence that suffers."""


def repairs_of(text: WorkingText, made: Sequence[Made]) -> tuple[Repair, ...]:
    """What was made, each place once: from what it said at the start to what it says now, whatever came between."""
    against: dict[int, str] = {}
    loss: defaultdict[int, float] = defaultdict(float)
    for one in made:
        for number in one.places:
            against.setdefault(number, one.against)
            loss[number] += one.loss / len(one.places)
    alike: defaultdict[tuple[int, str, str, str], list[int]] = defaultdict(list)
    for number in against:
        if text.levels[number]:
            alternative = text.alternatives(number)[text.levels[number] - 1]
            said = text.initial_text(number)
            alike[text.places[number].group, alternative.kind, said, alternative.edit.replacement].append(number)
    return tuple(
        Repair(
            kind,
            said,
            put,
            len(numbers),
            sum(loss[number] for number in numbers),
            against[numbers[0]],
            splits=any(not text.levels[number] for number in text.groups[group]),
        )
        for (group, kind, said, put), numbers in alike.items()
    )


# -- What the loop may spend: information, a little for every change, and what a sentence suffers.


_SENTENCE = 2.0
"""In mean terms: what it costs to take a function word out of its sentence, of which TPS knows nothing."""
_ROUNDING = 1e-9
"""Of a budget."""


class LossBudget:
    """Prices of repairs, and the budget; None: as much as it takes."""

    def __init__(self, text: WorkingText, loss: Loss, budget: float | None) -> None:
        self._text, self._loss, self.budget = text, loss, budget
        self._sentence = np.array([_SENTENCE * loss.mean * place.empty for place in text.places])

    @property
    def left(self) -> float:
        """What may still be lost."""
        return (1.0 if self.budget is None else self.budget) - self._loss.lost

    @property
    def is_overdrawn(self) -> bool:
        """Whether more was lost than may be, as it was settled last."""
        return self.budget is not None and self.left < -_ROUNDING

    def at_stake(self) -> Floats:
        """By place, what it would cost to suppress it now."""
        stake: Floats = self._loss.at_stake(self._text.starts, self._text.ends) + self._sentence
        return stake

    def cost(self, places: Sequence[int]) -> float:
        """What it takes to let places say their next wording."""
        return self.information(places) + self._loss.least * len(places) + float(self._sentence[list(places)].sum())

    def information(self, places: Sequence[int]) -> float:
        """Of the cost what is information."""
        return self._loss.cost(
            [alternative.edit for number in places if (alternative := self._text.next_alternative(number))]
        )

    def can_afford(self, places: Sequence[int]) -> bool:
        return self.budget is None or self.usage(places) <= self.left + _ROUNDING

    def usage(self, places: Sequence[int]) -> float:
        """What counts against the budget: a function word as much as a mean term."""
        return self.information(places) + float(self._sentence[list(places)].sum()) / _SENTENCE


# -- Which repairs to try: those that close most of the gap between a subject and the others per information lost.


Floats = NDArray[np.float64]

_CONSIDERED = 16
"""Repairs whose wordings are looked up before one is chosen."""


class Constraint(NamedTuple):
    """A subject whom an attack still finds too well."""

    link: IncrementalAttack
    row: int
    gap: float
    share: float
    """The gap as a share of the subject's score: attacks score on scales of their own."""


class RepairCandidate(NamedTuple):
    """The next wording of some places."""

    places: tuple[int, ...]
    value: float
    closes: float
    """The share of the gaps, summed over constraints, that it is expected to close."""


def ranked(
    text: WorkingText, budget: LossBudget, open_: Sequence[Constraint], reliefs: Sequence[MarginalGain]
) -> list[RepairCandidate]:
    """Repairs of groups and of single places, best first."""
    is_open = np.array([text.is_open(number) for number in range(len(text.places))])
    together, alone = (
        np.array([np.where(is_open, part / item.gap, 0.0) for item, part in zip(open_, parts, strict=True)])
        for parts in zip(*reliefs, strict=True)
    )
    stake = budget.at_stake()
    groups = np.array([np.bincount(text.group_of, part, len(text.groups)) for part in together])
    group_stake = np.bincount(text.group_of, stake * is_open, len(text.groups))
    # More than the whole gap is worth no more than the gap.
    of_groups = np.minimum(groups, 1.0).sum(axis=0)
    of_places = np.minimum(alone, 1.0).sum(axis=0)
    candidates = [
        (value, tuple(number for number in text.groups[at] if is_open[number]), of_groups[at])
        for at, value in _best(of_groups / np.where(group_stake > 0, group_stake, 1.0))
    ]
    candidates += [
        (value, (at,), of_places[at])
        for at, value in _best(of_places / stake)
        # What is said of an entity is said everywhere; a word may be taken out of one phrase alone.
        if text.places[at].edit is None and len(text.groups[text.places[at].group]) > 1
    ]
    candidates.sort(key=lambda candidate: -candidate[0])
    affordable = (candidate for candidate in candidates if budget.can_afford(candidate[1]))
    moves = [
        RepairCandidate(places, float(gain) / budget.cost(places), float(gain))
        for _, places, gain in islice(affordable, _CONSIDERED)
    ]
    return sorted(moves, key=lambda move: -move.value)


def non_overlapping(moves: Sequence[RepairCandidate]) -> list[RepairCandidate]:
    """The moves in order, without those that touch a place of one before."""
    kept, touched = list[RepairCandidate](), set[int]()
    for move in moves:
        if touched.isdisjoint(move.places):
            kept.append(move)
            touched.update(move.places)
    return kept


def _best(values: Floats) -> list[tuple[int, float]]:
    size = min(len(values), 3 * _CONSIDERED)
    if not size:
        return []
    rows = np.argpartition(-values, size - 1)[:size]
    return [(int(row), float(values[row])) for row in rows if values[row] > 0]


# -- The loop on one document: repair what carries the link, with the least loss of information first.


ANY = "any background"
"""What a repair is against that no attack forced."""
_AHEAD = 4
"""Repairs that are tried out where none helps by itself."""
_AT_ONCE = 16
"""Repairs that are made before the attacks look again, where one closes little of the gap."""
_LITTLE = 0.25
_TAKEN_BACK = 16
"""Repairs that are tried to be taken back at the end."""


@dataclass(frozen=True)
class LoopResult:
    """A document after the loop."""

    release: Release
    repairs: tuple[Repair, ...]
    reached: bool
    loss: float
    ranks_before: Ranks
    ranks: Ranks
    hardest: int | None
    """The row of the subject who stood out most, at the end or, where nobody does, at the start."""


class Loop:
    """Repairs one document until nobody is found in it, the budget is spent, or nothing is left to repair."""

    def __init__(
        self,
        text: WorkingText,
        links: Sequence[IncrementalAttack],
        loss: Loss,
        budget: float | None = None,
        precautionary_repairs: Sequence[PrecautionaryRepair] = (),
    ) -> None:
        """``cautions``: what is lowered first, whatever the attacks say."""
        self._text, self._links, self._loss = text, links, loss
        self._purse = LossBudget(text, loss, budget)
        self._cautions = precautionary_repairs
        self._order = list(links)
        self._made: list[Made] = []
        self._in_vain = False
        self._look()

    def run(self) -> LoopResult:
        ranks_before, hardest = self._ranks(), _hardest(self._open())
        self._lower()
        cautious = len(self._made)
        while open_ := self._open():
            moves = self._moves(open_) or self._ahead(open_)
            moves = self._affordable(moves)
            if not moves:
                break
            levels, made = list(self._text.levels), len(self._made)
            for move in moves:
                self._make(move, open_)
            self._look()
            if not self._is_within_budget():  # what repairs cost together is known only now
                self._text.levels = levels
                del self._made[made:]
                self._look()
                break
        left = self._open()
        if not left:
            self._take_back(cautious)
        return LoopResult(
            self._release,
            repairs_of(self._text, self._made),
            not left,
            self._loss.lost,
            ranks_before,
            self._ranks(),
            _hardest(left) if left else hardest,
        )

    def _lower(self) -> None:
        """Spend each caution's budget, and no more than the whole one."""
        for caution in self._cautions:
            left = min(caution.budget, self._purse.left)
            for places in caution.places:
                places = tuple(number for number in places if not self._text.levels[number])
                cost = self._purse.cost(places) if places else left
                if places and cost < left:
                    left -= cost
                    self._made.append(Made(places, f"{ANY} ({caution.kind})", cost, self._purse.information(places)))
                    self._text.widen(places)
            self._settle()
        if self._made:
            self._look()

    def _is_within_budget(self) -> bool:
        """Whether the text as it stands costs no more than it may: TPS may fall where a part of a term comes back."""
        if self._purse.budget is not None:
            self._settle()
        return not self._purse.is_overdrawn

    def _ranks(self) -> Ranks:
        """By attack, the rank of the subject who is found best."""
        return {
            link.name: min((one.rank for one in link.ranks() if one.rank is not None), default=None)
            for link in self._links
        }

    def _look(self) -> None:
        self._settle()
        for link in self._links:
            link.update(self._release.text)

    def _settle(self) -> None:
        self._release, self._owners = self._text.release()
        self._loss.settle(self._release.edits)

    def _holds(self) -> bool:
        """Whether nobody is found in the text as it stands; the first attack that says no settles it."""
        text = self._text.release()[0].text
        for at, link in enumerate(self._order):
            link.update(text)
            if any(standing.gap > 0 for standing in link.ranks()):
                self._order.insert(0, self._order.pop(at))  # who said no will say no again
                return False
        return True

    def _open(self) -> list[Constraint]:
        return [
            Constraint(link, standing.row, standing.gap, standing.gap / standing.score)
            for link in self._links
            for standing in link.ranks()
            if standing.gap > 0
        ]

    def _moves(self, open_: Sequence[Constraint]) -> list[RepairCandidate]:
        """The best repairs by gap closed per information lost: one, or several that each close little."""
        count = len(self._text.places)
        found = ranked(
            self._text, self._purse, open_, [item.link.marginal_gain(item.row, self._owners, count) for item in open_]
        )
        moves, closed = list[RepairCandidate](), 0.0
        for move in non_overlapping(found[:_AT_ONCE]):
            moves.append(move)
            closed += move.closes
            if closed >= _LITTLE * len(open_):
                break
        return moves

    def _ahead(self, open_: Sequence[Constraint]) -> list[RepairCandidate]:
        """Where no repair seems to help by itself: try those out that hurt the subject most, alone and in twos."""
        count = len(self._text.places)
        parts = [item.link.own_contribution(item.row, self._owners, count) for item in open_]
        found = ranked(self._text, self._purse, open_, parts)
        candidates = found[:_AHEAD]
        if self._in_vain or not candidates:
            return non_overlapping(found)
        tries: list[tuple[RepairCandidate, ...]] = [(one,) for one in candidates]
        tries += [pair for pair in combinations(candidates, 2) if len(non_overlapping(pair)) == 2]
        before = sum(item.share for item in open_)
        levels = list(self._text.levels)
        tried = []
        for moves in tries:
            cost = sum(self._purse.cost(move.places) for move in moves)
            for move in moves:
                self._text.widen(move.places)
            self._look()
            left = sum(item.share for item in self._open())
            tried.append(((before - left) / cost, moves))
            self._text.levels = list(levels)
        self._look()
        best = max(tried, key=lambda pair: pair[0])
        if best[0] > 0:
            return list(best[1])
        # Nothing helps yet, as where many tie. What no longer stands there cannot lead to anyone, so go on while a
        # budget does not forbid to spend on what may not help; what proves needless is taken back. Trying things out
        # again and again would only take time.
        self._in_vain = self._purse.budget is None
        return non_overlapping(found) if self._in_vain else []

    def _affordable(self, moves: Sequence[RepairCandidate]) -> list[RepairCandidate]:
        if self._purse.budget is None:
            return list(moves)
        kept, left = list[RepairCandidate](), self._purse.left
        for move in moves:
            cost = self._purse.usage(move.places)
            if cost <= left or (not kept and self._purse.can_afford(move.places)):
                kept.append(move)
                left -= cost
        return kept

    def _make(self, move: RepairCandidate, open_: Sequence[Constraint]) -> None:
        against = max(open_, key=lambda item: item.share).link.name
        cost, loss = self._purse.cost(move.places), self._purse.information(move.places)
        self._text.widen(move.places)
        self._made.append(Made(move.places, against, cost, loss))

    def _take_back(self, first: int) -> None:
        """Undo repairs that the others made needless, dearest first; not those that caution made before them."""
        order = sorted(range(first, len(self._made)), key=lambda at: -self._made[at].cost)
        undone: set[int] = set()
        for at in order[:_TAKEN_BACK]:
            levels = list(self._text.levels)
            for number in self._made[at].places:
                self._text.levels[number] -= 1
            if self._holds() and self._is_within_budget():
                # What comes down is the last step that a place made, whichever was tried.
                places = set(self._made[at].places)
                undone.add(max(n for n in order if n not in undone and places.intersection(self._made[n].places)))
            else:
                self._text.levels = levels
        self._look()
        self._made = [made for at, made in enumerate(self._made) if at not in undone]


def _hardest(open_: Sequence[Constraint]) -> int | None:
    return max(open_, key=lambda item: item.share).row if open_ else None
