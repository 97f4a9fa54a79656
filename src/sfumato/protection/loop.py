"""The protection loop on one document: repair what carries the link, with the least loss of information first.

Each round ranks repair candidates by the share of the gap that they close (how far a subject's score must fall under
an attack) per information lost, applies the best, and lets every attack look at the new text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sfumato.document import Edit, Release
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.lexicon.grammar import TextRange, enclosing_sentences, sentence_ranges
from sfumato.protection.candidates import (
    UNREADABLE,
    Constraint,
    LossBudget,
    RepairCandidate,
    non_overlapping,
    rank_candidates,
    reword,
)
from sfumato.protection.loss import Loss
from sfumato.protection.precautions import PrecautionaryRepair
from sfumato.protection.ranks import RankedSubjects
from sfumato.protection.records import Ranks, Repair
from sfumato.protection.text import WorkingText

ANY_BACKGROUND = "any background"
"""What a precautionary repair is against: no attack forced it."""
_TRIED = 4
"""Candidates that are tried out where none seems to help by itself."""
_AT_ONCE = 16
"""Most repairs before the attacks look again, where each closes little of the gap."""
_CLOSED_AT_ONCE = 0.25
"""The share of the gaps to close before the attacks look again."""
_MOST_LEFT_OUT = 0.5
"""The share of a document's sentences that may be left out."""
_REVERTED = 16
"""Most repairs that are tried to be reverted at the end."""


@dataclass(frozen=True)
class LoopResult:
    """A document after the loop."""

    release: Release
    repairs: tuple[Repair, ...]
    reached: bool
    loss: float
    ranks_before: Ranks
    ranks: Ranks
    hardest_row: int | None
    """The row of the subject who stood out most, at the end or, where nobody does, at the start."""


