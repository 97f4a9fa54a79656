"""A release while it is repaired: its places, what each of them may say instead, and the text that follows.

A place is an edit of the recipe, or an ordinary word that nobody replaced. Places of one entity, and words of one
stem, form a group: a repair applies to all of them. A place's level counts the offers it has climbed.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.cleaning import Ints, load_stemmer
from sfumato.document import Document, Edit, Release, Span, resolve_overlaps
from sfumato.generalize.words import generalize_word
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.lexicon.grammar import STOP_WORDS, guess_language
from sfumato.replacers.base import entity_of

WORD_LABEL = "WORD"
"""The label of an edit of an ordinary word."""
_WORD = re.compile(r"\d[\d.,:/]*\d(?:(?:st|nd|rd|th|s)\b)?|\w\w+")


@dataclass(frozen=True, slots=True)
class Alternative:
    """What may stand in a place, and what kind of repair that is."""

    kind: str
    edit: Edit


@dataclass(frozen=True, slots=True)
class Place:
    """``core`` is the place's own range of the original, which no other place shares."""

    core: Span
    edit: Edit | None
    """What the recipe put there; None for an ordinary word."""
    group: int
    empty: bool
    """Whether it is a function word: it tells little, but who removes it ruins the sentence."""


class WorkingText:
    """A release, its places and their levels."""

    def __init__(self, start: Release, stems: str = "english") -> None:
        self.document: Document = start.document
        self.language = guess_language(self.document.text) or "en"
        cores = [*_edited(start), *_words(start)]
        cores.sort(key=lambda pair: pair[0].start)
        common = STOP_WORDS.get(self.language, STOP_WORDS["en"])
        self.places, self.groups = _grouped(self.document, cores, stems, common)
        self.starts: Ints = np.array([place.core.start for place in self.places], np.int64)
        self.ends: Ints = np.array([place.core.end for place in self.places], np.int64)
        self.group_of: Ints = np.array([place.group for place in self.places], np.int64)
        self._offers: dict[int, tuple[Alternative, ...]] = {}
        self._owner = np.full(len(self.document.text), len(self.places), np.int64)
        for number, place in enumerate(self.places):
            self._owner[place.core.start : place.core.end] = number
        self.levels = [0] * len(self.places)

    def alternatives(self, number: int) -> tuple[Alternative, ...]:
        """What the place may say instead, the one that says most first."""
        if number not in self._offers:
            place = self.places[number]
            self._offers[number] = _climbs(place.edit) if place.edit else self._wordings(number)
        return self._offers[number]

    def _wordings(self, number: int) -> tuple[Alternative, ...]:
        core, text = self.places[number].core, self.document.text
        if self.places[number].empty:
            return (Alternative("suppress", Edit(core, SUPPRESSED, ("function word",))),)
        left = next((self.places[at].core.end for at in range(number - 1, -1, -1) if not self.places[at].empty), 0)
        later = range(number + 1, len(self.places))
        right = next((self.places[at].core.start for at in later if not self.places[at].empty), len(text))
        return tuple(
            Alternative(found.kind, Edit(core.moved(found.start, found.end), found.text, (found.reason,)))
            for found in generalize_word(text, core.start, core.end, self.language, (left, right))
        )

    def next_alternative(self, number: int) -> Alternative | None:
        """The next wording of a place; None where it says nothing already."""
        alternatives, level = self.alternatives(number), self.levels[number]
        return alternatives[level] if level < len(alternatives) else None

    def is_open(self, number: int) -> bool:
        """Whether a place can still say less. What an edit offers is known; every word can be suppressed."""
        place = self.places[number]
        return self.levels[number] < (len(self.alternatives(number)) if place.edit or number in self._offers else 1)

    def widen(self, numbers: Sequence[int]) -> None:
        """Let places say their next wording."""
        for number in numbers:
            self.levels[number] = min(self.levels[number] + 1, len(self.alternatives(number)))

    def edit_at(self, number: int) -> Edit | None:
        """What stands in a place now; None where the original does."""
        level = self.levels[number]
        return self.alternatives(number)[level - 1].edit if level else self.places[number].edit

    def initial_text(self, number: int) -> str:
        """What a place said before any repair."""
        edit, core = self.places[number].edit, self.places[number].core
        return edit.replacement if edit else self.document.text[core.start : core.end]

    def release(self) -> tuple[Release, Ints]:
        """The release as it stands, and for each character of its text the place it belongs to (else their number)."""
        now = [(edit, number) for number in range(len(self.places)) if (edit := self.edit_at(number)) is not None]
        release = Release(self.document, resolve_overlaps([(edit, self.places[number].core) for edit, number in now]))
        owners, at = [np.zeros(0, np.int64)], 0
        for piece in release.segments:
            if piece.edit is None:
                owners.append(self._owner[piece.start : piece.end])
            else:
                owners.append(np.full(len(piece.edit.replacement), now[at][1], np.int64))
                at += 1
        return release, np.concatenate(owners)


def _edited(start: Release) -> Iterator[tuple[Span, Edit]]:
    return ((edit.span, edit) for edit in start.edits if len(edit.span))


def _words(start: Release) -> Iterator[tuple[Span, None]]:
    text = start.document.text
    for piece in start.segments:
        if piece.edit is not None:
            continue
        for match in _WORD.finditer(text, piece.start, piece.end):
            if not (match.start() == piece.start and match.start() and text[match.start() - 1].isalnum()):
                yield Span(*match.span(), WORD_LABEL, source="protect"), None


def _grouped(
    document: Document, cores: Sequence[tuple[Span, Edit | None]], stems: str, common: Container[str]
) -> tuple[list[Place], list[list[int]]]:
    stem = load_stemmer(stems)
    numbers: dict[tuple[str, str], int] = {}
    places: list[Place] = []
    groups: list[list[int]] = []
    for core, edit in cores:
        said = document.text[core.start : core.end]
        key = (core.label, entity_of(document, core)) if edit else (WORD_LABEL, stem(said.lower()))
        group = numbers.setdefault(key, len(groups))
        if group == len(groups):
            groups.append([])
        groups[group].append(len(places))
        places.append(Place(core, edit, group, edit is None and said.lower() in common))
    return places, groups


def _climbs(edit: Edit) -> tuple[Alternative, ...]:
    """The levels above an edit, and suppression, unless the last of them says nothing already.

    What stands for a person stays: a role says no more than the numbered label above it, and is the same everywhere.
    """
    if edit.span.label == "PERSON" and edit.alternatives:
        return ()
    levels = tuple(Alternative("climb", wider) for wider in edit.alternatives)
    last = edit.alternatives[-1] if edit.alternatives else edit
    if not cleaning.clean(last.replacement):
        return levels
    return (*levels, Alternative("suppress", Edit(edit.span, SUPPRESSED, (*edit.reasons, "suppressed"))))
