"""Our own static embedder: a vector per sub-token, a text is their sum. How it was made is in ``training/embedder``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.models.subtokens import readable, vocabulary

Vectors = NDArray[np.float32]

FILE = "embedder.npz"
WEIGHTS = Path(__file__).parent / "weights" / "embedder"
_AT_ONCE = 2**20
"""Characters that are cut into tokens together: bounds memory, not the length of a text."""


class StaticEmbedder:
    """Embeds texts by a table of token vectors of our own (8 MB, no torch); texts of any length are read whole."""

    paper: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None

    def __init__(self, *, model: str | Path | None = None) -> None:
        """``model``: a folder that ``training/embedder`` wrote; ours unless given."""
        self._table = load(WEIGHTS if model is None else Path(model))
        self.name = self._table.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """[text, 256]; a text without a known sub-token is a row of zeros."""
        return self._table.embed(texts)


class Table:
    """The vectors of a folder, with the tokenizer that numbers them."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer

        try:
            packed = (folder / FILE).read_bytes()
            with np.load(folder / FILE) as arrays:
                self._vectors: Vectors = arrays["rows"].astype(np.float32) * arrays["scale"][:, None]
            self._tokenizer = Tokenizer.from_file(str(vocabulary(folder)))
        except Exception as error:  # noqa: BLE001 - numpy and tokenizers raise many kinds, all about these files
            raise InputError(
                f"{folder}: not a static embedder ({type(error).__name__}); see training/embedder"
            ) from None
        if self._tokenizer.get_vocab_size() != len(self._vectors):
            raise InputError(
                f"{folder}: {len(self._vectors)} vectors for {self._tokenizer.get_vocab_size()} sub-words; "
                "put the tokenizer.json it was trained with beside it"
            )
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.name = f"static@{hashlib.sha256(packed).hexdigest()[:8]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        parts = [self._sums(batch) for batch in _batches(texts)]
        sums: Vectors = np.concatenate(parts) if parts else np.zeros((0, self._vectors.shape[1]), np.float32)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        sums /= np.where(lengths > 0, lengths, 1)
        return sums

    def _sums(self, texts: list[str]) -> Vectors:
        from scipy.sparse import csr_array

        ids = [encoded.ids for encoded in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        ends = np.cumsum([0, *map(len, ids)])
        flat = np.fromiter((number for row in ids for number in row), np.int64, int(ends[-1]))
        counts = csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(texts), len(self._vectors)))
        sums: Vectors = counts @ self._vectors
        return sums


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch, size = list[str](), 0
    for text in texts:
        batch.append(readable(text))
        size += len(text)
        if size >= _AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@cache
def load(folder: Path) -> Table:
    """The table of a folder, loaded once a process."""
    return Table(folder)
