"""Each clause of MATCH, with a pair that it alone decides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.inference import (
    AT_THE_START,
    UNREADABLE,
    all_letter_runs,
    first_letter_run,
    frequent_lemmas,
    is_match,
)
from tests.strategies import texts

FREQUENT = frozenset({"court", "applicant"})


@pytest.mark.parametrize(
    ("original", "guess", "label", "expected"),
    [
        # Exact, case and blanks aside.
        ("Lublin", "LUBLIN ", "LOC", True),
        ("36244/06", "36244/06", "CODE", True),
        # A lemma in common.
        ("two nurses", "a nurse", "DEM", True),
        ("bakers", "a pilot", "DEM", False),
        # ... not one that is a number, a stop word, an initial or frequent in the corpus.
        ("42 oxen", "42 cats", "QUANTITY", False),
        ("out of the ink", "out of the box", "MISC", False),
        ("J. Tvesk", "J. Bohm", "PERSON", False),
        ("the applicants", "an applicant", "MISC", False),
        ("Court of Ghent", "Court of Oslo", "ORG", False),
        # The acronym of title-cased words, on either side or on both.
        ("World Health Organization", "WHO", "ORG", True),
        ("who", "the Wide Hollow Oak", "ORG", False),
        ("FBI", "Federal Bureau of Investigation", "ORG", True),
        ("Big Old Zoo", "Bad Odd Zip", "MISC", True),
        ("A Big Zoo", "ABZ", "ORG", False),
        ("European Union", "the EU", "ORG", True),
        ("UK", "the United Kingdom", "LOC", True),
        # ... of two words against a word alone: two names may begin with the same letters by chance.
        ("Ida Bohm", "Ivo Bur", "PERSON", False),
        ("Ina Ott", "I.O.", "PERSON", False),
        # One lemma of more than three letters inside another.
        ("housekeeping", "house", "DEM", True),
        ("house", "housekeeping", "DEM", True),
        ("warden", "a ward", "DEM", True),
        ("catalogue", "cat", "DEM", False),
        # Four letters of a name in common.
        ("Turkey", "Turkish", "LOC", True),
        ("Turkish", "Turkey", "DEM", True),
        # ... whether or not the guess has capitals; the original tells what is a name.
        ("Turkish", "turkey", "DEM", True),
        ("a Turkish tailor", "of turkmen descent", "DEM", True),
        ("of turkmen descent", "a Turkish tailor", "DEM", False),
        ("electrician", "electoral", "DEM", False),
        ("Oslo", "Osa", "LOC", False),
        ("Anton", "Kelton", "PERSON", False),
        ("Ghent Court", "Bath Courts", "MISC", False),
        ("AB12345", "AC12345", "CODE", False),
    ],
)
def test_what_matches(original: str, guess: str, label: str, expected: bool) -> None:
    assert is_match(original, guess, label, FREQUENT) is expected


@pytest.mark.parametrize(
    ("original", "guess", "expected"),
    [
        ("3 August 2003", "3 August 2003", True),
        ("3 August 2003", "August 2003", False),
        ("3 August 2003", "3 August 2004", False),
        ("on the 3rd of August, 2003", "August 3 2003", True),
        ("03/08/2003", "3 August 2003", True),
        ("08/03/2003", "3 August 2003", True),
        ("2003-08-03", "August 3, 2003", True),
        ("two weeks", "two week", True),
        ("two weeks", "three weeks", False),
        ("week two", "two weeks", True),
        ("the 1st week", "week 1", True),
        ("the 22nd week", "22 weeks", True),
        ("the 13TH hour", "hour 13", True),
        ("the 3rd week", "the 13rd week", False),
        ("12 hours", "the 1280 hours", False),
        ("Monday", "Tuesday", False),
        ("the", "of", False),
        ("May", "Mayor", False),
    ],
)
def test_dates_match_only_as_a_whole(original: str, guess: str, expected: bool) -> None:
    assert is_match(original, guess, "DATETIME") is expected
    assert is_match(guess, original, "DATETIME") is expected


@pytest.mark.parametrize("label", ["PERSON", "DATETIME", "MISC"])
def test_an_unreadable_answer_counts_as_guessed(label: str) -> None:
    assert is_match("Lublin", UNREADABLE, label)
    assert is_match("Lublin", "  \n", label)


@given(texts, texts, st.sampled_from(["PERSON", "DATETIME", "MISC"]))
def test_matching_is_reflexive_and_symmetric_but_for_what_a_name_is(one: str, other: str, label: str) -> None:
    assert is_match(one, one, label)
    if one.strip() and other.strip() and label != "MISC":
        assert is_match(one, other, label) == is_match(other, one, label)


def test_frequent_lemmas_are_counted_in_small_letters() -> None:
    corpus = ["The nurses saw Lublin, Lublin, Lublin.", "A nurse met a baker and one baker.", "Two nurses in Oslo."]
    assert frequent_lemmas(corpus, 1) == {"nurse"}
    assert frequent_lemmas(corpus, 2) == {"nurse", "baker"}
    assert not frequent_lemmas(corpus) & {"lublin", "oslo"}


def test_two_hundred_lemmas_are_frequent_unless_it_is_said_otherwise() -> None:
    letters = "abcdefghijklmnopqrst"
    corpus = [f"{letter}{other}zq" for letter in letters for other in letters]
    assert len(frequent_lemmas(corpus)) == 200
    assert frequent_lemmas(corpus) == set(sorted(corpus)[:200])


def test_accents_do_not_hide_a_match() -> None:
    assert is_match("Gdansk", "Gdańsk", "LOC")
    assert is_match("Łódź", "Lodz", "LOC")


def test_letters_in_common_count_anywhere_or_at_the_start() -> None:
    assert is_match("Constitutional Court", "Administration", "ORG")
    assert not is_match("Constitutional Court", "Administration", "ORG", rules=AT_THE_START)
    assert is_match("Turkey", "Turkish", "LOC", rules=AT_THE_START)


def test_the_choice_of_a_generalization_has_stricter_rules() -> None:
    assert not is_match("European Union", "the EU", "ORG", rules=AT_THE_START)
    assert not is_match("Turkish", "turkey", "DEM", rules=AT_THE_START)
    assert is_match("Turkish", "Turkey", "DEM", rules=AT_THE_START)


@given(st.text("abc", max_size=9))
def test_runs_are_of_four_letters(word: str) -> None:
    runs = ["".join(run) for run in zip(word, word[1:], word[2:], word[3:], strict=False)]
    assert all_letter_runs(word) == set(runs)
    assert first_letter_run(word) == set(runs[:1])
