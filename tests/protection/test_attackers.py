"""Who attacks in the loop, who verifies, and in which language words are cut to their stems."""

from __future__ import annotations

import numpy as np

from sfumato import registry
from sfumato.protection.attackers import VERIFYING, fit_loop_attacks, loop_attacks, majority_stemmer
from tests.protection.invented_corpus import background, starts

ENGLISH = "The person came to the office and asked for a form that nobody had seen before."
GERMAN = "Die Frau kam in das Amt und fragte nach einem Formular, das niemand vorher gesehen hatte."


def test_the_loop_and_those_who_verify_are_different_attacks() -> None:
    assert set(loop_attacks("english")).isdisjoint(VERIFYING)
    assert set(VERIFYING) <= set(registry.names("attack"))


def test_an_attack_fitted_with_the_others_is_the_attack_fitted_alone() -> None:
    known = background().people
    together, alone = fit_loop_attacks("english", known), loop_attacks("english")
    assert list(together) == list(alone)
    for name, attack in alone.items():
        attack.fit(known)
        for start in starts(3):
            np.testing.assert_array_equal(together[name].scores(start.text), attack.scores(start.text))


def test_stems_are_those_of_most_of_the_texts() -> None:
    assert majority_stemmer([GERMAN, GERMAN, ENGLISH]) == "german"
    assert majority_stemmer([GERMAN, ENGLISH, ENGLISH]) == "english"
    assert majority_stemmer([]) == majority_stemmer(["", "?!"]) == "english"
