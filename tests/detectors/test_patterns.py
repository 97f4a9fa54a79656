"""Patterns: scoring, validation, context, and the message of a bad one."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato
from sfumato.detectors.never_personal import PATTERNS as NEVER_PERSONAL
from sfumato.detectors.never_personal import NeverPersonalPattern
from sfumato.detectors.rules.attributes import PATTERNS as ATTRIBUTES
from sfumato.detectors.rules.codes import PATTERNS
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.rules.patterns import CONTEXT_STEP, Pattern, PatternSet, alternatives, may_match
from sfumato.detectors.rules.people import PATTERNS as INTRODUCTIONS
from sfumato.detectors.rules.places import PATTERNS as PLACES
from sfumato.detectors.rules.regions import search_regions
from sfumato.document import Document
from sfumato.errors import RecipeError
from sfumato.lexicon.tokens import find_all, find_at, starts_of


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


FILTERED = [
    pytest.param(pattern.compiled, (), pattern.cue_words, id=f"{pattern.name}: {pattern.regex[:60]}")
    for pattern in (*PATTERNS, *ATTRIBUTES, *PLACES, *INTRODUCTIONS)
    if pattern.cues and not pattern.cue_marks
]
FILTERED += [
    pytest.param(pattern.regex, pattern.needs, pattern.cue_words, id=f"{pattern.name}: {pattern.expression[:60]}")
    for pattern in NEVER_PERSONAL
    if pattern.needs or pattern.cue_words
]


@pytest.mark.parametrize(("regex", "needs", "cue_words"), FILTERED)
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_text_that_a_pattern_matches_has_what_the_pattern_needs(
    regex: re.Pattern[str], needs: tuple[str, ...], cue_words: frozenset[str], data: st.DataObject
) -> None:
    assert may_match(data.draw(st.from_regex(regex)), needs, cue_words)


ANCHORED = [
    pytest.param(pattern, pattern.compiled, id=f"{pattern.name}: {pattern.regex[:60]}")
    for pattern in (*PATTERNS, *ATTRIBUTES, *PLACES, *INTRODUCTIONS)
    if pattern.begins != "anywhere"
]
ANCHORED += [
    pytest.param(pattern, pattern.regex, id=f"{pattern.name}: {pattern.expression[:60]}")
    for pattern in NEVER_PERSONAL
    if pattern.begins != "anywhere"
]
AROUND = st.text(alphabet="aZé1٣_ .,/-\n'’+<", max_size=4)


@pytest.mark.parametrize(("pattern", "regex"), ANCHORED)
@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_pattern_that_begins_at_cues_or_numbers_is_found_as_by_a_search(
    pattern: Pattern | NeverPersonalPattern, regex: re.Pattern[str], data: st.DataObject
) -> None:
    pieces = st.one_of(st.from_regex(regex), AROUND)
    text = "".join(data.draw(st.lists(pieces, min_size=1, max_size=4)))
    starts = starts_of(pattern.cue_words, text)
    if isinstance(pattern, Pattern):
        starts = sorted((*starts, *(start for mark in pattern.cue_marks for start in find_all(mark, text))))
    if pattern.begins == "at cues":
        assert [match.span() for match in find_at(regex, text, starts)] == [m.span() for m in regex.finditer(text)]
    regions = search_regions(text)
    numbers = regions.find_near_numbers(regex, pattern.begins, (), pattern.cue_words)
    expected = [match for start, end in regions.windows for match in regex.finditer(text, start, end)]
    if isinstance(pattern, Pattern) and pattern.scope == "text":
        return
    assert [match.span() for match in numbers] == [match.span() for match in expected]


@pytest.mark.parametrize("quote", ["'", '"'])
@pytest.mark.parametrize("data", ["svg+xml,%3Csvg/%3E", "svg+xml;charset=utf-8,%3Csvg%20id=%22anna%22%3E"])
def test_an_address_that_holds_text_is_replaced_as_a_whole(quote: str, data: str) -> None:
    text = f"See <img src={quote}data:image/{data}{quote}> there."
    assert sfumato.anonymize(text, recipe="labels").text == f"See <img src={quote}CODE_1{quote}> there."
    assert sfumato.anonymize("The data: a/b, and data:x, y", recipe="labels").text == "The data: a/b, and data:x, y"
