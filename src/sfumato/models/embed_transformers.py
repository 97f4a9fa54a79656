"""Any sentence-transformers model as an embedder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, MissingExtra
from sfumato.models.subtokens import readable


class SentenceTransformersEmbedder:
    """Embeds texts by any sentence-transformers model; long texts in pieces, whose vectors are averaged."""

    paper: ClassVar[str | None] = "002"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str = "sentence-transformers/all-MiniLM-L6-v2", device: str = "cpu") -> None:
        """``model``: a folder, or a name of the hub, which may be downloaded; ``device``: cpu, cuda ..."""
        try:
            import sentence_transformers
        except ImportError:
            raise MissingExtra("the sentence-transformers embedder", "torch") from None
        try:
            self._model: Any = sentence_transformers.SentenceTransformer(
                model, device=device, local_files_only=Path(model).is_dir()
            )
        except Exception as error:  # noqa: BLE001 - many kinds are raised, all about the model or the device
            raise InputError(
                f"model {model!r} cannot be loaded on {device!r} ({type(error).__name__}): name a folder with a "
                "sentence-transformers model, or one of the hub that can be reached"
            ) from None
        self._room = int(self._model.max_seq_length or 512) - 2
        self.name = f"sentence-transformers:{Path(model).name if Path(model).is_dir() else model}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """[text, dimension]. A text longer than the model reads at once counts each piece by its tokens."""
        pieces, owners, sizes = list[str](), list[int](), list[int]()
        for number, text in enumerate(texts):
            for piece, size in self._pieces(readable(text)):
                pieces.append(piece)
                owners.append(number)
                sizes.append(size)
        found = np.zeros((len(texts), self._width()), np.float32)
        if pieces:
            vectors = self._model.encode(pieces, normalize_embeddings=True, show_progress_bar=False)
            np.add.at(found, owners, vectors * np.array(sizes, np.float32)[:, None])
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.where(lengths > 0, lengths, 1)
        return found

    def _pieces(self, text: str) -> Iterator[tuple[str, int]]:
        """Stretches of the text that the model can read, with their tokens."""
        encoded = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        places = encoded["offset_mapping"]
        for start in range(0, len(places), self._room):
            part = places[start : start + self._room]
            yield text[part[0][0] : part[-1][1]], len(part)

    def _width(self) -> int:
        named = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        return int(named())
