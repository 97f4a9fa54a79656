"""The shipped masked language model, turned back from 8-bit numbers into weights that can be trained on from.

Less exact by half a step of 256 than what was trained, which further training evens out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, MissingExtra
from sfumato.models import onnx_masked

Arrays = Mapping[str, NDArray[np.float32]]
"""Weights by their names in ``training/encoder.py``."""


def thawed(folder: Path, size: Mapping[str, Any]) -> Arrays:
    """The weights of a network that ``training/masked_lm/export.py`` wrote, by our names."""
    try:
        import onnx
    except ImportError:
        raise MissingExtra("training on from the shipped masked language model", "torch") from None
    if not (folder / onnx_masked.FILE).is_file():
        raise InputError(
            f"{folder} has no weights to train on from: give trir a model (a BERT-like folder with config.json, "
            "model.safetensors and tokenizer.json, or a name of the hub)"
        )
    try:
        graph = onnx.load(folder / onnx_masked.FILE).graph
        kept = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
        inputs = {node.name: list(node.input) for node in graph.node}
        return dict(_weights(kept, inputs, size["num_hidden_layers"], size["hidden_size"], size["num_attention_heads"]))
    except (KeyError, IndexError, ValueError) as error:
        raise InputError(
            f"{folder}/{onnx_masked.FILE} is not as training/masked_lm/export.py writes it ({type(error).__name__}): "
            "give trir another model (a BERT-like folder, or a name of the hub)"
        ) from None


def _weights(
    kept: Mapping[str, NDArray[Any]], inputs: Mapping[str, list[str]], layers: int, width: int, heads: int
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    def product(name: str) -> NDArray[np.float32]:
        """A quantized matrix as a linear layer holds it: [out, in]."""
        part = name.removesuffix("_quantized")
        numbers = kept[name].astype(np.float32) - kept[f"{part}_zero_point"].astype(np.float32)
        found: NDArray[np.float32] = (numbers * kept[f"{part}_scale"]).T
        return found

    yield "words.weight", kept["words.numbers"].astype(np.float32) * kept["words.scale"]
    kind = kept[inputs["/encode/Add_1"][1]]
    yield "kinds.weight", np.stack([kind, np.zeros_like(kind)])
    for layer in range(layers):
        at = f"layers.{layer}"
        turn = f"_{layer}" if layer else ""
        joined = product(inputs[f"/encode/attention.{layer}/joined/MatMul_quant"][1])
        biases = kept[f"encode.attention.{layer}.joined.bias"]
        # The export put the scale of attention into the query's weights.
        scales = ((width // heads) ** 0.5, 1.0, 1.0)
        for name, scale, low in zip(("query", "key", "value"), scales, range(0, 3 * width, width), strict=True):
            yield f"{at}.{name}.weight", joined[low : low + width] * np.float32(scale)
            yield f"{at}.{name}.bias", biases[low : low + width] * np.float32(scale)
        yield f"{at}.merge.weight", product(inputs[f"/encode/merge{turn}/MatMul_quant"][1])
        for name in ("widen", "narrow"):
            yield f"{at}.{name}.weight", product(f"model.{at}.{name}.weight_quantized")
    yield "lm_dense.weight", product("model.lm_dense.weight_quantized")
    plain = (name for name in kept if name.startswith("model.") and not name.endswith(("_scale", "_zero_point")))
    yield from ((name.removeprefix("model."), kept[name]) for name in plain if not name.endswith("_quantized"))
