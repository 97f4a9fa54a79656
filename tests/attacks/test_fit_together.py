"""Attacks that share one reading of the background are the attacks that read it alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import Vocabulary
from sfumato.attacks.linking.sparse import Bm25Attack, SkipGramAttack, SparseAttack, TfIdfAttack, fit_together

WORDS = st.lists(st.sampled_from("miller millers sails sailing ferry night ünder 1931 a".split()), max_size=9)
KNOWN = st.lists(st.lists(WORDS.map(" ".join), max_size=2).map(tuple), min_size=2, max_size=6)


def attacks() -> list[SparseAttack]:
    return [
        TfIdfAttack(),
        SkipGramAttack(),
        Bm25Attack(stems="none"),
        TfIdfAttack(stems="none"),
        TfIdfAttack(longest=1),
    ]


@given(KNOWN, WORDS.map(" ".join), st.randoms(use_true_random=False))
def test_scores_are_the_same_in_whatever_order_people_come(
    known: list[tuple[str, ...]], released: str, chance: object
) -> None:
    people = [Person(f"p{number}", texts) for number, texts in enumerate(known)]
    shuffled = list(people)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    together = attacks()
    fit_together(together, shuffled)
    for one, alone in zip(together, attacks(), strict=True):
        alone.fit(people)
        np.testing.assert_array_equal(one.scores(released), alone.scores(released))
        assert one.run({"d": released}) == alone.run({"d": released})
        assert [one.row(person.id) for person in people] == [alone.row(person.id) for person in people]


def test_the_background_is_read_once_for_each_way_of_stemming(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = Vocabulary.read

    def counted(self: Vocabulary, people: list[Person]) -> object:
        reads.append(len(people))
        return read(self, people)

    monkeypatch.setattr(Vocabulary, "read", counted)
    fit_together(attacks(), [Person("a", ("the miller sails",)), Person("b", ("a ferry at night",))])
    assert reads == [2, 2]
