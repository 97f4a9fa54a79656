"""The tagger's network on a GPU: the shipped 8-bit weights as half-precision floats in torch, windows in batches.

The same numbers as the ONNX network up to rounding: there are no 8-bit activations, so windows may share a batch. On a
processor it computes in single precision, which is slower than the ONNX network, and serves to compare the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, MissingExtra
from sfumato.models.base import QuantizedGraph
from sfumato.models.hugging_face import on_device

Window = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""The ids of a window's tokens, of their shapes and of the kinds of their words, special tokens included."""
Logits = list[NDArray[np.float32]]
"""Types, decisions and mask of each token."""

_BATCH_TOKENS = {"cpu": 2048, "cuda": 131_072}
_OUTPUTS = ("type_head", "decision_head", "mask_head")


class TorchTagger:
    """The network of a folder that ``training/tagger`` wrote, on a device of torch."""

    def __init__(self, path: Path, size: Mapping[str, Any], device: str) -> None:
        """``path``: of ``tagger.onnx``; ``size``: the sizes in ``config.json``."""
        try:
            import torch
        except ImportError:
            raise MissingExtra(f"the tagger on {device}", "torch") from None
        self._torch = torch
        self._layers = int(size["num_hidden_layers"])
        self._head_size = int(size.get("head_size") or size["hidden_size"] // size["num_attention_heads"])
        self._full_layers = int(size.get("full_layers") or self._layers)
        self._gate_threshold = float(size.get("gate_threshold", 0.0))
        self._epsilon = float(size["layer_norm_eps"])
        self._device = torch.device(device)
        self._precision = torch.float32 if self._device.type == "cpu" else torch.float16
        try:
            weights = exported_weights(path, size)
        except (KeyError, IndexError, ValueError) as error:
            raise InputError(
                f"{path} is not as training/tagger/export.py writes it ({type(error).__name__}): use device = 'cpu'"
            ) from None
        self._weights = {
            name: on_device(torch.from_numpy(np.array(value, np.float32)), device).to(self._precision)
            for name, value in weights.items()
        }

    def run(self, windows: Sequence[Window]) -> list[Logits]:
        """The logits of each window, special tokens included."""
        outputs: list[Logits] = [[] for _ in windows]
        for batch in self._batches(windows):
            lengths = [len(windows[number][0]) for number in batch]
            logits = self._run_batch([windows[number] for number in batch], lengths)
            for row, (number, length) in enumerate(zip(batch, lengths, strict=True)):
                outputs[number] = [output[row, :length] for output in logits]
        return outputs

    def _batches(self, windows: Sequence[Window]) -> Iterator[list[int]]:
        """The numbers of windows of about the same length, as many as the device takes at once."""
        most = _BATCH_TOKENS.get(self._device.type, _BATCH_TOKENS["cuda"])
        batch: list[int] = []
        for number in sorted(range(len(windows)), key=lambda number: -len(windows[number][0])):
            if batch and (len(batch) + 1) * len(windows[batch[0]][0]) > most:
                yield batch
                batch = []
            batch.append(number)
        if batch:
            yield batch

    def _run_batch(self, windows: Sequence[Window], lengths: Sequence[int]) -> Logits:
        torch = self._torch
        ids = np.zeros((3, len(windows), max(lengths)), np.int64)
        for row, window in enumerate(windows):
            for numbers, values in zip(ids, window, strict=True):
                numbers[row, : len(values)] = values
        visible = None
        if min(lengths) < max(lengths):
            order = torch.arange(max(lengths), device=self._device)
            visible = (order < torch.tensor(lengths, device=self._device)[:, None])[:, None, None, :]
        with torch.inference_mode():
            tokens, shapes, kinds = torch.from_numpy(ids).to(self._device)
            outputs = self._forward(tokens, shapes, kinds, visible)
            return [output.float().cpu().numpy() for output in outputs]

    def _forward(self, tokens: Any, shapes: Any, kinds: Any, visible: Any) -> list[Any]:
        functional, weights = self._torch.nn.functional, self._weights

        def linear(hidden: Any, name: str) -> Any:
            return functional.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])

        def normalize(hidden: Any, name: str) -> Any:
            width = hidden.shape[-1:]
            return functional.layer_norm(
                hidden, width, weights[f"{name}.weight"], weights[f"{name}.bias"], self._epsilon
            )

        batch, length = tokens.shape
        embedded = weights["words"][tokens] + weights["shapes"][shapes] + weights["word_kinds"][kinds]
        hidden = normalize(embedded + weights["positions"][:length] + weights["kind"], "norm")
        gate = passes = None
        for layer in range(self._layers):
            if layer == self._full_layers:
                gate = linear(hidden, "gate")
                passes = gate.sigmoid() >= self._gate_threshold
                passes[:, 0] = True
            before = hidden
            joined = linear(hidden, f"{layer}.joined").view(batch, length, 3, -1, self._head_size)
            query, key, value = joined.permute(2, 0, 3, 1, 4)
            # The scale of attention lies in the query's weights.
            mixed = functional.scaled_dot_product_attention(query, key, value, visible, scale=1.0)
            mixed = linear(mixed.transpose(1, 2).reshape(batch, length, -1), f"{layer}.merge")
            hidden = normalize(hidden + mixed, f"{layer}.attended")
            widened = functional.gelu(linear(hidden, f"{layer}.widen"))
            hidden = normalize(hidden + linear(widened, f"{layer}.narrow"), f"{layer}.done")
            if passes is not None:  # a batch computes all tokens; those that did not pass stay as they were
                hidden = self._torch.where(passes, hidden, before)
        types, decisions, mask = (linear(hidden, name) for name in _OUTPUTS)
        if passes is not None:
            mask = self._torch.where(passes, mask, gate)
        return [types, decisions, mask.squeeze(-1)]


