"""The teacher: all-MiniLM-L6-v2 as a sentence encoder, and a small copy of it for a machine without network.

``python -m training.embedder.teacher --base MINILM --out gpu-pack/embedder``
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor

from training.embedder.quantize import rows_to_bytes
from training.encoder import Encoder, Size, fill
from training.tagger.pack import UNUSED

LONGEST = 256
"""Tokens of a text that the teacher reads, as its authors set it."""
_SCALE = ".row_scale"


class Teacher:
    """Mean of the encoder's last layer over all tokens, at length 1."""

    def __init__(self, folder: Path, device: str) -> None:
        self.device = device
        self.model = fill(Encoder(Size.of(folder)), unpacked(folder), fresh=()).to(device).eval()
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(LONGEST)

    @torch.inference_mode()
    def encode(self, texts: Sequence[str], tokens_at_once: int = 65536) -> Tensor:
        """[text, 384]; texts of like length are read together."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch_fast(list(texts))]
        found = torch.zeros(len(ids), self.model.size.hidden_size, device=self.device)
        order, at = sorted(range(len(ids)), key=lambda number: len(ids[number])), 0
        while at < len(order):
            last = at + max(1, tokens_at_once // max(8, len(ids[order[min(at + 4095, len(order) - 1)]])))
            batch = order[at : min(last, at + 4096)]
            found[batch] = self._pool([ids[number] for number in batch]).float()
            at += len(batch)
        return torch.nn.functional.normalize(found, dim=-1)

    def _pool(self, ids: list[list[int]]) -> Tensor:
        model, width = self.model, max(map(len, ids))
        tokens = torch.tensor([row + [0] * (width - len(row)) for row in ids], device=self.device)
        present = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in ids], device=self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            hidden = model.encode(model.words(tokens), present)
        return (hidden.float() * present[..., None]).sum(1) / present.sum(1, keepdim=True)


def pack(base: Path, out: Path) -> None:
    """The encoder with its matrices in bytes, one scale a row: half of half precision."""
    out.mkdir(parents=True, exist_ok=True)
    packed: dict[str, NDArray[Any]] = {}
    for name, value in load_file(base / "model.safetensors").items():
        if name.startswith(UNUSED):
            continue
        if value.ndim == 2:
            packed[name], packed[name + _SCALE] = rows_to_bytes(value.astype(np.float32))
        else:
            packed[name] = value.astype(np.float16)
    save_file(packed, out / "packed.safetensors")
    for name in ("config.json", "tokenizer.json"):
        copyfile(base / name, out / name)


def unpacked(folder: Path) -> Path:
    """The folder itself, once its weights stand there in full."""
    if not (folder / "model.safetensors").exists():
        weights = load_file(folder / "packed.safetensors")
        full = {
            name: value.astype(np.float32) * weights[name + _SCALE][:, None] if name + _SCALE in weights else value
            for name, value in weights.items()
            if not name.endswith(_SCALE)
        }
        save_file({name: value.astype(np.float32) for name, value in full.items()}, folder / "model.safetensors")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    pack(arguments.base, arguments.out)
    print(f"{(arguments.out / 'packed.safetensors').stat().st_size / 2**20:.1f} MiB in {arguments.out}")


if __name__ == "__main__":
    main()
