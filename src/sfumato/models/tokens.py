"""Texts as sub-tokens: tokenizer files, the sub-tokens of a term, and windows over long texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.models.base import Range

Ints = NDArray[np.int64]

TOKENIZER = Path(__file__).parent / "weights" / "tokenizer.json"
"""The tokenizer of all our models, the tagger included, shipped once."""
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Tokens:
    """The sub-tokens of a text with their offsets."""

    ids: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, ids: Sequence[int], offsets: Sequence[Range]) -> Tokens:
        places = np.array(offsets, np.int64).reshape(-1, 2)
        return cls(np.array(ids, np.int64), places[:, 0], places[:, 1])

    def __len__(self) -> int:
        return len(self.ids)


def tokenizer_file(folder: Path) -> Path:
    """The tokenizer of the model in a folder: the one beside it, else ours."""
    path = folder / "tokenizer.json"
    return path if path.exists() else TOKENIZER


def load_tokenizer(folder: Path) -> Any:
    """The tokenizer of the model in a folder; it neither cuts texts off nor pads them."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file(folder)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def replace_surrogates(text: str) -> str:
    """The text as tokenizers accept it, of the same length: half a surrogate pair becomes U+FFFD."""
    return text if text.isascii() else _LONE_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)


def check_terms(text: str, terms: Sequence[Range]) -> Ints:
    """The terms as an array [term, 2]. Raises ValueError where they are not sorted, disjoint ranges of the text."""
    ranges = np.array(terms, np.int64).reshape(-1, 2)
    borders = ranges.ravel()
    if len(borders) and not (borders[0] >= 0 and borders[-1] <= len(text) and (np.diff(borders) >= 0).all()):
        raise ValueError(f"terms must be sorted, disjoint ranges of code points within the text's {len(text)}")
    return ranges


def token_spans(tokens: Tokens, terms: Ints) -> Ints:
    """[term, 2]: the first and past the last sub-token that shares a character with each term.

    A sub-token that covers parts of two terms counts for both; a term in which the model reads nothing has none.
    """
    first = np.searchsorted(tokens.ends, terms[:, 0], side="right")
    last = np.searchsorted(tokens.starts, terms[:, 1], side="left")
    return np.stack([first, np.maximum(first, last)], axis=1).astype(np.int64)


def log_probabilities(logits: NDArray[np.float32], targets: Ints) -> NDArray[np.float64]:
    """``ln p`` of one target per row of logits [row, vocabulary]."""
    top = logits.max(axis=1, keepdims=True)
    shares = logits - top
    total = np.exp(shares, out=shares).sum(axis=1)
    target_logits = logits[np.arange(len(targets)), targets].astype(np.float64)
    result: NDArray[np.float64] = np.minimum(0.0, target_logits - top[:, 0] - np.log(total))
    return result


SEGMENT = 50_000
"""Characters tokenized at once: bounds the memory that a long text takes."""
MARGIN = 1_000
"""Characters of context that a segment gets on either side."""


def segments(text: str) -> list[tuple[int, int]]:
    """The text in ranges of at most SEGMENT characters, cut at white space where possible."""
    ranges = []
    start = 0
    while len(text) - start > SEGMENT:
        end = start + SEGMENT
        cut = max(text.rfind(mark, start + SEGMENT // 2, end) for mark in ("\n", " "))
        end = cut + 1 if cut > 0 else end
        ranges.append((start, end))
        start = end
    return [*ranges, (start, len(text))]


def window_ranges(length: int, window: int, hop: int) -> list[tuple[int, int]]:
    """Ranges of at most ``window`` tokens, ``hop`` apart, that cover all ``length`` tokens."""
    starts = range(0, max(1, length - window + hop), hop)
    return [(start, min(length, start + window)) for start in starts]


def central_ranges(windows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The part of each window whose tokens are further from an edge there than in the neighbouring windows."""
    borders = [0, *((before[1] + after[0]) // 2 for before, after in pairwise(windows)), windows[-1][1]]
    return list(pairwise(borders))
