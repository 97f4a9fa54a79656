"""Terms that follow a text: the same as if each text were counted from scratch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linking.followed_terms import FollowedTerms, find_changes
from sfumato.attacks.linking.sparse import CharacterAttack, SkipGramAttack, SparseAttack, TfIdfAttack
from tests.protection import towns

ATTACKS: dict[str, Callable[[], SparseAttack]] = {
    "phrases": lambda: TfIdfAttack(longest=3),
    "without common words": lambda: TfIdfAttack(longest=2, common=0.5),
    "pairs": lambda: SkipGramAttack(reach=4),
    "characters": lambda: CharacterAttack(shortest=3, longest=3),
}
WORDS = st.sampled_from(["boat", "boats", "weir", "mill", "the", "of", "[…]", "unheardof", "another", "keeper"])
TEXTS = st.lists(WORDS, max_size=40)
CHANGES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 4), st.lists(WORDS, max_size=5)), max_size=8)


def fitted(name: str) -> SparseAttack:
    known = ["the keeper of the weir", "a boat of the mill", "boats the mill keeper", "of the the boat another weir"]
    return ATTACKS[name]().fit(towns.people(known))


@pytest.mark.parametrize("name", ATTACKS)
@given(words=TEXTS, changes=CHANGES)
def test_what_was_followed_is_what_a_fresh_look_counts(
    name: str, words: list[str], changes: list[tuple[int, int, list[str]]]
) -> None:
    attack = fitted(name)
    followed = FollowedTerms(attack.terms, attack.weighting)
    followed.update(attack.read(" ".join(words)))
    for start, size, instead in changes:
        before = dict(zip(followed.terms.tolist(), followed.weights.tolist(), strict=True))
        words[start : start + size] = instead
        change = followed.update(attack.read(" ".join(words)))
        fresh = attack.raw_query(attack.read(" ".join(words)))
        assert followed.terms.tolist() == fresh.terms.tolist()
        assert followed.counts.tolist() == fresh.counts.tolist()
        assert followed.weights.tolist() == fresh.weights.tolist()
        after = dict(zip(fresh.terms.tolist(), fresh.weights.tolist(), strict=True))
        differs = {term for term in before | after if before.get(term) != after.get(term)}
        assert set(change.terms.tolist()) == differs
        for term, weight in zip(change.terms.tolist(), change.weights.tolist(), strict=True):
            assert weight == after.get(term, 0.0) - before.get(term, 0.0)


@given(before=st.lists(st.integers(0, 3), max_size=80), after=st.lists(st.integers(0, 3), max_size=80))
def test_rows_are_the_same_between_their_changes(before: list[int], after: list[int]) -> None:
    rebuilt, position = list[int](), 0
    for change in find_changes(np.array(before, np.int64), np.array(after, np.int64)):
        rebuilt += before[position : change.old_start]
        assert len(rebuilt) == change.new_start
        rebuilt += after[change.new_start : change.new_end]
        position = change.old_end
    assert [*rebuilt, *before[position:]] == after


def test_a_change_of_one_word_is_one_of_one_word() -> None:
    before = np.arange(100)
    after = before.copy()
    after[[10, 70]] = 1000
    assert [tuple(change) for change in find_changes(before, after)] == [(10, 11, 10, 11), (70, 71, 70, 71)]
