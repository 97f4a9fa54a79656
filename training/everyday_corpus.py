"""The everyday corpus: documents with inline marks, read as text with spans, and split into four parts.

    python -m training.everyday_corpus PART OUT.jsonl     # PART: train, validation, test, new_kinds or all

writes one document a line: ``{"id", "language", "text", "spans": [[start, end, kind], ...], "entities": [...]}``, one
entity (a number or null) for each span. corpora/everyday/README.md has the format of the marks and what the kinds mean.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).resolve().parent.parent / "corpora" / "everyday"
KINDS = "NUICALODGKVPQX"
MARK = re.compile(rf"⟦([{KINDS}])(\d*)\|([^⟦⟧]*)⟧")
Part = Literal["train", "validation", "test", "new_kinds"]
_SPLIT_BY_HASH = "documents"
_PART_OF_FOLDER: dict[str, Part] = {"training": "train", "new_kinds": "new_kinds"}
"""Folders whose documents all belong to one part."""
_SHARES = {"train": 60, "validation": 15, "test": 25}


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """``text[start:end]`` is of a kind; mentions of the same person or thing have the same entity number."""

    start: int
    end: int
    kind: str
    entity: int | None = None


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    id: str
    language: str
    genre: str
    text: str
    spans: tuple[MarkedSpan, ...]

    @property
    def part(self) -> Part:
        """The part that a document belongs to: its folder's, or one by a hash of its id."""
        if part := _PART_OF_FOLDER.get(self.id.split("/")[0]):
            return part
        number = int.from_bytes(hashlib.sha256(self.id.encode()).digest()[:4]) % 100
        if number < _SHARES["train"]:
            return "train"
        return "validation" if number < _SHARES["train"] + _SHARES["validation"] else "test"


def parse(path: Path) -> MarkedDocument:
    """A document of the corpus. Raises ValueError, with the file and the line, where a mark is malformed."""
    source = path.read_text(encoding="utf-8")
    text, spans, end = "", [], 0
    for mark in MARK.finditer(source):
        text += _unmarked(source, end, mark.start(), path)
        kind, entity, marked = mark.groups()
        if not marked or marked != marked.strip():
            raise ValueError(
                f"{path}: line {source.count(chr(10), 0, mark.start()) + 1}: a mark is empty or has spaces"
            )
        spans.append(MarkedSpan(len(text), len(text) + len(marked), kind, int(entity) if entity else None))
        text += marked
        end = mark.end()
    text += _unmarked(source, end, len(source), path)
    genre = path.stem.rpartition("-")[0]
    language, folder = path.parent.name, path.parent.parent.name
    document_id = f"{folder}/{language}/{path.stem}" if folder in _PART_OF_FOLDER else f"{language}/{path.stem}"
    return MarkedDocument(document_id, language, genre, text, tuple(spans))


def _unmarked(source: str, start: int, end: int, path: Path) -> str:
    piece = source[start:end]
    if "⟦" in piece or "⟧" in piece:
        raise ValueError(
            f"{path}: line {source.count(chr(10), 0, start) + 1}: a mark is not closed, nested or of no kind"
        )
    return piece


def read_corpus(folder: Path = FOLDER, part: Part | None = None) -> Iterator[MarkedDocument]:
    """The documents of a part, or all of them, folder by folder in the order of their names."""
    for name in (_SPLIT_BY_HASH, *_PART_OF_FOLDER):
        if part is not None and _PART_OF_FOLDER.get(name, part) != part:
            continue
        for path in sorted((folder / name).glob("*/*.txt")):
            document = parse(path)
            if part is None or document.part == part:
                yield document


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=["train", "validation", "test", "new_kinds", "all"])
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    part = None if arguments.part == "all" else arguments.part
    with arguments.out.open("w", encoding="utf-8") as file:
        for document in read_corpus(part=part):
            row = {
                "id": document.id,
                "language": document.language,
                "text": document.text,
                "spans": [[span.start, span.end, span.kind] for span in document.spans],
                "entities": [span.entity for span in document.spans],
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
