"""Borders of spans: trimming them and dropping imprecise ones uncovers no letter or digit that identifies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.detection import drop_imprecise, trim_spans
from sfumato.document import Span


def span(text: str, string: str, source: str, label: str = "PERSON") -> Span:
    start = text.index(string)
    return Span(start, start + len(string), label, "direct", 0.9, source)


@pytest.mark.parametrize(
    ("rough", "exact"),
    [
        ("Dra. Elvira Quorvex", ["Elvira Quorvex"]),
        ("Quorvex.", ["Quorvex"]),
        ("48080 Altamora", ["48080", "Altamora"]),
        ("Elvira and the Quorvex", ["Elvira", "Quorvex"]),
    ],
)
def test_detectors_that_read_context_have_the_better_borders(rough: str, exact: list[str]) -> None:
    text = f"Seen by {rough} today"
    readers = [span(text, string, "tagger:mask") for string in exact]
    assert drop_imprecise(text, [span(text, rough, "rules:person"), *readers]) == readers


@pytest.mark.parametrize("read", ["Elvira", "vira Quorvex"])
def test_a_span_of_a_rule_that_covers_more_of_a_name_stays(read: str) -> None:
    text = "Seen by Elvira Quorvex today"
    spans = [span(text, "Elvira Quorvex", "rules:person"), span(text, read, "tagger:mask")]
    assert drop_imprecise(text, spans) == spans


@pytest.mark.parametrize("name", ["Elvira van der Quorvex", "Elvira de la Quorvex"])
def test_a_name_is_not_cut_in_two_at_its_particle(name: str) -> None:
    text = f"Seen by {name} today"
    spans = [
        span(text, name, "rules:person"),
        span(text, "Elvira", "tagger:mask"),
        span(text, "Quorvex", "tagger:mask"),
    ]
    assert drop_imprecise(text, spans) == spans


def test_a_span_of_a_rule_with_another_label_stays() -> None:
    text = "Seen by Elvira Quorvex today"
    spans = [span(text, "Elvira Quorvex", "rules:person"), span(text, "Elvira Quorvex", "tagger:mask", "ORG")]
    assert drop_imprecise(text, spans) == spans


@pytest.mark.parametrize(
    ("detected", "trimmed"),
    [
        (" Anna,", "Anna"),
        (">Anna Quorvex\n", "Anna Quorvex"),
        ("“Quorvex”", "Quorvex"),
        ("Belnik Quorvex.", "Belnik Quorvex"),
        ("Quorvex Ltd.", "Quorvex Ltd."),
        ("Anna Q.", "Anna Q."),
        ("3 p.m.", "3 p.m."),
        ("(0)20 7946", "(0)20 7946"),
        ("of the", None),
        ("Mrs", None),
    ],
)
def test_loose_marks_are_trimmed_and_abbreviations_stay(detected: str, trimmed: str | None) -> None:
    text = f"x {detected} y"
    spans = trim_spans(text, [span(text, detected, "tagger:mask")])
    assert [text[item.start : item.end] for item in spans] == ([] if trimmed is None else [trimmed])


TEXTS = st.text("Ab1 .,>-", min_size=1, max_size=30)


@given(
    TEXTS, st.lists(st.tuples(st.integers(0, 29), st.integers(1, 8), st.sampled_from(["rules:person", "tagger:mask"])))
)
def test_every_letter_and_digit_that_was_covered_still_is(text: str, places: list[tuple[int, int, str]]) -> None:
    spans = [
        Span(start, min(len(text), start + size), "PERSON", None, 0.9, source)
        for start, size, source in places
        if start < len(text)
    ]
    remaining = drop_imprecise(text, spans)
    covered = {offset for item in remaining for offset in range(item.start, item.end)}
    for item in spans:
        for offset in range(item.start, item.end):
            assert offset in covered or not text[offset].isalnum() or text[offset] == "A", "a lone A may be an article"
