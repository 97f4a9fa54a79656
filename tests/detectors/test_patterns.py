"""Patterns: scoring, validation, context, and the message of a bad one."""

from __future__ import annotations

import pytest

from sfumato.detectors.rules.patterns import CONTEXT_STEP, Pattern, PatternSet, alternatives
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
