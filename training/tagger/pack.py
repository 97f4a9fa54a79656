"""Everything a machine without network needs for training, in one small folder.

``python -m training.tagger.pack --data FILE.jsonl --base MINILM_FOLDER --out gpu-pack``
"""

from __future__ import annotations

import argparse
from pathlib import Path
from shutil import copyfile

from safetensors.numpy import load_file, save_file
from training.tagger.records import read, write

UNUSED = ("pooler.", "embeddings.position_ids")


def pack(data: Path, base: Path, out: Path) -> int:
    """Gzipped data, half-precision weights and the tokenizer; returns the bytes."""
    (out / "base").mkdir(parents=True, exist_ok=True)
    write(out / "data.jsonl.gz", read(data))
    weights = load_file(base / "model.safetensors")
    kept = {name: value.astype("float16") for name, value in weights.items() if not name.startswith(UNUSED)}
    save_file(kept, out / "base" / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        copyfile(base / name, out / "base" / name)
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("gpu-pack"))
    arguments = parser.parse_args()
    print(f"{pack(arguments.data, arguments.base, arguments.out) / 2**20:.1f} MiB in {arguments.out}")


if __name__ == "__main__":
    main()
