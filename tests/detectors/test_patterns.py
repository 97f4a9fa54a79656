"""Patterns: scoring, validation, context, and the message of a bad one."""

from __future__ import annotations

import pytest

import sfumato
from sfumato.detectors.rules.codes import PATTERNS
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.rules.patterns import CONTEXT_STEP, Pattern, PatternSet, alternatives
from sfumato.document import Document
from sfumato.errors import RecipeError


def test_a_user_pattern() -> None:
    ticket = Pattern(name="ticket", label="CODE", regex=r"T-\d+", identifier="direct", score=0.6, context=("ticket",))
    text = "see T-42"
    (span,) = PatternSet([ticket]).find(text)
    assert (text[span.start : span.end], span.label, span.identifier, span.score) == ("T-42", "CODE", "direct", 0.6)
    assert span.source == "rules:ticket"


def test_context_raises_and_lowers_the_score() -> None:
    pattern = Pattern("x", "CODE", r"\d{4}", score=0.5, context=("badge",), against=("room",))

    def score(text: str) -> float:
        return PatternSet([pattern]).find(text)[0].score

    assert score("it is 1234") == 0.5
    assert score("Badge 1234") == pytest.approx(0.5 + CONTEXT_STEP)
    assert score("1234 in room five") == pytest.approx(0.5 - CONTEXT_STEP)
    assert score("the badger 1234") == 0.5


def test_validation_drops_or_confirms() -> None:
    even = Pattern("x", "CODE", r"\d+", score=0.9, validate=lambda t: int(t) % 2 == 0)
    assert [(s.start, s.score) for s in PatternSet([even]).find("1 2 3")] == [(2, 0.9)]


def test_the_span_is_the_group_value_where_there_is_one() -> None:
    pattern = Pattern("x", "CODE", r"id: (?P<value>\w+)")
    (span,) = PatternSet([pattern]).find("id: abc")
    assert (span.start, span.end) == (4, 7)


def test_empty_matches_are_no_spans() -> None:
    assert PatternSet([Pattern("x", "CODE", r"a*")]).find("bbb") == []


def test_a_bad_pattern_is_named() -> None:
    with pytest.raises(RecipeError, match=r"ticket.*does not compile"):
        _ = Pattern("ticket", "CODE", "(").compiled
    with pytest.raises(RecipeError, match="did you mean 'PERSON'"):
        Pattern("ticket", "PERSN", "a")
    with pytest.raises(RecipeError, match=r"ticket.*1\.5"):
        Pattern("ticket", "CODE", "a", score=1.5)


def test_alternatives_prefer_the_longest() -> None:
    pattern = Pattern("x", "MISC", rf"(?:{alternatives(['new', 'new york', 'york'])})")
    text = "new  york, new"
    assert [text[s.start : s.end] for s in PatternSet([pattern]).find(text)] == ["new  york", "new"]


@pytest.mark.parametrize("day", ["22/04/2024", "02.02.2025", "2024-04-22"])
def test_a_date_near_a_telephone_number_is_no_telephone_number(day: str) -> None:
    text = f"Tel: 01632 960151\n\n{day}\n\nDear Sir"
    spans = PatternSet(PATTERNS).find(text)
    phones = {text[s.start : s.end] for s in spans if s.source == "rules:phone" and s.score >= 0.5}
    assert phones == {"01632 960151"}


def test_phone_numbers_of_the_country_that_the_user_states() -> None:
    text = "Anjali 31 22 45 67 (second floor)"

    def spans(**meta: str) -> list[str]:
        found = RuleDetector(kinds=["phone"]).detect([Document("a", text, meta=meta)])[0]
        return [text[span.start : span.end] for span in found]

    assert spans() == []
    assert spans(country="DK") == ["31 22 45 67"]


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("data", ["svg+xml,%3Csvg/%3E", "svg+xml;charset=utf-8,%3Csvg%20id=%22anna%22%3E"])
def test_an_address_that_holds_text_is_replaced_as_a_whole(quote: str, data: str) -> None:
    text = f"See <img src={quote}data:image/{data}{quote}> there."
    assert sfumato.anonymize(text, recipe="labels").text == f"See <img src={quote}CODE_1{quote}> there."
    assert sfumato.anonymize("The data: a/b, and data:x, y", recipe="labels").text == "The data: a/b, and data:x, y"
