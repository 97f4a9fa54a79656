"""Plain texts for the language model: one JSON line each, ``{"set", "id", "group", "text", "licence"}``.

``group`` is what a split may not tear apart: the case, the template, the person.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from training.tagger.splits import position

SEED = 1
FOLDOUT, VALIDATION = 0.03, 0.01
"""Shares of the groups: never trained on, and looked at during training to keep the best weights."""


@dataclass(frozen=True)
class Text:
    """One document."""

    set: str
    id: str
    group: str
    text: str
    licence: str

    @property
    def part(self) -> str:
        """``foldout``, ``validation`` or ``train``, by a hash of the group alone."""
        place = position(SEED, f"masked_lm {self.group}")
        return "foldout" if place < FOLDOUT else "validation" if place < FOLDOUT + VALIDATION else "train"


def write(path: Path, texts: Iterable[Text]) -> int:
    """Write texts, gzipped where the name ends in .gz (the same texts give the same bytes); returns how many."""
    lines = [json.dumps(asdict(text), ensure_ascii=False) for text in texts]
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return len(lines)


def read(path: Path) -> Iterator[Text]:
    """Texts of a file written by ``write``."""
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).decode().removesuffix("\n").split("\n")
    for line in lines:
        yield Text(**json.loads(line))
