"""What an attacker who has this software makes of a background: its generalizations, its times and amounts, and
pieces of it anonymized as releases are.

Detectors find the mentions of a text, hierarchies say what is true of each at every level. That takes most of the
attack's time, so it is done once for a text: cached in memory, and in a folder where the user names one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sfumato.attacks.base import Person
from sfumato.cache import SqliteStore, cache_version
from sfumato.detectors.detection import detection_by_name
from sfumato.document import Document
from sfumato.generalize.hierarchy import WITHOUT_HIERARCHY, Mention, generalize
from sfumato.generalize.truth_values import read_amount, read_period
from sfumato.lexicon.language import document_language

HEIGHTS = (0.0, 0.5, 1.0)
"""The levels at which a background is generalized, from the most specific to the least."""
_PLACEHOLDER = re.compile(r"\[[A-Z]+\]")
DAY = "day"
"""The unit of a time: days since the year 1."""


class Interval(NamedTuple):
    """A time or an amount that a text says: from ``low`` to ``high`` of a unit."""

    unit: str
    low: float
    high: float


class GeneralizedMention(NamedTuple):
    """A mention of a text, and what is true of it, most specific first."""

    start: int
    end: int
    label: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class GeneralizedText:
    """A text with the mentions that detectors find in it."""

    text: str = field(repr=False)
    mentions: tuple[GeneralizedMention, ...] = field(repr=False)

    def at_level(self, height: float) -> str:
        """The text as a release: each mention at a level, from 0 for the most specific to 1 for the least.

        A mention without levels becomes the label of its type.
        """
        return self._replace_mentions(
            lambda levels: levels[min(len(levels) - 1, int(height * len(levels)))] if levels else None
        )

    def part(self, start: int, end: int) -> GeneralizedText:
        """A part of the text, with the mentions that lie within it."""
        inside = (mention for mention in self.mentions if start <= mention.start and mention.end <= end)
        moved = (mention._replace(start=mention.start - start, end=mention.end - start) for mention in inside)
        return GeneralizedText(self.text[start:end], tuple(moved))

    def anonymize(self, generator: np.random.Generator) -> str:
        """The text as a release: each mention at a level drawn at random, or as the label of its type."""
        return self._replace_mentions(lambda levels: (None, *levels)[int(generator.integers(len(levels) + 1))])

    def _replace_mentions(self, choose: Callable[[Sequence[str]], str | None]) -> str:
        """The text with every mention replaced by a level of its own; None: by its label, as a placeholder."""
        pieces, last = list[str](), 0
        for mention in self.mentions:
            level = choose(mention.levels)
            pieces += [self.text[last : mention.start], f"[{mention.label}]" if level is None else level]
            last = mention.end
        return "".join([*pieces, self.text[last:]])

    def intervals(self) -> Iterator[tuple[Interval, int, int]]:
        """The times and amounts that its mentions say, with their ranges."""
        for mention in self.mentions:
            if (interval := read_interval(self.text[mention.start : mention.end], mention.label)) is not None:
                yield interval, mention.start, mention.end


def read_interval(phrase: str, label: str) -> Interval | None:
    """The time or the amount that a mention says; None where it says none, or a time without a year."""
    if label in WITHOUT_HIERARCHY:
        return None
    if (period := read_period(phrase)) is not None:
        return Interval(DAY, *map(float, period.ends)) if period.dated else None
    amount = read_amount(phrase)
    if amount is None or not amount.unit:
        return None
    return Interval(amount.unit, amount.low, amount.high)


class Generalizer:
    """Finds and generalizes the mentions of texts, each text once."""

    def __init__(self, detector: str = "default", folder: str | Path | None = None) -> None:
        """``detector``: as a recipe names it; "default": those of the default recipe. ``folder``: keeps mentions and
        levels, with hashes of their texts, for later runs; it is confidential."""
        self._detector = detector
        self._store = None if folder is None else SqliteStore(Path(folder) / "generalizations.sqlite").open()
        self._known: dict[bytes, GeneralizedText] = {}

    def read(self, texts: Iterable[str]) -> list[GeneralizedText]:
        """The texts with their mentions, in order."""
        texts = list(texts)
        keys = [self._key(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if not self._is_known(key, text)}
        if missing:
            documents = [Document(str(number), text) for number, text in enumerate(missing.values())]
            spans = detection_by_name(self._detector).spans(documents)
            for key, document, of_document in zip(missing, documents, spans, strict=True):
                language = document_language(document.text) or "en"
                mentions = [
                    GeneralizedMention(
                        span.start,
                        span.end,
                        span.label,
                        tuple(
                            level.text
                            for level in generalize(Mention(document.text, span.start, span.end, span.label, language))
                        ),
                    )
                    for span in of_document
                ]
                self._keep(key, GeneralizedText(document.text, tuple(mentions)))
        return [self._known[key] for key in keys]

    def _key(self, text: str) -> bytes:
        return sha256(f"{cache_version()}\0{self._detector}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _is_known(self, key: bytes, text: str) -> bool:
        if key not in self._known and self._store is not None and (stored := self._store.get(key)) is not None:
            rows = ((start, end, label, tuple(levels)) for start, end, label, levels in json.loads(stored))
            self._known[key] = GeneralizedText(text, tuple(GeneralizedMention(*row) for row in rows))
        return key in self._known

    def _keep(self, key: bytes, text: GeneralizedText) -> None:
        self._known[key] = text
        if self._store is not None:
            self._store.put(key, json.dumps(text.mentions).encode())


class KnownPerson(NamedTuple):
    """A person of the background with the mentions of their texts."""

    id: str
    texts: tuple[GeneralizedText, ...]

    def as_person(self) -> Person:
        return Person(self.id, tuple(text.text for text in self.texts))

    def generalized(self) -> Person:
        """The person's texts as releases would say them, at several levels; placeholders are left out."""
        copies = (text.at_level(height) for height in HEIGHTS for text in self.texts)
        return Person(self.id, tuple(part for copy in copies for part in _PLACEHOLDER.split(copy) if part.strip()))


