"""Our own clinical classifier: the ICD-10 chapter a text is about. How it was made is in ``training/classifier``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import InputError
from sfumato.models.base import Floats

FILE = "classifier.npz"
WEIGHTS = Path(__file__).parent / "weights" / "classifier"
LONGEST, SHORTEST = 5, 4
"""Characters in the stretches of words that are counted: stems, and roots that languages share."""


class ChapterClassifier:
    """Says which of 18 chapters of ICD-10 (fields of disease) a text is about; linear, half a megabyte, our own."""

    paper: ClassVar[str | None] = "001"
    extra: ClassVar[str | None] = None

    def __init__(self, *, model: str | Path | None = None) -> None:
        """``model``: a folder that ``training/classifier`` wrote; ours unless given."""
        self._linear = load(WEIGHTS if model is None else Path(model))
        self.name, self.labels = self._linear.name, self._linear.labels

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, chapter], calibrated: their softmax is a probability. A text without words gets the bias alone."""
        return self._linear.logits(texts)


class Linear:
    """The weights of a folder."""

    def __init__(self, folder: Path) -> None:
        try:
            packed = (folder / FILE).read_bytes()
            with np.load(folder / FILE) as arrays:
                self._rarity = arrays["rarity"].astype(np.float32)
                self._weights = arrays["weights"].astype(np.float32) * arrays["scale"]
                self._bias = arrays["bias"].astype(np.float64)
                self._temperature = float(arrays["temperature"])
                self.labels: tuple[str, ...] = tuple(map(str, arrays["labels"]))
        except Exception as error:  # noqa: BLE001 - numpy raises many kinds, all about this file
            raise InputError(
                f"{folder}: not a classifier of ours ({type(error).__name__}); see training/classifier"
            ) from None
        self.name = f"icd10@{hashlib.sha256(packed).hexdigest()[:8]}"

    def logits(self, texts: Sequence[str]) -> Floats:
        if not len(texts):
            return np.zeros((0, len(self.labels)))
        found: Floats = (features(texts, self._rarity) @ self._weights + self._bias) / self._temperature
        return found


def counts(texts: Sequence[str], buckets: int) -> Any:
    """Sparse [text, bucket]: 1 + ln of how often each hashed stretch of a word occurs."""
    from sklearn.feature_extraction.text import HashingVectorizer

    hashing = HashingVectorizer(
        analyzer="char_wb",
        ngram_range=(SHORTEST, LONGEST),
        n_features=buckets,
        norm=None,
        alternate_sign=False,
        dtype=np.float32,
    )
    found = hashing.transform(texts)
    np.log(found.data, out=found.data)
    found.data += 1
    return found


def features(texts: Sequence[str], rarity: Any) -> Any:
    """The counts, weighted by how rare a stretch is, each text at length 1."""
    from sklearn.preprocessing import normalize

    found = counts(texts, len(rarity))
    found.data *= rarity[found.indices]
    return normalize(found, copy=False)


@cache
def load(folder: Path) -> Linear:
    """The weights of a folder, loaded once a process."""
    return Linear(folder)
