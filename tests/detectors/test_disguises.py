"""Disguised and broken-up values are found as plain ones are, at their places in the text as written."""

from __future__ import annotations

from functools import cache

import pytest
from benchmarks.disguises import DISGUISES, SENTENCES, found, is_hidden
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.allowed import AllowedTerms, with_allowed
from sfumato.detectors.base import GoldDetector
from sfumato.detectors.detection import Detection, UserTerms
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document, Release, Span
from sfumato.pipeline import Pipeline
from sfumato.recipe import load

HEADINGS = (
    *("S U M M A R Y", "C O N F I D E N T I A L", "T A B L E  O F  C O N T E N T S", "D I S C H A R G E   L E T T E R"),
    *("A B C D E F G H", "W a r n i n g", "one two three four five six seven"),
)
CASES = [(name, kind) for name, (_, kinds) in DISGUISES.items() for kind in kinds]


@cache
def pipeline(recipe: str) -> Pipeline:
    return Pipeline(load(recipe))


def released(text: str, recipe: str = "fast") -> Release:
    (outcome,) = pipeline(recipe).anonymize([Document("d", text)])
    assert isinstance(outcome, Release)
    return outcome


@pytest.mark.parametrize("recipe", ["fast", "default"])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_disguised_value_is_found_as_the_plain_one(name: str, kind: str, recipe: str) -> None:
    disguise, _ = DISGUISES[name]
    assert found(pipeline(recipe), kind, disguise, 3, seed=7) >= found(pipeline(recipe), kind, str, 3, seed=7) == 3


@given(st.sampled_from(CASES), st.text(max_size=20), st.text(max_size=20))
def test_text_outside_the_spans_stays_as_it_is(case: tuple[str, str], before: str, after: str) -> None:
    disguise, _ = DISGUISES[case[0]]
    value = disguise("Anna Quorvex" if case[1] in ("name", "mail") else "4111 1111 1111 1111")
    text = f"{before} {SENTENCES[case[1]].format(value)} {after}"
    ((document, spans),) = pipeline("fast").detect([Document("d", text)])
    release = pipeline("fast").release(document, spans)
    kept = "".join(text[start:end] for start, end in release.kept)
    assert kept == "".join(
        character for offset, character in enumerate(text) if not any(span.start <= offset < span.end for span in spans)
    )


@pytest.mark.parametrize(
    ("recipe", "heading"),
    [
        *((recipe, heading) for recipe in ("fast", "default") for heading in HEADINGS),
        ("fast", "1 2 3 4 5 6 7 8 9"),
        ("fast", "3 4 5 2 1 4 5 3"),
    ],
)
def test_spaced_headings_and_counting_are_no_names(recipe: str, heading: str) -> None:
    ((_, spans),) = pipeline(recipe).detect([Document("d", f"{heading}\nThe letter came on the last visit.")])
    assert [span for span in spans if span.start < len(heading)] == []


def test_a_disguised_mention_is_the_same_person() -> None:
    text = "Mr Anna Quorvex came. Then Аnnа Quоrvех, A n n a  Q u o r v e x and Ⓠⓤⓞⓡⓥⓔⓧ left."
    assert released(text).text == "PERSON_1 came. Then PERSON_1, PERSON_1 and PERSON_1 left."


def test_a_number_behind_a_label_is_found_and_labels_stay() -> None:
    assert "4111" not in released("Card CODE_4111 1111 1111 1111 was used.").text
    kept = "Card CODE_411 of PERSON_12 and CODE_1 was used."
    assert released(kept).text == kept
    assert released("Card of PERSON_12 4111 1111 1111 1111 was used.").text == "Card of PERSON_12 CODE_1 was used."


@pytest.mark.parametrize(
    "number",
    [
        "oh seven seven double oh nine oh oh one two three",
        "Zero-Two-Zero seven nine four six oh oh one eight",
        "null eins sieben eins neun acht sieben sechs fünf",
        "cero, uno, siete, siete, dos, cinco, nueve",
    ],
)
def test_a_number_read_out_in_words_is_found(number: str) -> None:
    text = f"Please dial {number} today."
    ((_, spans),) = pipeline("fast").detect([Document("d", text)])
    assert is_hidden(text, number, spans)


def test_terms_of_a_recipe_are_found_in_disguise() -> None:
    terms = UserTerms((), {"ORG": ["project lantern"]}, 0.5)
    text = "рrojеct lаntern and Mr Wеxlеy met."
    document = with_allowed(Document("d", text), AllowedTerms(["Wexley"]))
    (spans,) = Detection([RuleDetector()], terms=terms).spans([document])
    assert [(span.label, text[span.start : span.end]) for span in spans] == [("ORG", "рrojеct lаntern")]


def test_given_annotations_keep_their_places() -> None:
    text = "Then A\u00adnna\u00ad came, ﬁnally."
    span = Span(5, 11, "PERSON", "direct", entity="anna")
    (spans,) = Detection([GoldDetector()]).spans([Document("d", text, annotations=(span,))])
    assert [(item.start, item.end) for item in spans] == [(5, 11)]


def test_two_spans_may_share_a_ligature() -> None:
    class Halves:
        languages = None

        def detect(self, documents: list[Document]) -> list[list[Span]]:
            at = [document.text.find("ef") for document in documents]
            return [
                [Span(start, start + 2, "PERSON"), Span(start + 2, start + 5, "LOC")] if start >= 0 else []
                for start in at
            ]

    text = "the leﬁth part"
    (spans,) = Detection([Halves()]).spans([Document("d", text)])  # type: ignore[list-item]
    assert "".join(text[span.start : span.end] for span in spans) == "eﬁth"
