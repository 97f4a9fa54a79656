"""Texts are cut to what a pipeline can read, and nothing is lost."""

from __future__ import annotations

import pytest

from sfumato.models.spacy_pipeline import split_text


def test_pieces_cover_the_text_and_end_at_the_best_border() -> None:
    text = "One two. Three four.\n\nFive six seven. Eight nine ten eleven"
    cut = list(split_text(text, 30))
    assert "".join(text[start:end] for start, end in cut) == text
    assert text[slice(*cut[0])].endswith("\n\n")
    assert all(end - start <= 30 for start, end in cut)


@pytest.mark.parametrize("text", ["", "a", "x" * 95, "ab " * 50, "\n" * 77, "é\U0001f600 " * 40])
@pytest.mark.parametrize("limit", [1, 2, 7, 30])
def test_pieces_of_odd_texts(text: str, limit: int) -> None:
    cut = list(split_text(text, limit))
    assert "".join(text[start:end] for start, end in cut) == text
    assert all(0 < end - start <= limit for start, end in cut)
