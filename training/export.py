"""What every export of a trained network does around its own graph: compare, write the card, cut in parts."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from training.tagger.parts import cut

OPSET = 17


def write(
    folder: Path,
    small: Path,
    card: dict[str, Any],
    make: Callable[[Path, Path], None],
    parity: Callable[[Path], dict[str, float]],
    split_mb: int | None,
) -> dict[str, Any]:
    """Write the ONNX file ``small`` of the network in ``folder``, its card and tokenizer; returns sizes and parity.

    ``make(full, small)`` writes the graph in full precision and quantized, ``parity`` compares one with the network.
    """
    out = small.parent
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        full = Path(temporary) / "full.onnx"
        make(full, small)
        card["export"] = {
            "opset": OPSET,
            "bytes": small.stat().st_size,
            "full_precision": parity(full),
            "quantized": parity(small),
        }
    if out != folder:
        copyfile(folder / "tokenizer.json", out / "tokenizer.json")
    (out / "config.json").write_text(json.dumps(card, indent=1), encoding="utf-8")
    if split_mb:
        cut(small, split_mb)
    return dict(card["export"])


def run(export: Callable[[Path, Path, Path | None, int, int | None], dict[str, Any]], about: str, windows: int) -> None:
    """The command line of an export."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", type=Path, help="texts for the comparison; random tokens without")
    parser.add_argument("--windows", type=int, default=windows, help="windows compared")
    parser.add_argument("--split-mb", type=int, help="leave the ONNX file in parts of this size (tagger/parts.py)")
    given = parser.parse_args()
    print(json.dumps(export(given.model, given.out, given.data, given.windows, given.split_mb), indent=1))
