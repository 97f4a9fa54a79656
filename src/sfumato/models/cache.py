"""Models whose answers are kept by content, so that ten methods on one corpus cost one pass over its originals.

A key is a SHA-256 over the model's name, the text and the terms; a value is numbers. No text is kept. What lies in a
folder is confidential all the same: vectors say much about their texts, and whoever guesses a text can confirm it.
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
"""Bytes of answers held in memory; those used longest ago go first."""
_FILE = "answers.sqlite"

Numbers = NDArray[Any]
_Number = TypeVar("_Number", bound=np.generic)


class Store(Protocol):
    """Where answers are kept."""

    def get(self, key: bytes) -> Numbers | None: ...

    def put(self, key: bytes, value: Numbers) -> None: ...


class MemoryStore:
    """Answers of this process, within a bound."""

    def __init__(self, size: int = MEMORY) -> None:
        self._room = size
        self._kept: OrderedDict[bytes, Numbers] = OrderedDict()
        self._lock = Lock()

    def get(self, key: bytes) -> Numbers | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: bytes, value: Numbers) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = value
            self._room -= _size(value)
            while self._room < 0:
                _, oldest = self._kept.popitem(last=False)
                self._room += _size(oldest)


class FolderStore:
    """Answers in a folder of the user's choice: they outlive the process, and other processes may share them."""

    def __init__(self, folder: Path) -> None:
        self._store = SqliteStore(folder / _FILE).open()
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
    """A token scorer that is asked once for the same terms of the same text."""

    def __init__(self, scorer: TokenScorer, store: Store) -> None:
        self._scorer, self._store = scorer, store
        self.name, self.languages = scorer.name, scorer.languages

    def information(self, text: str, terms: Sequence[Range]) -> Floats:
        places = np.array(terms, np.int64).tobytes()
        key = _key(self.name.encode(), _bytes(text), places)
        found = self._store.get(key)
        if found is None:
            found = self._scorer.information(text, terms)
            self._store.put(key, found)
        return found.copy()


class CachedEmbedder:
    """An embedder that is asked once for the same text."""

    def __init__(self, embedder: Embedder, store: Store) -> None:
        self._embedder, self._store = embedder, store
        self.name = embedder.name

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return _rows(texts, self.name, self._store, self._embedder.embed)


class CachedClassifier:
    """A classifier that is asked once for the same text."""

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
    """The model behind a store of its answers: this process's memory unless another is given."""
    store = store or MemoryStore()
    if isinstance(model, TokenScorer):
        return CachedScorer(model, store)
    if isinstance(model, Embedder):
        return CachedEmbedder(model, store)
    return CachedClassifier(model, store)


def _rows(
    texts: Sequence[str], name: str, store: Store, ask: Callable[[Sequence[str]], NDArray[_Number]]
) -> NDArray[_Number]:
    """One row a text; those not known yet are asked for together, each once."""
    if not len(texts):
        return ask(texts)
    keys = [_key(name.encode(), _bytes(text)) for text in texts]
    rows = {key: row for key in keys if (row := store.get(key)) is not None}
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
    if new:
        for key, row in zip(new, ask(list(new.values())), strict=True):
            # A copy: a view would keep the whole batch alive in memory.
            rows[key] = row.copy()
            store.put(key, rows[key])
    return np.stack([rows[key] for key in keys])


def _key(*parts: bytes) -> bytes:
    digest = sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _size(value: Numbers) -> int:
    """With what Python adds to an array and its key."""
    return value.nbytes + 200
