"""One pass from left to right: the same values as the definition, at any length."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import RecipeError
from sfumato.models.base import Range
from sfumato.models.hugging_face import CausalScorer
from tests.models.fakes import FakeCausalModel, chance, pieces, texts_and_terms, words
from tests.strategies import texts


def scorer(network: FakeCausalModel, context: int | None = None) -> CausalScorer:
    with patch("sfumato.models.hugging_face.load_causal", return_value=network):
        return CausalScorer(model="fake", context=context)


@given(texts_and_terms(texts | st.text("abcdefgh é👩 \n", max_size=600)), st.integers(16, 80))
def test_it_is_the_definition_whatever_the_windows(case: tuple[str, list[Range]], context: int) -> None:
    text, terms = case
    tokens = pieces(text)
    ids = [number for number, _ in tokens]
    costs = [-chance(ids[: n + 1], n, ids[n]) for n in range(len(ids))]
    literal = [
        max((costs[t] for t, (_, (a, b)) in enumerate(tokens) if a < end and start < b), default=0.0)
        for start, end in terms
    ]
    assert scorer(FakeCausalModel(), context).information(text, terms) == pytest.approx(literal, abs=1e-12)


def test_the_cost_grows_with_the_length_and_no_faster() -> None:
    text = "one judge spoke of three roads and " * 400
    network = FakeCausalModel()
    values = scorer(network).information(text, words(text))
    assert np.isfinite(values).all()
    assert network.read <= 2 * len(pieces(text)) + 64


def test_options_are_checked_at_the_door() -> None:
    assert scorer(FakeCausalModel(), 32).name == "causal:model=fake,context=32"
    for context in (4, 513):
        with pytest.raises(RecipeError, match=f"context must be 16 to 512 for fake; got {context}"):
            scorer(FakeCausalModel(), context)
