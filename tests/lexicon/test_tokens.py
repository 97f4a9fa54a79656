"""Phrases are found as whole words, longest first, by one pass."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon.language import WORD, word_counts
from sfumato.lexicon.tokens import (
    LETTERS,
    WORD_CHARACTERS,
    FoldedWords,
    NeededStrings,
    PhraseIndex,
    PhraseList,
    caseless_words,
    contains_phrase,
    find_at,
    find_whole,
    first_words,
    fold_case,
    lazy_pattern,
    letter_runs,
    number_starts,
    parts,
    starts_of,
    without_case,
    words_by_part,
)


def find(phrases: list[str], text: str, *, match_case: bool = False) -> list[str]:
    index: PhraseIndex[str] = PhraseIndex(match_case=match_case)
    for phrase in phrases:
        index.add(phrase, phrase)
    return [text[match.start : match.end] for match in index.find(text)]


def test_only_whole_words_are_found() -> None:
    assert find(["Ann"], "Ann's annual Ann-Marie, ANN. Anna_Ann") == ["Ann", "Ann", "ANN"]
    assert find(["Ann"], "Ann ANN ann", match_case=True) == ["Ann"]


def test_the_longest_phrase_wins() -> None:
    assert find(["John", "John Smith"], "John Smith met John.") == ["John Smith", "John"]


def test_marks_at_the_edge_of_a_phrase_count() -> None:
    assert find(["+49 30 123", "[ID 7]"], "call +49 30 123 or 49 30 123, see [ID 7] and ID 7") == [
        "+49 30 123",
        "[ID 7]",
    ]


def test_white_space_is_folded_and_case_folding_does_not_shift_offsets() -> None:
    assert find(["John Smith"], "İİİ John\n  Smith") == ["John\n  Smith"]
    assert find(["STRASSE"], "in der Straße") == ["Straße"]


words = st.sampled_from(["a", "b", "Ab", "c1", "é", "İ"])


@given(st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), max_size=5), st.lists(words).map(" ".join))
def test_finds_what_a_slow_search_finds(phrases: list[str], text: str) -> None:
    expected = []
    offset = 0
    ordered = sorted(set(phrases), key=lambda phrase: -len(phrase.split()))
    while offset < len(text):
        for phrase in ordered:
            match = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)").match(text, offset)
            if match:
                expected.append(phrase)
                offset = match.end()
                break
        else:
            offset += 1
    assert find(phrases, text, match_case=True) == expected


def test_a_lazy_pattern_is_compiled_by_its_first_use_and_finds_the_same() -> None:
    assert lazy_pattern("(")  # no error: it is not compiled yet
    with pytest.raises(re.error):
        lazy_pattern("(").search("")
    lazy, compiled = (
        lazy_pattern(r"(?P<letter>[a-c])\d", re.IGNORECASE),
        re.compile(r"(?P<letter>[a-c])\d", re.IGNORECASE),
    )
    for _ in range(2):
        assert lazy.findall("A1 b2 d3") == compiled.findall("A1 b2 d3") == ["A", "b"]
    assert (lazy.groupindex, lazy.pattern, lazy.flags) == (compiled.groupindex, compiled.pattern, compiled.flags)


@given(st.text(alphabet="iIİıſsSkK\u212aß ", max_size=8), st.sampled_from(["is", "kiss", "i", "ski"]))
def test_a_word_that_a_regex_finds_in_any_case_is_among_the_words(text: str, word: str) -> None:
    if re.search(rf"(?i)(?<![^\W\d_]){word}(?![^\W\d_])", text):
        assert first_words([word]) <= caseless_words(text)


@given(st.text("aBé'’.-1@/=:_ \n\r", max_size=20))
def test_words_of_a_language_are_counted_line_by_line_as_in_the_whole(text: str) -> None:
    assert word_counts(text) == Counter(WORD.findall(text))


WORDS = st.text("ab é_1-. ", max_size=12)
LONG = "\n" * 60_000
"""A text with it is too long to be searched for every phrase whose words it has."""


@given(st.text("ab é_1-. ", min_size=1, max_size=3), WORDS)
def test_a_whole_phrase_is_found_as_by_a_pattern(phrase: str, text: str) -> None:
    matches = re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text)
    ranges = [match.span() for match in matches]
    assert list(find_whole(phrase, text)) == ranges
    shift = len(LONG)
    assert list(find_whole(phrase, LONG + text)) == [(start + shift, end + shift) for start, end in ranges]


@given(st.text("ab é_1-. ", min_size=1, max_size=5), WORDS)
def test_folded_words_contain_what_the_text_contains(phrase: str, text: str) -> None:
    folded = phrase.casefold()
    if WORD_CHARACTERS.search(folded):
        expected = contains_phrase(folded, text.casefold()) or folded in WORD_CHARACTERS.findall(text.casefold())
        assert FoldedWords(text).contains(folded) == expected
        assert FoldedWords(text + LONG).contains(folded) == expected


@given(st.lists(st.text("abA é_1-. ", max_size=5), max_size=8), WORDS)
def test_phrases_of_a_list_are_found_as_one_by_one(phrases: list[str], text: str) -> None:
    words = FoldedWords(text)
    assert words.those_contained(PhraseList(phrases)) == [
        phrase for phrase in phrases if words.contains(phrase.casefold())
    ]


@given(st.text(alphabet="aZé1٣_ .,/-\n", max_size=20))
def test_numbers_and_words_begin_where_a_search_finds_them(text: str) -> None:
    assert list(number_starts(text)) == [match.start() for match in re.finditer(r"(?<!\w)\d", text)]
    runs = [(start, word) for word, starts in letter_runs(text).items() for start in starts]
    assert sorted(runs) == [(match.start(), match.group()) for match in re.finditer(r"[^\W\d_]+", text)]


@given(st.text(alphabet="aAbİı ß-1", max_size=20))
def test_matches_at_words_are_those_of_a_search(text: str) -> None:
    pattern = re.compile(r"(?i)(?<!\w)a(?!\w)(?: [ab])*")
    span = find_at(pattern, text, starts_of(frozenset("a"), text))
    assert [match.span() for match in span] == [match.span() for match in pattern.finditer(text)]


@given(st.lists(st.text("aZ/ 1é", min_size=1, max_size=3)), st.text("aZ/ 1é", max_size=12))
def test_needed_strings_in_a_text(strings: list[str], text: str) -> None:
    assert NeededStrings(strings).in_text(text) == {string for string in strings if string in text}


@pytest.mark.parametrize("text", ["", "Ǆ İstanbul ß K", "Ab c\n" * 30_000, " " * 120_000 + "a b" + "İ" * 60_000])
def test_parts_of_a_long_text_give_what_the_whole_text_gives(text: str) -> None:
    assert fold_case(text) == text.casefold()
    assert "".join(part[0] for part in parts(text)) == text
    assert [word for words in words_by_part(WORD_CHARACTERS, text) for word in words] == WORD_CHARACTERS.findall(text)
    assert caseless_words(text) == frozenset(LETTERS.findall(without_case(text)))