class Loop:
    """Repairs one document until no attack finds its subjects, the budget is spent, or nothing is left to repair."""

    def __init__(
        self,
        text: WorkingText,
        attacks: Sequence[RankedSubjects],
        loss: Loss,
        budget: float | None = None,
        precautions: Sequence[PrecautionaryRepair] = (),
    ) -> None:
        """``precautions``: what is repaired first, whatever the attacks find."""
        self._text, self._attacks, self._loss = text, attacks, loss
        self._budget = LossBudget(text, loss, budget)
        self._precautions = precautions
        self._check_order = list(attacks)
        self._applied: list[AppliedRepair] = []
        self._gave_up_trying = False
        self._update()

    def run(self) -> LoopResult:
        ranks_before, at_start = self._ranks(), self._constraints()
        self._apply_precautions()
        precautions = len(self._applied)
        while constraints := self._constraints():
            candidates = self._best_candidates(constraints) or self._tried_candidates(constraints)
            candidates = self._affordable(candidates)
            if not candidates:
                break
            levels, applied = list(self._text.levels), len(self._applied)
            for candidate in candidates:
                self._apply(candidate.places, _hardest(constraints).attack.name)
            self._update()
            if not self._is_within_budget():  # what repairs cost together is known only now
                self._text.levels = levels
                del self._applied[applied:]
                self._update()
                break
        remaining = self._constraints()
        if not remaining:
            self._revert_needless(precautions, set())
            if left_out := self._leave_out_sentences():
                self._revert_needless(precautions, left_out)
        return LoopResult(
            self._release,
            merge_repairs(self._text, self._applied),
            not remaining,
            self._loss.lost,
            ranks_before,
            self._ranks(),
            _hardest(remaining or at_start).row if remaining or at_start else None,
        )

    def _apply_precautions(self) -> None:
        """Spend each precaution's budget, and no more than the whole one."""
        for precaution in self._precautions:
            left = min(precaution.budget, self._budget.left)
            for places in precaution.places:
                places = tuple(number for number in places if not self._text.levels[number])
                reword(self._text, places)
                cost = self._budget.cost(places) if places else left
                if places and cost < left:
                    left -= cost
                    self._apply(places, f"{ANY_BACKGROUND} ({precaution.kind})")
            self._update_release()
        if self._applied:
            self._update()

    def _is_within_budget(self) -> bool:
        """Measured on the whole text: TPS may fall where a part of a term comes back."""
        if self._budget.limit is not None:
            self._update_release()
        return not self._budget.is_exceeded

    def _ranks(self) -> Ranks:
        """By attack, the rank of the subject who is found best."""
        return {
            attack.name: min((subject.rank for subject in attack.ranks() if subject.rank is not None), default=None)
            for attack in self._attacks
        }

    def _update(self) -> None:
        self._update_release()
        for attack in self._attacks:
            attack.update(self._release.text)

    def _update_release(self) -> None:
        self._release, self._place_of = self._text.release()
        self._loss.update(self._release.edits)

    def _is_safe(self) -> bool:
        """Whether no attack finds a subject in the current text; the first that does ends the check."""
        text = self._text.release()[0].text
        for index, attack in enumerate(self._check_order):
            attack.update(text)
            if any(subject.gap > 0 for subject in attack.ranks()):
                self._check_order.insert(0, self._check_order.pop(index))  # likely to find one the next time as well
                return False
        return True

    def _constraints(self) -> list[Constraint]:
        return [
            Constraint(attack, subject.row, subject.gap, subject.gap / subject.score)
            for attack in self._attacks
            for subject in attack.ranks()
            if subject.gap > 0
        ]

    def _best_candidates(self, constraints: Sequence[Constraint]) -> list[RepairCandidate]:
        """The best by gap closed per information lost: one, or several that each close little."""
        count = len(self._text.places)
        gains = [item.attack.marginal_gain(item.row, self._place_of, count) for item in constraints]
        ranked = rank_candidates(self._text, self._budget, constraints, gains)
        candidates, closed = list[RepairCandidate](), 0.0
        for candidate in non_overlapping(ranked[:_AT_ONCE]):
            candidates.append(candidate)
            closed += candidate.closes
            if closed >= _CLOSED_AT_ONCE * len(constraints):
                break
        return candidates

    def _tried_candidates(self, constraints: Sequence[Constraint]) -> list[RepairCandidate]:
        """Where none seems to help by itself: try out those that lower the subject's score most, alone and in twos."""
        count = len(self._text.places)
        contributions = [item.attack.own_contribution(item.row, self._place_of, count) for item in constraints]
        ranked = rank_candidates(self._text, self._budget, constraints, contributions)
        first = ranked[:_TRIED]
        if self._gave_up_trying or not first:
            return non_overlapping(ranked)
        trials: list[tuple[RepairCandidate, ...]] = [(candidate,) for candidate in first]
        trials += [pair for pair in combinations(first, 2) if len(non_overlapping(pair)) == 2]
        before = sum(item.share for item in constraints)
        levels = list(self._text.levels)
        gains = []
        for candidates in trials:
            cost = sum(self._budget.cost(candidate.places) for candidate in candidates)
            for candidate in candidates:
                self._text.widen(candidate.places)
            self._update()
            remaining = sum(item.share for item in self._constraints())
            gains.append(((before - remaining) / cost, candidates))
            self._text.levels = list(levels)
        self._update()
        gain, best = max(gains, key=lambda pair: pair[0])
        if gain > 0:
            return list(best)
        # Nothing helps yet, as where many people tie. What is removed cannot lead to anyone, so go on unless a budget
        # forbids spending on what may not help; needless repairs are reverted at the end. Trying again each round
        # would only take time.
        self._gave_up_trying = self._budget.limit is None
        return non_overlapping(ranked) if self._gave_up_trying else []

    def _affordable(self, candidates: Sequence[RepairCandidate]) -> list[RepairCandidate]:
        if self._budget.limit is None:
            return list(candidates)
        affordable, left = list[RepairCandidate](), self._budget.left
        for candidate in candidates:
            cost = self._budget.spending(candidate.places)
            if cost <= left or (not affordable and self._budget.can_afford(candidate.places)):
                affordable.append(candidate)
                left -= cost
        return affordable

    def _apply(self, places: tuple[int, ...], against: str) -> None:
        reword(self._text, places)
        cost, loss = self._budget.cost(places), self._budget.information(places)
        self._applied.append(AppliedRepair(places, against, cost, loss))
        self._text.widen(places)

    def _revert_needless(self, first: int, kept: set[int]) -> None:
        """Undo repairs that later ones made needless, the costliest first.

        Precautions before ``first`` stay, and so do repairs of the places ``kept``.
        """
        self._applied[first:] = [part for repair in self._applied[first:] for part in repair.split(kept)]
        indexes = [n for n in range(first, len(self._applied)) if kept.isdisjoint(self._applied[n].places)]
        order = sorted(indexes, key=lambda index: -self._applied[index].cost)
        reverted: set[int] = set()
        for index in order[:_REVERTED]:
            places = self._applied[index].places
            # What is undone is the last step of the same places, whichever step was tried.
            steps = [n for n in indexes if n not in reverted and self._applied[n].places == places]
            if not steps or not all(self._text.levels[number] for number in places):
                continue
            levels = list(self._text.levels)
            for number in places:
                self._text.levels[number] -= 1
            if self._is_safe() and self._is_within_budget():
                reverted.add(max(steps))
            else:
                self._text.levels = levels
        self._update()
        self._applied = [repair for index, repair in enumerate(self._applied) if index not in reverted]

    def _leave_out_sentences(self) -> set[int]:
        """Leave out sentences that are full of marks of omission, the fullest first; the places that stand for them.

        One mark stays of each, so that a sentence with one mark is not left out: no reader gains by that.
        """
        left_out: set[int] = set()
        marks: defaultdict[TextRange, list[int]] = defaultdict(list)
        sentences = sentence_ranges(self._text.document.text)
        for number in self._text.marks_of_omission():
            span = self._text.places[number].span
            sentence = enclosing_sentences(sentences, span.start, span.end)
            if not self._text.must_stay(*sentence):
                marks[sentence].append(number)
        for (start, end), numbers in sorted(marks.items(), key=lambda item: (-len(item[1]), item[0])):
            if len(left_out) + 1 > _MOST_LEFT_OUT * len(sentences):
                break
            edit = Edit(self._text.places[numbers[0]].span.moved(start, end), SUPPRESSED)
            information = self._loss.cost([edit])
            if information > UNREADABLE * self._loss.mean * (len(numbers) - 1):
                continue  # the marks that it would save cost less than the sentence
            levels = list(self._text.levels)
            self._text.leave_out_sentence(numbers[0], start, end)
            if self._is_safe() and self._is_within_budget():
                places = (numbers[0],)
                self._applied.append(AppliedRepair(places, self._attack_of(numbers[0]), information, information))
                left_out.add(numbers[0])
            else:
                self._text.levels = levels
        self._update()
        return left_out

    def _attack_of(self, number: int) -> str:
        """The attack that forced the first repair of a place."""
        return next(repair.attack for repair in self._applied if number in repair.places)