def read_people(people: Sequence[Person], generalizer: Generalizer) -> list[KnownPerson]:
    """People with the mentions of their texts."""
    texts = iter(generalizer.read(text for person in people for text in person.texts))
    return [KnownPerson(person.id, tuple(next(texts) for _ in person.texts)) for person in people]


HOLDOUT_SHARE = 0.25
"""Of a text, how much becomes a pseudo-release."""
MIN_CHARACTERS = 60
"""A shorter piece is no text."""


class PseudoRelease(NamedTuple):
    """An anonymized piece of a person's background, and the row of the person."""

    owner: int
    text: str


def split_pseudo_releases(people: Sequence[KnownPerson], seed: int) -> tuple[list[KnownPerson], list[PseudoRelease]]:
    """The people without a piece of their longest text, and the pieces, anonymized.

    People whose texts are too short keep them, and give no piece.
    """
    generator = np.random.default_rng(seed)
    rest, pieces = list[KnownPerson](), list[PseudoRelease]()
    for owner, person in enumerate(people):
        number = max(range(len(person.texts)), key=lambda index: len(person.texts[index].text), default=0)
        whole = person.texts[number] if person.texts else None
        size = int(len(whole.text) * HOLDOUT_SHARE) if whole else 0
        if whole is None or size < MIN_CHARACTERS:
            rest.append(person)
            continue
        start = _word_start(whole.text, int(generator.integers(0, len(whole.text) - size)))
        end = _word_start(whole.text, start + size)
        pieces.append(PseudoRelease(owner, whole.part(start, end).anonymize(generator)))
        kept = (whole.part(0, start), whole.part(end, len(whole.text)))
        rest.append(KnownPerson(person.id, (*person.texts[:number], *kept, *person.texts[number + 1 :])))
    return rest, pieces


def _word_start(text: str, offset: int) -> int:
    """The offset of the first space at or after an offset: no word is cut."""
    space = text.find(" ", offset)
    return len(text) if space < 0 else space
