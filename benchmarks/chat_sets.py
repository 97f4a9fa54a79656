"""What language models are measured on: biographies of wiki_replace and the beginnings of rulings of TAB dev."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from benchmarks.attacks import strangers
from training.tagger.splits import position, read_foldout

from sfumato.attacks.background import Background, as_background
from sfumato.attacks.base import Person
from sfumato.document import Document, Edit, Span
from sfumato.formats.spans import read_masks

RULING_CHARACTERS = 1500
BIOGRAPHIES, RULINGS = 20, 10
Decision = Literal["direct", "quasi"]


@dataclass(frozen=True)
class Corpus:
    """Documents with what an annotator would mask in them, and what attackers may know of people."""

    name: str
    title: str
    documents: Sequence[Document]
    gold: Mapping[str, Sequence[Span]]
    """By document the mentions to mask; those that the annotator left are not among them."""
    backgrounds: Mapping[str, Background]
    published: Mapping[str, Sequence[Edit]] = field(default_factory=dict)
    """What the authors of INTACT put for these mentions, where they published it."""

    def first(self, count: int) -> Corpus:
        """The same with its first documents alone; what is known of people stays."""
        kept = self.documents[:count]
        return replace(self, documents=kept, gold={document.id: self.gold[document.id] for document in kept})


def biographies(data: Path, count: int = BIOGRAPHIES) -> Corpus:
    """The first so many of the 50 by a hash of their ids.

    ``facts``: an attacker knows of each of the 50 the phrases that identify them, as the annotator marked them.
    ``text``: he holds the biographies themselves, among the people of two other sets: the worst case.
    """
    rows = json.loads((data / "wiki_replace/dev50.json").read_text(encoding="utf-8"))
    texts = {row["doc_id"]: row["text"] for row in rows}
    gold = {row["doc_id"]: _mentions(_of_annotators(row), row["text"]) for row in rows}
    facts = [Person(key, ("; ".join(_phrases(texts[key], spans)),)) for key, spans in gold.items()]
    known = [Person(key, (text,)) for key, text in texts.items()]
    names = {key.replace("-", " ").title() for key in texts}
    chosen = sorted(texts, key=lambda key: position(1, key))[:count]
    return Corpus(
        "wiki_replace",
        "biographies of wiki_replace",
        [Document(key, texts[key]) for key in chosen],
        {key: gold[key] for key in chosen},
        {"facts": as_background(facts), "text": as_background([*known, *strangers(data, names)])},
    )


def rulings(data: Path, count: int = RULINGS) -> Corpus:
    """The first 1,500 characters of rulings of the dev set that have a full annotation.

    Those come first that our tagger was never trained on, within them by id. ``public10``: a tenth of the rest of
    each of 1,141 rulings.
    """
    dev = {row["doc_id"] for row in _lines(data / "tab/dev.jsonl")}
    rows = {row["metadata"]["provenance"]["doc_id"]: row for row in _lines(data / "tab/gold_train_dev.jsonl")}
    unseen = read_foldout()["tab"]
    chosen = sorted(dev & rows.keys(), key=lambda key: (key not in unseen, key))[:count]
    texts = {key: rows[key]["text"][:RULING_CHARACTERS] for key in chosen}
    gold = {key: _mentions(rows[key]["entities"], text) for key, text in texts.items()}
    masks = dict(read_masks(data / "tab/masks/Manual_INTACT.json"))
    background = json.loads((data / "tab/background_public10.json").read_text(encoding="utf-8"))
    return Corpus(
        "tab",
        f"the first {RULING_CHARACTERS:,} characters of rulings of TAB dev",
        [Document(key, text) for key, text in texts.items()],
        gold,
        {"public10": as_background([Person(key, (text,)) for key, text in background.items()])},
        {key: _same(masks.get(key, ()), spans) for key, spans in gold.items()},
    )


def unseen_rulings(corpus: Corpus) -> int:
    """How many of the rulings our tagger was never trained on."""
    return len(read_foldout()["tab"] & {document.id for document in corpus.documents})


def _mentions(entities: Iterable[Mapping[str, Any]], text: str) -> list[Span]:
    found = []
    for entity in entities:
        decision = entity["identifier_type"].lower()
        start, end = entity["start_offset"], min(entity["end_offset"], len(text))
        if decision in ("direct", "quasi") and start < end:
            label, linked = entity["entity_type"], entity["entity_id"]
            found.append(Span(start, end, label, cast(Decision, decision), 1.0, "annotator", linked))
    return found


def _same(edits: Iterable[Edit], spans: Sequence[Span]) -> list[Edit]:
    """The edits of just these spans."""
    said = {(edit.span.start, edit.span.end): edit.replacement for edit in edits}
    return [Edit(span, said[span.start, span.end]) for span in spans if (span.start, span.end) in said]


def _of_annotators(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [mention for one in row["annotations"].values() for mention in one["entity_mentions"]]


def _phrases(text: str, spans: Sequence[Span]) -> list[str]:
    return list(dict.fromkeys(text[span.start : span.end] for span in spans))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