def exported_weights(path: Path, size: Mapping[str, Any]) -> dict[str, NDArray[np.float32]]:
    """The weights of a network that ``training/tagger/export.py`` wrote, linear ones as [out, in].

    ``joined`` holds query, key and value one below the other, the query with the scale of attention in it.
    """
    return dict(_weights(QuantizedGraph(path), int(size["num_hidden_layers"]), size.get("full_layers")))


def _weights(graph: QuantizedGraph, layers: int, full_layers: int | None) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for name in ("words", "shapes", "word_kinds", "positions"):
        if f"model.{name}.weight_quantized" in graph.arrays:  # older taggers have no kinds of words
            yield name, graph.dequantize(f"model.{name}.weight_quantized")
    full = "/encode" if full_layers is None else "/encode/full"
    yield "kind", graph.arrays[graph.inputs[f"{full}/Add_1"][1]]
    for part in ("weight", "bias"):
        yield f"norm.{part}", graph.arrays[f"model.norm.{part}"]
    for layer in range(layers):
        yield from _layer(graph, layer, full_layers, full)
    yield from _heads(graph, is_gated=full_layers is not None)


def _layer(
    graph: QuantizedGraph, layer: int, full_layers: int | None, full: str
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    is_full = full_layers is None or layer < full_layers
    number = layer if is_full else layer - (full_layers or 0)
    attention = f"{full}/attention.{number}" if is_full else f"/encode/partial.{number}"
    products = [f"{attention}/{name}" for name in (("joined",) if is_full else ("query", "pair"))]
    yield f"{layer}.joined.weight", np.concatenate([graph.product(f"{name}/MatMul_quant") for name in products])
    biases = [graph.arrays[f"{name[1:].replace('/', '.')}.bias"] for name in products]
    yield f"{layer}.joined.bias", np.concatenate(biases)
    for name in ("merge", "widen", "narrow"):
        operation = f"{full if is_full else '/encode'}/{name}{f'_{number}' if number else ''}"
        yield f"{layer}.{name}.weight", graph.product(f"{operation}/MatMul_quant")
        yield f"{layer}.{name}.bias", graph.arrays[f"model.layers.{layer}.{name}.bias"]
    for name in ("attended", "done"):
        for part in ("weight", "bias"):
            yield f"{layer}.{name}.{part}", graph.arrays[f"model.layers.{layer}.{name}.{part}"]


def _heads(graph: QuantizedGraph, *, is_gated: bool) -> Iterator[tuple[str, NDArray[np.float32]]]:
    if not is_gated:
        for name in _OUTPUTS:
            yield f"{name}.weight", graph.product(f"/{name}/MatMul_quant")
            yield f"{name}.bias", graph.arrays[f"model.{name}.bias"]
        return
    yield "gate.weight", graph.product("/encode/gate/MatMul_quant")
    yield "gate.bias", graph.arrays["model.gate.bias"]
    limits = (-4, -1)  # all types, three decisions, one mask
    for part, heads in (("weight", graph.product("/heads/MatMul_quant")), ("bias", graph.arrays["heads.bias"])):
        for name, rows in zip(_OUTPUTS, np.split(heads, limits), strict=True):
            yield f"{name}.{part}", rows
