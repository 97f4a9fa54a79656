"""Everyday words by language, form and label."""

from __future__ import annotations

import pytest

from sfumato.detectors.everyday import EverydayWords

ENGLISH, GERMAN = "It is the one that we saw, and he was there.", "Das ist der Mann, und wir haben ihn nicht gesehen."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        ("Je ne sais pas où il est, mais nous sommes dans la maison.", "fr"),
        ("No sé dónde está, pero nosotros estamos en la casa con ella.", "es"),
        ("Non so dove sia, ma noi siamo nella casa con gli altri.", "it"),
        ("Não sei onde ele está, mas nós estamos em casa com ela.", "pt"),
        ("Ik weet niet waar hij is, maar wij zijn in het huis met haar.", "nl"),
        ("", "en"),
    ],
)
def test_the_language_is_that_of_the_text(text: str, language: str) -> None:
    assert EverydayWords(text).language == language


@pytest.mark.parametrize(
    ("text", "word", "label", "expected"),
    [
        (ENGLISH, "bed", "PERSON", True),
        (ENGLISH, "Bed", "PERSON", True),
        (ENGLISH, "penny", "PERSON", True),
        (ENGLISH, "Penny", "PERSON", False),
        (ENGLISH, "Will", "PERSON", True),
        (ENGLISH, "Quorvex", "PERSON", False),
        (ENGLISH, "Paris", "LOC", False),
        (GERMAN, "Zucker", "QUANTITY", True),
        (ENGLISH, "Zucker", "QUANTITY", False),
    ],
)
def test_a_capital_makes_a_name_of_some_words(text: str, word: str, label: str, expected: bool) -> None:
    assert EverydayWords(text).includes(word, label) is expected
