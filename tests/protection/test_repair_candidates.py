"""Which repairs are tried: all that help and can be paid for, by what they close for what they cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linking.followed import MarginalGain
from sfumato.document import Document, Edit, Release, Span
from sfumato.protection.candidates import Constraint, LossBudget, RepairCandidate, non_overlapping, rank_candidates
from sfumato.protection.loss import Loss
from sfumato.protection.ranks import RankedSubjects
from sfumato.protection.text import WorkingText
from tests.metrics.invented import LengthScorer, LetterEmbedder
from tests.protection import towns

LINK = RankedSubjects("tfidf", towns.fitted("tfidf", ["baker barn", "miller ferry"]), [0], 2)
TEXT = "Quorvexil and brimdale saw quorvexils by Lublin and brimdale in Lublin"


def opened(text: str, budget: float | None = None) -> tuple[WorkingText, LossBudget]:
    edits = [Edit(Span(at, at + 6, "LOC"), "a town") for at in range(len(text)) if text.startswith("Lublin", at)]
    start = Release(Document("d", text), tuple(edits))
    working = WorkingText(start)
    return working, LossBudget(working, Loss(start, LengthScorer(), LetterEmbedder()), budget)


def worked_out(
    text: WorkingText, budget: LossBudget, gaps: Sequence[float], reliefs: Sequence[MarginalGain]
) -> list[RepairCandidate]:
    """One group after the other, then the words that stand in several places, each by itself."""

    def closed(parts: Sequence[float], gap: float) -> float:
        return min(1.0, sum(parts) / gap)

    collected = []
    for group in text.groups:
        places = tuple(number for number in group if text.is_open(number))
        gain = sum(
            closed([one.together[number] for number in places], gap) for gap, one in zip(gaps, reliefs, strict=True)
        )
        collected.append((places, gain))
        if len(group) > 1 and text.places[group[0]].edit is None:
            for number in places:
                collected.append(
                    ((number,), sum(closed([one.alone[number]], gap) for gap, one in zip(gaps, reliefs, strict=True)))
                )
    return [
        RepairCandidate(places, gain / budget.cost(places), gain)
        for places, gain in collected
        if gain > 1e-12 and places and budget.can_afford(places)
    ]


def by_places(move: RepairCandidate) -> tuple[tuple[int, ...], float]:
    return move.places, move.closes


@given(data=st.data(), count=st.integers(1, 3), most=st.sampled_from([None, 0.05, 0.2, 1.0]))
def test_candidates_are_those_that_help_the_best_first(data: st.DataObject, count: int, most: float | None) -> None:
    text, budget = opened(TEXT, most)
    size = len(text.places)
    text.widen(data.draw(st.lists(st.integers(0, size - 1), unique=True, max_size=size)))
    amounts = st.lists(st.integers(-2, 8).map(float), min_size=size, max_size=size).map(np.array)
    reliefs = [MarginalGain(data.draw(amounts), data.draw(amounts)) for _ in range(count)]
    gaps = [data.draw(st.sampled_from([1.0, 4.0, 10.0])) for _ in range(count)]
    ranked = rank_candidates(text, budget, [Constraint(LINK, 0, gap, 0.5) for gap in gaps], reliefs)
    expected = worked_out(text, budget, gaps, reliefs)
    assert len(ranked) == len(expected)
    for move, other in zip(sorted(ranked, key=by_places), sorted(expected, key=by_places), strict=True):
        assert move.places == other.places
        assert move[1:] == pytest.approx(other[1:])
    assert [move.value for move in ranked] == sorted((move.value for move in ranked), reverse=True)


def test_of_very_many_only_the_most_promising_are_priced() -> None:
    letters = "bcdfghjklmnpqrstvwxz"
    text, budget = opened(" ".join(f"{letter}aq{other}ol" for letter in letters[:10] for other in letters))
    gains = np.random.default_rng(5).permutation(len(text.places)) / 1000
    promising = np.argsort(-gains / budget.suppression_costs())[:16]  # before wordings are looked for
    ranked = rank_candidates(text, budget, [Constraint(LINK, 0, 1.0, 0.5)], [MarginalGain(gains, gains)])
    assert {move.places for move in ranked} == {(int(number),) for number in promising}


def test_where_no_place_is_there_is_no_move() -> None:
    text, budget = opened("")
    nothing = np.zeros(0)
    assert rank_candidates(text, budget, [Constraint(LINK, 0, 1.0, 0.5)], [MarginalGain(nothing, nothing)]) == []


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3, unique=True).map(tuple)))
def test_candidates_that_touch_no_place_of_one_before_are_kept_in_order(places: list[tuple[int, ...]]) -> None:
    moves = [RepairCandidate(own, 1.0, float(number)) for number, own in enumerate(places)]
    kept = non_overlapping(moves)
    for number, move in enumerate(moves):
        before = {place for item in kept if item.closes < number for place in item.places}
        assert (move in kept) == before.isdisjoint(move.places)
    assert [move.closes for move in kept] == sorted(move.closes for move in kept)
