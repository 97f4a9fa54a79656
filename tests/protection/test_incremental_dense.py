"""An attack by meaning in the loop: what a place is worth is what an attack without it loses."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.attacks.linking.cleaning import WORD
from sfumato.attacks.linking.dense import DenseAttack, remove_ranges
from sfumato.document import Document, Release
from sfumato.protection.incremental_meaning import IncrementalDenseAttack
from sfumato.protection.loop import Loop
from sfumato.protection.loss import Loss
from sfumato.protection.text import WorkingText
from tests.metrics.invented import LengthScorer, LetterEmbedder
from tests.protection import towns

KNOWN = (
    "A baker who keeps pigeons and falcons by the river.",
    "A glazier who paints chapels and mends windows.",
    "A ferry pilot who skates on the frozen harbour.",
    "A gardener with orchids, orchards and sundials.",
    "A miller whose kites fly over the market.",
    "A potter who fences in a cellar with copper lanterns.",
)
TEXT = "The baker said that pigeons by the river disturb the glazier at the market."
words = st.lists(st.sampled_from(towns.WORDS), min_size=2, max_size=10).map(" ".join)


@cache
def attack(size: int = 100) -> DenseAttack:
    return DenseAttack(words=size).fit(towns.people(KNOWN))


def places_of(text: str) -> tuple[NDArray[np.int64], int]:
    matches = list(WORD.finditer(text))
    owners = np.full(len(text), len(matches), np.int64)
    for number, word in enumerate(matches):
        owners[word.start() : word.end()] = number
    return owners, len(matches)


def brute(text: str, row: int) -> NDArray[np.float64]:
    """By word, how much a person's score falls in an attack on the text without it."""
    whole = attack().all_scores(text)[row]
    left = [text[: word.start()] + " " + text[word.end() :] for word in WORD.finditer(text)]
    return np.array([float(whole) - float(attack().all_scores(item)[row]) for item in left])


@given(text=words, row=st.integers(0, len(KNOWN) - 1))
def test_a_place_is_worth_what_goes_with_it(text: str, row: int) -> None:
    link = IncrementalDenseAttack("dense", attack(), [row], len(KNOWN))
    link.update(text)
    own = link.own_contribution(row, *places_of(text))
    assert own.together == pytest.approx(brute(text, row), abs=1e-5)
    assert np.array_equal(own.together, own.alone)


@given(text=words, row=st.integers(0, len(KNOWN) - 1))
def test_relief_is_what_goes_less_what_the_rivals_lose(text: str, row: int) -> None:
    link = IncrementalDenseAttack("dense", attack(), [row], len(KNOWN))
    link.update(text)
    scores = attack().all_scores(text).astype(float)
    others = [other for other in range(len(KNOWN)) if other != row]
    above = sum(scores[other] > scores[row] * (1 + towns.HAIR) for other in others)
    ranked = sorted(others, key=lambda other: -scores[other])[min(above, len(others) - 1) :]
    expected = brute(text, row) - np.mean([brute(text, other) for other in ranked], axis=0)
    assert link.marginal_gain(row, *places_of(text)).together == pytest.approx(expected, abs=1e-5)


def test_the_words_that_lead_to_someone_are_worth_most() -> None:
    link = IncrementalDenseAttack("dense", attack(), [0], 3)
    link.update(TEXT)
    marginal_gain = link.marginal_gain(0, *places_of(TEXT)).together
    best = [WORD.findall(TEXT)[number] for number in np.argsort(-marginal_gain)[:2]]
    assert set(best) <= {"baker", "pigeons", "river"}
    assert marginal_gain[WORD.findall(TEXT).index("glazier")] < 0


def test_standings_are_those_of_the_attack() -> None:
    link = IncrementalDenseAttack("dense", attack(), [0, 1], 3)
    for text in (TEXT, "The glazier paints.", "[…]", ""):
        link.update(text)
        scores = attack().all_scores(text)
        ranked = link.ranks()
        assert [item.row for item in ranked] == [0, 1]
        assert [entry.rank for entry in ranked] == [towns.rank_of(scores, row, range(2, 6)) for row in (0, 1)]


def test_chunks_are_weighed_by_their_number() -> None:
    text = "The baker keeps pigeons. " + "Someone asked for a form and a stamp. " * 2
    link = IncrementalDenseAttack("dense", attack(4), [0], 3)
    link.update(text)
    own = link.own_contribution(0, *places_of(text)).together
    chunks, vectors = attack(4).read(text)
    assert len(chunks) > 2
    first = places_of(text)[0][chunks[0][0] : chunks[0][1]]
    most = attack(4).nearest(vectors, 0)[0] / len(chunks)
    assert np.abs(own[np.unique(first[first < len(own)])]).max() <= most + 1e-6


def test_a_place_that_holds_a_placeholder_goes_as_a_whole() -> None:
    text = "Keeps pigeons in LOC_1 by the river today"
    at = text.index("pigeons"), text.index(" today")
    hidden = [(text.index("LOC_1"), text.index("LOC_1") + 5)]
    assert remove_ranges(text, (0, len(text)), sorted([*hidden, at])).split() == ["Keeps", "today"]


def test_the_loop_holds_against_meaning() -> None:
    start = Release(Document("d", TEXT))
    for rank in (2, 3, 4, 6):
        link = IncrementalDenseAttack("dense", attack(), [0], rank)
        made = Loop(WorkingText(start), [link], Loss(start, LengthScorer(), LetterEmbedder())).run()
        found = towns.rank_of(attack().all_scores(made.release.text), 0)
        assert made.reached
        assert found is None or found >= rank
        assert made.ranks == {"dense": found}
