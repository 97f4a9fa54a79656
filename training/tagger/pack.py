"""Everything a machine without network needs for training, in small folders.

``python -m training.tagger.pack --data FILE.jsonl --base MINILM_FOLDER --out gpu-pack [--teacher MPNET_FOLDER]``
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

from safetensors.numpy import load_file, save_file

from training.eight_bits import Arrays, in_eight_bits
from training.tagger.records import read, write

UNUSED = ("pooler.", "embeddings.position_ids")
SPECIAL = {"[CLS]": "<s>", "[SEP]": "</s>", "[PAD]": "<pad>", "[MASK]": "<mask>"}
"""BERT's special tokens and what MPNet calls them."""
WORDS = "embeddings.word_embeddings.weight"
PIECE = 44 * 2**20
"""Bytes of one file of a teacher: a folder must fit through a narrow door together with the rest."""


def pack(data: Path, base: Path, out: Path) -> int:
    """Gzipped data, 8-bit weights and the tokenizer; returns the bytes."""
    (out / "base").mkdir(parents=True, exist_ok=True)
    write(out / "data.jsonl.gz", read(data))
    weights = load_file(base / "model.safetensors")
    kept = {name: value for name, value in weights.items() if not name.startswith(UNUSED)}
    save_file(in_eight_bits(kept), out / "base" / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        copyfile(base / name, out / "base" / name)
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def pack_teacher(teacher: Path, base: Path, out: Path) -> list[Path]:
    """An MPNet in 8 bits and in several folders, its table of words in the order of BERT's vocabulary.

    Both cut words alike, so the teacher reads the very tokens that the student reads.
    """
    weights = load_file(teacher / "model.safetensors")
    kept = {name: value for name, value in weights.items() if not name.startswith(UNUSED)}
    kept[WORDS] = kept[WORDS][list(_word_rows(teacher, base))]
    folders: list[Path] = []
    piece, size = Arrays(), 0
    for name, value in in_eight_bits(kept).items():
        if size + value.nbytes > PIECE:
            folders.append(_write_piece(out, len(folders), piece))
            piece, size = {}, 0
        piece[name] = value
        size += value.nbytes
    folders.append(_write_piece(out, len(folders), piece))
    copyfile(teacher / "config.json", folders[-1] / "config.json")
    copyfile(base / "tokenizer.json", folders[-1] / "tokenizer.json")
    return folders


def _word_rows(teacher: Path, base: Path) -> Iterator[int]:
    """For each word piece of BERT, its row in the teacher's table."""
    vocabularies = [
        json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        for folder in (base, teacher)
    ]
    rows = {SPECIAL.get(word, word): row for word, row in vocabularies[0].items()}
    for word, _ in sorted(rows.items(), key=lambda item: item[1]):
        yield vocabularies[1].get(word, vocabularies[1]["[UNK]"])


def _write_piece(out: Path, number: int, piece: Arrays) -> Path:
    folder = out.with_name(f"{out.name}-teacher-{number + 1}")
    folder.mkdir(parents=True, exist_ok=True)
    save_file(piece, folder / "model.safetensors")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, help="all-mpnet-base-v2's folder: packed beside the rest")
    parser.add_argument("--out", type=Path, default=Path("gpu-pack"))
    arguments = parser.parse_args()
    print(f"{pack(arguments.data, arguments.base, arguments.out) / 2**20:.1f} MiB in {arguments.out}")
    if arguments.teacher:
        for folder in pack_teacher(arguments.teacher, arguments.base, arguments.out):
            print(f"{(folder / 'model.safetensors').stat().st_size / 2**20:.1f} MiB in {folder}")


if __name__ == "__main__":
    main()
