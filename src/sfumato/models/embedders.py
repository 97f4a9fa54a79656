"""Text embedders: our static one (a vector per sub-token, made by ``training/embedder``) and sentence-transformers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, MissingExtra
from sfumato.models.tokens import load_tokenizer, replace_surrogates

Vectors = NDArray[np.float32]

FILE = "embedder.npz"
WEIGHTS = Path(__file__).parent / "weights" / "embedder"
_BATCH_CHARACTERS = 2**20
"""Characters tokenized together: bounds memory, not the length of a text."""


class StaticEmbedder:
    """Embeds texts by a table of token vectors of our own (8 MB, no torch); texts of any length are read whole."""

    def __init__(self, *, model: str | Path | None = None) -> None:
        """``model``: a folder that ``training/embedder`` wrote (default: the shipped one)."""
        folder = WEIGHTS if model is None else Path(model)
        self._vectors, self._tokenizer, digest = load_token_vectors(folder)
        self.name = f"static@{digest[:8]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """[text, 256]; a text without a known sub-token is a row of zeros."""
        return _unit_rows(self.sums(texts))

    def sums(self, texts: Sequence[str]) -> Vectors:
        """[text, 256]: the sums of the sub-tokens' vectors, of which ``embed`` takes the direction.

        Words are read one by one, so the sum of a text is that of its words.
        """
        parts = [self._sums(batch) for batch in _batches(texts)]
        return np.concatenate(parts) if parts else np.zeros((0, self._vectors.shape[1]), np.float32)

    def _sums(self, texts: list[str]) -> Vectors:
        from scipy.sparse import csr_array

        ids = [encoded.ids for encoded in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        ends = np.cumsum([0, *map(len, ids)])
        flat = np.fromiter((number for row in ids for number in row), np.int64, int(ends[-1]))
        counts = csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(texts), len(self._vectors)))
        sums: Vectors = counts @ self._vectors
        return sums


def _unit_rows(rows: Vectors) -> Vectors:
    """Rows scaled to length 1 in place; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths > 0, lengths, 1)
    return rows


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch, size = list[str](), 0
    for text in texts:
        batch.append(replace_surrogates(text))
        size += len(text)
        if size >= _BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@cache
def load_token_vectors(folder: Path) -> tuple[Vectors, Any, str]:
    """The token vectors of a folder, their tokenizer and their SHA-256, loaded once per process."""
    try:
        digest = hashlib.sha256((folder / FILE).read_bytes()).hexdigest()
        with np.load(folder / FILE) as arrays:
            vectors: Vectors = arrays["rows"].astype(np.float32) * arrays["scale"][:, None]
        tokenizer = load_tokenizer(folder)
    except Exception as error:  # noqa: BLE001 - numpy and tokenizers raise many kinds, all about these files
        message = f"{folder}: not a static embedder ({type(error).__name__}); see training/embedder"
        raise InputError(message) from None
    if tokenizer.get_vocab_size() != len(vectors):
        raise InputError(
            f"{folder}: {len(vectors)} vectors for {tokenizer.get_vocab_size()} sub-words; "
            "put the tokenizer.json it was trained with beside it"
        )
    return vectors, tokenizer, digest


class SentenceTransformersEmbedder:
    """Embeds texts by any sentence-transformers model; long texts in pieces, whose vectors are averaged."""

    cite: ClassVar[str | None] = "reimers2019"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str = "sentence-transformers/all-MiniLM-L6-v2", device: str = "cpu") -> None:
        """``model``: a folder, or a model of the hub, which may be downloaded; ``device``: cpu, cuda ..."""
        try:
            import sentence_transformers
        except ImportError:
            raise MissingExtra("the sentence-transformers embedder", "torch") from None
        from sfumato.models.hugging_face import resolve_model

        local_only = resolve_model(model)[1]["local_files_only"]
        try:
            self._model: Any = sentence_transformers.SentenceTransformer(
                model, device=device, local_files_only=local_only
            )
        except Exception as error:  # noqa: BLE001 - many kinds are raised, all about the model or the device
            raise InputError(
                f"model {model!r} cannot be loaded on {device!r} ({type(error).__name__}): name a folder with a "
                "sentence-transformers model, or one of the hub that can be reached"
            ) from None
        self._max_tokens = int(self._model.max_seq_length or 512) - 2
        self.name = f"sentence-transformers:{Path(model).name if Path(model).is_dir() else model}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[text, dimension]. A text longer than the model reads at once counts each piece by its tokens."""
        pieces = [(row, *piece) for row, text in enumerate(texts) for piece in self._pieces(replace_surrogates(text))]
        # The second name is that of older versions.
        width = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        sums = np.zeros((len(texts), int(width())), np.float32)
        if pieces:
            rows, parts, sizes = zip(*pieces, strict=True)
            vectors = self._model.encode(list(parts), normalize_embeddings=True, show_progress_bar=False)
            np.add.at(sums, list(rows), vectors * np.array(sizes, np.float32)[:, None])
        return _unit_rows(sums)

    def _pieces(self, text: str) -> Iterator[tuple[str, int]]:
        """Parts of the text that the model can read, with their number of tokens."""
        encoded = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        offsets = encoded["offset_mapping"]
        for start in range(0, len(offsets), self._max_tokens):
            part = offsets[start : start + self._max_tokens]
            yield text[part[0][0] : part[-1][1]], len(part)
