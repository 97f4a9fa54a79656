"""Texts as rows of word numbers. A word stands for all its forms: it is lower-cased and stemmed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking import cleaning

Ints = NDArray[np.int64]

NO_STEMS = "none"
UNKNOWN = -1


def stemmer(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language by its English name; ``none`` leaves words as they are."""
    if language == NO_STEMS:
        return str
    import Stemmer

    if language not in Stemmer.algorithms():
        known = ", ".join([NO_STEMS, *Stemmer.algorithms()])
        raise ValueError(f"no stems for {language!r}; choose from: {known}")
    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    return stem


@dataclass(frozen=True)
class Words:
    """Words by number. ``forms``: all known words."""

    ids: Ints
    owner: Ints
    """Whose each word is."""
    stretch: Ints
    """Phrases stay within one."""
    named: NDArray[np.bool_]
    """Whether it is capitalized or a number, as what is taken out first mostly is."""
    owners: int
    forms: Sequence[str]


@dataclass(frozen=True)
class ReadText:
    """A released text's words with their places; a word that the background does not have is UNKNOWN."""

    ids: Ints
    stretch: Ints
    starts: Ints
    ends: Ints
    forms: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)


class Lexicon:
    """Numbers the words of a background, and finds them again in a released text."""

    def __init__(self, stems: str) -> None:
        self._stem = stemmer(stems)
        self._of_surface: dict[str, int] = {}
        self._of_form: dict[str, int] = {}
        self._last: tuple[str, ReadText] | None = None  # several attacks read the same text in turn

    def read(self, people: Sequence[Person]) -> Words:
        """The people's words, numbering the new ones."""
        rows: list[Ints] = []
        owners, sizes = list[int](), list[int]()
        known = self._of_surface
        for owner, person in enumerate(people):
            for text in person.texts:
                surfaces = cleaning.WORD.findall(text)
                for surface in surfaces:
                    if surface not in known:
                        number = self._of_form.setdefault(self.form(surface), len(self._of_form))
                        known[surface] = 2 * number + (not surface[0].islower())
                rows.append(np.fromiter(map(known.__getitem__, surfaces), np.int64, len(surfaces)))
                owners.append(owner)
                sizes.append(len(surfaces))
        row: Ints = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        stretch: Ints = np.repeat(np.arange(len(sizes)), sizes)
        owner_of: Ints = np.repeat(np.array(owners, np.int64), sizes)
        return Words(row >> 1, owner_of, stretch, (row & 1).astype(bool), len(people), tuple(self._of_form))

    def read_released(self, text: str) -> ReadText:
        """The words of a released text that are no placeholders."""
        if self._last is not None and self._last[0] == text:
            return self._last[1]
        found = cleaning.cleaned(text)
        forms = list(map(self.form, found.words))
        ids = np.array([self._of_form.get(form, UNKNOWN) for form in forms], np.int64)
        read = ReadText(ids, found.stretch, found.starts, found.ends, forms)
        self._last = text, read
        return read

    def form(self, surface: str) -> str:
        """What stands for all forms of a word."""
        return self._stem(surface.lower())
