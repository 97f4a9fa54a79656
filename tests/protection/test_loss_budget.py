"""Prices of repairs, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.document import Document, Release
from sfumato.protection.candidates import LossBudget
from sfumato.protection.loss import Loss
from sfumato.protection.text import WorkingText
from tests.metrics.invented import LengthScorer, LetterEmbedder

# Two terms of 9 and 8 letters; what is in no list can only be suppressed.
TEXT = "Quorvexil and brimdale"
FIRST, SECOND = 9 / 17, 8 / 17
MEAN = 1 / 2
LEAST = MEAN / 4
"""A quarter of a mean term: what any repair costs."""


def opened(budget: float | None = None) -> tuple[WorkingText, Loss, LossBudget]:
    start = Release(Document("d", TEXT))
    text, loss = WorkingText(start), Loss(start, LengthScorer(), LetterEmbedder())
    return text, loss, LossBudget(text, loss, budget)


def suppress(text: WorkingText, loss: Loss, *places: int) -> None:
    text.widen(places)
    loss.update(text.release()[0].edits)


def test_a_repair_costs_its_information_a_little_and_what_the_sentence_suffers() -> None:
    _, _, budget = opened()
    assert [budget.information([place]) for place in range(3)] == pytest.approx([FIRST, 0, SECOND])
    assert [budget.cost([place]) for place in range(3)] == pytest.approx(
        [FIRST + LEAST, LEAST + 4 * MEAN, SECOND + LEAST]
    )
    assert budget.cost([0, 1, 2]) == pytest.approx(1 + 3 * LEAST + 4 * MEAN)
    assert budget.suppression_costs() == pytest.approx(np.array([budget.cost([place]) for place in range(3)]))


def test_of_a_budget_a_function_word_takes_as_much_as_a_mean_term() -> None:
    _, _, budget = opened()
    assert [budget.spending([place]) for place in range(3)] == pytest.approx([FIRST, MEAN, SECOND])
    assert budget.spending([0, 1]) == pytest.approx(FIRST + MEAN)


def test_what_says_nothing_already_costs_no_information() -> None:
    text, loss, budget = opened()
    suppress(text, loss, 0)
    assert budget.information([0]) == 0
    assert budget.information([0, 2]) == pytest.approx(SECOND)
    assert budget.suppression_costs()[0] == pytest.approx(LEAST)


def test_without_a_budget_all_may_go_and_nothing_is_too_dear() -> None:
    text, loss, budget = opened()
    assert budget.left == 1
    assert budget.can_afford([0, 1, 2])
    suppress(text, loss, 0, 2)
    assert budget.left == pytest.approx(0)
    assert not budget.is_exceeded
    assert budget.can_afford([0, 1, 2])


def test_a_budget_may_be_spent_to_the_last_and_no_further() -> None:
    for limit, enough in ((FIRST, True), (FIRST - 1e-6, False)):
        text, loss, budget = opened(limit)
        assert budget.left == limit
        assert budget.can_afford([0]) is enough
        assert not budget.is_exceeded
        suppress(text, loss, 0)
        assert budget.left == pytest.approx(0, abs=2e-6)
        assert budget.is_exceeded is not enough
        assert not budget.can_afford([2])
