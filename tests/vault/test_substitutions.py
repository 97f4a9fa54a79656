"""Substitutions from mentions, restored in texts that were not released."""

from __future__ import annotations

import pytest

from sfumato.document import Document, Edit, Span
from sfumato.vault.restore import SubstitutionIndex, find_labels
from sfumato.vault.store import ReplacedMention, lookup_words


def back(text: str, *mentions: tuple[str, str], label: str = "PERSON") -> str:
    """``mentions``: (replacement, original), all of one entity."""
    return (
        SubstitutionIndex(ReplacedMention(put, label, "e", said) for put, said in mentions)
        .restore(Document("d", text))
        .text
    )


@pytest.mark.parametrize(
    ("originals", "fullest"),
    [
        (["A. Quorvex", "Anna Quorvex", "Ms Quorvex"], "Anna Quorvex"),
        (["A. B. Quorvex", "Anna Quorvex"], "Anna Quorvex"),
        (["Bo Quorvex", "Quorvex-Belnik"], "Bo Quorvex"),
        (["Ms Quorvex", "Quorvex"], "Quorvex"),
        (["Quorvex", "Quorvexes", "Q."], "Quorvexes"),
        (["Quorvex", "Dr Anna Quorvex", "Anna B. Quorvex"], "Anna B. Quorvex"),
    ],
)
def test_of_several_mentions_the_one_that_says_most_comes_back(originals: list[str], fullest: str) -> None:
    for order in (originals, originals[::-1]):
        assert back("PERSON_1 left.", *(("PERSON_1", item) for item in order)) == f"{fullest} left."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Maria Ross, Maria, Ross", "Anna Quorvex, Anna, Quorvex"),
        ("Dr Maria Ross", "Ms Anna Quorvex"),
        ("Mariana Rossi", "Mariana Rossi"),
    ],
)
def test_parts_of_a_name_stand_for_parts_of_a_name(text: str, expected: str) -> None:
    assert back(text, ("Dr Maria Ross", "Ms Anna Quorvex")) == expected


@pytest.mark.parametrize(
    ("pair", "label"),
    [
        (("Maria Ross", "Anna Quorvex"), "ORG"),
        (("Maria Ross", "Anna B. Quorvex"), "PERSON"),
        (("Maria Ross", "Quorvex, Anna"), "PERSON"),
        (("Jo Ann Ra", "Bo Ott Ku"), "PERSON"),
    ],
)
def test_where_it_is_not_known_which_part_is_which_only_the_whole_comes_back(pair: tuple[str, str], label: str) -> None:
    put, said = pair
    first, last = put.split()[0], put.split()[-1]
    assert back(f"{put}; {first} and {last}", pair, label=label) == f"{said}; {first} and {last}"


def test_of_a_short_and_a_long_part_the_long_one_comes_back() -> None:
    assert back("Jo and Ross", ("Jo Ross", "Anna Quorvex")) == "Jo and Quorvex"
    assert back("Joe and Ross", ("Joe Ross", "Bo Quorvex")) == "Joe and Quorvex"
    assert back("Joe and Ros", ("Joe Ros", "Bob Ott")) == "Bob and Ott"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr PERSON_1 left.", "Mr Belnik left."),
        ("PERSON_1 left.", "Mr Belnik left."),
        ("Then PERSON_1 left.", "Then Mr Belnik left."),
        (
            "person_1 left, Person 1 left, a person 1 metre away",
            "Mr Belnik left, Mr Belnik left, a person 1 metre away",
        ),
    ],
)
def test_a_title_stands_once(text: str, expected: str) -> None:
    assert back(text, ("PERSON_1", "Mr Belnik")) == expected


@pytest.mark.parametrize(
    ("text", "original", "expected"),
    [
        ("James' car", "Maria", "Maria's car"),
        ("James’ car", "Maria", "Maria’s car"),
        ("James' car", "Lucas", "Lucas' car"),
        ("James's car", "Maria", "Maria's car"),
        ("'James' 'n' Bo", "Maria", "'Maria's 'n' Bo"),
    ],
)
def test_a_possessive_is_that_of_the_name_that_comes_back(text: str, original: str, expected: str) -> None:
    assert back(text, ("James", original)) == expected


def test_the_case_of_a_name_is_kept_and_a_label_has_none() -> None:
    assert back("MARIA maria Maria mAria", ("Maria", "Anna")) == "ANNA anna Anna Anna"
    assert back("PERSON_1 person_1", ("PERSON_1", "Anna")) == "Anna Anna"
    assert back("ABC abc", ("abc", "Anna")) == "Anna Anna"


def test_what_stands_for_two_people_is_left_and_what_is_put_back_says_where_it_comes_from() -> None:
    pairs = SubstitutionIndex(
        [ReplacedMention("X", "PERSON", "a", "Anna"), ReplacedMention("X", "PERSON", "b", "Boris")]
    )
    assert pairs.restore(Document("d", "X left")).edits == ()
    twice = SubstitutionIndex([ReplacedMention("X", "PERSON", "a", "Anna"), ReplacedMention("x", "LOC", "b", "ANNA")])
    assert twice.restore(Document("d", "X left")).edits == (Edit(Span(0, 1, "PERSON"), "Anna", ("vault",)),)


def test_labels_are_found_as_whole_words() -> None:
    text = "PERSON_1, LOC_22; XLOC_1 LOC_1x person_1 NAME_1"
    assert [text[slice(*label)] for label in find_labels(text)] == ["PERSON_1", "LOC_22"]


def test_a_replacement_is_looked_up_by_what_a_text_that_holds_it_says() -> None:
    assert ReplacedMention("Maria Ross", "PERSON", "e", "x").words() == {"maria", "ross"}
    assert ReplacedMention("PERSON_1", "PERSON", "e", "x").words() == {"person_1"}
    for written in ("PERSON_1", "person 1", "Person-1", "PERSON\\_1", "Person #1", "PERSON1"):
        assert "person_1" in lookup_words(f"Ask {written}.")
