"""Windows and pieces of long texts: each fits, and nothing is dropped."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import sentence_ranges
from sfumato.llm.windows import (
    DEFAULT_CONTEXT,
    MARGIN,
    estimate_tokens,
    join_pieces,
    split_pieces,
    split_windows,
    text_budget,
)

LETTERS = st.sampled_from(list("abcdefg  \n\t.!?0123é漢字кот😀—\u00a0"))
TEXTS = st.text(LETTERS, max_size=400) | st.text(max_size=200)
LIMITS = st.integers(4, 60)
STORY = " ".join(f"Sentence {number} is about a clock in Pellworth." for number in range(60))


@given(TEXTS, LIMITS)
def test_windows_cover_every_character_and_fit(text: str, size: int) -> None:
    ranges = split_windows(text, size)
    covered = set()
    for start, end in ranges:
        assert start < end
        assert estimate_tokens(text[start:end]) <= size
        covered |= set(range(start, end))
    assert covered == set(range(len(text)))
    assert ranges == sorted(ranges)


@given(TEXTS, LIMITS)
def test_pieces_are_disjoint_and_leave_only_white_space(text: str, size: int) -> None:
    ranges = split_pieces(text, size)
    at = 0
    for start, end in ranges:
        assert text[at:start].strip() == ""
        assert start < end
        assert text[start:end] == text[start:end].strip()
        assert estimate_tokens(text[start:end]) <= size
        at = end
    assert text[at:].strip() == ""


@given(TEXTS, LIMITS)
def test_pieces_put_together_are_the_text(text: str, size: int) -> None:
    ranges = split_pieces(text, size)
    assert join_pieces(text, ranges, [text[start:end] for start, end in ranges]) == text


def test_parts_stand_between_the_original_white_space() -> None:
    text = "  One is here.\n\nTwo is there.\tThree. "
    ranges = split_pieces(text, 6)
    assert join_pieces(text, ranges, [f"<{number}>" for number in range(len(ranges))]) == "  <0>\n\n<1>\t<2> "


def test_windows_overlap_by_whole_sentences() -> None:
    ranges = split_windows(STORY, 100)
    whole = sentence_ranges(STORY)
    starts = {start for start, _ in whole}
    assert len(ranges) > 3
    for (_, end), (start, _) in pairwise(ranges):
        assert start in starts
        assert STORY[start:end].count(".") >= 1


def test_what_fits_is_one_window() -> None:
    assert split_windows(STORY, 4000) == [(0, len(STORY))]
    assert split_windows("", 100) == []
    assert split_pieces(" \n ", 100) == []


@given(st.integers(0, 200))
def test_any_two_neighbouring_words_of_a_long_sentence_stand_in_one_window(at: int) -> None:
    words = [f"word{number}" for number in range(202)]
    text = " ".join(words)
    start = text.index(f"{words[at]} {words[at + 1]}")
    end = start + len(f"{words[at]} {words[at + 1]}")
    assert any(begin <= start and end <= finish for begin, finish in split_windows(text, 40))


@given(st.text(max_size=80), st.text(max_size=80))
def test_an_estimate_never_grows_by_cutting(one: str, other: str) -> None:
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)
    assert estimate_tokens(one) <= estimate_tokens(one + other)


def test_other_scripts_and_digits_take_more_tokens() -> None:
    assert estimate_tokens("a" * 300) == 100
    assert estimate_tokens("é" * 300) == 200
    assert estimate_tokens("1" * 300) == 300
    assert estimate_tokens("ж" * 300) == 300
    assert estimate_tokens("漢" * 300) == 600
    assert estimate_tokens("😀" * 300) == 900


def test_a_long_text_does_not_take_long() -> None:
    began = time.process_time()
    for text in (STORY * 50, "x" * 200_000, "word " * 30_000, "\n" * 200_000, "漢" * 50_000):
        assert split_windows(text, 500)[-1][1] == len(text)
    assert time.process_time() - began < 20


def test_a_prompt_that_leaves_no_room_is_an_error_that_says_so() -> None:
    assert text_budget(None, 300, 1000) == DEFAULT_CONTEXT - MARGIN - 1300
    assert text_budget(2048, 300, 1000) == 2048 - MARGIN - 1300
    with pytest.raises(RecipeError, match="context has 512 tokens"):
        text_budget(512, 300, 1000)
    with pytest.raises(RecipeError, match="at least 4 tokens; got 3"):
        split_windows("text", 3)