def _hardest(constraints: Sequence[Constraint]) -> Constraint:
    return max(constraints, key=lambda item: item.share)


@dataclass(frozen=True)
class AppliedRepair:
    """One step of the loop: some places moved on to their next alternative."""

    places: tuple[int, ...]
    attack: str
    cost: float
    loss: float
    """The part of the cost that is information."""

    def split(self, kept: Container[int]) -> Iterator[AppliedRepair]:
        """The step at places that are kept, and at its others."""
        inside = tuple(number for number in self.places if number in kept)
        outside = tuple(number for number in self.places if number not in kept)
        for places in filter(None, (inside, outside)):
            share = len(places) / len(self.places)
            yield AppliedRepair(places, self.attack, share * self.cost, share * self.loss)


def merge_repairs(text: WorkingText, applied: Sequence[AppliedRepair]) -> tuple[Repair, ...]:
    """One repair per group and wording, from the initial text to the current one, whatever came between."""
    attacks: dict[int, str] = {}
    loss: defaultdict[int, float] = defaultdict(float)
    for step in applied:
        for number in step.places:
            attacks.setdefault(number, step.attack)
            loss[number] += step.loss / len(step.places)
    merged: defaultdict[tuple[int, str, str, str], list[int]] = defaultdict(list)
    edits = text.current_edits()
    for number in attacks:
        if text.levels[number] and number in edits:  # else it is inside a phrase that was reworded
            current = text.alternatives(number)[text.levels[number] - 1]
            kind = current.kind if edits[number] is current.edit else "suppress"
            before, after = text.initial_text(number), edits[number].replacement
            merged[text.places[number].group, kind, before, after].append(number)
    return tuple(
        Repair(
            kind,
            before,
            after,
            len(numbers),
            sum(loss[number] for number in numbers),
            attacks[numbers[0]],
            partial=any(not text.levels[number] for number in text.groups[group]),
        )
        for (group, kind, before, after), numbers in merged.items()
    )
