"""Scores that follow a text: the same as if each text were attacked from scratch."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.protection.incremental import (
    IncrementalSparseAttack,
    SubjectRank,
    background_weights,
    rank_subject,
    rivals_to_pass,
)
from tests.protection import towns

Owners = NDArray[np.int64]

SEEN = st.lists(towns.texts, min_size=1, max_size=5)


def word_places(text: str) -> tuple[Owners, int]:
    """Each word a place of its own."""
    matches = list(cleaning.WORD.finditer(text))
    owners = np.full(len(text), len(matches), np.int64)
    for number, word in enumerate(matches):
        owners[word.start() : word.end()] = number
    return owners, len(matches)


def without(text: str, number: int) -> str:
    """The text in which a word says nothing: what the loop puts there breaks phrases as well."""
    word = list(cleaning.WORD.finditer(text))[number]
    return text[: word.start()] + "[…]" + text[word.end() :]


def raw_scores(attack: SparseAttack, text: str) -> NDArray[np.float64]:
    """Everyone's score on the scale of the links, worked out from the parts of the attack."""
    query = attack.raw_query(attack.read(text))
    rows = range(attack.people)
    return np.array([query.weights @ attack.weights_of(row, query.terms).astype(float) for row in rows])


# -- following -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", towns.ATTACKS)
@given(known=towns.towns, seen=SEEN, rank=st.integers(2, 6))
def test_scores_that_followed_are_those_of_a_fresh_look(
    name: str, known: list[str], seen: list[str], rank: int
) -> None:
    attack = towns.fitted(name, known)
    followed = [IncrementalSparseAttack(name, attack, [row], rank) for row in range(len(known))]
    for text in seen:
        for link in followed:
            link.update(text)
        fresh = [IncrementalSparseAttack(name, attack, [row], rank) for row in range(len(known))]
        for link in fresh:
            link.update(text)
        for one, other in zip(followed, fresh, strict=True):
            _same(one.ranks(), other.ranks())


def _same(ones: Sequence[SubjectRank], others: Sequence[SubjectRank]) -> None:
    for one, other in zip(ones, others, strict=True):
        assert (one.row, one.rank) == (other.row, other.rank)
        assert one.score == pytest.approx(other.score, rel=1e-9, abs=1e-9)
        assert one.gap == pytest.approx(other.gap, rel=1e-6, abs=1e-6)


def watching(name: str, known: list[str], seen: list[str]) -> tuple[SparseAttack, list[IncrementalSparseAttack]]:
    """An attack, and a link for everybody it knows that has seen the texts one after the other."""
    attack = towns.fitted(name, known)
    links = [IncrementalSparseAttack(name, attack, [row], 2) for row in range(len(known))]
    for text in seen:
        for link in links:
            link.update(text)
    return attack, links


@pytest.mark.parametrize("name", towns.ATTACKS)
@given(known=towns.towns, seen=SEEN)
def test_scores_are_the_attacks_own_but_for_a_factor(name: str, known: list[str], seen: list[str]) -> None:
    attack, links = watching(name, known, seen)
    scores = attack.all_scores(seen[-1]).astype(float)
    ours = np.array([link.ranks()[0].score for link in links])
    best = int(scores.argmax())
    factor = ours[best] / scores[best] if scores[best] > 1e-6 else 1.0
    assert factor > 0
    assert ours == pytest.approx(scores * factor, rel=1e-5, abs=1e-5 * factor)


@pytest.mark.parametrize("name", towns.ATTACKS)
@given(known=towns.towns, seen=SEEN)
def test_ranks_are_those_of_the_attack_with_ties_against_us(name: str, known: list[str], seen: list[str]) -> None:
    attack, links = watching(name, known, seen)
    scores = attack.all_scores(seen[-1])
    assert [link.ranks()[0].rank for link in links] == [towns.rank_of(scores, row) for row in range(len(known))]


@pytest.mark.parametrize("name", towns.ATTACKS)
def test_people_with_the_same_text_tie_and_do_not_hide_each_other(name: str) -> None:
    known = ["baker pigeons barn whistles"] * 4 + ["miller falcons orchard skates", "potter orchids cellar fences"]
    attack = towns.fitted(name, known)
    link = IncrementalSparseAttack(name, attack, [0], 3)
    for text in ("The baker whistles by the barn.", "The baker whistles.", "The baker pigeons […] barn."):
        link.update(text)
        (ranked,) = link.ranks()
        assert ranked.rank == 1
        assert ranked.gap > 0


def test_an_empty_text_is_about_nobody() -> None:
    link = IncrementalSparseAttack("tfidf", towns.fitted("tfidf", ["baker barn", "miller ferry"]), [0], 2)
    for text in ("", "[…]", "PERSON_1", "zyzzy"):
        link.update("baker")
        assert link.ranks()[0].rank == 1
        link.update(text)
        assert link.ranks() == [SubjectRank(0, None, 0.0, 0.0)]


