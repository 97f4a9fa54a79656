"""What risk-bounded release is measured on: texts as a recipe released them, and what is known of people.

Every set has documents of its own to develop on (``other``), but for WikiActors-50, which has no others.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.attacks import actors, strangers
from benchmarks.generalize import documents, mentions, ours, people

from sfumato import recipe
from sfumato.attacks.background import Background, as_background
from sfumato.attacks.base import Person
from sfumato.document import Document, Edit, Release, Span
from sfumato.lexicon.grammar import sentence_ranges
from sfumato.pipeline import Pipeline

SECRET = bytes(range(32))
"""Of the ranks and of the labels' numbers: with another one the figures would differ a little."""
_MASK = re.compile(r"(?:SENSITIVE\s*)+")
_EVERY = 8
"""One in so many of db_bio's training biographies stands in for the validation set during development."""


@dataclass(frozen=True)
class Corpus:
    """Releases to protect, and among whom. ``seconds``: what the recipe took."""

    name: str
    starts: Sequence[Release]
    background: Background
    how: str
    seconds: float
    labels: Mapping[str, str] = field(default_factory=dict)
    """A task: document -> its label."""
    lessons: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """To learn the task from: other documents -> their text and label."""

    @property
    def texts(self) -> dict[str, str]:
        """The originals."""
        return {start.document.id: start.document.text for start in self.starts}


def tab(data: Path, *, other: bool = False, first: int | None = None) -> Corpus:
    """Rulings with their annotated mentions generalized."""
    texts = documents(data, other=other)[:first]
    spans = mentions(data, texts)
    began = time.perf_counter()
    starts = ours("generalize", texts, spans)
    name = f"TAB, {'other rulings' if other else 'dev'}"
    seconds = time.perf_counter() - began
    return Corpus(name, starts, as_background(people(data)), "annotated mentions, generalized", seconds)


def tab_default(data: Path, *, other: bool = False, first: int | None = None) -> Corpus:
    """Rulings as the default recipe releases them."""
    starts, seconds = _by_default(documents(data, other=other)[:first])
    name = f"TAB, {'other rulings' if other else 'dev'}, default recipe"
    return Corpus(name, starts, as_background(people(data)), "default recipe", seconds)


def wikiactors(data: Path, *, other: bool = False, first: int | None = None) -> Corpus:
    """The abstracts of fifty actors among strangers; their articles are known."""
    if other:
        raise SystemExit("WikiActors-50 has no other documents: leave --other out, or name other parts (--part)")
    known, columns = actors(data, "")
    background = as_background([*known, *strangers(data, {person.id for person in known})])
    texts = [Document(key, text) for key, text in columns["original"].items()][:first]
    starts, seconds = _by_default(texts)
    return Corpus("WikiActors-50", starts, background, "default recipe", seconds)


def manual(data: Path, keys: Iterable[str]) -> list[Release]:
    """The published manual masks of these actors."""
    _, columns = actors(data, "")
    return [unmasked(Document(key, columns["original"][key]), columns["manual"][key]) for key in keys]


def unmasked(document: Document, masked: str) -> Release:
    """What a text with SENSITIVE in it masked of the original, blanks aside. Raises where it is no mask of it."""
    pieces = _MASK.split(masked)
    pattern = "(.*?)".join(r"\s*".join(map(re.escape, piece.split())) for piece in pieces)
    found = re.fullmatch(rf"\s*{pattern}\s*", document.text, re.DOTALL)
    if found is None:
        raise ValueError(f"{document.id}: what stands between the masks is not the original's text")
    ranges = [found.span(number) for number in range(1, len(pieces))]
    return Release(document, tuple(Edit(Span(*place, "MISC"), "SENSITIVE") for place in ranges if place[0] < place[1]))


def db_bio(data: Path, *, other: bool = False, first: int | None = None) -> Corpus:
    """Second halves of biographies; the first halves are known. The task is to tell the occupation."""
    train, validation = _biographies(data / "db_bio/train.jsonl"), _biographies(data / "db_bio/validation.jsonl")
    halves = {row["wiki_name"]: halved(row["text"]) for row in [*train, *validation]}
    chosen = train[::_EVERY] if other else validation
    taken = {row["wiki_name"] for row in chosen}
    known = as_background([Person(key, (one,)) for key, (one, _) in halves.items()])
    starts, seconds = _by_default([Document(row["wiki_name"], halves[row["wiki_name"]][1]) for row in chosen[:first]])
    return Corpus(
        f"db_bio, {'train, one in eight' if other else 'validation'}",
        starts,
        known,
        "default recipe",
        seconds,
        {row["wiki_name"]: row["label"] for row in chosen},
        {
            row["wiki_name"]: (halves[row["wiki_name"]][1], row["label"])
            for row in train
            if row["wiki_name"] not in taken
        },
    )


def halved(text: str) -> tuple[str, str]:
    """A text in two, where the sentence begins that is nearest the middle; a lone sentence goes to the second half."""
    begins = [start for start, _ in sentence_ranges(text)][1:]
    middle = min(begins, key=lambda at: abs(2 * at - len(text)), default=0)
    return text[:middle], text[middle:]


def _biographies(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _by_default(texts: Sequence[Document]) -> tuple[list[Release], float]:
    """What the default recipe makes of documents, and how long it took; one that it withholds says nothing."""
    began = time.perf_counter()
    pipeline = Pipeline(recipe.load("default"), secret=SECRET)
    pipeline.learn(lambda: texts)
    made = list(_released(pipeline, texts))
    return made, time.perf_counter() - began


def _released(pipeline: Pipeline, texts: Sequence[Document]) -> Iterator[Release]:
    for outcome in pipeline.anonymize(texts):
        nothing = Edit(Span(0, len(outcome.document.text), "MISC"), "")
        yield outcome if isinstance(outcome, Release) else Release(outcome.document, (nothing,))


SETS = {"tab": tab, "tab-default": tab_default, "wikiactors": wikiactors, "db_bio": db_bio}
