"""Which texts are never trained on. Decided by a hash of the seed and the group, so that no list order matters.

The list is written once to ``foldout.json`` beside this file; training and the benchmark both read it from there.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from training.tagger.records import Record

FOLDOUT = Path(__file__).parent / "foldout.json"
SHARE = {"tab": 0.25}
OTHER_SHARE = 0.20
TRAINED_ON = frozenset({"everyday", "everyday_copies"})
VALIDATED_ON = frozenset({"everyday_validation"})
"""Parts of the everyday corpus, which has a split of its own; its test part is not read here at all."""


def position(seed: int, group: str) -> float:
    """A group's place between 0 and 1, the same on every machine."""
    return int.from_bytes(sha256(f"{seed}\0{group}".encode()).digest()[:8], "big") / 2**64


def folded_out(records: Iterable[Record], seed: int) -> dict[str, list[str]]:
    """Per set, the names of what is kept back: the groups that come first by hash, as many as the set's share asks.

    Real texts are named by id; generated ones by template, since how many texts a template gives is up to the caller.
    """
    names: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        if record.set in TRAINED_ON | VALIDATED_ON:
            continue
        name = record.group if record.set.startswith("generated") else record.id
        names[record.set][record.group].append(name)
    kept_back = {}
    for name, groups in names.items():
        ordered = sorted(groups, key=lambda group: position(seed, group))
        chosen = ordered[: math.ceil(SHARE.get(name, OTHER_SHARE) * len(ordered))]
        kept_back[name] = sorted({record_id for group in chosen for record_id in groups[group]})
    return kept_back


def write_foldout(kept_back: dict[str, list[str]], seed: int, path: Path = FOLDOUT) -> None:
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(ids)}" for name, ids in sorted(kept_back.items()))
    path.write_text(f'{{"seed": {seed}, "sets": {{\n{lines}\n}}}}\n', encoding="utf-8")


def read_foldout(path: Path = FOLDOUT) -> dict[str, frozenset[str]]:
    """A set's name -> the ids (for generated sets: templates) that are never trained on."""
    return {name: frozenset(ids) for name, ids in json.loads(path.read_text(encoding="utf-8"))["sets"].items()}


@dataclass
class Split:
    """The three parts of the data. Validation comes from the training side: it picks the epoch and the calibration."""

    train: list[Record]
    validation: list[Record]
    foldout: list[Record]


def split(records: Iterable[Record], kept_back: dict[str, frozenset[str]], seed: int, share: float) -> Split:
    """Fold-out by the list, validation by hash; a group stays in one part."""
    parts = Split([], [], [])
    for record in records:
        names = kept_back.get(record.set, frozenset())
        if record.id in names or record.group in names:
            parts.foldout.append(record)
        elif record.set in VALIDATED_ON or (
            record.set not in TRAINED_ON and position(seed + 1, f"validation {record.group}") < share
        ):
            parts.validation.append(record)
        else:
            parts.train.append(record)
    return parts
