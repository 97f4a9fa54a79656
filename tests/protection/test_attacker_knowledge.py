"""What an attacker who has read more may know: counted by hand on a small corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linking.sparse import SparseAttack, TfIdfAttack
from sfumato.protection.incremental import GROWTH, PRIOR, PRIOR_PEOPLE, UnseenTermModel, model_attacker_knowledge
from tests.protection import towns

CLASSES = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, 30), (31, 100), (101, 300), (301, 10**9))
"""First and last number of people of each class of terms."""

many = st.lists(st.lists(towns.words, min_size=1, max_size=10).map(" ".join), min_size=4, max_size=10)
released = st.lists(st.lists(towns.words, min_size=1, max_size=12).map(" ".join), min_size=1, max_size=4)


def words() -> TfIdfAttack:
    return TfIdfAttack(longest=1, stems="none")


def class_of(people: int, times: int) -> int:
    (number,) = [at for at, (first, last) in enumerate(CLASSES) if first <= max(0, people) <= last]
    return 3 * number + min(times, 3) - 1


def counted(known: list[str], texts: Mapping[str, str], subjects: Mapping[str, list[int]]) -> list[float]:
    """By class of words, how often a text's word stands in what is known of its subject; half a hit beforehand."""
    hit, seen = [0.5] * 27, [1.0] * 27
    for key, text in texts.items():
        for word, times in Counter(text.split()).items():
            for row in subjects[key]:
                others = sum(word in known_text.split() for at, known_text in enumerate(known) if at != row)
                kind = class_of(others, times)
                seen[kind] += 1
                hit[kind] += word in known[row].split()
    return [some / all_ for some, all_ in zip(hit, seen, strict=True)]


@given(known=many, texts=released)
def test_hits_are_what_one_counts_by_hand(known: list[str], texts: list[str]) -> None:
    keyed = {f"d{number}": text for number, text in enumerate(texts)}
    rows = {key: [number] for number, key in enumerate(keyed)}
    (modelled,) = model_attacker_knowledge(
        [words()], towns.people(known), keyed, {key: [f"p{row[0]:02}"] for key, row in rows.items()}, 4
    )
    assert modelled.hit_rates == pytest.approx(counted(known, keyed, rows))
    assert modelled.attack.people == len(known) + 1
    assert modelled.vocabulary_row == len(known)


@pytest.mark.parametrize("name", towns.ATTACKS)
@given(known=many, texts=released, factor=st.sampled_from([1.0, 2.0, 4.0, 100.0]))
def test_nobody_is_assumed_to_be_known_less_than_they_are(
    name: str, known: list[str], texts: list[str], factor: float
) -> None:
    keyed = {f"d{number}": text for number, text in enumerate(texts)}
    subjects = {key: [f"p{number:02}"] for number, key in enumerate(keyed)}
    (modelled,) = model_attacker_knowledge([towns.attack(name)], towns.people(known), keyed, subjects, factor)
    for row, text in enumerate(texts):
        query = modelled.attack.raw_query(modelled.attack.read(text))
        own = modelled.attack.weights_of(row, query.terms)
        knows = modelled.known_weights(modelled.attack, row, query.terms, query.counts)
        assert (knows >= own - 1e-12).all()
        assert np.isfinite(knows).all()


def test_what_was_not_read_counts_by_how_likely_it_is() -> None:
    known = ["baker pigeons", "miller kites barn", "potter barn", "joiner barn ferry"]
    (modelled,) = model_attacker_knowledge(
        [words()], towns.people(known), {"d": "baker kites zyzzy"}, {"d": ["p00"]}, 2.0
    )
    query = modelled.attack.raw_query(modelled.attack.read("baker kites zyzzy"))
    assert len(query.terms) == 3  # nobody knows zyzzy, but an attacker may
    knows = modelled.known_weights(modelled.attack, 0, query.terms, query.counts)
    own = modelled.attack.weights_of(0, query.terms)
    for at, term in enumerate(query.terms):
        if own[at] > 0:
            assert knows[at] == own[at]
        else:
            others = int(modelled.attack.frequency(np.array([term]))[0]) - 1
            likely = min(0.9, modelled.hit_rates[class_of(others, 1)] * 2.0**GROWTH)
            expected = likely * modelled.attack.rarity(np.array([term]))[0] / modelled.length
            assert knows[at] == pytest.approx(expected)


def test_who_has_read_more_knows_more_but_is_never_sure() -> None:
    known = ["baker pigeons", "miller kites", "potter barn", "joiner ferry"]
    before = np.zeros(0)
    for factor in (1.0, 2.0, 4.0, 16.0):
        (modelled,) = model_attacker_knowledge(
            [words()], towns.people(known), {"d": "kites barn zyzzy"}, {"d": ["p00"]}, factor
        )
        query = modelled.attack.raw_query(modelled.attack.read("kites barn zyzzy"))
        knows = modelled.known_weights(modelled.attack, 0, query.terms, query.counts)
        assert not len(before) or (knows >= before).all()
        assert (knows <= 0.9 * modelled.attack.rarity(query.terms) / modelled.length + 1e-12).all()
        before = knows


def unknown(known: list[str]) -> tuple[SparseAttack, UnseenTermModel]:
    attack = words().fit(towns.people(known))
    return attack, UnseenTermModel(attack, 2.0)


@given(known=many, text=st.lists(towns.words, min_size=1, max_size=12).map(" ".join), data=st.data())
def test_of_someone_unknown_their_own_text_says_nothing(known: list[str], text: str, data: st.DataObject) -> None:
    attack, prior = unknown(known)
    row = data.draw(st.integers(0, len(known) - 1))
    query = attack.raw_query(attack.read(text))
    weights = prior.known_weights(attack, row, query.terms, query.counts)
    texts = [word for word in dict.fromkeys(text.split()) if any(word in item.split() for item in known)]
    assert len(weights) == len(texts)
    expected = []
    for word in texts:
        others = sum(word in known_text.split() for at, known_text in enumerate(known) if at != row)
        kind = class_of(others * PRIOR_PEOPLE // len(known), text.split().count(word))
        anyone = 1 + sum(word in entry.split() for entry in known)
        rarity = np.log((1 + len(known)) / anyone) + 1
        expected.append(min(0.9, PRIOR[kind] * 2.0**GROWTH) * rarity / prior.length)
    assert sorted(weights) == pytest.approx(sorted(expected), rel=1e-5)


def test_what_many_share_is_likelier_known_and_the_rare_tells_more() -> None:
    known = ["baker barn", *["miller barn"] * 11]
    attack, prior = unknown(known)
    query = attack.raw_query(attack.read("baker barn"))
    assert (prior.known_weights(attack, 0, query.terms, query.counts) > 0).all()
