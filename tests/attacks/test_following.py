"""What every attack promises that the loop can follow: scores of a changed text are those of the text read anew."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato import registry
from sfumato.attacks.base import Person
from sfumato.attacks.linking.followed import Followable
from sfumato.attacks.linking.topics import TopicAttack
from sfumato.attacks.suite import linking_attacks
from tests.protection import invented_corpus

YEARS = [f"{1950 + 3 * number}" for number in range(12)]
PEOPLE = [
    Person(known.id, (f"{known.texts[0]} no. {number}7/{year[2:]} against Norway in {year}",))
    for number, (known, year) in enumerate(zip(invented_corpus.background(12).people, YEARS, strict=True))
]
WORDS = sorted({word for person in PEOPLE for word in person.texts[0].split()[4:]})
RELEASED = {person.id: " ".join(person.texts[0].split()[4:14]) for person in PEOPLE}
OPTIONS = {"joint-with-software": {"detector": "rules"}}
NAMES = [name for name in linking_attacks() if callable(getattr(registry.get("attack", name), "follow", None))]
FRAGMENTS = [*WORDS, "Spain", "[…]", "PERSON_1", "unheardof", "\n"]
EDITS = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 5), st.lists(st.sampled_from(FRAGMENTS), max_size=4)), max_size=6
)


@cache
def attack(name: str) -> Followable:
    made = TopicAttack(topics=4) if name == "topics" else registry.create("attack", name, OPTIONS.get(name, {}))
    made.fit(PEOPLE).run(RELEASED)
    assert isinstance(made, Followable)
    assert made.learned is not None
    return made


def places_of(text: str) -> tuple[NDArray[np.int64], int]:
    """Every second character a place of its own, the others of none."""
    count = (len(text) + 1) // 2
    places = np.full(len(text), count, np.int64)
    places[::2] = np.arange(count)
    return places, count


def test_attacks_by_words_by_meaning_and_by_facts_can_be_followed() -> None:
    assert {attack(name).compares for name in NAMES} == {"words", "meaning", "facts"}


@pytest.mark.parametrize("name", [*(name for name in NAMES if name != "late-interaction"), "topics"])
@settings(max_examples=25, deadline=None)
@given(words=st.lists(st.sampled_from(FRAGMENTS), max_size=20), edits=EDITS)
def test_after_edits_scores_and_gains_are_those_of_the_text_read_anew(
    name: str, words: list[str], edits: list[tuple[int, int, list[str]]]
) -> None:
    subjects, rank = [2, 5], 4
    followed = attack(name).follow(" ".join(words), subjects, rank)
    for start, size, instead in edits:
        words[start : start + size] = instead
        followed.change(" ".join(words))
    text = " ".join(words)
    anew = attack(name).follow(text, subjects, rank)
    np.testing.assert_allclose(followed.scores, anew.scores, rtol=1e-6, atol=1e-6)
    for row in subjects:
        assert followed.score(row) == pytest.approx(anew.score(row), rel=1e-6, abs=1e-6)
        for rivals in (np.zeros(0, np.int64), np.array([0, 7])):
            gains = (one.gain(row, rivals, *places_of(text)) for one in (followed, anew))
            for part, expected in zip(*gains, strict=True):
                np.testing.assert_allclose(part, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [*NAMES, "topics"])
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_an_edit_that_is_undone_changes_nothing(name: str, data: st.DataObject) -> None:
    """Also where words that stay are not read again in their new context."""
    words = data.draw(st.permutations([*WORDS[-12:], YEARS[3]]))
    followed = attack(name).follow(" ".join(words), [2], 4)
    before = followed.scores
    number = data.draw(st.integers(0, 12))
    followed.change(" ".join([*words[:number], "[…]", *words[number + 1 :]]))
    followed.change(" ".join(words))
    np.testing.assert_allclose(followed.scores, before, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [*NAMES, "topics"])
def test_a_text_that_says_nothing_is_about_no_subject(name: str) -> None:
    followed = attack(name).follow(" ".join(RELEASED.values()), [2], 4)
    before = followed.score(2)
    followed.change("…")
    assert before > followed.score(2)
    assert followed.score(2) == 0 or attack(name).compares == "facts"  # people's own facts still tell them apart
