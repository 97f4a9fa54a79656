"""Caches of model outputs by content, so that ten methods on one corpus cost one pass over its originals.

A key is a SHA-256 over the model's name, the text and the terms, and on disk also the version of the code; a value is
an array. No text is stored. A cache folder is confidential all the same: vectors reveal much about their texts, and
whoever guesses a text can confirm it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.cache import SqliteStore, cache_version
from sfumato.models.base import Classifier, Embedder, Floats, Range, TokenScorer

MEMORY = 256 * 2**20
"""Bytes of outputs held in memory; the least recently used are dropped first."""

Numbers = NDArray[Any]
_Number = TypeVar("_Number", bound=np.generic)


class Store(Protocol):
    """Where outputs are kept."""

    def get(self, key: bytes) -> Numbers | None: ...

    def put(self, key: bytes, value: Numbers) -> None: ...


class MemoryStore:
    """Outputs in the memory of this process, up to a size."""

    def __init__(self, size: int = MEMORY) -> None:
        self._bytes_left = size
        self._arrays: OrderedDict[bytes, Numbers] = OrderedDict()
        self._lock = Lock()

    def get(self, key: bytes) -> Numbers | None:
        with self._lock:
            if key in self._arrays:
                self._arrays.move_to_end(key)
            return self._arrays.get(key)

    def put(self, key: bytes, value: Numbers) -> None:
        with self._lock:
            if key in self._arrays:
                return
            self._arrays[key] = value
            self._bytes_left -= _size(value)
            while self._bytes_left < 0:
                _, oldest = self._arrays.popitem(last=False)
                self._bytes_left += _size(oldest)


class FolderStore:
    """Outputs in a folder of the user's choice, kept across runs; several processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore(folder / "answers.sqlite").open()
        self._version = cache_version().encode()

    def get(self, key: bytes) -> Numbers | None:
        value = self._store.get(self._version + key)
        if value is None:
            return None
        dtype, _, numbers = value.partition(b" ")
        return np.frombuffer(numbers, dtype=dtype.decode())

    def put(self, key: bytes, value: Numbers) -> None:
        self._store.put(self._version + key, value.dtype.str.encode() + b" " + np.ascontiguousarray(value).tobytes())

    def close(self) -> None:
        self._store.close()


class CachedScorer:
    """A token scorer that computes the same terms of the same text once."""

    def __init__(self, scorer: TokenScorer, store: Store) -> None:
        self._scorer, self._store = scorer, store
        self.name, self.languages = scorer.name, scorer.languages

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        key = _key(self.name, text, np.array(terms, np.int64).tobytes())
        information = self._store.get(key)
        if information is None:
            information = self._scorer.information(text, terms)
            self._store.put(key, information)
        return information.copy()


class CachedEmbedder:
    """An embedder that computes the same text once."""

    def __init__(self, embedder: Embedder, store: Store) -> None:
        self._embedder, self._store = embedder, store
        self.name = embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return _rows(texts, self.name, self._store, self._embedder.embed)


class CachedClassifier:
    """A classifier that computes the same text once."""

    def __init__(self, classifier: Classifier, store: Store) -> None:
        self._classifier, self._store = classifier, store
        self.name, self.labels = classifier.name, classifier.labels

    def logits(self, texts: Sequence[str]) -> Floats:
        return _rows(texts, self.name, self._store, self._classifier.logits)


@overload
def cached(model: TokenScorer, store: Store | None = None) -> CachedScorer: ...
@overload
def cached(model: Embedder, store: Store | None = None) -> CachedEmbedder: ...
@overload
def cached(model: Classifier, store: Store | None = None) -> CachedClassifier: ...
def cached(model: Any, store: Store | None = None) -> Any:
    """The model with a cache of its outputs, by default in memory."""
    store = store or MemoryStore()
    if isinstance(model, TokenScorer):
        return CachedScorer(model, store)
    if isinstance(model, Embedder):
        return CachedEmbedder(model, store)
    return CachedClassifier(model, store)


def _rows(
    texts: Sequence[str], name: str, store: Store, compute: Callable[[Sequence[str]], NDArray[_Number]]
) -> NDArray[_Number]:
    """One row per text; those not cached yet are computed in one batch, each once."""
    if not len(texts):
        return compute(texts)
    keys = [_key(name, text) for text in texts]
    rows = {key: row for key in keys if (row := store.get(key)) is not None}
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
    if new:
        for key, row in zip(new, compute(list(new.values())), strict=True):
            # A copy: a view would keep the whole batch alive in memory.
            rows[key] = row.copy()
            store.put(key, rows[key])
    return np.stack([rows[key] for key in keys])


def _key(name: str, text: str, terms: bytes = b"") -> bytes:
    parts = (name.encode(), text.encode("utf-8", "surrogatepass"), terms)
    return sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


def _size(value: Numbers) -> int:
    """Including the overhead of an array and its key in Python."""
    return value.nbytes + 200
