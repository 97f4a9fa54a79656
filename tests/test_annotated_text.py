"""A text is read once: what is read in it is kept with it, for itself and for the versions that are made of it."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections import Counter
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from sfumato.annotated_text import LONG, AnnotatedText, read_once, read_once_at
from sfumato.detectors.structure import find_structure
from sfumato.document import Document
from sfumato.generalize.places.countries import count_countries
from sfumato.lexicon.ages import find_ages
from sfumato.lexicon.language import document_language, word_counts
from sfumato.lexicon.tokens import caseless_words, letter_runs, number_starts

CALLS = Counter[str]()
READERS = (document_language, word_counts, count_countries, caseless_words, letter_runs, number_starts, find_ages)


class _Words(list[str]):
    """A result that can be referred to weakly."""


@read_once
def words_of(text: str, mark: str = " ") -> _Words:
    CALLS[str(text)] += 1
    return _Words(text.split(mark))


@dataclass(frozen=True)
class _Place:
    text: str
    start: int


@read_once_at
def rest_of(place: _Place) -> str:
    CALLS[str(place.text)] += 1
    return place.text[place.start :]


@given(st.text(), st.text(max_size=3).filter(bool))
def test_each_reading_is_made_once_for_a_text_and_its_arguments(text: str, mark: str) -> None:
    CALLS.clear()
    annotated = AnnotatedText(text)
    assert words_of(annotated) is words_of(annotated) == text.split(" ")
    assert words_of(annotated, mark) is words_of(annotated, mark) == text.split(mark)
    assert rest_of(_Place(annotated, 1)) is rest_of(_Place(annotated, 1))
    assert CALLS[text] == 3
    annotated.forget()
    words_of(annotated)
    assert CALLS[text] == 4


@given(st.text())
def test_it_is_a_string(text: str) -> None:
    annotated = AnnotatedText(text)
    assert annotated == text
    assert hash(annotated) == hash(text)
    assert AnnotatedText(annotated) is annotated
    assert type(annotated[:1]) is str
    words_of(annotated)
    copy = pickle.loads(pickle.dumps(annotated))
    assert (type(copy), copy, copy.readings) == (AnnotatedText, text, {})


def test_readings_live_as_long_as_the_document() -> None:
    document = Document("a", "Anna Quorvex saw the sea.")
    kept = weakref.ref(words_of(document.text))
    gc.collect()
    is_kept_before = kept() is not None
    del document
    gc.collect()
    assert is_kept_before
    assert kept() is None


WORDS = st.sampled_from(
    ["Anna", "Quorvex", "lives", "in", "Leeds", "Spain", "aged 47", "3 May 1961", "the", "der", "7", "\n", "\n\n", "."]
)
TEXTS = st.lists(WORDS, max_size=30).map(" ".join)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99), WORDS), max_size=4))
def test_a_version_with_edits_reads_as_if_it_were_read_anew(text: str, edits: list[tuple[int, int, str]]) -> None:
    version, plain = AnnotatedText(text), text
    for first, last, replacement in edits:
        for read in READERS:
            read(version)
        start, end = sorted((min(first, len(plain)), min(last, len(plain))))
        version, plain = version.with_edit(start, end, replacement), f"{plain[:start]}{replacement}{plain[end:]}"
        assert version == plain
        for read in READERS:
            assert read(version) == read(plain)
        assert find_structure(version).pieces == find_structure(plain).pieces


def test_versions_share_what_was_read_in_the_parts_they_have_in_common() -> None:
    CALLS.clear()
    text = AnnotatedText("one line\nanother line")
    version = text.with_edit(0, 3, "a")
    for line in (*text.split("\n"), *version.split("\n")):
        words_of(text.part(line) if line in text else version.part(line))
    assert CALLS == {"one line": 1, "another line": 1, "a line": 1}


def test_of_a_long_text_the_words_of_lines_are_not_kept() -> None:
    text = AnnotatedText("Anna Quorvex lives in Leeds.\n" * (LONG // 20))
    word_counts(text)
    assert not text._parts
