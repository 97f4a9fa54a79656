"""A trained network on whole texts: windows out, probabilities per token back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from training.tagger.fit import batch_of, on_device
from training.tagger.labels import DECISIONS, TAGS
from training.tagger.model import Tagger
from training.tagger.windows import SPECIAL, Encoded, Encoder, windows

from sfumato.models.tokens import central_ranges, window_ranges

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Prediction:
    """Per token of one text: probabilities of the tags and decisions, and the logit of "mask this"."""

    types: Floats
    decisions: Floats
    mask: Floats


@torch.no_grad()
def predict(
    model: Tagger, encoded: Sequence[Encoded], encoder: Encoder, window: int, hop: int, device: torch.device
) -> list[Prediction]:
    """Of overlapping windows, each token is judged by the one where it stands furthest from an edge."""
    model.eval()
    names = sorted({text.record.set for text in encoded})
    cut = windows(encoded, encoder, names, window, hop)
    data = on_device(cut, device)
    found = [_empty(len(text.ids)) for text in encoded]
    own = [
        dict(zip(pieces, central_ranges(pieces), strict=True))
        for pieces in (window_ranges(len(t.ids), window - SPECIAL, hop) for t in encoded)
    ]
    for width, bucket in cut.items():
        step = max(1, 65536 // width)
        for begin in range(0, len(bucket.places), step):
            places = bucket.places[begin : begin + step]
            batch = batch_of(data[width], torch.arange(begin, begin + len(places), device=device))
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                types, decisions, mask = model(batch["ids"], batch["visible"], batch["shapes"], batch["kinds"])
            answers = (types.float().softmax(-1), decisions.float().softmax(-1), mask.float())
            arrays = [answer.cpu().numpy() for answer in answers]
            for row, (number, start, end) in enumerate(places):
                first, last = own[number][start, end]
                inside = slice(first - start + 1, last - start + 1)
                for target, source in zip(found[number], arrays, strict=True):
                    target[first:last] = source[row, inside]
    return [Prediction(*arrays) for arrays in found]


def _empty(length: int) -> tuple[Floats, Floats, Floats]:
    shapes = ((length, len(TAGS)), (length, len(DECISIONS)), (length,))
    types, decisions, mask = (np.zeros(shape, np.float32) for shape in shapes)
    return types, decisions, mask
