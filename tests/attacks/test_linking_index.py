"""An index in shards gives what one in memory gives, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.base import Person
from sfumato.attacks.linking import index
from sfumato.attacks.linking.cleaning import Vocabulary
from sfumato.attacks.linking.combination import CombinedAttack
from sfumato.attacks.linking.index import TokenShards, merge_top
from sfumato.attacks.linking.ranking import top_rows
from sfumato.attacks.linking.sparse import (
    Bm25Attack,
    CharacterAttack,
    SkipGramAttack,
    SparseAttack,
    TfIdfAttack,
    fit_together,
)
from tests.runs.engines import PicklingEngine

WORDS = st.lists(st.sampled_from("miller millers sails sailing ferry night ünder 1931 a of".split()), max_size=12)
KNOWN = st.lists(st.lists(WORDS.map(" ".join), max_size=2).map(tuple), min_size=1, max_size=9)


def attacks() -> list[SparseAttack]:
    return [
        TfIdfAttack(longest=3),
        TfIdfAttack(common=0.5, stems="none"),
        Bm25Attack(),
        SkipGramAttack(),
        CharacterAttack(shortest=3),
    ]


def fit_in_shards(attack: SparseAttack, people: list[Person], characters: int) -> None:
    attack.set_people([person.id for person in people])
    attack.learn_shards(TokenShards(people, Vocabulary(attack.stems), characters))


@given(KNOWN, WORDS.map(" ".join), st.integers(1, 60), st.integers(1, 40))
def test_shards_change_no_bit_of_an_attack(
    known: list[tuple[str, ...]], released: str, characters: int, merged: int
) -> None:
    people = [Person(f"p{number}", texts) for number, texts in enumerate(known)]
    for in_memory, in_shards in zip(attacks(), attacks(), strict=True):
        in_memory.fit(people)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index, "_MERGED_KEYS", merged)
            fit_in_shards(in_shards, people, characters)
            assert in_shards.run({"d": released}) == in_memory.run({"d": released})
            scores = in_shards.scores(released)
            np.testing.assert_array_equal(scores, in_memory.scores(released))
            assert scores.dtype == np.float32
            query = in_memory.raw_query(in_memory.read(released))
            terms, rows = query.terms, np.arange(len(people) - 1, -1, -1)
            np.testing.assert_array_equal(in_shards.frequency(terms), in_memory.frequency(terms))
            np.testing.assert_array_equal(
                in_shards.weights_of_some(terms, rows).toarray(), in_memory.weights_of_some(terms, rows).toarray()
            )
            for row in rows.tolist():
                np.testing.assert_array_equal(in_shards.weights_of(row, terms), in_memory.weights_of(row, terms))
            for ours, theirs in zip(in_shards.sample(30), in_memory.sample(30), strict=True):
                np.testing.assert_array_equal(ours, theirs)


@given(KNOWN, WORDS.map(" ".join))
def test_a_large_background_is_sharded_by_itself(known: list[tuple[str, ...]], released: str) -> None:
    people = [Person(f"p{number}", texts) for number, texts in enumerate(known)]
    small = CombinedAttack().fit(people).run({"d": released})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "MEMORY_CHARACTERS", -1)
        patch.setattr(index, "SHARD_CHARACTERS", 20)
        assert CombinedAttack().fit(people).run({"d": released}) == small
        together = attacks()
        fit_together(together, people)
        for attack, alone in zip(together, attacks(), strict=True):
            assert attack.run({"d": released}) == alone.fit(people).run({"d": released})


def test_an_engine_changes_no_bit_of_an_attack() -> None:
    chance = np.random.default_rng(3)
    words = [f"word{number}" for number in range(50)]
    people = [Person(f"p{number}", (" ".join(chance.choice(words, 20)),)) for number in range(60)]
    released = {str(number): " ".join(chance.choice(words, 12)) for number in range(5)}
    for in_memory, by_engine in zip(attacks(), attacks(), strict=True):
        engine = PicklingEngine()
        by_engine.engine = engine
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(index, "SHARD_CHARACTERS", 1000)
            assert by_engine.fit(people).run(released) == in_memory.fit(people).run(released)
        assert engine.items == 2 * 8  # counted, then scored


@given(st.lists(st.lists(st.integers(-1, 4), max_size=8), min_size=1, max_size=5), st.integers(1, 12))
def test_the_best_of_all_shards_are_the_best_of_all(parts: list[list[int]], size: int) -> None:
    scores = [np.array(part, np.float32) for part in parts]
    starts = np.cumsum([0, *map(len, parts)])
    best = [
        [(int(start) + row, float(part[row])) for row in top_rows(part, size)]
        for start, part in zip(starts, scores, strict=False)
    ]
    assert [row for row, _ in merge_top(best, size)] == top_rows(np.concatenate(scores), size)
