"""Language models that can be computed by hand, and a tokenizer small enough to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from unittest.mock import patch

import numpy as np
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from sfumato.models.base import Floats, Range
from sfumato.models.masked import MaskedScorer, MaskedWindow
from sfumato.models.tokens import Ints, Tokens

MASK = 10_000
REACH = 2
"""How far the fake model looks to either side."""


def chance(ids: Sequence[int], position: int, target: int) -> float:
    """``ln p``: depends on the target and on what is readable nearby."""
    near = [*ids[max(0, position - REACH) : position], *ids[position + 1 : position + 1 + REACH]]
    return -(1 + sum(number for number in near if number != MASK) % 97 / 7 + target % 5 / 10)


def pieces(text: str) -> list[tuple[int, Range]]:
    """Sub-tokens of at most three letters with their places."""
    subtokens = []
    for word in re.finditer(r"\S+", text):
        for start in range(word.start(), word.end(), 3):
            end = min(start + 3, word.end())
            subtokens.append((sum(map(ord, text[start:end])) % 1000, (start, end)))
    return subtokens


class FakeMaskedModel:
    """A masked language model without a network. Remembers what it was asked."""

    name = "fake"
    languages = None
    mask = MASK
    longest = 512
    around = 2
    context = 64

    def __init__(self) -> None:
        self.asked: list[MaskedWindow] = []

    def encode(self, text: str) -> Tokens:
        subtokens = pieces(text)
        return Tokens.of([number for number, _ in subtokens], [place for _, place in subtokens])

    def log_probabilities(self, masked_windows: Sequence[MaskedWindow]) -> list[Floats]:
        self.asked += masked_windows
        return [
            np.array([chance(q.ids.tolist(), p, t) for p, t in zip(q.positions, q.targets, strict=True)])
            for q in masked_windows
        ]


def scorer(network: FakeMaskedModel, n: int = 6, context: int | None = None) -> MaskedScorer:
    with patch("sfumato.models.masked._network", return_value=network):
        return MaskedScorer(n=n, context=context)


class FakeCausalModel:
    """A causal language model without a network: looks REACH sub-tokens back."""

    name = "fake"
    languages = None
    longest = 512
    context = 64

    def __init__(self) -> None:
        self.read = 0

    def encode(self, text: str) -> Tokens:
        return FakeMaskedModel().encode(text)

    def log_probabilities(self, ids: Ints, first: int) -> Floats:
        self.read += len(ids)
        return np.array([chance(ids[: n + 1].tolist(), n, int(ids[n])) for n in range(first, len(ids))])


def _ranges(text: str, borders: list[int]) -> list[Range]:
    cut = sorted({border % (len(text) + 1) for border in borders})
    return [(start, end) for number, (start, end) in enumerate(pairwise(cut)) if number % 3 or end - start < 3]


@st.composite
def texts_and_terms(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> tuple[str, list[Range]]:
    """A text with sorted, disjoint ranges of it."""
    text = draw(texts)
    return text, _ranges(text, draw(st.lists(st.integers(0, 10_000), max_size=60)))


def words(text: str) -> list[Range]:
    return [match.span() for match in re.finditer(r"\w+", text)]


def small_tokenizer() -> Tokenizer:
    """WordPiece over single letters and a few endings, so that most words have several sub-tokens."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,'"
    listed = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *letters,
        *(f"##{letter}" for letter in letters),
        "the",
        "##er",
    ]
    tokenizer = Tokenizer(WordPiece({token: n for n, token in enumerate(listed)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.add_special_tokens(listed[:5])
    return tokenizer


def turns(count: int, n: int) -> Iterator[list[int]]:
    """Which terms are masked in each pass."""
    for turn in range(n):
        yield [term for term in range(count) if term % n == turn]
