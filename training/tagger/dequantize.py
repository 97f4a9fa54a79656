"""An exported tagger as a base to train further: its 8-bit weights turned back into floats, under the network's names.

``python -m training.tagger.dequantize --model FOLDER --out FOLDER`` reads ``tagger.onnx`` and ``config.json`` and
writes ``model.safetensors``, ``config.json`` and ``tokenizer.json``. Less exact by half a step of 8 bits, which
training evens out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from sfumato.models.base import QuantizedGraph
from sfumato.models.tokens import tokenizer_file

TABLES = ("words", "shapes", "word_kinds", "positions")
HEADS = ("type_head", "decision_head", "mask_head")


def weights(path: Path, layers: int, width: int, heads: int) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The weights of a file that ``training/tagger/export.py`` wrote, as ``training/tagger/model.py`` names them."""
    graph = QuantizedGraph(path)
    for name in TABLES:
        if f"model.{name}.weight_quantized" in graph.arrays:  # older taggers have no kinds of words
            yield f"{name}.weight", graph.dequantize(f"model.{name}.weight_quantized")
    kind = graph.arrays[graph.inputs["/encode/Add_1"][1]]
    yield "kinds.weight", np.stack([kind, np.zeros_like(kind)])
    for layer in range(layers):
        suffix = f"_{layer}" if layer else ""
        joined = graph.product(f"/encode/attention.{layer}/joined/MatMul_quant")
        biases = graph.arrays[f"encode.attention.{layer}.joined.bias"]
        # The export put the scale of attention into the query's weights.
        scales = ((width // heads) ** 0.5, 1.0, 1.0)
        for name, scale, low in zip(("query", "key", "value"), scales, range(0, 3 * width, width), strict=True):
            yield f"layers.{layer}.{name}.weight", joined[low : low + width] * np.float32(scale)
            yield f"layers.{layer}.{name}.bias", biases[low : low + width] * np.float32(scale)
        for name in ("merge", "widen", "narrow"):
            yield f"layers.{layer}.{name}.weight", graph.product(f"/encode/{name}{suffix}/MatMul_quant")
    for name in HEADS:
        yield f"{name}.weight", graph.product(f"/{name}/MatMul_quant")
    quantized = ("_scale", "_zero_point", "_quantized")
    plain = (name for name in graph.arrays if name.startswith("model.") and not name.endswith(quantized))
    yield from ((name.removeprefix("model."), graph.arrays[name]) for name in plain)


def dequantize(folder: Path, out: Path) -> None:
    """Write the weights of an exported tagger as a folder that ``training.tagger.train --base`` takes."""
    size = json.loads((folder / "config.json").read_text(encoding="utf-8"))["size"]
    numbers = size["num_hidden_layers"], size["hidden_size"], size["num_attention_heads"]
    out.mkdir(parents=True, exist_ok=True)
    arrays = weights(folder / "tagger.onnx", *numbers)
    save_file(
        {name: np.ascontiguousarray(value.astype(np.float16)) for name, value in arrays}, out / "model.safetensors"
    )
    copyfile(folder / "config.json", out / "config.json")
    copyfile(tokenizer_file(folder), out / "tokenizer.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    dequantize(arguments.model, arguments.out)


if __name__ == "__main__":
    main()
