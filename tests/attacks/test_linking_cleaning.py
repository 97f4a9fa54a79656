"""What is taken for a placeholder in a released text, and what is not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linking.cleaning import WORD, clean, placeholders


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("PERSON_1 met ORG at noon", ["PERSON_1", "ORG"]),
        ("born <DATE>, [LOCATION], {{NAME}}", ["<DATE>", "[LOCATION]", "{{NAME}}"]),
        ("Mr **** and XXXX of ████", ["****", "XXXX", "████"]),
        ("DATE TIME, WORK OF ART", ["DATE TIME", "WORK OF ART"]),
        ("a WORLD of WORLD in WORLD", ["WORLD"] * 3),
        ("the NATO pact", []),
        ("a WORLD of WORLD", []),  # not often enough
        ("ELM FIR OAK ASH YEW BOX WORLD WORLD WORLD of in by", ["WORLD"] * 3),  # 7 of 10 different words
        ("ELM FIR OAK ASH YEW BOX PINE WORLD WORLD WORLD of in", []),  # 8 of 10: all is in capitals
        ("THE PATIENT SAW A DOCTOR; THE PATIENT, THE PATIENT", []),
        ("a person of the organization", []),
        ("the letter [sic] stays", []),
    ],
)
def test_placeholders(text: str, hidden: list[str]) -> None:
    assert [text[start:end] for start, end in placeholders(text)] == hidden


def test_phrases_do_not_reach_across() -> None:
    cleaned = clean("old PERSON_1 lighthouse keeper")
    assert list(zip(cleaned.words, cleaned.segment, strict=True)) == [("old", 0), ("lighthouse", 1), ("keeper", 1)]


@given(st.text())
def test_words_stand_where_they_say(text: str) -> None:
    cleaned = clean(text)
    assert [text[start:end] for start, end in zip(cleaned.starts, cleaned.ends, strict=True)] == list(cleaned.words)


@given(st.lists(st.sampled_from(["ab", "cd1", "__", "***", "PERSON_1", "<LOC>", " ", "é", "x", "NATO"])).map("".join))
def test_words_are_those_between_the_placeholders(text: str) -> None:
    found, borders = clean(text), [(0, 0), *placeholders(text), (len(text), len(text))]
    between = [(end, start) for (_, end), (start, _) in pairwise(borders)]
    expected = [
        (match.group(), match.start(), number)
        for number, (start, end) in enumerate(between)
        for match in WORD.finditer(text, start, end)
    ]
    assert list(zip(found.words, found.starts, found.segment, strict=True)) == expected
