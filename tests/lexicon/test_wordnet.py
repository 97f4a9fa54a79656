"""Wider nouns, modifiers and verbs: their forms, and what the tables promise."""

from __future__ import annotations

import pytest

from sfumato.lexicon import wordnet
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.hypernyms import is_a
from sfumato.lexicon.wordnet import (
    VERB_FORMS,
    inflect_verb,
    noun_topic,
    senses,
    verb_readings,
    verb_topic,
    wider_nouns,
    wider_verbs,
)

NOUNS = sorted(wordnet._noun_table().wider)


def test_a_noun_has_wider_ones_in_the_singular_and_in_the_plural() -> None:
    assert [wider.name for wider in wider_nouns("indictment")] == [wider.name for wider in wider_nouns("indictments")]
    assert "document" in {wider.name for wider in wider_nouns("indictment")}
    assert [wider.name for wider in wider_nouns("police")] == ["authorities"]
    assert not wider_nouns("table")


def test_some_words_mean_something_else_in_the_plural() -> None:
    assert {wider.name for wider in wider_nouns("damages")} != {wider.name for wider in wider_nouns("damage")}


def test_nothing_is_wider_than_itself_and_every_condition_names_a_topic_or_a_word() -> None:
    for noun in NOUNS:
        for wider in wider_nouns(noun.rstrip("+")):
            assert wider.name != noun
            for condition in wider.conditions:
                assert (
                    noun_topic(condition[1:])
                    if condition[0] in "@!"
                    else condition.lstrip("-%").isalpha() or condition == "%"
                )


def test_wordnet_does_not_contradict_the_list() -> None:
    """An independent reference: of the pairs that WordNet knows, it has most one below the other in some sense."""
    listed = [
        (noun, wider.name)
        for noun in NOUNS
        if noun.isalpha()
        for wider in wider_nouns(noun)
        if senses(noun) and senses(wider.name) and not wider.conditions
    ]
    agreed = [pair for pair in listed if is_a(*pair)]
    assert len(listed) > 400
    assert len(agreed) > 0.6 * len(listed)


def test_a_modifier_has_wider_ones() -> None:
    assert "large" in wordnet.wider_modifiers("huge")
    assert not wordnet.wider_modifiers("large")
    table = wordnet._modifier_table()
    assert all(word not in wider for word, wider in table.items())


KNOWN = [
    ("take part", ["take part", "takes part", "took part", "taken part", "taking part"]),
    ("kill", ["kill", "kills", "killed", "killed", "killing"]),
    ("stop", ["stop", "stops", "stopped", "stopped", "stopping"]),
    ("carry out", ["carry out", "carries out", "carried out", "carried out", "carrying out"]),
    ("put", ["put", "puts", "put", "put", "putting"]),
    ("have", ["have", "has", "had", "had", "having"]),
    ("reach", ["reach", "reaches", "reached", "reached", "reaching"]),
    ("die", ["die", "dies", "died", "died", "dying"]),
    ("go", ["go", "goes", "went", "gone", "going"]),
    ("limit", ["limit", "limits", "limited", "limited", "limiting"]),
    ("cancel", ["cancel", "cancels", "cancelled", "cancelled", "cancelling"]),
    ("be", ["be", "is", "was", "been", "being"]),
]
NARROWER = sorted({verb for word in wordnet._verb_table().readings.values() for verb in word})


@pytest.mark.parametrize(("verb", "forms"), KNOWN)
def test_a_wider_verb_is_inflected(verb: str, forms: list[str]) -> None:
    assert [inflect_verb(verb, form) for form in VERB_FORMS] == forms


def test_a_dictionary_knows_the_forms_of_the_wider_verbs() -> None:
    """An independent reference: what simplemma's dictionary has as a form of a verb is wider."""
    unlisted = {"founded", "found", "led", "left", "lay", "hurt", "fell", "felt", "saw", "gone", "cancelled"}
    wrong = []
    for verb in {wider.verb.split()[0] for narrower in NARROWER for wider in wider_verbs(narrower)}:
        for form in ("past", "participle", "third"):
            inflected = inflect_verb(verb, form)
            if inflected not in unlisted and lemma(inflected) not in (verb, inflected):
                wrong.append((inflected, lemma(inflected), verb))
    assert not wrong


def test_a_word_is_read_as_the_verbs_it_may_be_a_form_of() -> None:
    assert verb_readings("evicted") == {"evict": frozenset({"past", "participle"})}
    assert verb_readings("murdering")["murder"] == frozenset({"ing"})
    assert verb_readings("traveled") == verb_readings("travelled")
    assert verb_readings("table") == {}


def test_wider_verbs_form_no_cycle() -> None:
    for verb in NARROWER:
        seen, queue = set[str](), [verb]
        while queue:
            current = queue.pop()
            assert current not in seen or current != verb
            seen.add(current)
            queue += [wider.verb for wider in wider_verbs(current) if wider.verb not in seen]
        assert all(wider.verb != verb for wider in wider_verbs(verb))


def test_frames_name_existing_topics_and_words() -> None:
    for verb in NARROWER:
        for wider in wider_verbs(verb):
            assert wider.frames
            for frame in wider.frames:
                if frame[0] in "@!=":
                    assert verb_topic(frame[1:])
                else:
                    assert frame.lstrip("+-").replace(">", "").replace(":", "").isalpha()
