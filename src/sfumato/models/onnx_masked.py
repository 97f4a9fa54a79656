"""A masked language model of ours: a folder with ``masked_lm.onnx``, ``config.json`` and, if its sub-words are not
ours, ``tokenizer.json``."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.errors import InputError
from sfumato.models.base import Floats
from sfumato.models.subtokens import Tokens, log_probabilities, readable, vocabulary

if TYPE_CHECKING:
    from sfumato.models.masked import Question

FILE = "masked_lm.onnx"


class OnnxMasked:
    """A loaded model. Windows run one at a time, several in parallel threads.

    Never in one batch: 8-bit activations are scaled by the largest of the batch, so a term's value would depend on
    the windows beside its own; and a batch is no faster.
    """

    around = 2

    def __init__(self, folder: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            network = (folder / FILE).read_bytes()
            card: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = Tokenizer.from_file(str(vocabulary(folder)))
            numbers = self._tokenizer.get_vocab()
            self._first, self._last, self.mask = (int(numbers[name]) for name in ("[CLS]", "[SEP]", "[MASK]"))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(
                network,
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["SkipLayerNormFusion"],  # its kernel is six times slower than the two it replaces
            )
            self.longest = self.context = int(card["window"])
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise many kinds, all about these files
            raise InputError(
                f"{folder}: not a masked language model of ours ({type(error).__name__}); see training/masked_lm"
            ) from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.languages: frozenset[str] | None = frozenset(card.get("languages", ["en"]))
        self.name = f"{card.get('name', folder.name)}@{hashlib.sha256(network).hexdigest()[:8]}"
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def encode(self, text: str) -> Tokens:
        encoded = self._tokenizer.encode(readable(text), add_special_tokens=False)
        return Tokens.of(encoded.ids, encoded.offsets)

    def log_probabilities(self, questions: Sequence[Question]) -> list[Floats]:
        return list(self._pool.map(self._answer, questions) if self._pool else map(self._answer, questions))

    def _answer(self, question: Question) -> Floats:
        ids = np.concatenate([[self._first], question.ids, [self._last]])[None]
        (logits,) = self._session.run(["logits"], {"input_ids": ids, "positions": question.positions + 1})
        return log_probabilities(logits, question.targets)


@cache
def load(folder: Path, threads: int | None) -> OnnxMasked:
    """The model of a folder, loaded once a process."""
    if not (folder / FILE).is_file():
        raise InputError(
            f"{folder} has no {FILE}: make it with training/masked_lm, or name another masked language model "
            "(masked:model=FOLDER), or another scorer (frequency)"
        )
    return OnnxMasked(folder, threads or os.cpu_count() or 1)
