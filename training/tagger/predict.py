"""A trained network on whole texts: windows out, probabilities per token back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from sfumato.models.tokens import central_ranges, window_ranges
from training.tagger.fit import batch_of, on_device
from training.tagger.labels import DECISIONS, TAGS
from training.tagger.model import Tagger
from training.tagger.windows import SPECIAL, Encoded, Encoder, windows

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Prediction:
    """Per token of one text: probabilities of the tags and decisions, and the logit of "mask this"."""

    types: Floats
    decisions: Floats
    mask: Floats


class Predictor:
    """Texts cut into windows once, to be read by one network after the other.

    Of overlapping windows, each token is judged by the one where it stands furthest from an edge.
    """

    def __init__(
        self, encoded: Sequence[Encoded], encoder: Encoder, window: int, hop: int, device: torch.device
    ) -> None:
        self.device = device
        self._lengths = [len(text.ids) for text in encoded]
        cut = windows(encoded, encoder, sorted({text.record.set for text in encoded}), window, hop)
        self._data = on_device(cut, device)
        central = [
            dict(zip(pieces, central_ranges(pieces), strict=True))
            for pieces in (window_ranges(length, window - SPECIAL, hop) for length in self._lengths)
        ]
        self._places = {
            width: [(number, start, *central[number][start, end]) for number, start, end in bucket.places]
            for width, bucket in cut.items()
        }

    @torch.no_grad()
    def __call__(self, model: Tagger) -> list[Prediction]:
        model.eval()
        predictions = [_empty(length) for length in self._lengths]
        for width, places in self._places.items():
            step = max(1, 65536 // width)
            for begin in range(0, len(places), step):
                window_part = places[begin : begin + step]
                batch = batch_of(self._data[width], torch.arange(begin, begin + len(window_part), device=self.device))
                with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
                    types, decisions, mask = model(batch["ids"], batch["visible"], batch["shapes"], batch["kinds"])
                answers = (types.float().softmax(-1), decisions.float().softmax(-1), mask.float())
                arrays = [answer.cpu().numpy() for answer in answers]
                for row, (number, start, first, last) in enumerate(window_part):
                    inside = slice(first - start + 1, last - start + 1)
                    for target, source in zip(predictions[number], arrays, strict=True):
                        target[first:last] = source[row, inside]
        return [Prediction(*arrays) for arrays in predictions]


def _empty(length: int) -> tuple[Floats, Floats, Floats]:
    shapes = ((length, len(TAGS)), (length, len(DECISIONS)), (length,))
    types, decisions, mask = (np.zeros(shape, np.float32) for shape in shapes)
    return types, decisions, mask
