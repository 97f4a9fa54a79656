"""The texts never trained on, with what must be masked in them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.detect_scores import Mention
from training.tagger.data import READERS
from training.tagger.records import Mark, Record
from training.tagger.splits import position, read_foldout

from sfumato.models.base import Range

SETS = ("tab", "asq_phi", "presidio", "spia", "meddocan", "wnut17", "wikigold", "btc")
TYPED = "tab_typed"
"""Rulings with types only: part of the set ``tab`` when it is left out of training, of no use for entity recall."""
DECIDED = frozenset({"tab", "asq_phi", "presidio", "spia", "meddocan"})
"""Sets that say of each mention whether it must go; of the others every mention counts."""
_CONFIG = Path(__file__).parents[1] / "training/tagger/config.toml"


@dataclass(frozen=True)
class Text:
    """One text: what must be masked, what nobody can judge, and the reference of the leave-one-out scores."""

    id: str
    text: str
    mentions: tuple[Mention, ...]
    unknown: tuple[Range, ...]
    assumed: tuple[Range, ...]
    """What training takes to be personal: in sets without decisions not every mention (see its config.toml)."""
    is_harmless: bool
    """Nothing personal is annotated."""

    @property
    def reference(self) -> list[Range]:
        return [(mention.start, mention.end) for mention in self.mentions]


def foldout(data: Path, name: str, limit: int | None) -> list[Text]:
    """The fold-out texts of a set, at most ``limit`` of them, drawn by a hash of their ids."""
    kept_back = read_foldout()[name]
    folder, reader = READERS["tab" if name == TYPED else name]
    assume = tomllib.loads(_CONFIG.read_text(encoding="utf-8"))["assume"].get(name, {})
    entities = _tab_mentions(data / folder) if name == "tab" else {}
    texts = [
        _text(record, assume, entities.get(record.id))
        for record in reader(data / folder)
        if record.set == name and (record.id in kept_back or record.group in kept_back)
    ]
    return sorted(texts, key=lambda text: position(1, text.id))[:limit]


def _text(record: Record, assume: dict[str, str], annotated: list[Mention] | None) -> Text:
    named = [mark for mark in record.marks if mark.label]
    personal = record.personal if record.set in DECIDED else named
    mentions = [Mention(mark.start, mark.end, mark.decision, _entity(record, mark)) for mark in personal]
    return Text(
        id=record.id,
        text=record.text,
        mentions=tuple(mentions if annotated is None else annotated),
        unknown=tuple((mark.start, mark.end) for mark in record.marks if mark.label is None),
        assumed=tuple(
            (mark.start, mark.end)
            for mark in named
            if (mark.decision or assume.get(mark.label or "")) in ("direct", "quasi")
        ),
        is_harmless=not any(mark.decision != "none" for mark in named),
    )


def _entity(record: Record, mark: Mark) -> str:
    """Where nobody linked mentions, the same words of the same type are one entity."""
    return f"{mark.label}:{' '.join(record.text[mark.start : mark.end].casefold().split())}"


def _tab_mentions(folder: Path) -> dict[str, list[Mention]]:
    """The mentions to mask of each ruling, with the annotator's own links between them."""
    return dict(_rulings(folder / "gold_train_dev.jsonl"))


def _rulings(path: Path) -> Iterator[tuple[str, list[Mention]]]:
    with path.open(encoding="utf-8") as file:
        for line in map(json.loads, file):
            yield (
                line["metadata"]["provenance"]["doc_id"],
                [
                    Mention(
                        entity["start_offset"],
                        entity["end_offset"],
                        entity["identifier_type"].lower(),
                        entity["entity_id"],
                    )
                    for entity in line["entities"]
                    if entity["identifier_type"] in ("DIRECT", "QUASI")
                ],
            )
