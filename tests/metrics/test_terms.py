"""Terms: named entities, then noun phrases, then words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato.lexicon.language import CONFIDENT, identify_language
from sfumato.metrics.terms import TERM_TOKEN, content_ranges, terms
from tests.strategies import texts

NOTE = (
    "On 3 March 2019 the senior clerk of the Larkfield Water Board told Mr Osric Pennyworth that it had quickly "
    "rejected a late appeal. He paid EUR 4,000 under Article 12 § 2 within two weeks."
)


def said(text: str, **options: bool) -> list[str]:
    return [text[start:end] for start, end in terms(text, **options)]


def test_entities_come_whole_then_noun_phrases_then_words() -> None:
    assert said(NOTE) == [
        "3 March 2019",
        "the senior clerk",
        "the Larkfield Water Board",
        "told",
        "Osric Pennyworth",
        "quickly",
        "rejected",
        "a late appeal",
        "paid",
        "EUR 4,000",
        "Article 12 § 2",
        "two weeks",
    ]


def test_stop_words_are_terms_only_when_asked_for() -> None:
    more = said(NOTE, stop_words=True)
    assert set(more) - set(said(NOTE)) == {"On", "of", "Mr", "that", "it", "had", "He", "under", "within"}


def test_a_possessor_belongs_to_the_phrase() -> None:
    assert "the neighbour's old fence" in said("We saw the neighbour's old fence.")
    assert "the clerks' office" in said("We saw the clerks' office.")


def test_a_capital_at_the_start_of_a_sentence_makes_no_name() -> None:
    assert said("Gladly Quillon left.") == ["Gladly", "Quillon", "left"]
    assert "Quillon" in said("Nobody knew. Then Quillon left.")


def test_texts_of_other_languages_have_entities_and_words() -> None:
    text = "La señora Quintela llegó a Vilarosa el martes y habló con los vecinos de la calle sobre el incendio."
    assert identify_language(text, CONFIDENT).code == "es"
    result = said(text)
    assert {"Quintela", "Vilarosa", "llegó", "incendio"} <= set(result)
    assert not {"el", "y", "con", "los", "de", "la"} & set(result)


@given(texts, st.booleans())
def test_terms_are_sorted_disjoint_and_not_empty(text: str, stop_words: bool) -> None:
    at = 0
    for start, end in terms(text, stop_words=stop_words):
        assert at <= start < end <= len(text)
        assert any(map(str.isalnum, text[start:end]))
        at = end


@given(texts)
def test_with_stop_words_every_word_is_in_a_term(text: str) -> None:
    covered = {place for start, end in terms(text, stop_words=True) for place in range(start, end)}
    for token in TERM_TOKEN.finditer(text):
        if token[0][0].isalnum():
            assert covered.issuperset(range(*token.span()))


@given(texts)
def test_without_stop_words_terms_are_a_part_of_those_with(text: str) -> None:
    assert set(terms(text)) <= set(terms(text, stop_words=True))


def test_the_telling_part_leaves_small_words_and_signs() -> None:
    text = "the Court of Larkfield"
    assert [text[start:end] for start, end in content_ranges(text, (0, len(text)))] == ["Court", "Larkfield"]
    assert content_ranges("of", (0, 2)) == [(0, 2)]


def test_an_unknown_segmenter_is_named() -> None:
    with pytest.raises(RecipeError, match=r"no terms 'spicy': did you mean 'spacy'"):
        terms("A text.", "spicy")
    with pytest.raises(RecipeError, match="rules:x"):
        terms("A text.", "rules:x")


class Pipeline:
    """What of spaCy is used: one entity, one noun phrase that overlaps it, one that does not, and words."""

    max_length = 1000

    def __call__(self, text: str) -> SimpleNamespace:
        def span(part: str) -> SimpleNamespace:
            at = text.index(part)
            return SimpleNamespace(start_char=at, end_char=at + len(part))

        return Parsed(
            [Word(match.start(), match[0]) for match in re.finditer(r"\w+|[^\w\s]", text)],
            ents=[span("Osric Pennyworth")],
            noun_chunks=[span("Mr Osric Pennyworth"), span("the old boat")],
        )


class Word(str):
    def __new__(cls, at: int, text: str) -> Word:
        word = super().__new__(cls, text)
        word.idx, word.is_punct, word.is_space = at, not text[0].isalnum(), False
        return word

    idx: int
    is_punct: bool
    is_space: bool


class Parsed(SimpleNamespace):
    def __init__(self, words: list[Word], **parts: list[SimpleNamespace]) -> None:
        super().__init__(**parts)
        self.words = words

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)


def test_spacy_marks_the_terms_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.metrics.terms._pipeline", lambda model: Pipeline())
    text = "Mr Osric Pennyworth mended the old boat, slowly."
    surfaces = [text[start:end] for start, end in terms(text, "spacy:any")]
    assert surfaces == ["Osric Pennyworth", "mended", "the old boat", "slowly"]
    more = [text[start:end] for start, end in terms(text, "spacy:any", stop_words=True)]
    assert more == ["Mr", "Osric Pennyworth", "mended", "the old boat", "slowly"]
