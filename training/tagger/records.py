"""The common format of all training data: one JSON line a text.

``{"set", "id", "group", "text", "spans": [[start, end, label, decision], ...]}``. ``group`` is what may never be torn
apart by a split: a document, or the template a text was made from. ``decision`` is direct, quasi, none (a typed mention
that may stay) or null (nobody said). A span whose *label* is null covers text nobody may learn from: it was not
annotated, but may well be personal (a date in a set that annotates only names).
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from training.tagger.labels import DECISIONS, LABELS


class Mark(NamedTuple):
    """A stretch of text with its type and decision; see the module's docstring for what None means."""

    start: int
    end: int
    label: str | None
    decision: str | None = None


@dataclass(frozen=True)
class Record:
    """One text of one set, its marks sorted and disjoint."""

    set: str
    id: str
    group: str
    text: str
    marks: tuple[Mark, ...]

    def __post_init__(self) -> None:
        end = 0
        for mark in self.marks:
            if not end <= mark.start < mark.end <= len(self.text):
                raise ValueError(
                    f"{self.set}/{self.id}: [{mark.start}, {mark.end}) is empty, overlaps or leaves the text"
                )
            if mark.label is not None and mark.label not in LABELS:
                raise ValueError(f"{self.set}/{self.id}: unknown label {mark.label!r}; use one of {', '.join(LABELS)}")
            if mark.decision is not None and mark.decision not in DECISIONS:
                raise ValueError(
                    f"{self.set}/{self.id}: unknown decision {mark.decision!r}; use {', '.join(DECISIONS)}"
                )
            end = mark.end

    @property
    def personal(self) -> tuple[Mark, ...]:
        """Marks that must be masked."""
        return tuple(mark for mark in self.marks if mark.decision in ("direct", "quasi"))


def disjoint(text: str, marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Marks made fit for a Record: no blanks at the edges, sorted, and of two that overlap the longer one.

    What is known always wins over a mark that only says "unknown".
    """
    kept: list[Mark] = []
    taken = bytearray(len(text))
    for mark in sorted({_trimmed(text, mark) for mark in marks}, key=_precedence):
        if mark.start < mark.end and not any(taken[mark.start : mark.end]):
            taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
            kept.append(mark)
    return tuple(sorted(kept))


def _precedence(mark: Mark) -> tuple[bool, int, int, str, str]:
    return (mark.label is None, mark.start - mark.end, mark.start, mark.label or "", mark.decision or "")


def _trimmed(text: str, mark: Mark) -> Mark:
    piece = text[mark.start : mark.end]
    left = len(piece) - len(piece.lstrip())
    return mark._replace(start=mark.start + left, end=max(mark.start + left, mark.start + len(piece.rstrip())))


def skeleton(text: str, marks: Iterable[Mark] = ()) -> str:
    """The same short digest for near copies: marked values, numbers, links, handles, case and blanks do not count."""
    pieces, at = [], 0
    for mark in sorted(marks):
        pieces += [text[at : mark.start], f" {mark.label} "]
        at = mark.end
    plain = re.sub(r"https?://\S+|@\w+|\d+", " ", "".join([*pieces, text[at:]]))
    return sha256(" ".join(re.findall(r"\w+", plain.lower())).encode()).hexdigest()[:12]


def write(path: Path, records: Iterable[Record]) -> int:
    """Write records, gzipped where the name ends in .gz (the same data gives the same bytes); returns how many."""
    lines = [
        json.dumps(
            {
                "set": record.set,
                "id": record.id,
                "group": record.group,
                "text": record.text,
                "spans": [list(mark) for mark in record.marks],
            },
            ensure_ascii=False,
        )
        for record in records
    ]
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    return len(lines)


def read(path: Path) -> Iterator[Record]:
    """Records of a file written by ``write``."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    for line in text.removesuffix("\n").split("\n"):
        row = json.loads(line)
        marks = tuple(Mark(*span) for span in row["spans"])
        yield Record(row["set"], row["id"], row["group"], row["text"], marks)


def read_plain(path: Path) -> Iterator[Record]:
    """Texts nobody annotated, as ``training.masked_lm.prepare`` writes them: one mark each that says "unknown"."""
    content = path.read_bytes()
    for line in (gzip.decompress(content) if path.suffix == ".gz" else content).decode().splitlines():
        row = json.loads(line)
        text = row["text"]
        if text.strip():
            name = "plain_tab" if row["set"].startswith("tab") else "plain"
            yield Record(
                name, f"{row['set']}/{row['id']}", f"{row['set']}/{row['id']}", text, (Mark(0, len(text), None),)
            )
