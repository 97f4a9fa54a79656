"""Words and their base forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from training.build_lemmas import simplemma_form

from sfumato.lexicon.grammar import LEMMA_TABLES, content_lemmas, lemma, split_words
from sfumato.lexicon.tables import read_numbers
from tests.strategies import texts


def test_words_and_their_base_forms() -> None:
    assert split_words("Anna's don't 'big' O’Neil’s 3rd-floor") == ["Anna", "don't", "big", "O’Neil", "3rd", "floor"]
    assert lemma("Nurses") == "nurse"
    assert lemma("Quorvex") == "quorvex"
    assert lemma("Häuser", "de") == "haus"
    assert content_lemmas("The WHO's nurses, who didn't see J. 42") == ["who", "nurse", "see"]


@given(texts)
def test_words_are_parts_of_the_text(text: str) -> None:
    assert all(word in text for word in split_words(text))
    assert len(content_lemmas(text)) <= len(split_words(text))


@pytest.mark.parametrize("language", LEMMA_TABLES)
def test_the_table_of_base_forms_says_what_simplemma_says(language: str) -> None:
    for word in sorted(read_numbers(f"{language}/frequency"))[::25]:
        assert lemma(word, language) == simplemma_form(word, language)
