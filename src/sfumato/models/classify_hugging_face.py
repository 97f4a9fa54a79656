"""Any sequence classifier of Hugging Face, by folder or by name, through transformers and torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import InputError, MissingExtra
from sfumato.models.base import Floats
from sfumato.models.subtokens import readable


class HuggingFaceClassifier:
    """Classifies by any Hugging Face sequence classifier; long texts in pieces, whose logits are averaged."""

    paper: ClassVar[str | None] = "001"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str, device: str = "cpu") -> None:
        """``model``: a folder, or a name of the hub, which may be downloaded; ``device``: cpu, cuda ..."""
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtra("the Hugging Face classifier", "torch") from None
        here = Path(model).is_dir()
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(model, local_files_only=here)
            loaded: Any = transformers.AutoModelForSequenceClassification.from_pretrained(model, local_files_only=here)
            self._model = loaded.eval().to(device)
        except Exception as error:  # noqa: BLE001 - transformers raises many kinds, all about these files or the device
            raise InputError(
                f"model {model!r} cannot be loaded on {device!r} as a sequence classifier ({type(error).__name__}): "
                "name a folder with config.json, weights and tokenizer.json, or a model of the hub that can be reached"
            ) from None
        self._torch, self._device = torch, device
        self._longest = min(int(self._tokenizer.model_max_length), int(loaded.config.max_position_embeddings or 512))
        self.labels = tuple(str(loaded.config.id2label[number]) for number in range(loaded.config.num_labels))
        self.name = f"hugging-face:{Path(model).name if here else model}"

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]; pieces count by their tokens."""
        found = np.zeros((len(texts), len(self.labels)))
        for row, text in zip(found, texts, strict=True):
            pieces = self._tokenizer(
                readable(text), truncation=True, max_length=self._longest, return_overflowing_tokens=True, verbose=False
            )["input_ids"]
            row[:] = np.average([self._one(piece) for piece in pieces], axis=0, weights=[*map(len, pieces)])
        return found

    def _one(self, ids: list[int]) -> Floats:
        given = self._torch.tensor([ids], device=self._device)
        with self._torch.inference_mode():
            found = self._model(input_ids=given, attention_mask=self._torch.ones_like(given)).logits[0]
        values: Floats = found.double().cpu().numpy()
        return values
