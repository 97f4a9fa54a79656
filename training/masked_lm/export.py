"""A trained language model as one ONNX file, compared with the network it came from.

``python -m training.masked_lm.export --model FOLDER --out FOLDER [--data FILE.jsonl.gz]`` writes ``masked_lm.onnx``
(8-bit weights), ``config.json`` and ``tokenizer.json``. Inputs: input_ids, int64 [batch, length], no padding;
positions, int64 [k], row * length + column of each token to guess. Output: logits [k, word].
"""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from training.export import OPSET, run, write
from training.inference import FlatEncoder
from training.masked_lm import masking
from training.masked_lm.fit import Source
from training.masked_lm.model import MaskedLM, load
from training.masked_lm.texts import read
from training.masked_lm.windows import SPECIAL, Vocabulary, covering

INPUTS = ("input_ids", "positions")
OUTPUT = "logits"
LANGUAGES = ("en",)
"""Everyday Spanish it guesses worse than word frequencies do, for all the clinical Spanish it has read."""
Arrays = dict[str, np.ndarray]
Sample = tuple[Arrays, np.ndarray]
"""Inputs, and the tokens that stood at the positions."""


class Table(nn.Module):
    """A look-up table of 8-bit numbers with a scale for each row: one scale for all would drown the small rows."""

    def __init__(self, weight: Tensor) -> None:
        super().__init__()
        scale = weight.abs().amax(1, keepdim=True).clamp_min(1e-12) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("numbers", (weight / scale).round().to(torch.int8))

    def forward(self, rows: Tensor) -> Tensor:
        return self.numbers[rows].float() * self.scale[rows]


class Even(nn.Module):
    """A linear layer that sees each row scaled to 1.

    Activations are quantized with one scale a window, and before the wide layers [CLS] is three to eight times as
    large as most tokens, which would be left with five or six bits of eight.
    """

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.register_buffer("weight", layer.weight.detach().t().contiguous())
        self.bias = layer.bias

    def forward(self, hidden: Tensor) -> Tensor:
        size = hidden.abs().amax(-1, keepdim=True)
        return (hidden / size) @ self.weight * size + self.bias


class Inference(nn.Module):
    """Tokens of whole windows and flat positions in; logits out."""

    def __init__(self, model: MaskedLM) -> None:
        super().__init__()
        self.model = deepcopy(model)
        for layer in self.model.layers:
            layer.widen, layer.narrow = Even(layer.widen), Even(layer.narrow)
        self.encode, self.words = FlatEncoder(self.model), Table(model.words.weight.detach())

    def forward(self, input_ids: Tensor, positions: Tensor) -> Tensor:
        model = self.model
        hidden = self.encode(self.words(input_ids)).reshape(-1, model.size.hidden_size)[positions]
        return model.guess(hidden)


def to_onnx(model: MaskedLM, path: Path) -> None:
    """The look-up table in 8 bits, all else in full precision; any batch, length and number of positions."""
    example = torch.ones((2, 16), dtype=torch.long)
    settings: dict[str, Any] = {}
    # The tracing exporter needs no onnxscript, which the training machine lacks; older torch knows no such choice.
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        settings["dynamo"] = False
    torch.onnx.export(
        Inference(model).eval(),
        (example, torch.arange(5)),
        str(path),
        input_names=INPUTS,
        output_names=(OUTPUT,),
        dynamic_axes={"input_ids": {0: "batch", 1: "length"}, "positions": {0: "k"}, OUTPUT: {0: "k"}},
        opset_version=OPSET,
        **settings,
    )


def quantized(full: Path, small: Path) -> None:
    """8-bit weights of every product, with the choices of the tagger's export.

    Nothing is fused before: the runtime does that when it loads the file, and fusing here made it a tenth slower.
    The table of words is stored twice: by row for looking up and by column for the product; together still small.
    """
    quantize_dynamic(
        full,
        small,
        op_types_to_quantize=["MatMul", "Gemm"],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"MatMulConstBOnly": True},
    )


def samples(vocabulary: Vocabulary, data: Path | None, window: int, count: int) -> list[Sample]:
    """Windows masked as in use, one a batch: fold-out texts where there is data, else random tokens."""
    if data is None:
        drawn = np.random.default_rng(1).choice(vocabulary.plain, (count, window))
        ids, text = torch.from_numpy(drawn).long(), torch.ones((count, window), dtype=torch.bool)
        begins = torch.from_numpy(~vocabulary.continues[drawn])
    else:
        rows = vocabulary.rows(text for text in read(data) if text.part == "foldout")
        starts, _ = covering(rows, window - SPECIAL)
        some = starts[np.linspace(0, len(starts) - 1, min(count, len(starts))).astype(np.int64)]
        ids, begins, text = Source(rows, vocabulary, window, torch.device("cpu")).cut(torch.from_numpy(some))
    chosen = masking.alternating(begins, torch.arange(len(ids))) & text
    batches = [masking.hidden(ids[row, None], chosen[row, None], vocabulary.hidden) for row in range(len(ids))]
    return [(_inputs(batch), batch.targets.numpy()) for batch in batches if len(batch.positions)]


def _inputs(batch: masking.Masked) -> Arrays:
    return dict(zip(INPUTS, (batch.ids.numpy(), batch.positions.numpy()), strict=True))


def parity(model: MaskedLM, path: Path, found: Sequence[Sample]) -> dict[str, float]:
    """Nats of the true tokens by either, how far apart on average and at most, same first guess, and pace.

    The differences are of log-probabilities of the tokens that stood there, which is all the scorer reads.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )
    wanted, given, same, seconds = [], [], [], 0.0
    for inputs, targets in found:
        with torch.no_grad():
            ids, positions = (torch.from_numpy(inputs[name]) for name in INPUTS)
            ours = model(ids, None, positions).log_softmax(-1)
        began = time.perf_counter()
        theirs = torch.from_numpy(session.run([OUTPUT], inputs)[0])
        seconds += time.perf_counter() - began
        theirs = theirs.log_softmax(-1)
        rows = np.arange(len(targets))
        wanted.append(-ours.numpy()[rows, targets])
        given.append(-theirs.numpy()[rows, targets])
        same.append((ours.argmax(-1) == theirs.argmax(-1)).numpy())
    network, file = np.concatenate(wanted), np.concatenate(given)
    return {
        "nats_network": float(network.mean()),
        "nats_file": float(file.mean()),
        "mean_difference": float(np.abs(network - file).mean()),
        "max_difference": float(np.abs(network - file).max()),
        "correlation": float(np.corrcoef(network, file)[0, 1]),
        "same_guess": float(np.concatenate(same).mean()),
        "seconds_per_window": seconds / len(found),
    }


def export(folder: Path, out: Path, data: Path | None, count: int, split_mb: int | None) -> dict[str, Any]:
    """Write the files and return sizes, parity and pace, which also go into the card."""
    model = load(folder).eval()
    card = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    card["languages"] = list(LANGUAGES)
    found = samples(Vocabulary(folder), data, card["window"], count)

    def make(full: Path, small: Path) -> None:
        to_onnx(model, full)
        quantized(full, small)

    return write(folder, out / "masked_lm.onnx", card, make, lambda path: parity(model, path, found), split_mb)


if __name__ == "__main__":
    run(export, __doc__, windows=48)
