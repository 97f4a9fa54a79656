"""Late interaction in the loop: scores follow the text, and a place is worth what the subject loses without it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.attacks.linking.cleaning import WORD
from sfumato.attacks.linking.late_interaction import LateInteractionAttack
from sfumato.protection.ranks import RankedSubjects
from tests.protection import towns

KNOWN = (
    "A baker who keeps pigeons and falcons by the river.",
    "A glazier who paints chapels and mends windows.",
    "A ferry pilot who skates on the frozen harbour.",
    "A gardener with orchids, orchards and sundials.",
    "A miller whose kites fly over the market.",
    "A potter who fences in a cellar with copper lanterns.",
)
TEXTS = {
    "a": "The baker said that pigeons disturb the market.",
    "b": "Windows of chapels were mended by a glazier.",
    "c": "Somebody skates on the harbour in winter.",
}


@cache
def attack() -> LateInteractionAttack:
    fitted = LateInteractionAttack().fit(towns.people(KNOWN))
    fitted.run(TEXTS)
    return fitted


def places_of(text: str) -> tuple[NDArray[np.int64], int]:
    matches = list(WORD.finditer(text))
    owners = np.full(len(text), len(matches), np.int64)
    for number, word in enumerate(matches):
        owners[word.start() : word.end()] = number
    return owners, len(matches)


def corrected(text: str) -> NDArray[np.float64]:
    """By the attack itself: everyone's scores in deviations, corrected over the releases."""
    return np.asarray(attack().scale.apply(attack().read(text).scores), np.float64)


@pytest.mark.parametrize("text", TEXTS.values())
def test_ranks_are_those_of_the_attack(text: str) -> None:
    link = RankedSubjects("late-interaction", attack(), [0, 1], 3)
    link.update(text)
    scores = corrected(text)
    for subject in link.ranks():
        others = np.delete(scores, [0, 1])
        above = int((others > scores[subject.row]).sum())
        assert subject.rank in (None, above + 1)


def test_the_words_that_lead_to_someone_are_worth_most() -> None:
    text = TEXTS["a"]
    link = RankedSubjects("late-interaction", attack(), [0], 3)
    link.update(text)
    gain = link.marginal_gain(0, *places_of(text)).together
    words = WORD.findall(text)
    assert words[int(np.argmax(gain))] in ("baker", "pigeons")
    own = link.own_contribution(0, *places_of(text)).alone
    assert own.min() >= 0


def test_a_word_that_goes_takes_its_worth_with_it() -> None:
    link = RankedSubjects("late-interaction", attack(), [0], 3)
    link.update(TEXTS["a"])
    (before,) = link.ranks()
    link.update(TEXTS["a"].replace("baker", "[…]").replace("pigeons", "[…]"))
    (after,) = link.ranks()
    assert before.rank == 1
    assert after.rank is None or after.rank > 1 or after.score < before.score


@pytest.mark.parametrize("text", ["", "[…]", "zzz"])
def test_a_text_without_words_finds_nobody(text: str) -> None:
    link = RankedSubjects("late-interaction", attack(), [0], 3)
    link.update(text)
    (subject,) = link.ranks()
    assert subject.rank is None or text == "zzz"
    assert len(link.own_contribution(0, *places_of(text)).alone) == places_of(text)[1]
