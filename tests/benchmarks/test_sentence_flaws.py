"""Flaws of grammar that replaced words leave in a sentence."""

from __future__ import annotations

import pytest
from benchmarks.sentence_flaws import find_flaws, find_flaws_at
from hypothesis import given

from tests.strategies import texts


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("He lived in in a town.", "doubled preposition"),
        ("He left on in May.", "doubled preposition"),
        ("He left on between May and June.", "doubled preposition"),
        ("It was in around 1990.", "doubled preposition"),
        ("It cost more than between 10 and 50 euros.", "doubled preposition"),
        ("It was the a court.", "doubled article"),
        ("It was a the court.", "doubled article"),
        ("It was his a house.", "doubled article"),
        ("He is a the man.", "doubled article"),
        ("It was a hour ago.", "a or an"),
        ("He is an European.", "a or an"),
        ("A old man came.", "a or an"),
        ("He has a siblings.", "a before a plural"),
        ("He had a large house and a cities in Poland.", "a before a plural"),
        ("He left. in May he came.", "lower case at the start"),
        ("in May he came.", "lower case at the start"),
        ("He left  in May.", "two spaces"),
        ("He left , then came.", "space before punctuation"),
        ("his siblings’s house", "broken possessive"),
        ("several years’’s imprisonment", "broken possessive"),
        ("his father ’s house", "broken possessive"),
        ("He met Mr the applicant.", "article after a title"),
        ("a former a hospital", "article after an adjective"),
        ("a non-a European man", "article after a hyphen"),
        ("He left,, then came.", "doubled punctuation"),
    ],
)
def test_a_flaw_is_found(text: str, kind: str) -> None:
    assert kind in {flaw.kind for flaw in find_flaws(text)}


@pytest.mark.parametrize(
    "text",
    [
        "The applicant was born in 1951 and lives in a large city in Turkey.",
        "In February 1993 he was sentenced to several years’ imprisonment by Mr. Smith’s court.",
        "He relied on Article 5 § 1 (a) of the Convention (no. 5) and on an MRI scan taken at about 5 p.m. that day.",
        "A few people saw a number of cars; a great many left, e.g. those of a sports club.",
        "She had a one-year-old child, an heir to a university professor in the U.S. government.",
        "His boss’s car, the Joneses’ dog and the children’s toys were there... or so they said.",
        "He took vitamin A and blood group A is rare. It fixed bail at between 10 and 50 euros.",
    ],
)
def test_good_english_has_none(text: str) -> None:
    assert find_flaws(text) == []


def test_only_flaws_at_the_edits_count() -> None:
    text = "He has a idea to move in in a town."
    assert [flaw.kind for flaw in find_flaws_at(text, [(7, 13)])] == ["a or an"]
    assert find_flaws_at(text, []) == []


@given(texts)
def test_flaws_lie_in_the_text_from_left_to_right(text: str) -> None:
    flaws = find_flaws(text)
    assert all(0 <= flaw.start < flaw.end <= len(text) for flaw in flaws)
    assert flaws == sorted(flaws, key=lambda flaw: (flaw.start, flaw.end))
