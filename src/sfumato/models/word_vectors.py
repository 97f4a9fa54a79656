"""Vectors of words in their context: the last layer of the shipped masked language model, the mean of sub-tokens."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sfumato.models.base import Range, open_onnx
from sfumato.models.masked import FILE, SHIPPED
from sfumato.models.tokens import (
    Tokens,
    central_ranges,
    check_terms,
    load_tokenizer,
    replace_surrogates,
    token_spans,
    window_ranges,
)

Vectors = NDArray[np.float32]
DIMENSIONS = 384
_WINDOW, _OVERLAP = 254, 64
_LAYER = "/encode/done_5/LayerNormalization_output_0"
"""The last layer's output in the network."""
_GRAPH, _OUTPUT, _NAME = 7, 12, 1
"""Numbers of fields in ONNX files (ModelProto.graph, GraphProto.output, ValueInfoProto.name)."""


def declare_output(network: bytes, name: str) -> bytes:
    """A network that also gives out one of its inner values.

    An ONNX file is a Protocol Buffers message, and of such messages one after the other the fields are read as one.
    """
    return network + _field(_GRAPH, _field(_OUTPUT, _field(_NAME, name.encode())))


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes: its number and kind, its length in groups of seven bits, and the bytes."""
    size, length = len(content), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


class WordVectors:
    """The network, loaded once per process (``load``); texts are read by several threads."""

    def __init__(self) -> None:
        self._tokenizer = load_tokenizer(SHIPPED)
        numbers = self._tokenizer.get_vocab()
        self._first, self._last = int(numbers["[CLS]"]), int(numbers["[SEP]"])
        self._session = open_onnx(declare_output((SHIPPED / FILE).read_bytes(), _LAYER))
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)

    def embed(self, texts: Sequence[tuple[str, Sequence[Range]]]) -> list[Vectors]:
        """For each text the vectors of its words [word, DIMENSIONS]; zeros for a word in which the model reads nothing.

        The words are sorted, disjoint ranges of the text.
        """
        return list(self._pool.map(self._embed, *zip(*texts, strict=True))) if texts else []

    def _embed(self, text: str, words: Sequence[Range]) -> Vectors:
        ranges = check_terms(text, words)
        encoded = self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)
        tokens = Tokens.of(encoded.ids, encoded.offsets)
        vectors = np.zeros((len(ranges), DIMENSIONS), np.float32)
        if not len(tokens):
            return vectors
        spans = token_spans(tokens, ranges)
        sums = np.concatenate([np.zeros((1, DIMENSIONS)), np.cumsum(self._layer(tokens), axis=0, dtype=np.float64)])
        counts = spans[:, 1] - spans[:, 0]
        read = counts > 0
        vectors[read] = (sums[spans[read, 1]] - sums[spans[read, 0]]) / counts[read, None]
        return vectors

    def _layer(self, tokens: Tokens) -> Vectors:
        """The last layer at each sub-token, read where it has most context."""
        parts: list[Vectors] = []
        windows = window_ranges(len(tokens), _WINDOW, _WINDOW - _OVERLAP)
        for (start, end), (first, last) in zip(windows, central_ranges(windows), strict=True):
            ids = np.concatenate([[self._first], tokens.ids[start:end], [self._last]])[None]
            (layer,) = self._session.run([_LAYER], {"input_ids": ids, "positions": np.zeros(0, np.int64)})
            parts.append(layer[0, 1 + first - start : 1 + last - start])
        return np.concatenate(parts)


@cache
def load() -> WordVectors:
    """The vectors of the shipped model."""
    return WordVectors()
