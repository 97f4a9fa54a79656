"""The trained network: a folder with ``tagger.onnx``, ``config.json`` and, where they are not ours, the sub-words."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.detectors.tagger.shapes import shape_ids
from sfumato.errors import InputError
from sfumato.models.subtokens import vocabulary
from sfumato.models.windows import centred, cuts

Floats = NDArray[np.float32]

_OVERLAP = 32
"""Tokens that neighbouring windows share: each token is judged with at least half of that on either side."""


@dataclass(frozen=True)
class Tokens:
    """What the network says about each token of a text."""

    offsets: list[tuple[int, int]]
    types: Floats
    """Probability of each tag, [token, tag]."""
    decisions: Floats
    """Probability of direct, quasi and none, [token, 3]."""
    mask: Floats
    """Calibrated probability that the token must go, [token]."""


class Network:
    """A loaded tagger. Windows run one at a time, several in parallel threads.

    Never in one batch: 8-bit activations are scaled by the largest of the whole batch, so what is found in a text
    would depend on the texts beside it, and a run that was taken up again would differ.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        try:
            self.card: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._tokenizer = Tokenizer.from_file(str(vocabulary(folder)))
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(
                str(folder / "tagger.onnx"),
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=["SkipLayerNormFusion"],  # its kernel is six times slower than the two it replaces
            )
        except Exception as error:  # noqa: BLE001 - onnxruntime and tokenizers raise many kinds, all about these files
            raise InputError(f"{folder}: not a trained tagger ({type(error).__name__}); see training/tagger") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first, self._last = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
        self._temperature = float(self.card["calibration"]["temperature"])
        self._room = int(self.card["window"]) - 2
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def read(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text, which are of a size that fits in memory."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        shapes = [shape_ids(text, tokens.offsets) for text, tokens in zip(texts, encoded, strict=True)]
        pieces = [cuts(len(tokens.ids), self._room, self._room - _OVERLAP) for tokens in encoded]
        jobs = [
            (encoded[number].ids[start:end], shapes[number][start:end])
            for number, ranges in enumerate(pieces)
            for start, end in ranges
            if end > start
        ]
        outputs = iter(self._pool.map(self._run, jobs) if self._pool else map(self._run, jobs))
        found = []
        for tokens, ranges in zip(encoded, pieces, strict=True):
            if not tokens.ids:
                found.append(_nothing(len(self.card["tags"])))
                continue
            parts = []
            for (start, _), (first, last) in zip(ranges, centred(ranges), strict=True):
                parts.append([output[first - start : last - start] for output in next(outputs)])
            types, decisions, logits = (np.concatenate(part) for part in zip(*parts, strict=True))
            chances = 1 / (1 + np.exp(-np.clip(logits / self._temperature, -60, 60)))
            found.append(Tokens(tokens.offsets, _softmax(types), _softmax(decisions), chances.astype(np.float32)))
        return found

    def _run(self, job: tuple[list[int], list[int]]) -> list[Floats]:
        ids, shapes = job
        feed = {
            "input_ids": np.array([[self._first, *ids, self._last]], np.int64),
            "case_ids": np.array([[0, *shapes, 0]], np.int64),
        }
        outputs = self._session.run(["type_logits", "decision_logits", "mask_logit"], feed)
        return [output[0, 1:-1] for output in outputs]


def _softmax(logits: Floats) -> Floats:
    exponents: Floats = np.exp(logits - logits.max(-1, keepdims=True))
    exponents /= exponents.sum(-1, keepdims=True)
    return exponents


def _nothing(tags: int) -> Tokens:
    return Tokens([], np.zeros((0, tags), np.float32), np.zeros((0, 3), np.float32), np.zeros(0, np.float32))


@cache
def load(folder: Path, threads: int | None) -> Network:
    """The network of a folder, loaded once a process."""
    return Network(folder, threads or os.cpu_count() or 1)
