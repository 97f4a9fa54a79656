"""What TRIR reads of a text, how it is cut, and how windows are summed: no network needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato_papers.attacks.trir.attack import (
    Word,
    curate,
    evidence,
    lemmatize,
    majority_language,
    mask_entities,
    probabilities,
    split_windows,
    sum_windows,
)


def test_lemmas_are_left_without_stop_words_and_signs() -> None:
    text = "The children's Pigeons (PERSON_1) weren't racing; they took 3 prizes."
    curated = curate(text, "en")
    assert curated.text == "child pigeon person 1 race take 3 prize."
    assert [text[word.start : word.end] for word in curated.words] == [
        "children",
        "Pigeons",
        "PERSON",
        "1",
        "racing",
        "took",
        "3",
        "prizes",
        ".",
    ]


def test_other_languages_have_their_own_lemmas() -> None:
    assert curate("Los niños comieron manzanas.", "es").text == "niño comer manzana."
    with pytest.raises(RecipeError, match="language 'xx' has no table of lemmas"):
        curate("word", "xx")


@pytest.mark.parametrize("text", ["", " ", "...", "the of and", "(-)"])
def test_nothing_is_left_of_nothing(text: str) -> None:
    assert curate(text, "en").text == ""
    assert curate(text, "en").words == ()


@given(st.text(max_size=200))
def test_every_word_knows_where_it_stood(text: str) -> None:
    curated = curate(text, "en")
    assert len(curated.words) == len(curated.starts)
    for word, start in zip(curated.words, curated.starts, strict=True):
        surface = text[word.start : word.end]
        assert word.lemma == (surface if surface == "." else lemmatize(surface, "en"))
        assert curated.text[start : start + len(word.lemma)] == word.lemma
        assert all(curated.word_at(place) == word for place in range(start, start + len(word.lemma)))
    ranges = [place for word in curated.words for place in (word.start, word.end)]
    assert ranges == sorted(ranges)


def literal_windows(length: int, window: int, overlap: int) -> list[tuple[int, int]]:
    """As the authors describe it: slide by what is not shared until the end of the text is reached."""
    found, start = list[tuple[int, int]](), 0
    while length:
        end = min(start + window - 2, length)
        found.append((start, end))
        if end == length:
            break
        start += window - 2 - overlap
    return found


@given(st.integers(0, 2000), st.sampled_from([(100, 25), (512, 128), (10, 3)]))
def test_windows_slide_over_the_text(length: int, size: tuple[int, int]) -> None:
    assert split_windows(length, *size) == literal_windows(length, *size)


def test_the_authors_windows_by_hand() -> None:
    assert split_windows(98, 100, 25) == [(0, 98)]
    assert split_windows(99, 100, 25) == [(0, 98), (73, 99)]
    assert split_windows(0, 100, 25) == []


def test_windows_are_summed_by_document() -> None:
    logits = np.array([[1.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 2.0], [2.5, 0.0, 0.0]])
    totals, counts = sum_windows(logits, [0, 0, 2, 0], 3)
    assert totals.tolist() == [[3.5, 3.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]
    assert counts.tolist() == [3.0, 0.0, 1.0]
    # The most votes would be for the first person too, but the largest single window is for the second.
    assert totals[0].argmax() == 0


@given(st.lists(st.floats(-50, 50), min_size=2, max_size=6), st.integers(1, 200))
def test_probabilities_rank_as_the_sums_do(logits: list[float], count: int) -> None:
    total = np.array(logits) * count
    shares = probabilities(total, count)
    literal = np.exp(np.array(logits, np.longdouble))
    assert shares == pytest.approx((literal / literal.sum()).astype(float), rel=1e-9, abs=1e-300)
    assert shares.sum() == pytest.approx(1)


def test_evidence_is_what_speaks_for_the_guess() -> None:
    text = "race pigeons and win"
    weights = {Word("race", 0, 4): 0.5, Word("pigeon", 5, 12): 2.0, Word("win", 17, 20): -1.0}
    clues = evidence(text, weights, 5)
    assert [(item.term, item.weight) for item in clues] == [("pigeons", 0.8), ("race", 0.2)]
    assert [item.term for item in evidence(text, weights, 1)] == ["pigeons"]


def test_the_language_is_that_of_most_of_the_text() -> None:
    spanish = "La mujer trabajaba en el hospital de la ciudad y vivía con sus hijos en una casa pequeña."
    assert majority_language([spanish * 3, "She worked in the hospital and lived in a small house."]) == "es"
    assert majority_language(["", "!!"]) == "en"


def test_a_masked_copy_shows_labels() -> None:
    (masked,) = mask_entities(["Write to anna@example.org today."], "rules")
    assert "anna@example.org" not in masked
    assert masked.startswith("Write to ")
    assert masked.endswith(" today.")
    assert masked.split()[2].isupper()
