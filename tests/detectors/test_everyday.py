"""Everyday words of languages learned from generated text stay; whoever and whatever may be named goes."""

from __future__ import annotations

import pytest

from sfumato.detectors.tagger import drop_everyday_words
from sfumato.document import Span

LETTER = "Sehr geehrte Damen und Herren, die Rechnung ist noch offen. Frau Klein aus Wuppertal hat deshalb angerufen."


def spans(text: str, *found: tuple[str, str]) -> list[Span]:
    return [
        Span(text.index(string), text.index(string) + len(string), label, None, 0.9, "tagger:mask")
        for string, label in found
    ]


@pytest.mark.parametrize(
    ("text", "string", "label"),
    [
        (LETTER, "Damen", "PERSON"),
        (LETTER, "Herren", "PERSON"),
        (LETTER, "noch", "DEM"),
        ("Met vriendelijke groet stuur ik u hierbij de gevraagde documenten op.", "vriendelijke", "PERSON"),
    ],
)
def test_everyday_words_stay(text: str, string: str, label: str) -> None:
    assert not drop_everyday_words(text, spans(text, (string, label)))


@pytest.mark.parametrize(("string", "label"), [("Klein", "PERSON"), ("Wuppertal", "LOC"), ("Rechnung", "ORG")])
def test_known_names_places_and_what_may_be_a_name_go(string: str, label: str) -> None:
    found = spans(LETTER, (string, label))
    assert drop_everyday_words(LETTER, found) == found


def test_english_and_spanish_are_left_to_the_tagger() -> None:
    for text, string in (
        ("The house is on the hill and the ladies are in it.", "ladies"),
        ("La señora vive en una casa grande con su hermana.", "casa"),
    ):
        found = spans(text, (string, "PERSON"))
        assert drop_everyday_words(text, found) == found
