"""Steps of the loop told as repairs: each place once, whatever came between."""

from __future__ import annotations

import pytest

from sfumato.document import Document, Release
from sfumato.protection.loop import AppliedRepair, merge_repairs
from sfumato.protection.text import WorkingText

TEXT = "Quorvexil met quorvexils and sparrows"
FIRST, SECOND, BIRDS = 0, 2, 4


def made(*steps: AppliedRepair) -> WorkingText:
    text = WorkingText(Release(Document("d", TEXT)))
    for step in steps:
        text.widen(step.places)
    return text


def test_a_place_is_told_from_what_it_said_first_to_what_it_says_now() -> None:
    steps = [AppliedRepair((BIRDS,), "tfidf", 2.0, 0.1), AppliedRepair((BIRDS,), "bm25", 2.0, 0.2)]
    text = made(*steps)
    (repair,) = merge_repairs(text, steps)
    assert (repair.before, repair.after, repair.places) == ("sparrows", text.alternatives(BIRDS)[1].edit.replacement, 1)
    assert (repair.kind, repair.attack, repair.partial) == (text.alternatives(BIRDS)[1].kind, "tfidf", False)
    assert repair.loss == pytest.approx(0.3)


def test_places_of_one_step_share_its_loss_and_those_that_say_the_same_are_one_repair() -> None:
    step = AppliedRepair((FIRST, SECOND, BIRDS), "tfidf", 9.0, 0.6)
    merged = merge_repairs(made(step), [step])
    assert [(item.before, item.places, item.partial) for item in merged] == [
        ("Quorvexil", 1, False),
        ("quorvexils", 1, False),
        ("sparrows", 1, False),
    ]
    assert [entry.loss for entry in merged] == pytest.approx([0.2] * 3)
    text = WorkingText(Release(Document("d", "quorvexil met quorvexil")))
    text.widen((0, 2))
    (both,) = merge_repairs(text, [AppliedRepair((0, 2), "tfidf", 9.0, 0.6)])
    assert (both.places, both.after) == (2, "[…]")
    assert both.loss == pytest.approx(0.6)


def test_a_word_that_still_stands_elsewhere_is_told_and_what_was_taken_back_is_not() -> None:
    steps = [AppliedRepair((FIRST,), "tfidf", 1.0, 0.1), AppliedRepair((BIRDS,), "tfidf", 1.0, 0.1)]
    text = made(*steps)
    text.levels[BIRDS] = 0
    (repair,) = merge_repairs(text, steps)
    assert (repair.before, repair.partial) == ("Quorvexil", True)
