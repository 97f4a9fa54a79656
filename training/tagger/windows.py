"""Texts cut into overlapping windows of tokens, with what each token should be called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.tagger import shape_ids, word_kind_ids
from sfumato.models.tokens import window_ranges
from training.tagger.labels import DECISION_ID, TAG_ID
from training.tagger.records import Record

UNKNOWN = -1
SPECIAL = 2
"""[CLS] and [SEP], at either end of a window."""
BUCKETS = (32, 64, 128, 256)
"""Windows are padded to the next of these: most texts are far shorter than a window."""

Ints = NDArray[np.int16]


@dataclass(frozen=True)
class Encoded:
    """A text as tokens, without the special ones. Targets are UNKNOWN where nothing may be learned."""

    record: Record
    ids: Ints
    shapes: Ints
    kinds: Ints
    offsets: tuple[tuple[int, int], ...]
    tags: Ints
    decisions: Ints
    masks: Ints


class Encoder:
    """The tokenizer of a base model's folder, plus the targets."""

    def __init__(self, base: Path, assume: Mapping[str, Mapping[str, str]] | None = None) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        known = self.tokenizer.get_vocab()
        self.first, self.last = (known[token] for token in ("[CLS]", "[SEP]"))
        self.assume = assume or {}

    def encode(self, records: Sequence[Record]) -> list[Encoded]:
        texts = [record.text for record in records]
        tokens = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [self._encoded(record, t.ids, t.offsets) for record, t in zip(records, tokens, strict=True)]

    def _encoded(self, record: Record, ids: list[int], offsets: list[tuple[int, int]]) -> Encoded:
        tags, decisions, masks = targets(record, offsets, self.assume.get(record.set, {}))
        shapes = np.array(shape_ids(record.text, offsets), np.int16)
        kinds = np.array(word_kind_ids(record.text, offsets), np.int16)
        # A vocabulary of 30,522 fits: half the memory of the default.
        return Encoded(record, np.array(ids, np.int16), shapes, kinds, tuple(offsets), tags, decisions, masks)


def targets(record: Record, offsets: Sequence[tuple[int, int]], assume: Mapping[str, str]) -> tuple[Ints, Ints, Ints]:
    """Tag, decision and mask of each token. ``assume`` gives a decision per label where nobody said."""
    tags, masks = np.zeros(len(offsets), np.int16), np.zeros(len(offsets), np.int16)
    decisions = np.full(len(offsets), UNKNOWN, np.int16)
    starts = np.array([start for start, _ in offsets], np.int64)
    ends = np.array([end for _, end in offsets], np.int64)
    for mark in record.marks:
        first, last = np.searchsorted(ends, mark.start, "right"), np.searchsorted(starts, mark.end, "left")
        if first >= last:
            continue
        inside = slice(first, last)
        if mark.label is None:
            tags[inside] = masks[inside] = UNKNOWN
            continue
        tags[inside] = TAG_ID[f"I-{mark.label}"]
        tags[first] = TAG_ID[f"B-{mark.label}"]
        decision = mark.decision or assume.get(mark.label)
        masks[inside] = UNKNOWN if decision is None else decision != "none"
        decisions[inside] = UNKNOWN if decision is None else DECISION_ID[decision]
    return tags, decisions, masks


@dataclass(frozen=True)
class Windows:
    """Windows of one padded length, as arrays of [window, token]; ``sets`` numbers the set of each window."""

    ids: Ints
    shapes: Ints
    kinds: Ints
    tags: Ints
    decisions: Ints
    masks: Ints
    sizes: Ints
    sets: Ints
    places: list[tuple[int, int, int]]
    """Of each window: the text's number, first and last token."""


def windows(
    encoded: Sequence[Encoded], encoder: Encoder, set_names: Sequence[str], window: int, hop: int
) -> dict[int, Windows]:
    """All windows of all texts by padded length."""
    places: dict[int, list[tuple[int, int, int]]] = {bucket: [] for bucket in (*BUCKETS, window) if bucket <= window}
    for number, text in enumerate(encoded):
        for start, end in window_ranges(len(text.ids), window - SPECIAL, hop):
            places[min(bucket for bucket in places if end - start + 2 <= bucket)].append((number, start, end))
    return {
        bucket: _padded(encoded, encoder, set_names, found, bucket) for bucket, found in sorted(places.items()) if found
    }


def _padded(
    encoded: Sequence[Encoded],
    encoder: Encoder,
    set_names: Sequence[str],
    places: list[tuple[int, int, int]],
    width: int,
) -> Windows:
    shape = (len(places), width)
    ids, shapes, kinds = (np.zeros(shape, np.int16) for _ in range(3))
    tags, decisions, masks = (np.full(shape, UNKNOWN, np.int16) for _ in range(3))
    for row, (number, start, end) in enumerate(places):
        text, size = encoded[number], end - start
        ids[row, 0], ids[row, size + 1] = encoder.first, encoder.last
        for array, source in (
            (ids, text.ids),
            (shapes, text.shapes),
            (kinds, text.kinds),
            (tags, text.tags),
            (decisions, text.decisions),
            (masks, text.masks),
        ):
            array[row, 1 : size + 1] = source[start:end]
    sizes = np.array([end - start + 2 for _, start, end in places], np.int16)
    sets = np.array([set_names.index(encoded[number].record.set) for number, _, _ in places], np.int16)
    return Windows(ids, shapes, kinds, tags, decisions, masks, sizes, sets, places)
