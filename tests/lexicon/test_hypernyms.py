"""Hypernyms of noun phrases by WordNet."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon import hypernyms, wordnet
from sfumato.lexicon.wordnet import UNINFORMATIVE_CONCEPTS


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ("sunflower", "flower"),
        ("trout", "fish"),
        ("violin", "musical instrument"),
        ("ibuprofen", "medicine"),
        ("reindeer", "animal"),
        ("blazer", "clothing"),
        ("tungsten", "metal"),
        ("mosque", "building"),
        ("kidney", "body part"),
        ("bicycle", "vehicle"),
        ("pistol", "weapon"),
        ("old red bicycle", "vehicle"),
        ("pneumonia", "disease"),
        ("tulips", "plants"),
    ],
)
def test_a_thing_is_what_is_above_it(narrow: str, wide: str) -> None:
    assert hypernyms.is_a(narrow, wide) is True
    assert hypernyms.is_a(wide, narrow) is False


@pytest.mark.parametrize(
    ("narrow", "wide"), [("violin", "vehicle"), ("trout", "plant"), ("pistol", "musical instrument")]
)
def test_a_thing_is_not_what_is_elsewhere(narrow: str, wide: str) -> None:
    assert hypernyms.is_a(narrow, wide) is False


@pytest.mark.parametrize(
    ("narrow", "wide"), [("zzyzx", "vehicle"), ("violin", "zzyzx"), ("", "animal"), ("car", "fast car")]
)
def test_unknown_nouns_give_none(narrow: str, wide: str) -> None:
    assert hypernyms.is_a(narrow, wide) is None


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("state-owned bank", "bank"),
        ("the state-owned bank in the north", "bank"),
        ("his old wooden chairs", "chairs"),
        ("heart attack", "heart attack"),
        ("alleged rape", ""),
        ("fake pistol", ""),
        ("a kind of car", ""),
        ("", ""),
        ("of", ""),
    ],
)
def test_the_head_names_the_thing(phrase: str, head: str) -> None:
    assert hypernyms.head_noun(phrase) == head


@pytest.mark.parametrize(
    ("phrase", "names"),
    [
        ("sparrow", ["bird", "animal"]),
        ("pistol", ["gun", "weapon"]),
        ("tungsten", ["metal", "chemical element"]),
        ("kidney", ["internal organ", "organ", "body part"]),
    ],
)
def test_chains_go_up_through_what_readers_know(phrase: str, names: list[str]) -> None:
    chain = [concept.name for concept in hypernyms.hypernym_chain(phrase)]
    assert [name for name in chain if name in names] == names


def test_uninformative_concepts_are_left_out() -> None:
    for word in ("trout", "robbery", "mosque", "teacher", "headache", "letter"):
        assert UNINFORMATIVE_CONCEPTS.isdisjoint(concept.name for concept in hypernyms.hypernym_chain(word))


def test_the_commonest_sense_comes_first() -> None:
    assert wordnet.senses("dog")[0].field == "animal"
    assert wordnet.senses("zzyzx") == []


def test_an_ambiguous_noun_has_only_what_all_senses_share() -> None:
    assert hypernyms.hypernym_chain("bank") == []
    money = hypernyms.hypernym_chain("bank", frozenset({"group"}))
    assert "financial institution" in [concept.name for concept in money]


def test_fields_without_a_sense_give_nothing() -> None:
    assert hypernyms.hypernym_chain("trout", frozenset({"time"})) == []


def test_the_words_around_may_decide_the_sense() -> None:
    text = "The bank took the deposits of its customers; the lender was a financial institution with a trust company."
    assert "institution" in {concept.name for concept in hypernyms.hypernym_chain("bank", text=text)}


def test_hyponyms_come_best_known_first() -> None:
    names = list(hypernyms.hyponyms("musical instrument"))
    assert {"guitar", "piano", "drum"} <= set(names[:25])


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_phrase_is_read(phrase: str, text: str) -> None:
    chain = hypernyms.hypernym_chain(phrase, text=text)
    assert [concept.members for concept in chain] == sorted(concept.members for concept in chain)
    assert hypernyms.is_a(phrase, text) in (True, False, None)


@given(st.sampled_from("dog bank letter theft robbery kidney tree wine court fund chair letter bread poem".split()))
def test_each_concept_is_above_the_one_before(word: str) -> None:
    chain = hypernyms.hypernym_chain(word)
    for narrow, wide in pairwise(chain):
        queue, ancestors = [narrow], set()
        while queue:
            parents = wordnet.direct_hypernyms(queue.pop())
            ancestors.update(parents)
            queue += parents
        assert wide in ancestors
