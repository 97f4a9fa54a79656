"""The texts of each set as one long row of tokens, from which windows are cut anywhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.masked_lm.texts import Text

SPECIAL = 2
"""[CLS] and [SEP], at either end of a window."""


@dataclass(frozen=True)
class Rows:
    """All tokens, set after set. ``begins`` says where a word begins; [SEP] stands between texts."""

    sets: tuple[str, ...]
    bounds: NDArray[np.int64]
    """Where each set begins, and the end."""
    ids: NDArray[np.int32]
    begins: NDArray[np.bool_]

    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.bounds)


class Vocabulary:
    """The tokenizer of a base model's folder."""

    def __init__(self, base: Path) -> None:
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        known = self.tokenizer.get_vocab()
        self.first, self.last, self.hidden = (known[token] for token in ("[CLS]", "[SEP]", "[MASK]"))
        self.size = len(known)
        self.continues = np.zeros(self.size, np.bool_)
        self.continues[[number for token, number in known.items() if token.startswith("##")]] = True
        plain = [number for token, number in known.items() if not (token.startswith("[") and token.endswith("]"))]
        self.plain = np.array(sorted(plain), np.int32)
        """What a masked token may be replaced by: neither special nor reserved."""

    def rows(self, texts: Iterable[Text]) -> Rows:
        by_set: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            by_set[text.set].append(text.text)
        names = tuple(sorted(by_set))
        pieces = [
            np.array([*token.ids, self.last], np.int32)
            for name in names
            for token in self.tokenizer.encode_batch(by_set[name], add_special_tokens=False)
        ]
        counts = np.cumsum([0, *(len(by_set[name]) for name in names)])
        ends = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
        ids = np.concatenate([*pieces, np.zeros(0, np.int32)])
        return Rows(names, ends[counts], ids, ~self.continues[ids])


def places(low: int, high: int, length: int) -> NDArray[np.int64]:
    """Starts of windows that cover [low, high) once; the last one reaches back, so that each is full."""
    if high - low <= length:
        return np.array([low], np.int64)
    return np.append(np.arange(low, high - length, length, dtype=np.int64), high - length)


def covering(rows: Rows, length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Starts and set numbers of windows over everything. A set shorter than a window runs on into the next set."""
    found = [places(int(low), int(high), length) for low, high in zip(rows.bounds, rows.bounds[1:], strict=False)]
    sets = [np.full(len(some), number, np.int64) for number, some in enumerate(found)]
    return np.concatenate(found), np.concatenate(sets)


def shares(sizes: Sequence[int] | NDArray[np.int64], power: float) -> NDArray[np.float64]:
    """How often to draw from each set: less than its size asks, so that large sets leave room for small ones."""
    weights = np.asarray(sizes, np.float64) ** power
    return np.asarray(weights / weights.sum(), np.float64)
