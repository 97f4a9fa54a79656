"""People and what is written about them, from sets that no linking attack is measured on.

Left out are all rulings of TAB's dev set and further rulings on the same applications, the people of WikiActors and
wiki_replace, and the validation part of db_bio.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sfumato.lexicon.grammar import sentence_ranges
from training.everyday_corpus import read_corpus
from training.masked_lm.leave_out import LeaveOut, applications, gather, words
from training.masked_lm.sources import background, biographies
from training.tagger.splits import position

SEED = 3
HELD_OUT, VALIDATION = 0.08, 0.06
"""Shares of the people: never trained on, and looked at during training to keep the best weights."""
LONGEST = 9_000
"""Characters of a text that are read."""
_OPENING = 100
_DB_BIO_VALIDATION = "db_bio/validation.jsonl"
_MUST_GO = frozenset("NUICALODGKVP")
Side = Literal["both", "release", "background"]
Edits = list[tuple[int, int, str]]
"""Ranges of a text and what stands there in a release; sorted and disjoint."""
_NAME = re.compile(
    r"(?<!^)(?<![.!?:]\s)(?<![.!?:]\s\s)\b[A-Z][\w'’-]*(?: (?:(?:of|the|de|von|and) )?[A-Z][\w'’-]*)*"
    r"|\b[A-Z][\w'’-]*(?: (?:(?:of|de|von) )?[A-Z][\w'’-]*)+|\d[\d.,/:]*\d|\d",
    re.M,
)
"""Capitalised words, but for a lone one at the beginning of a sentence, and numbers."""


@dataclass(frozen=True)
class SourceText:
    """A text about a person: its sentences, and how they read in releases that came with the set."""

    side: Side
    text: str = field(repr=False)
    sentences: tuple[tuple[int, int], ...]
    marked: Mapping[str, Edits] = field(default_factory=dict, repr=False)
    """Releases that the set's own marks give, by name."""
    given: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """Releases that came sentence by sentence, by name."""


@dataclass(frozen=True)
class SourcePerson:
    """A person of a set; ``part`` is decided by a hash of the id."""

    set: str
    id: str
    texts: tuple[SourceText, ...] = field(repr=False)

    @property
    def part(self) -> str:
        place = position(SEED, f"link_encoder {self.set} {self.id}")
        return "held out" if place < HELD_OUT else "validation" if place < HELD_OUT + VALIDATION else "train"


def source_text(text: str, side: Side = "both", marked: Mapping[str, Edits] | None = None) -> SourceText:
    """A text cut to the length that is read, with its sentences, and a release without names and numbers."""
    text = text[:LONGEST]
    shown = {"capitals": [(*match.span(), "***") for match in _NAME.finditer(text)]}
    for name, edits in (marked or {}).items():
        shown[name] = [edit for edit in edits if edit[1] <= len(text)]
    return SourceText(side, text, tuple(sentence_ranges(text)), shown)


def read_people(data: Path) -> Iterator[SourcePerson]:
    """Everyone there is, set by set."""
    left_out = gather(data, {}, background(data))
    yield from _rulings(data, left_out)
    yield from _biographies(data, left_out)
    yield from _profiles(data)
    yield from _posts(data)
    yield from _everyday()


def _rulings(data: Path, left_out: LeaveOut) -> Iterator[SourcePerson]:
    """Cases: what a ruling begins with beside its facts, where these are at hand; else parts of what it begins with."""
    facts = {}
    for row in _lines(data / "tab/gold_train_dev.jsonl"):
        facts[row["metadata"]["provenance"]["doc_id"]] = row
    for case in background(data):
        if case.group in left_out.cases or applications(case.text) & left_out.applications:
            continue
        if ruling := facts.get(case.group):
            release = source_text(ruling["text"], "release", {"suppressed": _gold_edits(ruling)})
            yield SourcePerson("rulings", case.group, (release, source_text(case.text, "background")))
        else:
            yield SourcePerson("rulings", case.group, (source_text(case.text),))


def _gold_edits(row: Mapping[str, Any]) -> Edits:
    """What the annotator decided to mask."""
    ranges = {
        (mention["start_offset"], mention["end_offset"])
        for mention in row["entities"]
        if mention["identifier_type"] in ("DIRECT", "QUASI")
    }
    return without_overlaps((start, end, "***") for start, end in ranges)


def without_overlaps(edits: Iterable[tuple[int, int, str]]) -> Edits:
    """From left to right; of two that overlap the first, of two that begin together the longer."""
    kept: Edits = []
    for start, end, replacement in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end, replacement))
    return kept


def _biographies(data: Path, left_out: LeaveOut) -> Iterator[SourcePerson]:
    validation = {row["wiki_name"] for row in _lines(data / _DB_BIO_VALIDATION)}
    masked = {
        row["meta"]["note_id"]: row["deid_text"] for row in _lines(data / "wikibio/robust_deid_wikibio_test_2000.jsonl")
    }
    for biography in biographies(data):
        opening = f" {words(biography.text[:_OPENING])} "
        if biography.id in validation or any(f" {name} " in opening for name in left_out.people):
            continue
        if biography.set == "db_bio":
            yield SourcePerson("db_bio", biography.id, (source_text(biography.text),))
        else:
            yield SourcePerson("wikibio", biography.id, (_by_line(biography.text, masked[biography.id]),))


def _by_line(text: str, masked: str) -> SourceText:
    """A text with a sentence a line, and its masked version, where that has as many lines."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]+", text)]
    shown = [line for line in masked.split("\n") if line]
    given = {"masked": tuple(shown)} if len(shown) == len(lines) else {}
    return SourceText("both", text, tuple(lines), {}, given)


def _profiles(data: Path) -> Iterator[SourcePerson]:
    for row in _lines(data / "synthpai/profiles.jsonl"):
        texts = tuple(source_text(comment["text"]) for comment in row["comments"])
        yield SourcePerson("synthpai", row["username"], texts)
    posts: dict[str, list[str]] = defaultdict(list)
    for row in _lines(data / "personalreddit/synthetic_dataset.jsonl"):
        posts[json.dumps(row["personality"], sort_keys=True)].append(row["response"])
    for person, responses in posts.items():
        yield SourcePerson("personalreddit", person, tuple(map(source_text, responses)))


def _posts(data: Path) -> Iterator[SourcePerson]:
    for row in _lines(data / "spia/panorama_380.jsonl"):
        yield SourcePerson("panorama", row["metadata"]["data_id"], (source_text(row["text"]),))


def _everyday() -> Iterator[SourcePerson]:
    """English documents of the training part; what must go is marked."""
    for document in read_corpus(part="train"):
        if document.language == "en":
            edits = ((span.start, span.end, "***") for span in document.spans if span.kind in _MUST_GO)
            text = source_text(document.text, "both", {"suppressed": without_overlaps(edits)})
            yield SourcePerson("everyday", document.id, (text,))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
