"""Vectors of words in their context, the mean of their sub-tokens: of a network trained to compare words, or the last
layer of the shipped masked language model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
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
LINK_FILE, LINK_OUTPUT = "link_encoder.onnx", "vectors"
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
    """A network that gives a vector for each sub-token, loaded once per process (``load``).

    Texts are read by several threads.
    """

    dimensions: int = DIMENSIONS
    """Of the vectors that are compared."""
    near: float | None = None
    """The cosine from which two words say something, where the network was trained to compare words."""

    def __init__(self, network: bytes, output: str, inputs: Mapping[str, NDArray[np.int64]]) -> None:
        """``inputs``: what the network wants beside the sub-tokens."""
        self._tokenizer = load_tokenizer(SHIPPED)
        numbers = self._tokenizer.get_vocab()
        self._first, self._last = int(numbers["[CLS]"]), int(numbers["[SEP]"])
        self._session, self._output, self._inputs = open_onnx(network), output, inputs
        self._width = self.dimensions
        self._pool = ThreadPoolExecutor(os.cpu_count() or 1)

    def embed(self, texts: Sequence[tuple[str, Sequence[Range]]]) -> list[Vectors]:
        """For each text the vectors of its words [word, number]; zeros for a word in which the model reads nothing.

        The words are sorted, disjoint ranges of the text.
        """
        return list(self._pool.map(self._embed, *zip(*texts, strict=True))) if texts else []

    def _embed(self, text: str, words: Sequence[Range]) -> Vectors:
        ranges = check_terms(text, words)
        encoded = self._tokenizer.encode(replace_surrogates(text), add_special_tokens=False)
        tokens = Tokens.of(encoded.ids, encoded.offsets)
        vectors = np.zeros((len(ranges), self._width), np.float32)
        if not len(tokens):
            return vectors
        spans = token_spans(tokens, ranges)
        sums = np.concatenate([np.zeros((1, self._width)), np.cumsum(self._layer(tokens), axis=0, dtype=np.float64)])
        counts = spans[:, 1] - spans[:, 0]
        read = counts > 0
        vectors[read] = (sums[spans[read, 1]] - sums[spans[read, 0]]) / counts[read, None]
        return vectors

    def _layer(self, tokens: Tokens) -> Vectors:
        """The network's output at each sub-token, read where it has most context."""
        parts: list[Vectors] = []
        windows = window_ranges(len(tokens), _WINDOW, _WINDOW - _OVERLAP)
        for (start, end), (first, last) in zip(windows, central_ranges(windows), strict=True):
            ids = np.concatenate([[self._first], tokens.ids[start:end], [self._last]])[None]
            (layer,) = self._session.run([self._output], {"input_ids": ids, **self._inputs})
            parts.append(layer[0, 1 + first - start : 1 + last - start])
        return np.concatenate(parts)


class LinkEncoder(WordVectors):
    """A network of ``training/link_encoder``: what it gives out is to be compared by cosine as it is."""

    def __init__(self, folder: Path) -> None:
        card = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self.dimensions, self.near = int(card["dimensions"]), float(card["near"])
        super().__init__((folder / LINK_FILE).read_bytes(), LINK_OUTPUT, {})
        self._width = self.dimensions + bool(card["weigh"])


@cache
def load(encoder: str | None = None) -> WordVectors:
    """The network in a folder that ``training/link_encoder`` wrote; by default the shipped masked language model, which
    was not trained to compare words."""
    if encoder is None:
        network = declare_output((SHIPPED / FILE).read_bytes(), _LAYER)
        return WordVectors(network, _LAYER, {"positions": np.zeros(0, np.int64)})
    folder = Path(encoder)
    if not (folder / LINK_FILE).is_file():
        raise InputError(f"{folder} has no {LINK_FILE}: make it with training/link_encoder")
    return LinkEncoder(folder)