def test_what_a_text_was_about_does_not_change_with_its_repairs() -> None:
    asked: list[list[int]] = []

    def knows(attack: SparseAttack, row: int, terms: Owners, times: Owners) -> NDArray[np.float64]:
        asked.append(times.tolist())
        return background_weights(attack, row, terms, times)

    attack = towns.fitted("tfidf", ["baker barn market", "river", "ferry"], longest=1)
    link = IncrementalSparseAttack("tfidf", attack, [0], 2, known_weights=knows)
    for text in ("", "baker baker barn barn market market", "baker barn market river", "baker baker baker", "zyzzy"):
        link.update(text)
    assert [sorted(times) for times in asked] == [[], [2, 2, 2], [1, 1, 1, 1], [3], []]
    link = IncrementalSparseAttack("tfidf", attack, [0], 2, known_weights=knows)
    asked.clear()
    for text in ("baker baker barn barn market market", "baker barn market river", "baker baker baker", "zyzzy"):
        link.update(text)
    assert [sorted(times) for times in asked] == [[2, 2, 2], [1, 2, 2, 2], [3], []]


# -- ranks ---------------------------------------------------------------------------------------------------------


@given(
    own=st.floats(0.01, 1),
    others=st.lists(st.floats(0, 1), max_size=12),
    rank=st.integers(1, 14),
)
def test_a_gap_is_what_has_to_go_until_enough_people_fit_as_well(own: float, others: list[float], rank: int) -> None:
    found = rank_subject(3, own, np.array(others), rank)
    better = sum(other > own * (1 + towns.HAIR) for other in others)
    assert (found.row, found.rank, found.score) == (3, 1 + better, own)
    assert (found.gap > 0) == (better < rank - 1)
    if found.gap:
        left = (own - found.gap) * (1 - 1e-4)
        assert left <= 1e-12 or sum(other > left * (1 + towns.HAIR) for other in others) >= rank - 1


def test_who_shares_nothing_has_no_rank() -> None:
    assert rank_subject(0, 0.0, np.array([0.0, 0.2]), 5) == SubjectRank(0, None, 0.0, 0.0)
    assert rank_subject(0, -0.3, np.array([0.0, 0.2]), 5) == SubjectRank(0, None, 0.0, 0.0)


@pytest.mark.parametrize(
    ("own", "rank", "those"),
    [
        (6.5, 2, [6, 5]),  # three are above them; 2 must be, and three more are looked at
        (9.5, 2, [9, 8, 7, 6, 5]),
        (9.0, 2, [9, 8, 7, 6, 5]),  # a tie has to pass, too
        (2.5, 2, [2]),
        (0.5, 2, [1]),
        (6.5, 20, [6, 5, 4, 3, 2, 1]),
    ],
)
def test_those_have_to_pass_who_stand_below_up_to_the_last_who_must(own: float, rank: int, those: list[int]) -> None:
    scores = np.array([3.0, 9, 1, 7, 5, 6, 8, 2, 4])
    assert scores[rivals_to_pass(scores, own, rank)].tolist() == those


# -- several subjects, and rows that are nobody --------------------------------------------------------------------


@pytest.mark.parametrize("name", towns.ATTACKS)
@given(known=st.lists(st.lists(towns.words, min_size=2, max_size=8).map(" ".join), min_size=5, max_size=8),
       seen=SEEN, data=st.data())  # fmt: skip
def test_neither_subjects_nor_nobodies_are_rivals(
    name: str, known: list[str], seen: list[str], data: st.DataObject
) -> None:
    rows = data.draw(st.permutations(range(len(known))))
    subjects, besides, others = rows[:2], rows[2:3], rows[3:]
    attack = towns.fitted(name, known)
    link = IncrementalSparseAttack(name, attack, subjects, 3, excluded=besides)
    for text in seen:
        link.update(text)
    scores = attack.all_scores(seen[-1])
    assert [rank.row for rank in link.ranks()] == list(subjects)
    assert [item.rank for item in link.ranks()] == [towns.rank_of(scores, row, others) for row in subjects]


def test_relief_does_not_reckon_with_other_subjects() -> None:
    known = ["baker pigeons barn", "baker pigeons barn kites", "miller barn", "potter barn", "joiner chapel"]
    attack, text = towns.fitted("tfidf", known, longest=1), "baker barn"
    owners, count = word_places(text)
    both = IncrementalSparseAttack("tfidf", attack, [0, 1], 2)
    both.update(text)
    apart = IncrementalSparseAttack("tfidf", attack, [0], 2, excluded=[1])
    apart.update(text)
    assert both.marginal_gain(0, owners, count).together == pytest.approx(
        apart.marginal_gain(0, owners, count).together
    )
    assert both.marginal_gain(0, owners, count).together[0] == pytest.approx(
        both.own_contribution(0, owners, count).together[0]
    )


