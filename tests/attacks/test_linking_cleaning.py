"""What is taken for a placeholder in a released text, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.linking.cleaning import placeholders, words


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("PERSON_1 met ORG at noon", ["PERSON_1", "ORG"]),
        ("born <DATE>, [LOCATION], {{NAME}}", ["<DATE>", "[LOCATION]", "{{NAME}}"]),
        ("Mr **** and XXXX of ████", ["****", "XXXX", "████"]),
        ("DATE TIME, WORK OF ART", ["DATE TIME", "WORK OF ART"]),
        ("a WORLD of WORLD in WORLD", ["WORLD"] * 3),
        ("the NATO pact", []),
        ("THE PATIENT SAW A DOCTOR; THE PATIENT, THE PATIENT", []),
        ("a person of the organization", []),
        ("the letter [sic] stays", []),
    ],
)
def test_placeholders(text: str, hidden: list[str]) -> None:
    assert [text[start:end] for start, end in placeholders(text)] == hidden


def test_phrases_do_not_reach_across() -> None:
    found = words("old PERSON_1 lighthouse keeper")
    assert [(word.text, word.stretch) for word in found] == [("old", 0), ("lighthouse", 1), ("keeper", 1)]


@given(st.text())
def test_words_stand_where_they_say(text: str) -> None:
    for word in words(text):
        assert text[word.start : word.end] == word.text
