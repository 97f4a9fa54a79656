"""An exported tagger as a base to train further: its 8-bit weights turned back into floats, under the network's names.

``python -m training.tagger.dequantize --model FOLDER --out FOLDER`` reads ``tagger.onnx`` and ``config.json`` and
writes ``model.safetensors``, ``config.json`` and ``tokenizer.json``. Less exact by half a step of 8 bits, which
training evens out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file

from sfumato.models.tokens import tokenizer_file
from sfumato.models.torch_tagger import exported_weights


def weights(path: Path, size: Mapping[str, Any]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The weights of a file that ``training/tagger/export.py`` wrote, as ``training/tagger/model.py`` names them."""
    head_size = size.get("head_size") or size["hidden_size"] // size["num_attention_heads"]
    for name, value in exported_weights(path, size).items():
        layer, _, rest = name.partition(".")
        if name == "kind":
            yield "kinds.weight", np.stack([value, np.zeros_like(value)])
        elif rest.startswith("joined"):
            # The export put the scale of attention into the query's weights.
            scales = (head_size**0.5, 1.0, 1.0)
            for part, scale, rows in zip(("query", "key", "value"), scales, np.split(value, 3), strict=True):
                yield f"layers.{layer}.{part}.{rest.removeprefix('joined.')}", rows * np.float32(scale)
        else:
            yield f"{f'layers.{name}' if layer.isdecimal() else name}{'' if rest else '.weight'}", value


def dequantize(folder: Path, out: Path) -> None:
    """Write the weights of an exported tagger as a folder that ``training.tagger.train --base`` takes."""
    size = json.loads((folder / "config.json").read_text(encoding="utf-8"))["size"]
    out.mkdir(parents=True, exist_ok=True)
    arrays = weights(folder / "tagger.onnx", size)
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