@pytest.mark.parametrize("name", towns.ATTACKS)
def test_where_all_people_are_subjects_there_is_nobody_to_hide_behind(name: str) -> None:
    attack = towns.fitted(name, ["baker pigeons barn", "baker pigeons ferry"])
    link = IncrementalSparseAttack(name, attack, [0, 1], 2)
    text = "baker pigeons barn"
    link.update(text)
    owners, count = word_places(text)
    for rank in link.ranks():
        assert rank.rank in (1, None)
        assert rank.gap == rank.score
        marginal_gain, own = (
            link.marginal_gain(rank.row, owners, count),
            link.own_contribution(rank.row, owners, count),
        )
        assert marginal_gain.together == pytest.approx(own.together)


# -- relief --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tfidf", "bm25", "characters", "topics"])
@given(known=towns.towns, text=towns.texts.filter(lambda text: bool(cleaning.clean(text).words)), data=st.data())
def test_where_no_term_spans_two_places_they_sum_to_the_score(
    name: str, known: list[str], text: str, data: st.DataObject
) -> None:
    attack = towns.fitted(name, known, longest=1)
    row = data.draw(st.integers(0, len(known) - 1))
    link = IncrementalSparseAttack(name, attack, [row], 2)
    link.update(text)
    own = link.own_contribution(row, *word_places(text))
    assert own.together.sum() == pytest.approx(raw_scores(attack, text)[row], abs=1e-4)


@pytest.mark.parametrize("name", ["tfidf", "topics"])
@given(known=towns.towns, text=towns.texts.filter(lambda text: bool(cleaning.clean(text).words)), data=st.data())
def test_relief_sums_to_the_lead_over_the_rivals(name: str, known: list[str], text: str, data: st.DataObject) -> None:
    attack = towns.fitted(name, known, longest=1)
    row = data.draw(st.integers(0, len(known) - 1))
    link = IncrementalSparseAttack(name, attack, [row], len(known))  # all others have to pass
    link.update(text)
    scores = raw_scores(attack, text)
    above = sum(scores[other] > scores[row] * (1 + towns.HAIR) for other in range(len(known)) if other != row)
    below = np.sort(np.delete(scores, row))[::-1][min(above, len(known) - 2) :]
    marginal_gain = link.marginal_gain(row, *word_places(text))
    assert marginal_gain.together.sum() == pytest.approx(scores[row] - below.mean(), abs=1e-4)


@pytest.mark.parametrize("name", ["tfidf", "bm25", "characters", "topics"])
@given(known=towns.towns, text=towns.texts.filter(lambda text: bool(cleaning.clean(text).words)), data=st.data())
def test_a_word_alone_is_worth_what_an_attack_without_it_loses(
    name: str, known: list[str], text: str, data: st.DataObject
) -> None:
    """Exact where a word holds each term once. (A placeholder also parts the pairs that reach across it.)"""
    attack = towns.fitted(name, known)
    row = data.draw(st.integers(0, len(known) - 1))
    link = IncrementalSparseAttack(name, attack, [row], 2)
    link.update(text)
    owners, count = word_places(text)
    number = data.draw(st.integers(0, count - 1))
    places = attack.raw_query(attack.read(text)).occurrences
    (at,) = np.flatnonzero(owners[attack.read(text).starts] == number)[:1].tolist() or [-1]
    own = places.term[(places.first <= at) & (at <= places.last)]
    lost = raw_scores(attack, text)[row] - raw_scores(attack, without(text, number))[row]
    if len(np.unique(own)) == len(own):
        assert link.own_contribution(row, owners, count).alone[number] == pytest.approx(lost, abs=1e-4)


@pytest.mark.parametrize("name", ["tfidf", "bm25", "topics"])
def test_one_of_many_is_worth_little_and_all_of_them_all(name: str) -> None:
    attack = towns.fitted(name, ["pigeons barn", "falcons barn", "orchids ferry"], longest=1)
    text = "pigeons pigeons barn pigeons"
    link = IncrementalSparseAttack(name, attack, [0], 2)
    link.update(text)
    owners, count = word_places(text)
    own = link.own_contribution(0, owners, count)
    whole = raw_scores(attack, text)[0] - raw_scores(attack, "barn")[0]
    assert own.together[[0, 1, 3]].sum() == pytest.approx(whole, abs=1e-5)
    alone = raw_scores(attack, text)[0] - raw_scores(attack, "pigeons barn pigeons")[0]
    assert own.alone[[0, 1, 3]] == pytest.approx([alone] * 3, abs=1e-5)


