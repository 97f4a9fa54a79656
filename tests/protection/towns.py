"""Small invented towns for attacks: every word is anybody's, so any text may be about anyone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import Bm25Attack, CharacterAttack, SkipGramAttack, SparseAttack, TfIdfAttack
from sfumato.attacks.linking.topics import TopicAttack

WORDS = (
    "baker miller potter glazier joiner pigeons falcons orchids sundials kites barn orchard cellar chapel ferry "
    "whistles skates fences gardens paints market river copper lantern"
).split()
HAIR = 1e-5
"""Scores nearer than this, as a share, are a tie."""
ATTACKS = ("tfidf", "bm25", "skip-grams", "characters", "topics")

words = st.sampled_from([*WORDS, "the", "and", "zyzzy"])
texts = st.lists(st.one_of(words, words, words, st.just("[…]"), st.just("PERSON_1")), max_size=14).map(" ".join)
towns = st.lists(st.lists(words, min_size=1, max_size=12).map(" ".join), min_size=3, max_size=9)


def attack(name: str, *, longest: int = 3) -> SparseAttack:
    """An attack that the loop can follow, not yet fitted."""
    made: Mapping[str, SparseAttack] = {
        "tfidf": TfIdfAttack(longest=longest),
        "bm25": Bm25Attack(longest=min(2, longest)),
        "skip-grams": SkipGramAttack(),
        "characters": CharacterAttack(),
        "topics": TopicAttack(topics=4),
    }
    return made[name]


def fitted(name: str, known: Sequence[str], *, longest: int = 3) -> SparseAttack:
    return attack(name, longest=longest).fit(people(known))


def people(known: Sequence[str]) -> list[Person]:
    return [Person(f"p{number:02}", (text,)) for number, text in enumerate(known)]


def rank_of(scores: NDArray[np.floating], row: int, others: Sequence[int] | None = None) -> int | None:
    """1 plus those who fit strictly better, a hair aside; None for someone who shares nothing."""
    own = float(scores[row])
    if own <= 0:
        return None
    rivals = [other for other in range(len(scores)) if other != row] if others is None else others
    return 1 + sum(float(scores[other]) > own * (1 + HAIR) for other in rivals)
