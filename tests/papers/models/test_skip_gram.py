"""Skip-gram with negative sampling, beside a plain implementation of its update and on corpora small enough to see."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato_papers.models.skip_gram import SkipGramSettings, _Training, train


class FixedDraws:
    """Stands in for the random numbers of a step."""

    def __init__(self, numbers: np.ndarray[Any, Any]) -> None:
        self._numbers = numbers

    def random(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        assert shape == self._numbers.shape
        return self._numbers


def plain_update(
    words: list[list[float]], contexts: list[list[float]], pairs: list[tuple[int, int, list[int]]], rate: float
) -> tuple[list[list[float]], list[list[float]]]:
    """Mikolov et al. 2013: raise log s(c.w) for a context c and log s(-n.w) for each negative n, from old values."""
    new_words, new_contexts = [list(row) for row in words], [list(row) for row in contexts]
    for center, context, negatives in pairs:
        for target, truth in [(context, 1.0), *((number, 0.0) for number in negatives if number != context)]:
            score = sum(a * b for a, b in zip(words[center], contexts[target], strict=True))
            step = rate * (truth - 1 / (1 + math.exp(-score)))
            for axis in range(len(words[center])):
                new_words[center][axis] += step * contexts[target][axis]
                new_contexts[target][axis] += step * words[center][axis]
    return new_words, new_contexts


def test_a_step_is_the_published_update() -> None:
    frequency = np.array([8.0, 4.0, 2.0, 1.0])
    training = _Training(SkipGramSettings(dimensions=3, negatives=2), frequency)
    values = np.random.default_rng(3)
    training._words = values.normal(size=(4, 3)).astype(np.float32)
    training._contexts = values.normal(size=(4, 3)).astype(np.float32)
    draws = np.array([[0.05, 0.99], [0.5, 0.8], [0.6, 0.6]])
    noise = [count**0.75 for count in frequency.tolist()]
    ends = [sum(noise[: n + 1]) / sum(noise) for n in range(4)]
    drawn = [[next(n for n in range(4) if number <= ends[n]) for number in row] for row in draws.tolist()]
    centers, contexts = [0, 3, 0], [1, 2, 1]
    pairs = list(zip(centers, contexts, drawn, strict=True))
    expected = plain_update(training._words.tolist(), training._contexts.tolist(), pairs, 0.1)
    training._random = FixedDraws(draws)  # type: ignore[assignment]
    training._step(np.array(centers), np.array(contexts), 0.1)
    np.testing.assert_allclose(training._words, expected[0], rtol=1e-5)
    np.testing.assert_allclose(training._contexts, expected[1], rtol=1e-5)


def test_pairs_are_neighbours_within_a_sentence() -> None:
    training = _Training(SkipGramSettings(window=1, subsample=0), np.ones(5))
    centers, contexts = training._pairs(np.array([0, 1, 2, 3, 4]), np.array([0, 0, 0, 1, 1]))
    expected = [(0, 1), (1, 0), (1, 2), (2, 1), (3, 4), (4, 3)]
    assert Counter(zip(centers.tolist(), contexts.tolist(), strict=True)) == Counter(expected)


def test_frequent_words_are_left_out_as_published() -> None:
    training = _Training(SkipGramSettings(subsample=0.01), np.array([96.0, 4.0]))
    expected = [min(1, math.sqrt(0.01 / share) + 0.01 / share) for share in (0.96, 0.04)]
    np.testing.assert_allclose(training._kept, expected)


def test_words_of_the_same_company_are_near() -> None:
    sentences = [[noun, verb] for noun in ("oar", "sail") for verb in ("row", "steer")] * 12
    sentences += [[noun, verb] for noun in ("loaf", "cake") for verb in ("bake", "slice")] * 12
    vectors = train(sentences, SkipGramSettings(dimensions=8, epochs=30, rate=0.2, subsample=0))
    assert len(vectors) == 8
    assert vectors.cosine("oar", "sail") > 0.8 > 0.5 > vectors.cosine("oar", "loaf")
    first, again = (train(sentences, SkipGramSettings(dimensions=8, epochs=2)).vectors for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("sentences", [[], [[]], [["alone"]], [["one"], ["two"]]])
def test_what_cannot_be_trained_on_is_refused(sentences: list[list[str]]) -> None:
    with pytest.raises(InputError, match="too few to train embeddings on"):
        train(sentences)


@pytest.mark.parametrize("wrong", [{"dimensions": 0}, {"epochs": 1.5}, {"window": True}, {"rate": 0}, {"subsample": 1}])
def test_settings_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SkipGramSettings(**wrong)
