"""Topics: the same as a dense decomposition finds, and nobody is linked by rounding."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.protection import attackers
from sfumato.protection.attackers import TopicAttack
from tests.protection import towns

HARBOUR = {
    "a": "trawler nets harbour catch",
    "b": "nets harbour gulls",
    "c": "trawler catch gulls",
    "d": "flour oven bread dough",
    "e": "oven bread yeast",
    "f": "flour dough yeast",
}


def fitted(known: dict[str, str], size: int = 2) -> TopicAttack:
    return TopicAttack(topics=size, stems="none").fit([Person(key, (text,)) for key, text in known.items()])


def reference(known: list[str], text: str, size: int) -> tuple[NDArray[np.float64], bool]:
    """Cosines in the space of the first singular vectors, and whether they are the only ones that come first."""
    attack = TfIdfAttack(longest=1).fit(towns.people(known))
    query = attack.raw_query(attack.read(text))
    every = np.arange(int(query.terms.max(initial=0)) + 1)
    while len(every) < 40 and _has_row(attack, len(every)):
        every = np.append(every, len(every))
    weights = np.array([attack.weights_of(row, every) for row in range(len(known))], np.float64)
    left, values, _ = np.linalg.svd(weights.T, full_matrices=False)
    size = min(size, len(every) - 1, len(known) - 1)
    space = left[:, :size]
    asked = np.zeros(len(every))
    asked[query.terms] = query.weights
    people, place = weights @ space, asked @ space
    lengths = np.linalg.norm(people, axis=1) * np.linalg.norm(place)
    cosines = np.divide(people @ place, lengths, out=np.zeros(len(known)), where=lengths > 1e-9)
    clear = size < 1 or size == len(values) or values[size - 1] - values[size] > 1e-3 * values[0]
    return np.maximum(cosines, 0), bool(clear and size >= 1 and np.linalg.norm(place) > 1e-6)


def _has_row(attack: TfIdfAttack, term: int) -> bool:
    try:
        attack.weights_of(0, np.array([term]))
    except IndexError:
        return False
    return True


@given(known=towns.towns, text=st.lists(towns.words, min_size=1, max_size=8).map(" ".join), size=st.integers(1, 5))
def test_scores_are_cosines_among_the_topics(known: list[str], text: str, size: int) -> None:
    expected, clear = reference(known, text, size)
    assume(clear)
    scores = TopicAttack(topics=size).fit(towns.people(known)).all_scores(text)
    assert scores == pytest.approx(expected, abs=1e-4)


def test_a_text_is_linked_by_what_goes_with_its_words() -> None:
    attack = fitted(HARBOUR)
    scores = dict(zip("abcdef", attack.all_scores("gulls"), strict=True))
    assert scores["a"] > 0.9  # says nothing of gulls
    assert all(scores[key] == 0 for key in "def")
    assert (
        TfIdfAttack(stems="none").fit([Person(key, (text,)) for key, text in HARBOUR.items()]).all_scores("gulls")[0]
        == 0
    )


@pytest.mark.parametrize("text", ["", "zyzzy", "[…]", "PERSON_1"])
def test_a_text_that_says_nothing_is_about_nobody(text: str) -> None:
    assert not fitted(HARBOUR).all_scores(text).any()


def test_nobody_is_linked_by_rounding() -> None:
    attack = fitted({"a": "potter miller potter", "b": "potter miller potter", "c": "chapel", "d": "copper"}, 4)
    assert attack.all_scores("potter")[2:].tolist() == [0, 0]
    assert not attack.run({"d": "lantern"})[0].guesses


def test_nobody_is_placed_by_rounding() -> None:
    attack = fitted({"a": "miller", "b": "baker", "c": "baker"}, 1)
    assert attack.all_scores("baker").tolist() == [0, 1, 1]


@pytest.mark.parametrize("known", [{"a": "barn"}, {"a": "barn", "b": "barn"}, {"a": "", "b": "barn"}, {"a": ""}])
def test_a_background_too_small_for_topics_links_nobody_or_ties(known: dict[str, str]) -> None:
    scores = fitted(known).all_scores("barn")
    assert scores.shape == (len(known),)
    assert np.isfinite(scores).all()


@given(known=towns.towns, text=towns.texts, data=st.data())
def test_the_parts_make_the_score(known: list[str], text: str, data: st.DataObject) -> None:
    attack = TopicAttack(topics=3).fit(towns.people(known))
    row = data.draw(st.integers(0, len(known) - 1))
    query = attack.raw_query(attack.read(text))
    own = float(query.weights @ attack.weights_of(row, query.terms))
    weights = cast(NDArray[np.float64], query.weights)
    assert attack.score_change(query.terms, weights)[row] == pytest.approx(own, abs=1e-4)
    rows = np.arange(len(known))
    some = attack.weights_of_some(query.terms, rows).toarray()
    assert some[:, row] == pytest.approx(attack.weights_of(row, query.terms), abs=1e-5)


def test_the_same_background_gives_the_same_topics() -> None:
    one, other = (fitted(HARBOUR, 3) for _ in range(2))
    for text in ("gulls nets", "flour oven", "yeast gulls"):
        assert one.all_scores(text) == pytest.approx(other.all_scores(text), abs=1e-6)


def test_people_from_whom_no_topic_was_learned_are_placed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attackers, "_READ", 4)
    known = {f"p{number}": HARBOUR["abcdef"[number % 6]] for number in range(24)}
    scores = fitted(known).all_scores("trawler harbour flour bread")
    assert (scores > 0).all()
