"""Verbs and wider verbs: their forms, and what the table promises."""

from __future__ import annotations

import pytest

from sfumato.lexicon import wordnet
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.wordnet import VERB_FORMS, inflect_verb, verb_readings, verb_topic, wider_verbs

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
    """An independent reference: what simplemma's dictionary has as a form of a verb is one."""
    strange = {"founded", "found", "led", "left", "lay", "hurt", "fell", "felt", "saw", "gone", "cancelled"}
    wrong = []
    for verb in {one.verb.split()[0] for narrower in NARROWER for one in wider_verbs(narrower)}:
        for form in ("past", "participle", "third"):
            said = inflect_verb(verb, form)
            if said not in strange and lemma(said) not in (verb, said):
                wrong.append((said, lemma(said), verb))
    assert not wrong


def test_a_word_is_read_as_the_verbs_it_may_be_a_form_of() -> None:
    assert verb_readings("evicted") == {"evict": frozenset({"past", "participle"})}
    assert verb_readings("murdering")["murder"] == frozenset({"ing"})
    assert verb_readings("traveled") == verb_readings("travelled")
    assert verb_readings("table") == {}


def test_what_is_wider_is_another_verb_and_says_less_in_the_end() -> None:
    for verb in NARROWER:
        seen, waiting = set[str](), [verb]
        while waiting:
            current = waiting.pop()
            assert current not in seen or current != verb
            seen.add(current)
            waiting += [one.verb for one in wider_verbs(current) if one.verb not in seen]
        assert all(one.verb != verb for one in wider_verbs(verb))


def test_the_frames_name_sets_and_words_that_exist() -> None:
    for verb in NARROWER:
        for one in wider_verbs(verb):
            assert one.frames
            for frame in one.frames:
                if frame[0] in "@!=":
                    assert verb_topic(frame[1:])
                else:
                    assert frame.lstrip("+-").replace(">", "").replace(":", "").isalpha()