@given(text=st.lists(towns.words, min_size=1, max_size=10).map(" ".join), longest=st.integers(1, 3))
def test_each_place_of_a_phrase_is_credited_with_all_of_it(text: str, longest: int) -> None:
    attack = towns.fitted("tfidf", [" ".join(towns.WORDS), text, "market river"], longest=longest)
    link = IncrementalSparseAttack("tfidf", attack, [1], 2)
    link.update(text)
    owners, count = word_places(text)
    query = attack.raw_query(attack.read(text))
    each = query.weights * attack.weights_of(1, query.terms) / query.counts
    expected = np.zeros(count)
    for term, first, last in zip(query.term_index, query.occurrences.first, query.occurrences.last, strict=True):
        expected[first : last + 1] += each[term]
    assert link.own_contribution(1, owners, count).together == pytest.approx(expected, abs=1e-6)


@given(text=st.lists(towns.words, min_size=1, max_size=8).map(" ".join), data=st.data())
def test_a_place_of_several_words_is_credited_once_with_a_phrase(text: str, data: st.DataObject) -> None:
    attack = towns.fitted("tfidf", [" ".join(towns.WORDS), text, "market river"])
    link = IncrementalSparseAttack("tfidf", attack, [1], 2)
    link.update(text)
    words, count = word_places(text)
    of_word = [data.draw(st.integers(0, 2)) for _ in range(count)]
    owners = np.array([of_word[word] if word < count else 3 for word in words])
    query = attack.raw_query(attack.read(text))
    each = query.weights * attack.weights_of(1, query.terms) / query.counts
    expected = np.zeros(3)
    for term, first, last in zip(query.term_index, query.occurrences.first, query.occurrences.last, strict=True):
        expected[list(set(of_word[first : last + 1]))] += each[term]
    assert link.own_contribution(1, owners, 3).together == pytest.approx(expected, abs=1e-6)


def test_words_of_one_place_are_credited_once() -> None:
    attack = towns.fitted("tfidf", ["copper lantern market", "river", "ferry"])
    link, text = IncrementalSparseAttack("tfidf", attack, [0], 2), "copper lantern market"
    link.update(text)
    owners = np.zeros(len(text), np.int64)
    assert link.own_contribution(0, owners, 1).together == pytest.approx([raw_scores(attack, text)[0]], abs=1e-6)


def test_characters_of_nobody_are_nobodys() -> None:
    attack = towns.fitted("tfidf", ["copper lantern", "river", "ferry"], longest=1)
    link, text = IncrementalSparseAttack("tfidf", attack, [0], 2), "copper lantern"
    link.update(text)
    owners = np.full(len(text), 1, np.int64)
    owners[:6] = 0
    (part,) = link.own_contribution(0, owners, 1).together
    assert part == pytest.approx(raw_scores(attack, "copper")[0], abs=1e-6)


def test_many_rivals_and_new_words_are_followed() -> None:
    draw = Random(7)
    known = [" ".join(draw.choices(towns.WORDS, k=8)) for _ in range(500)]
    attack = towns.fitted("tfidf", known)
    link = IncrementalSparseAttack("tfidf", attack, [3], 40)
    for _ in range(5):
        text = " ".join(draw.choices(towns.WORDS, k=12))
        link.update(text)
        owners, count = word_places(text)
        marginal_gain = link.marginal_gain(3, owners, count)
        fresh = IncrementalSparseAttack("tfidf", attack, [3], 40)
        fresh.update(text)
        assert link.ranks()[0].rank == fresh.ranks()[0].rank == towns.rank_of(attack.all_scores(text), 3)
        # The rivals are those who were near at the start, so a fresh look may know nearer ones.
        assert marginal_gain.together.shape == fresh.marginal_gain(3, owners, count).together.shape == (count,)


@pytest.mark.parametrize("rank", [3, 40, 250])
def test_however_many_must_pass_all_of_them_count(rank: int) -> None:
    draw = Random(7)
    known = [" ".join(draw.choices(towns.WORDS, k=8)) for _ in range(400)]
    attack, text = towns.fitted("tfidf", known, longest=1), " ".join(draw.choices(towns.WORDS, k=12))
    scores = raw_scores(attack, text)
    row = int(scores.argmax())
    link = IncrementalSparseAttack("tfidf", attack, [row], rank)
    link.update(text)
    those = np.sort(np.delete(scores, row))[::-1][: rank + 3]
    assert link.marginal_gain(row, *word_places(text)).together.sum() == pytest.approx(
        scores[row] - those.mean(), abs=1e-4
    )
