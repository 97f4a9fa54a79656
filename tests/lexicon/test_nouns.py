"""Common nouns, adjectives and adverbs with wider ones."""

from __future__ import annotations

from sfumato.lexicon import wordnet
from sfumato.lexicon.hypernyms import is_a
from sfumato.lexicon.wordnet import noun_topic, senses, wider_nouns

THINGS = sorted(wordnet._noun_table().wider)


def test_a_noun_has_wider_ones_in_the_singular_and_in_the_plural() -> None:
    assert [one.name for one in wider_nouns("indictment")] == [one.name for one in wider_nouns("indictments")]
    assert "document" in {one.name for one in wider_nouns("indictment")}
    assert [one.name for one in wider_nouns("police")] == ["authorities"]
    assert not wider_nouns("table")


def test_some_words_mean_something_else_in_the_plural() -> None:
    assert {one.name for one in wider_nouns("damages")} != {one.name for one in wider_nouns("damage")}


def test_nothing_is_wider_than_itself_and_every_condition_names_a_set_or_a_word() -> None:
    for thing in THINGS:
        for one in wider_nouns(thing.rstrip("+")):
            assert one.name != thing
            for condition in one.conditions:
                assert (
                    noun_topic(condition[1:])
                    if condition[0] in "@!"
                    else condition.lstrip("-%").isalpha() or condition == "%"
                )


def test_wordnet_does_not_contradict_the_list() -> None:
    """An independent reference: of the pairs that WordNet knows, it has most one below the other in some sense."""
    known = [
        (thing, one.name)
        for thing in THINGS
        if thing.isalpha()
        for one in wider_nouns(thing)
        if senses(thing) and senses(one.name) and not one.conditions
    ]
    agreed = [pair for pair in known if is_a(*pair)]
    assert len(known) > 400
    assert len(agreed) > 0.6 * len(known)


def test_a_modifier_has_wider_ones() -> None:
    assert "large" in wordnet.wider_modifiers("huge")
    assert not wordnet.wider_modifiers("large")
    table = wordnet._modifier_table()
    assert all(word not in wider for word, wider in table.items())
