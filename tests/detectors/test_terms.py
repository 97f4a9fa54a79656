"""What a recipe adds by hand, and what is personal once is personal everywhere."""

from __future__ import annotations

import pytest

import sfumato
from sfumato import Span
from sfumato import recipe as recipes
from sfumato.detectors.terms import repeated


def released(text: str, toml: str) -> str:
    return sfumato.anonymize(text, recipe=recipes.parse(toml, "test")).text


def test_an_allowed_term_stays_alone_with_a_title_and_in_part() -> None:
    text = "Mr Theodore Blankenship saw Theodore Blankenship and Anna Quorvex."
    assert released(text, 'detect = ["rules"]\nallow = ["theodore blankenship"]') == (
        "Mr Theodore Blankenship saw Theodore Blankenship and PERSON_1."
    )


def test_a_denied_term_goes_in_any_case_but_only_as_a_word() -> None:
    toml = 'detect = ["rules"]\n[deny]\nORG = ["ward 3a"]'
    assert released("moved to Ward 3A, not to forward 3ab", toml) == "moved to ORG_1, not to forward 3ab"


def test_a_pattern_finds_and_its_context_raises_the_score() -> None:
    toml = (
        'detect = ["rules"]\n[[pattern]]\nname = "bed"\nlabel = "LOC"\nregex = "bed (?P<value>[a-z]\\\\d)"\n'
        'score = 0.3\ncontext = ["ward"]'
    )
    assert released("on the ward: bed x7", toml) == "on the ward: bed LOC_1"
    assert released("in the garden: bed x7", toml) == "in the garden: bed x7"


@pytest.mark.parametrize(
    ("text", "found", "label", "expected"),
    [
        ("Anna Quorvex. ANNA QUORVEX, anna quorvex, Annas", "Anna Quorvex", "PERSON", ["ANNA QUORVEX", "anna quorvex"]),
        ("Dr Anna Quorvex. Quorvex and Anna came; annas", "Dr Anna Quorvex", "PERSON", ["Quorvex", "Anna"]),
        ("Will Young. He will be young. Young people", "Will Young", "PERSON", []),
        ("Will came. He will come.", "Will", "PERSON", []),
        ("case 12/34; see 12/34 and 12/345", "12/34", "CODE", ["12/34"]),
        ("Reading. reading", "Reading", "LOC", []),
    ],
)
def test_repetition(text: str, found: str, label: str, expected: list[str]) -> None:
    start = text.index(found)
    again = repeated(text, [Span(start, start + len(found), label)])
    assert [text[span.start : span.end] for span in again] == expected
