"""Prices of repairs, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.document import Document, Release
from sfumato.protection.loop import Purse
from sfumato.protection.loss import Loss
from sfumato.protection.text import WorkingText
from tests.metrics.invented import LengthScorer, LetterEmbedder

# Two terms of 9 and 8 letters; what is in no list can only be suppressed.
TEXT = "Quorvexil and brimdale"
FIRST, SECOND = 9 / 17, 8 / 17
MEAN = 1 / 2
LEAST = MEAN / 4
"""A quarter of a mean term: what any repair costs."""


def opened(budget: float | None = None) -> tuple[WorkingText, Loss, Purse]:
    start = Release(Document("d", TEXT))
    text, loss = WorkingText(start), Loss(start, LengthScorer(), LetterEmbedder())
    return text, loss, Purse(text, loss, budget)


def suppress(text: WorkingText, loss: Loss, *places: int) -> None:
    text.climb(places)
    loss.settle(text.release()[0].edits)


def test_a_repair_costs_its_information_a_little_and_what_the_sentence_suffers() -> None:
    _, _, purse = opened()
    assert [purse.information([place]) for place in range(3)] == pytest.approx([FIRST, 0, SECOND])
    assert [purse.cost([place]) for place in range(3)] == pytest.approx(
        [FIRST + LEAST, LEAST + 2 * MEAN, SECOND + LEAST]
    )
    assert purse.cost([0, 1, 2]) == pytest.approx(1 + 3 * LEAST + 2 * MEAN)
    assert purse.at_stake() == pytest.approx(np.array([purse.cost([place]) for place in range(3)]))


def test_of_a_budget_a_function_word_takes_as_much_as_a_mean_term() -> None:
    _, _, purse = opened()
    assert [purse.spent([place]) for place in range(3)] == pytest.approx([FIRST, MEAN, SECOND])
    assert purse.spent([0, 1]) == pytest.approx(FIRST + MEAN)


def test_what_says_nothing_already_costs_no_information() -> None:
    text, loss, purse = opened()
    suppress(text, loss, 0)
    assert purse.information([0]) == 0
    assert purse.information([0, 2]) == pytest.approx(SECOND)
    assert purse.at_stake()[0] == pytest.approx(LEAST)


def test_without_a_budget_all_may_go_and_nothing_is_too_dear() -> None:
    text, loss, purse = opened()
    assert purse.left == 1
    assert purse.can_afford([0, 1, 2])
    suppress(text, loss, 0, 2)
    assert purse.left == pytest.approx(0)
    assert not purse.is_overdrawn
    assert purse.can_afford([0, 1, 2])


def test_a_budget_may_be_spent_to_the_last_and_no_further() -> None:
    for budget, enough in ((FIRST, True), (FIRST - 1e-6, False)):
        text, loss, purse = opened(budget)
        assert purse.left == budget
        assert purse.can_afford([0]) is enough
        assert not purse.is_overdrawn
        suppress(text, loss, 0)
        assert purse.left == pytest.approx(0, abs=2e-6)
        assert purse.is_overdrawn is not enough
        assert not purse.can_afford([2])
