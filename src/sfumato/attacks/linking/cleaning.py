"""The words of a released text, without what was put there in place of something else.

An attacker sees no edits. What he takes for a placeholder he recognises in the released text itself: bracketed or
starred stretches, type names in capitals, numbered labels, and words that shout again and again in a quiet text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person

Ints = NDArray[np.int64]

WORD = re.compile(r"\w\w+")
"""A lone character tells little, and stands between words that belong together (the s of a genitive)."""
_BRACKETED = re.compile(r"<[^<>\n]{1,40}>|\[[A-Z][A-Z0-9_ .:-]{1,39}\]|\{\{?[A-Z][A-Z0-9_ .:-]{1,39}\}?\}")
_FILLED = re.compile(r"[*#█■▇_]{2,}|\b[Xx]{3,}\b|\[\s*(?:\.{2,}|…)\s*\]")
_NUMBERED = re.compile(r"\b[A-Z][A-Z_]{1,30}[_-]?\d{1,5}\b")
_LABELS = re.compile(
    r"\b(?:PERSON|PER|NAME|ORGANI[SZ]ATION|ORG|LOCATION|LOC|GPE|FAC|NORP|NRP|DATE[ _]?TIME|DATE|TIME|CARDINAL|ORDINAL|"
    r"QUANTITY|MONEY|PERCENT|MISC|EVENT|PRODUCT|LAW|LANGUAGE|WORK[ _]OF[ _]ART|CODE|DEM|AGE|ADDRESS|EMAIL[ _]ADDRESS|"
    r"EMAIL|PHONE[ _]NUMBER|PHONE|URL|IP[ _]ADDRESS|ID|SSN|SENSITIVE|REDACTED|MASKED|MASK|REMOVED|HIDDEN|ANONYMI[SZ]ED|"
    r"PROFESSION|HOSPITAL|PATIENT|DOCTOR|CITY|COUNTRY|STATE|ZIP)\b"
)
_SHOUTED = re.compile(r"\b[^\W\d_a-z]{3,}\b")
_SHORT = 8_000
"""Characters of a text whose words are remembered with those of many others: about 100 kB each."""
_OFTEN = 3
"""A word in capitals that stands this often in one text is a placeholder, not an acronym of the story."""


@dataclass(frozen=True)
class CleanedText:
    """The words of a text, and the stretch each belongs to: phrases do not reach across a placeholder."""

    words: tuple[str, ...]
    starts: Ints
    ends: Ints
    segment: Ints

    def __len__(self) -> int:
        return len(self.words)


def placeholders(text: str) -> list[tuple[int, int]]:
    """Ranges of a released text that stand in place of something, sorted and disjoint."""
    found = [match.span() for pattern in (_BRACKETED, _FILLED) for match in pattern.finditer(text)]
    if not _is_all_capitals(text):  # where all is in capitals, capitals tell nothing
        found += [match.span() for pattern in (_NUMBERED, _LABELS) for match in pattern.finditer(text)]
        shouted = [match for match in _SHOUTED.finditer(text) if match.group().isupper()]
        often = {word for word, times in Counter(match.group() for match in shouted).items() if times >= _OFTEN}
        found += [match.span() for match in shouted if match.group() in often]
    return _merge_ranges(found)


def clean(text: str) -> CleanedText:
    """The words of a released text that are no placeholders. Each attack of a suite reads all texts in its turn."""
    return _clean_short(text) if len(text) <= _SHORT else _clean_long(text)


def _clean(text: str) -> CleanedText:
    hidden = placeholders(text)
    blanked, at = list[str](), 0
    for start, end in hidden:
        blanked += (text[at:start], " " * (end - start))
        at = end
    matches = list(WORD.finditer("".join([*blanked, text[at:]])))
    words = tuple(match.group() for match in matches)
    starts = np.array([match.start() for match in matches], np.int64)
    ends = np.array([match.end() for match in matches], np.int64)
    return CleanedText(words, starts, ends, np.searchsorted(np.array([end for _, end in hidden]), starts, "right"))


_clean_short, _clean_long = lru_cache(maxsize=256)(_clean), lru_cache(maxsize=4)(_clean)


def _is_all_capitals(text: str) -> bool:
    """Whether most different words are in capitals, the names of types left aside."""
    capitals, cased = _capitals(text)
    if capitals <= 0.7 * cased:  # names of types are in capitals: without them it is even fewer
        return False
    capitals, cased = _capitals(_LABELS.sub(" ", _NUMBERED.sub(" ", text)))
    return capitals > 0.7 * cased


def _capitals(text: str) -> tuple[int, int]:
    """How many different words are in capitals, and how many could be."""
    cased = {word for word in WORD.findall(text) if word.upper() != word.lower()}
    return sum(map(str.isupper, cased)), len(cased)


def _merge_ranges(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


# -- Texts as rows of word numbers. A word stands for all its forms: it is lower-cased and stemmed.


NO_STEMS = "none"
UNKNOWN = -1


def load_stemmer(language: str) -> Callable[[str], str]:
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
class BackgroundTokens:
    """Words by number. ``forms``: all known words."""

    ids: Ints
    owner: Ints
    """Whose each word is."""
    segment: Ints
    """Phrases stay within one."""
    named: NDArray[np.bool_]
    """Whether it is capitalized or a number, as what is taken out first mostly is."""
    owners: int
    forms: Sequence[str]


@dataclass(frozen=True)
class TextTokens:
    """A released text's words with their places; a word that the background does not have is UNKNOWN."""

    ids: Ints
    segment: Ints
    starts: Ints
    ends: Ints
    forms: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)


class Vocabulary:
    """Numbers the words of a background, and finds them again in a released text."""

    def __init__(self, stems: str) -> None:
        self._stem = load_stemmer(stems)
        self._of_surface: dict[str, int] = {}
        self._of_form: dict[str, int] = {}
        self._last: tuple[str, TextTokens] | None = None  # several attacks read the same text in turn

    def read(self, people: Sequence[Person]) -> BackgroundTokens:
        """The people's words, numbering the new ones."""
        rows: list[Ints] = []
        owners, sizes = list[int](), list[int]()
        known = self._of_surface
        for owner, person in enumerate(people):
            for text in person.texts:
                surfaces = WORD.findall(text)
                for surface in surfaces:
                    if surface not in known:
                        number = self._of_form.setdefault(self.form(surface), len(self._of_form))
                        known[surface] = 2 * number + (not surface[0].islower())
                rows.append(np.fromiter(map(known.__getitem__, surfaces), np.int64, len(surfaces)))
                owners.append(owner)
                sizes.append(len(surfaces))
        row: Ints = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        segment: Ints = np.repeat(np.arange(len(sizes)), sizes)
        owner_of: Ints = np.repeat(np.array(owners, np.int64), sizes)
        return BackgroundTokens(row >> 1, owner_of, segment, (row & 1).astype(bool), len(people), tuple(self._of_form))

    def read_released(self, text: str) -> TextTokens:
        """The words of a released text that are no placeholders."""
        if self._last is not None and self._last[0] == text:
            return self._last[1]
        found = clean(text)
        forms = list(map(self.form, found.words))
        ids = np.array([self._of_form.get(form, UNKNOWN) for form in forms], np.int64)
        read = TextTokens(ids, found.segment, found.starts, found.ends, forms)
        self._last = text, read
        return read

    def form(self, surface: str) -> str:
        """What stands for all forms of a word."""
        return self._stem(surface.lower())
