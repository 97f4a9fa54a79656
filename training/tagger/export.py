"""A trained tagger as one small ONNX file, compared with the network it came from.

``python -m training.tagger.export --model FOLDER --out FOLDER [--data FILE.jsonl] [--split-mb 15]`` writes
``tagger.onnx`` (8-bit weights, embeddings included), ``config.json`` and ``tokenizer.json``.
Inputs: input_ids, case_ids, word_kinds, each int64 [batch, length]; no padding. Outputs: type_logits [batch, length,
17], decision_logits [batch, length, 3], mask_logit [batch, length]. A tagger with an early exit takes batches of one.
"""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import Tensor, nn

from sfumato.detectors.tagger import SHAPE_COUNT
from sfumato.lexicon.word_kinds import WORD_KIND_COUNT
from training.export import OPSET, run, write
from training.inference import FlatEncoder, GatedEncoder
from training.tagger.labels import DECISIONS, TAGS
from training.tagger.model import Tagger, load
from training.tagger.records import Record, read
from training.tagger.windows import Encoder, windows

INPUTS = ("input_ids", "case_ids", "word_kinds")
OUTPUTS = ("type_logits", "decision_logits", "mask_logit")

Arrays = dict[str, np.ndarray]


class Inference(nn.Module):
    """Tokens, their shapes and the kinds of their words of whole windows in; the three logits out."""

    def __init__(self, model: Tagger) -> None:
        super().__init__()
        self.model, self.encode = model, FlatEncoder(model)

    def forward(self, input_ids: Tensor, case_ids: Tensor, word_kinds: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        model = self.model
        hidden = self.encode(model.embed(input_ids, case_ids, word_kinds))
        return model.type_head(hidden), model.decision_head(hidden), model.mask_head(hidden).squeeze(-1)


class GatedInference(nn.Module):
    """The same for a tagger with an early exit; the batch must be one window."""

    def __init__(self, model: Tagger) -> None:
        super().__init__()
        assert model.gate is not None
        self.model, self.encode = model, GatedEncoder(model, model.gate)
        self.heads = nn.Linear(model.size.hidden_size, len(TAGS) + len(DECISIONS) + 1)
        parts = model.type_head, model.decision_head, model.mask_head
        with torch.no_grad():
            self.heads.weight.copy_(torch.cat([part.weight for part in parts]))
            self.heads.bias.copy_(torch.cat([part.bias for part in parts]))

    def forward(self, input_ids: Tensor, case_ids: Tensor, word_kinds: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden, gate, places = self.encode(self.model.embed(input_ids, case_ids, word_kinds))
        logits = self.heads(hidden)
        read = logits.shape[1] - gate.shape[0]
        mask = torch.cat((logits[:, :read, -1], gate[None]), 1)
        logits = torch.cat((logits[..., :-1], mask[..., None]), -1)
        logits = torch.zeros_like(logits).scatter(1, places[None, :, None].expand_as(logits), logits)
        types, decisions, mask = logits.split((len(TAGS), len(DECISIONS), 1), -1)
        return types, decisions, mask.squeeze(-1)


def to_onnx(model: Tagger, path: Path) -> None:
    """Full precision, any length, and any batch unless the tagger has an early exit."""
    is_gated = model.gate is not None
    example = torch.ones((1 if is_gated else 2, 16), dtype=torch.long)
    settings: dict[str, Any] = {}
    # The tracing exporter needs no onnxscript, which the training machine lacks; older torch knows no such choice.
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        settings["dynamo"] = False
    torch.onnx.export(
        (GatedInference(model) if is_gated else Inference(model)).eval(),
        (example, example, example),
        str(path),
        input_names=INPUTS,
        output_names=OUTPUTS,
        dynamic_axes={name: {0: "batch", 1: "length"} for name in (*INPUTS, *OUTPUTS)},
        opset_version=OPSET,
        **settings,
    )


def quantized(full: Path, small: Path) -> None:
    """8-bit weights of every product and embedding table; activations are quantized as they come.

    One scale per output column costs little and keeps small columns from drowning in large ones; seven bits, because
    the 16-bit sums of processors without VNNI overflow with eight.
    """
    quantize_dynamic(
        full,
        small,
        op_types_to_quantize=["MatMul", "Gemm", "Gather"],
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"MatMulConstBOnly": True},
    )


def samples(data: Path | None, base: Path, window: int, count: int) -> list[Arrays]:
    """Some windows, one a batch: real ones where there is data, else random tokens."""
    encoder = Encoder(base)
    if data is None:
        rng = random.Random(1)
        ranges = (1000, encoder.tokenizer.get_vocab_size()), (0, SHAPE_COUNT), (0, WORD_KIND_COUNT)
        return [
            _inputs(*([rng.randrange(least, most) for _ in range(64)] for least, most in ranges)) for _ in range(count)
        ]
    records: list[Record] = list(islice(read(data), 5000))
    chosen = random.Random(1).sample(records, min(count, len(records)))
    cut_up = windows(encoder.encode(chosen), encoder, sorted({record.set for record in chosen}), window, window // 2)
    rows = [
        _inputs(*(array[row, :size].tolist() for array in (bucket.ids, bucket.shapes, bucket.kinds)))
        for bucket in cut_up.values()
        for row, size in enumerate(bucket.sizes)
    ]
    return random.Random(1).sample(rows, min(count, len(rows)))


def _inputs(ids: Sequence[int], shapes: Sequence[int], kinds: Sequence[int]) -> Arrays:
    return {name: np.array([row], np.int64) for name, row in zip(INPUTS, (ids, shapes, kinds), strict=True)}


def parity(model: Tagger, path: Path, batches: Sequence[Arrays]) -> dict[str, float]:
    """Largest difference of the logits and of the mask probability, and share of tokens with the same tag and mask."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    logit = chance = tags = masks = tokens = 0.0
    for batch in batches:
        with torch.no_grad():
            ids, shapes, kinds = (torch.from_numpy(batch[name]) for name in INPUTS)
            wanted = [output.numpy() for output in model(ids, torch.ones_like(ids), shapes, kinds)]
        given = session.run(list(OUTPUTS), batch)
        logit = max(logit, *(float(np.abs(a - b).max()) for a, b in zip(wanted, given, strict=True)))
        chance = max(chance, float(np.abs(_sigmoid(wanted[2]) - _sigmoid(given[2])).max()))
        tags += float((wanted[0].argmax(-1) == given[0].argmax(-1)).sum())
        masks += float(((wanted[2] > 0) == (given[2] > 0)).sum())
        tokens += given[2].size
    return {"max_logit": logit, "max_probability": chance, "same_tag": tags / tokens, "same_mask": masks / tokens}


def _sigmoid(logits: np.ndarray) -> np.ndarray:
    chances: np.ndarray = 1 / (1 + np.exp(-logits))
    return chances


def export(folder: Path, out: Path, data: Path | None, count: int, split_mb: int | None) -> dict[str, Any]:
    """Write the files and return sizes and parity, which also go into the card."""
    model = load(folder).eval()
    card = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    batches = samples(data, folder, card["window"], count)

    def make(full: Path, small: Path) -> None:
        to_onnx(model, full)
        quantized(full, small)

    return write(folder, out / "tagger.onnx", card, make, lambda path: parity(model, path, batches), split_mb)


if __name__ == "__main__":
    run(export, __doc__, windows=64)
