"""Wider verbs, common nouns and modifiers in their sentences: true, in the same form, none where in doubt."""

from __future__ import annotations

import pytest
from benchmarks.sentence_flaws import find_flaws
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize.words import generalize_word
from tests.generalize.test_words import apply, becomes, options


@pytest.mark.parametrize(
    ("sentence", "word", "wider"),
    [
        ("They evicted the tenant in May.", "evicted", "They removed the tenant in May."),
        ("The tenant was evicted from the flat.", "evicted", "The tenant was removed from the flat."),
        ("He had murdered his neighbour.", "murdered", "He had killed his neighbour."),
        ("She purchased a house.", "purchased", "She acquired a house."),
        ("She resided in a small town.", "resided", "She lived in a small town."),
        ("He strolled along the river.", "strolled", "He walked along the river."),
        ("He whispered that it was late.", "whispered", "He said that it was late."),
        ("He was murdering people.", "murdering", "He was killing people."),
        ("He murders people.", "murders", "He kills people."),
        ("She wants to purchase the house.", "purchase", "She wants to acquire the house."),
        ("He was charged with theft.", "charged with", "He was accused of theft."),
        ("He graduated from a law school.", "graduated from", "He studied at a law school."),
        ("He resigned from his post.", "resigned from", "He left his post."),
        ("The house built by them stood empty.", "built", "The house made by them stood empty."),
        ("She was elected president.", "elected", "She was chosen president."),
        ("She became a judge.", "became", "She was a judge."),
        ("The court dismissed the appeal.", "dismissed", "The court dealt with the appeal."),
    ],
)
def test_a_verb_becomes_a_wider_one_in_the_same_form(sentence: str, word: str, wider: str) -> None:
    assert becomes(sentence, word.split()[0], "hypernym")[0] == wider


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("They did not evict the tenant.", "evict"),
        ("They never evicted the tenant.", "evicted"),
        ("He asked whether they evicted the tenant.", "evicted"),
        ("If they evict the tenant, he will go.", "evict"),
        ("They evicted nobody that day.", "evicted"),
        ("They evicted only one tenant.", "evicted"),
        ("He nearly murdered her.", "murdered"),
        ("He refused to purchase the house.", "purchase"),
    ],
)
def test_a_negated_verb_can_only_be_suppressed(sentence: str, word: str) -> None:
    assert [option.kind for option in options(sentence, word)] == ["suppress"]


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("The murder of the man was planned.", "murder"),
        ("The evicted tenant came.", "evicted"),
        ("They became judges.", "became"),
        ("He dismissed the driver.", "dismissed"),
        ("They charged him with theft.", "charged"),
        ("The killing of the man was planned.", "killing"),
        ("He re-built the house.", "built"),
        ("They were friends and became rich.", "became"),
    ],
)
def test_a_verb_whose_use_is_ambiguous_has_no_wider_verb(sentence: str, word: str) -> None:
    assert not [option for option in options(sentence, word) if option.reason.startswith(("verbs", "wordnet verbs"))]


def test_the_reason_names_the_table() -> None:
    assert options("They evicted the tenant.", "evicted")[0].reason == "verbs: remove"


@pytest.mark.parametrize(
    ("sentence", "word", "wider"),
    [
        ("The judge gave him a light sentence for the robbery.", "sentence", "a light penalty"),
        ("The prisoner was kept in a cold cell.", "cell", "a cold room"),
        ("She sent him a letter in May.", "letter", "a document"),
        ("He lives there with his family in a flat.", "family", "his relatives"),
        ("The public prosecutor came to the court.", "prosecutor", "public official"),
        ("He was a lawyer practising in the south.", "lawyer", "a legal professional practising"),
    ],
)
def test_a_common_noun_is_read_by_the_words_around_it(sentence: str, word: str, wider: str) -> None:
    assert any(wider in wording for wording in becomes(sentence, word, "hypernym"))


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("The sentence has nine words and a comma.", "sentence"),
        ("They looked at a cell under the microscope.", "cell"),
        ("He died of a heart attack.", "attack"),
        ("The bill of indictment came late.", "indictment"),
        ("Two plots were sold with the land.", "plots"),
        ("His family was here.", "family"),
    ],
)
def test_a_common_noun_in_another_sense_stays(sentence: str, word: str) -> None:
    assert not [option for option in options(sentence, word) if option.reason.startswith("nouns")]


@pytest.mark.parametrize(
    ("sentence", "word", "wider"),
    [
        ("It was an enormous house.", "enormous", "It was a large house."),
        ("He was furious.", "furious", "He was angry."),
        ("He was severely beaten.", "severely", "He was seriously beaten."),
    ],
)
def test_a_modifier_becomes_a_wider_one(sentence: str, word: str, wider: str) -> None:
    assert becomes(sentence, word, "hypernym")[0] == wider


@pytest.mark.parametrize(
    ("sentence", "word"),
    [
        ("It was not an enormous house.", "enormous"),
        ("It was a most famous house.", "famous"),
        ("He was famous and rich.", "famous"),
    ],
)
def test_a_negated_or_compared_modifier_has_no_wider_one(sentence: str, word: str) -> None:
    assert not [option for option in options(sentence, word) if option.reason.startswith("modifiers")]


VERBS = st.sampled_from("evicted murdered purchased resigned lodged dismissed built awarded became".split())
WORDS = st.sampled_from(
    "He They the a his court applicant house appeal with from in to that not was had by and evicted murdering became "
    "purchase lodged resigned huge family letter sentence police , . “ 12".split()
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_a_replacement_leaves_the_rest_of_the_text_unchanged(text: str) -> None:
    at = 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        for option in generalize_word(text, start, at):
            assert option.start <= start
            assert at <= option.end
            assert apply(text, option) == text[: option.start] + option.text + text[option.end :]
            assert option.text != text[option.start : option.end]


@given(VERBS, st.sampled_from(["They {} the old house in May.", "The house was {} by them.", "He had {} it there."]))
def test_a_wider_verb_adds_no_flaw(verb: str, frame: str) -> None:
    sentence = frame.format(verb)
    before = {flaw.kind for flaw in find_flaws(sentence)}
    for option in options(sentence, verb):
        if option.kind != "suppress":
            assert {flaw.kind for flaw in find_flaws(apply(sentence, option))} <= before
