"""Annotated texts as windows of sub-tokens with BIO tags."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.models.tokens import window_ranges
from training.tagger.records import Mark, Record, disjoint
from training.tagger.user import read_user

IGNORED = -100
"""The target of sub-tokens that nothing is learned from."""
FEWEST_TEXTS = 10


@dataclass(frozen=True)
class Window:
    """Sub-tokens of a text, those that begin and end a sequence included, and the number of each one's tag."""

    ids: list[int]
    tags: list[int]


def read_texts(data: Sequence[Path], pairs: Sequence[tuple[Path, Path]], *, masked_only: bool) -> list[Record]:
    """Records of annotated files (``--data``), and of texts with a file of their spans (``--texts``, ``--gold``).

    ``masked_only``: mentions that annotators left in the text are no mentions. Where several people annotated a text
    the first reading counts, so that no text is learned twice.
    """
    records = [record for path in data for record in read_user(path)]
    for texts, gold in pairs:
        records += _join(texts, gold)
    first = {(record.set, record.group): record for record in reversed(records)}
    found = [_masked(record) if masked_only else record for record in first.values()]
    return sorted(found, key=lambda record: record.id)


def _masked(record: Record) -> Record:
    marks = tuple(mark for mark in record.marks if mark.decision != "none")
    return Record(record.set, record.id, record.group, record.text, marks)


def _join(texts: Path, gold: Path) -> Iterator[Record]:
    spans = {str(row["id"]): row["spans"] for row in _rows(gold)}
    for row in _rows(texts):
        name = str(row["id"])
        if name not in spans:
            raise SystemExit(f"{gold}: has no spans of document {name} of {texts}; give the file of the same run")
        marks = [Mark(span["start"], span["end"], span["label"], span.get("identifier")) for span in spans[name]]
        yield Record("user", name, name, row["text"], disjoint(row["text"], marks))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def tag_names(records: Iterable[Record]) -> list[str]:
    """O, and B and I of every label that occurs."""
    labels = sorted({mark.label for record in records for mark in record.marks if mark.label is not None})
    return ["O", *(f"{position}-{label}" for label in labels for position in "BI")]


def token_tags(record: Record, offsets: Sequence[tuple[int, int]], numbers: dict[str, int]) -> list[int]:
    """The tag of each sub-token by its range: B where a mention begins, I within it; blanks at its ends are no part."""
    tags = [numbers["O"]] * len(offsets)
    marks = iter(record.marks)
    mark = next(marks, None)
    begun = False
    for number, (start, end) in enumerate(offsets):
        piece = record.text[start:end]
        start += len(piece) - len(piece.lstrip())
        while mark is not None and start >= mark.end:
            mark, begun = next(marks, None), False
        if mark is None or start >= end or end <= mark.start:
            continue
        tags[number] = IGNORED if mark.label is None else numbers[f"{'I' if begun else 'B'}-{mark.label}"]
        begun = True
    return tags


def cut_windows(records: Iterable[Record], tokenizer: Any, numbers: dict[str, int], context: int) -> list[Window]:
    """Texts in windows of at most ``context`` sub-tokens that overlap by an eighth."""
    plain = tokenizer("a", add_special_tokens=False)["input_ids"]
    whole = tokenizer("a")["input_ids"]
    begin = next((n for n in range(len(whole)) if whole[n : n + len(plain)] == plain), 0)
    before, after = whole[:begin], whole[begin + len(plain) :]
    size = context - len(before) - len(after)
    windows = []
    for record in records:
        encoded = tokenizer(record.text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        ids, tags = encoded["input_ids"], token_tags(record, encoded["offset_mapping"], numbers)
        for first, last in window_ranges(len(ids), size, size - size // 8) if ids else ():
            around = [IGNORED] * len(before), [IGNORED] * len(after)
            windows.append(Window([*before, *ids[first:last], *after], [*around[0], *tags[first:last], *around[1]]))
    return windows


def set_aside(records: Sequence[Record], share: float, seed: int) -> tuple[list[Record], list[Record]]:
    """Texts to train on, and those that pick the epoch."""
    if len(records) < FEWEST_TEXTS:
        raise SystemExit(f"{len(records)} annotated texts are too few to train on: give at least {FEWEST_TEXTS}")
    shuffled = list(records)
    random.Random(seed).shuffle(shuffled)
    count = max(1, round(len(shuffled) * share))
    return shuffled[count:], shuffled[:count]


def by_split(records: Sequence[Record], path: Path) -> tuple[list[Record], list[Record]]:
    """Texts to train on and those that pick the epoch, as a file says that has the ids of each part; no others."""
    parts = json.loads(path.read_text(encoding="utf-8"))
    for name in ("train", "validation"):
        if not isinstance(parts, dict) or not isinstance(parts.get(name), list) or not parts[name]:
            raise SystemExit(f"{path}: has no list of ids under {name!r}; both train and validation need one")
    known = {record.group for record in records}
    if missing := [name for name in (*parts["train"], *parts["validation"]) if str(name) not in known]:
        raise SystemExit(f"{path}: document {missing[0]} is not in the texts given")
    train, validation = (
        [record for record in records if record.group in set(map(str, parts[name]))] for name in ("train", "validation")
    )
    if len(train) < FEWEST_TEXTS:
        raise SystemExit(f"{len(train)} annotated texts are too few to train on: give at least {FEWEST_TEXTS}")
    return train, validation
