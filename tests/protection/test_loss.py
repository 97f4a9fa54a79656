"""What a repair costs: the measure of TPS, kept up to date."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span
from sfumato.metrics.base import MetricInput
from sfumato.metrics.information import preserved_similarity
from sfumato.protection.loss import Loss
from tests.metrics.invented import LengthScorer, LetterEmbedder, release

TEXT = (
    "Anna Quorvex, a retired carillonneur from Ghent, paid 1,437 euros for twelve grey pigeons on 3 May 1987. "
    "She keeps the birds in an old stone barn by the river and races them every Sunday with her neighbour."
)
WORDS = [(word.start(), word.end()) for word in re.finditer(r"\w+", TEXT)]
NEW = ("[…]", "", "someone", "a musician", "a building by the water", "PERSON_1", "between 1,000 and 2,000", "***")

edits = st.lists(st.tuples(st.integers(0, len(WORDS) - 1), st.integers(1, 3), st.sampled_from(NEW)), max_size=8).map(
    lambda drawn: disjoint(drawn)
)


def disjoint(drawn: Sequence[tuple[int, int, str]]) -> tuple[Edit, ...]:
    """Edits of one to three words each, none over another."""
    made, free = [], 0
    for first, size, new in sorted(drawn):
        if first >= free:
            last = min(first + size, len(WORDS)) - 1
            made.append(Edit(Span(WORDS[first][0], WORDS[last][1], "MISC"), new))
            free = last + 1
    return tuple(made)


def tps(release: Release) -> float:
    return preserved_similarity(MetricInput([release], scorer=LengthScorer(), embedder=LetterEmbedder())).value


def loss_of(start: Release) -> Loss:
    return Loss(start, LengthScorer(), LetterEmbedder())


@given(steps=st.lists(edits, min_size=1, max_size=5))
def test_what_is_kept_is_tps_whatever_came_before(steps: list[tuple[Edit, ...]]) -> None:
    document = Document("d", TEXT)
    loss = loss_of(Release(document, steps[0]))
    start = tps(Release(document, steps[0]))
    assert loss.kept == pytest.approx(start, abs=1e-6)
    assert loss.lost == 0
    for step in steps[1:]:
        now = Release(document, step)
        loss.update(now.edits)
        assert loss.kept == pytest.approx(tps(now), abs=1e-6)
        assert loss.lost == pytest.approx(max(0.0, start - tps(now)), abs=1e-6)


def test_an_edit_that_changes_nothing_costs_nothing() -> None:
    text = "The grey stone barn has 12 windows."
    for changes in ([("grey", "grey"), ("barn", "building")], [("12", "12")], [("windows", "windows")]):
        released = release(text, *changes)
        assert loss_of(released).kept == pytest.approx(tps(released), abs=1e-6)


@given(before=edits, first=st.integers(0, len(WORDS) - 1), size=st.integers(1, 3), new=st.sampled_from(NEW))
def test_nothing_costs_less_than_nothing_and_suppression_most(
    before: tuple[Edit, ...], first: int, size: int, new: str
) -> None:
    loss = loss_of(Release(Document("d", TEXT), before))
    (edit,) = disjoint([(first, size, new)])
    (gone,) = disjoint([(first, size, "[…]")])
    assert loss.least > 0
    assert 0 <= loss.cost([edit]) <= loss.cost([gone]) + 1e-12
    (stake,) = loss.suppression_costs(np.array([edit.span.start]), np.array([edit.span.end]))
    assert stake == pytest.approx(loss.least + loss.cost([gone]))
    assert stake >= loss.least


def test_a_near_replacement_costs_less_than_a_far_one() -> None:
    loss = loss_of(release("She keeps pigeons in a barn."))
    at = Span(10, 17, "WORD")
    near, far, none = (loss.cost([Edit(at, new)]) for new in ("a pigeon", "xyz", "[…]"))
    assert near < far <= none
    assert loss.cost([Edit(at, "pigeons")]) == pytest.approx(0, abs=1e-6)


@given(step=edits)
def test_what_edits_cost_together_is_at_least_what_they_take(step: tuple[Edit, ...]) -> None:
    loss = loss_of(Release(Document("d", TEXT)))
    expected = loss.cost(step)
    loss.update(step)
    assert loss.lost <= expected + 1e-9


@pytest.mark.parametrize("text", ["", "   ", "...", "🙂🙂", "of the and"])
def test_a_text_that_tells_nothing_loses_nothing(text: str) -> None:
    loss = loss_of(Release(Document("d", text)))
    assert loss.lost == 0
    assert loss.least > 0
    whole = (Edit(Span(0, len(text), "MISC"), "[…]"),) if text else ()
    loss.update(whole)
    assert loss.lost == 0
    assert loss.cost(whole) == 0
