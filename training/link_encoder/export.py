"""A trained encoder as one ONNX file, compared with the network it came from.

``python -m training.link_encoder.export --model FOLDER --out FOLDER`` writes ``link_encoder.onnx`` (8-bit weights),
``config.json`` and ``tokenizer.json``. Input: input_ids, int64 [batch, length], no padding. Output: vectors [batch,
length, number]; the mean of a word's sub-tokens is to be brought to length 1. Where the network weighs words, the last
number is the logarithm of a word's factor.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from sfumato.models.word_vectors import LINK_FILE, LINK_OUTPUT
from training.export import OPSET, run, write
from training.inference import FlatEncoder
from training.link_encoder.model import LinkEncoder, load
from training.link_encoder.pieces import FIRST, LAST, WINDOW, People
from training.masked_lm.export import Even, Table, quantized
from training.tagger.parts import join


class Inference(nn.Module):
    """Tokens of whole windows in; a vector for each out."""

    def __init__(self, model: LinkEncoder, *, weigh: bool) -> None:
        super().__init__()
        model = deepcopy(model)
        for layer in model.layers:
            layer.widen, layer.narrow = Even(layer.widen), Even(layer.narrow)
        heads = [model.project, *([model.weigh] if weigh else [])]
        joined = nn.Linear(model.size.hidden_size, sum(head.out_features for head in heads))
        with torch.no_grad():
            joined.weight.copy_(torch.cat([head.weight for head in heads]))
            joined.bias.copy_(torch.cat([head.bias for head in heads]))
        self.encode, self.words, self.heads = FlatEncoder(model), Table(model.words.weight.detach()), Even(joined)

    def forward(self, input_ids: Tensor) -> Tensor:
        vectors: Tensor = self.heads(self.encode(self.words(input_ids)))
        return vectors


def to_onnx(inference: Inference, path: Path) -> None:
    """The look-up table in 8 bits, all else in full precision; any batch and length."""
    settings: dict[str, Any] = {}
    # The tracing exporter needs no onnxscript; older torch knows no such choice.
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        settings["dynamo"] = False
    torch.onnx.export(
        inference.eval(),
        (torch.ones((2, 16), dtype=torch.long),),
        str(path),
        input_names=("input_ids",),
        output_names=(LINK_OUTPUT,),
        dynamic_axes={"input_ids": {0: "batch", 1: "length"}, LINK_OUTPUT: {0: "batch", 1: "length"}},
        opset_version=OPSET,
        **settings,
    )


def samples(data: Path | None, words: int, count: int) -> list[np.ndarray]:
    """Windows: documents of held-out people where there is data, else random tokens."""
    random = np.random.default_rng(1)
    if data is None:
        drawn = random.integers(1000, words, (count, WINDOW))
        drawn[:, 0], drawn[:, -1] = FIRST, LAST
        return list(drawn[:, None])
    people = People(data)
    rows = np.concatenate([people.rows(name, ["held out"]) for name in people.sets])
    pieces = [people.assemble([people.draw(row, random)[1]]) for row in random.permutation(rows)[:count].tolist()]
    return [piece.ids for piece in pieces]


def parity(model: LinkEncoder, path: Path, windows: Sequence[np.ndarray]) -> dict[str, float]:
    """Cosines between the file's vector and the network's, by token: the mean, and what one in a hundred is below."""
    session = onnxruntime.InferenceSession(
        str(path), providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )
    cosines = []
    for ids in windows:
        with torch.no_grad():
            hidden = model.encode(model.words(torch.from_numpy(ids)), None)
            wanted = nn.functional.normalize(model.project(hidden), dim=-1)
        vectors = torch.from_numpy(session.run([LINK_OUTPUT], {"input_ids": ids})[0])[..., : wanted.shape[-1]]
        cosines.append((nn.functional.normalize(vectors, dim=-1) * wanted).sum(-1).flatten().numpy())
    together = np.concatenate(cosines)
    return {"mean_cosine": float(together.mean()), "percentile_1": float(np.percentile(together, 1))}


def export(folder: Path, out: Path, data: Path | None, count: int, split_mb: int | None) -> dict[str, Any]:
    """Write the files and return sizes and parity, which also go into the card."""
    if not (folder / "model.safetensors").is_file():
        join(folder / "model.safetensors")
    card = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    model = load(folder).eval()
    windows = samples(data, model.size.vocab_size, count)

    def make(full: Path, small: Path) -> None:
        to_onnx(Inference(model, weigh=card["weigh"]), full)
        quantized(full, small)

    return write(folder, out / LINK_FILE, card, make, lambda path: parity(model, path, windows), split_mb)


if __name__ == "__main__":
    run(export, __doc__, windows=32)
