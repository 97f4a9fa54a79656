"""The rule-based detector as a whole: its interface, its offsets, and texts that are slow to search."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.base import Detector
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import LABELS, Document, merge_spans
from sfumato.errors import RecipeError
from sfumato.lexicon.folding import snap

DETECTOR = RuleDetector()
CUES = st.sampled_from(
    [
        "Mr Quorvex",
        "anna@example.org",
        "4 March 2021",
        "\r\n",
        "\x00",
        "👩‍👩‍👧",
        "e\u0301",
        "שלום",
        "𝒳",
        "+44 20 7946 0958",
        " in Paris ",
        "Dear Ana,",
        ": ",
        "\u200d",
        "\ufe0f",
        "٣٤",
        "case no. 12/34",
        "İ",
        "ß",
    ]
)
TEXTS = st.lists(st.one_of(st.text(max_size=12), CUES), max_size=14).map("".join)


def test_it_implements_the_interface() -> None:
    assert isinstance(DETECTOR, Detector)
    assert DETECTOR.detect([]) == []
    first, second = DETECTOR.detect([Document("a", ""), Document("b", "Mr Quorvex")])
    assert first == []
    assert [span.source for span in second] == ["rules:person"]


@given(TEXTS)
def test_spans_lie_in_the_text_and_cut_no_character(text: str) -> None:
    spans = DETECTOR.detect([Document("d", text)])[0]
    for span in spans:
        assert 0 <= span.start < span.end <= len(text)
        assert span.label in LABELS
        assert span.score >= DETECTOR.threshold
        assert snap(text, span.start, span.end) == (span.start, span.end)
    assert spans == sorted(spans, key=lambda span: (span.start, span.end, span.label, span.source))
    merge_spans(spans)


@given(TEXTS)
def test_offsets_do_not_depend_on_what_stands_before(text: str) -> None:
    before = "𝒳👩‍👩‍👧 \n\n"
    mail = "quorvex@example.org"
    spans = RuleDetector(kinds=["email"]).detect([Document("d", before + mail + "\n" + text)])[0]
    assert any((span.start, span.end) == (len(before), len(before) + len(mail)) for span in spans)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_names_with_combining_marks(form: Literal["NFC", "NFD"]) -> None:
    name = unicodedata.normalize(form, "José Núñez")
    text = f"Then Mr {name} spoke."
    spans = RuleDetector(kinds=["person"]).detect([Document("d", text)])[0]
    assert f"Mr {name}" in {text[span.start : span.end] for span in spans}


def test_a_span_takes_in_what_joins_its_last_character() -> None:
    assert snap("ae\u0301b", 0, 2) == (0, 3)
    assert snap("x👩‍👧y", 1, 2) == (1, 4)
    assert snap("a\r\nb", 0, 2) == (0, 3)
    assert snap("abc", 1, 2) == (1, 2)


def test_kinds_are_kept_and_checked() -> None:
    text = "Mr Quorvex, anna@example.org"
    only = RuleDetector(kinds=["email"]).detect([Document("d", text)])[0]
    assert {span.source for span in only} == {"rules:email"}
    with pytest.raises(RecipeError, match="did you mean 'email'"):
        RuleDetector(kinds=["emial"])
    with pytest.raises(RecipeError, match="threshold"):
        RuleDetector(threshold=2.0)


def test_all_listed_kinds_can_be_asked_for() -> None:
    kinds = RuleDetector.kinds()
    assert len(kinds) >= 30
    RuleDetector(kinds=kinds)


def test_the_threshold_decides() -> None:
    text = "a total of 111222333 items"
    assert not RuleDetector().detect([Document("d", text)])[0]
    assert RuleDetector(threshold=0.1).detect([Document("d", text)])[0]


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "a",
        "A",
        "a@",
        "a@a.",
        ".",
        " ",
        "\n",
        "1.",
        "1 ",
        "1-",
        "A1",
        "A. ",
        "Ab ",
        "x\n",
        "Mary's ",
        "eyJ",
        "://",
        "www.",
        "de la ",
        "Name: ",
        "-----BEGIN PRIVATE KEY-----",
        "\u0301",
        "\u200d",
        "(",
        "key=a1",
        "no. ",
        "Ana, ",
    ],
)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    # A quadratic pattern would not come back from this within the patience of anyone who runs the tests.
    text = unit * (50_000 // len(unit))
    assert isinstance(DETECTOR.detect([Document("d", text)])[0], list)
