"""The words of texts as linking attacks compare them: without placeholders, stemmed, as numbers of a vocabulary.

An attacker sees no edits. Placeholders are recognised in the released text itself: bracketed or starred parts, type
names in capitals, numbered labels, and words in capitals that come again and again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import PACKAGE, Person
from sfumato.lexicon.grammar import merge_ranges
from sfumato.lexicon.tables import words

Ints = NDArray[np.int64]

WORD = re.compile(r"\w\w+")
"""A lone character tells little, and stands between words that belong together (the s of a genitive)."""
_BRACKETED = re.compile(r"<[^<>\n]{1,40}>|\[[A-Z][A-Z0-9_ .:-]{1,39}\]|\{\{?[A-Z][A-Z0-9_ .:-]{1,39}\}?\}")
_FILLED = re.compile(r"[*#█■▇_]{2,}|\b[Xx]{3,}\b|\[\s*(?:\.{2,}|…)\s*\]")
_NUMBERED = re.compile(r"\b[A-Z][A-Z_]{1,30}[_-]?\d{1,5}\b")
_TYPE_NAMES = re.compile(rf"\b(?:{'|'.join(words('placeholders', 'type_names', package=PACKAGE))})\b")
_CAPITALS = re.compile(r"\b[^\W\d_a-z]{3,}\b")
_SHORT = 8_000
"""Characters of a text whose words are cached with those of many others: about 100 kB each."""
_REMEMBERED_FORMS = 100_000
"""Words of released texts whose forms are remembered: some 20 MB."""
_PLACEHOLDER_COUNT = 3
"""A word in capitals that occurs this often in one text is a placeholder, not an acronym of the story."""


@dataclass(frozen=True)
class CleanedText:
    """The words of a text, and the segment each belongs to: phrases do not reach across a placeholder."""

    words: tuple[str, ...] = field(repr=False)
    starts: Ints
    ends: Ints
    segment: Ints
    hidden: tuple[tuple[int, int], ...]
    """The ranges of placeholders."""


def placeholders(text: str) -> list[tuple[int, int]]:
    """Ranges of a released text that stand in place of something, sorted and disjoint."""
    ranges = [match.span() for pattern in (_BRACKETED, _FILLED) for match in pattern.finditer(text)]
    # Where all is in capitals, type names aside, capitals tell nothing. Most texts are decided by the first test.
    if not (_mostly_capitals(text) and _mostly_capitals(_TYPE_NAMES.sub(" ", _NUMBERED.sub(" ", text)))):
        ranges += [match.span() for pattern in (_NUMBERED, _TYPE_NAMES) for match in pattern.finditer(text)]
        capitals = [match for match in _CAPITALS.finditer(text) if match.group().isupper()]
        counts = Counter(match.group() for match in capitals)
        ranges += [match.span() for match in capitals if counts[match.group()] >= _PLACEHOLDER_COUNT]
    return merge_ranges(ranges)


def clean(text: str) -> CleanedText:
    """The words of a released text that are no placeholders; cached, since every attack reads all texts."""
    return _clean_short(text) if len(text) <= _SHORT else _clean_long(text)


def _clean(text: str) -> CleanedText:
    hidden = placeholders(text)
    visible, last = list[str](), 0
    for start, end in hidden:
        visible += [text[last:start], " " * (end - start)]
        last = end
    matches = list(WORD.finditer("".join([*visible, text[last:]])))
    surfaces = tuple(match.group() for match in matches)
    starts = np.array([match.start() for match in matches], np.int64)
    ends = np.array([match.end() for match in matches], np.int64)
    segment = np.searchsorted(np.array([end for _, end in hidden]), starts, "right")
    return CleanedText(surfaces, starts, ends, segment, tuple(hidden))


_clean_short, _clean_long = lru_cache(maxsize=256)(_clean), lru_cache(maxsize=4)(_clean)


def _mostly_capitals(text: str) -> bool:
    """Whether most different words are in capitals."""
    cased = {word for word in WORD.findall(text) if word.upper() != word.lower()}
    return sum(map(str.isupper, cased)) > 0.7 * len(cased)


NO_STEMS = "none"
UNKNOWN = -1


def load_stemmer(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language by its English name; ``none`` leaves words as they are."""
    if language == NO_STEMS:
        return str
    import Stemmer

    if language not in Stemmer.algorithms():
        choices = ", ".join([NO_STEMS, *Stemmer.algorithms()])
        raise ValueError(f"no stems for {language!r}; choose from: {choices}")
    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    return stem


@dataclass(frozen=True)
class BackgroundTokens:
    """The words of a background by number. ``forms``: all words of the vocabulary."""

    ids: Ints
    owner: Ints
    """The person each word belongs to."""
    segment: Ints
    """Phrases stay within one."""
    named: NDArray[np.bool_]
    """Whether a word is capitalized or a number, as most of what anonymizers remove."""
    owners: int
    forms: Sequence[str] = field(repr=False)


@dataclass(frozen=True)
class TextTokens:
    """A released text's words with their offsets; a word that the background does not have is UNKNOWN."""

    ids: Ints
    segment: Ints
    starts: Ints
    ends: Ints
    forms: Sequence[str] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)


class Vocabulary:
    """Numbers the words of a background, lower-cased and stemmed, and finds them again in a released text."""

    def __init__(self, stems: str) -> None:
        self._stem = load_stemmer(stems)
        self._of_surface: dict[str, int] = {}
        self._of_form: dict[str, int] = {}
        self._form_of = lru_cache(_REMEMBERED_FORMS)(self.form)  # released words come again after every repair
        self._last: tuple[str, TextTokens] | None = None  # several attacks read the same text in turn

    def read(self, people: Sequence[Person]) -> BackgroundTokens:
        """The people's words; new words get new numbers."""
        rows: list[Ints] = []
        owners, sizes = list[int](), list[int]()
        numbers = self._of_surface  # twice the number of the form, plus 1 if the surface is no small word
        for owner, person in enumerate(people):
            for text in person.texts:
                surfaces = WORD.findall(text)
                for surface in surfaces:
                    if surface not in numbers:
                        number = self._of_form.setdefault(self.form(surface), len(self._of_form))
                        numbers[surface] = 2 * number + (not surface[0].islower())
                rows.append(np.fromiter(map(numbers.__getitem__, surfaces), np.int64, len(surfaces)))
                owners.append(owner)
                sizes.append(len(surfaces))
        row: Ints = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        segment: Ints = np.repeat(np.arange(len(sizes)), sizes)
        owner_of: Ints = np.repeat(np.array(owners, np.int64), sizes)
        return BackgroundTokens(row >> 1, owner_of, segment, (row & 1).astype(bool), len(people), self.forms)

    @property
    def forms(self) -> tuple[str, ...]:
        """All words so far, by number."""
        return tuple(self._of_form)

    def read_released(self, text: str) -> TextTokens:
        """The words of a released text that are no placeholders."""
        if self._last is not None and self._last[0] == text:
            return self._last[1]
        cleaned = clean(text)
        forms = list(map(self._form_of, cleaned.words))
        ids = np.fromiter(map(self._of_form.get, forms, repeat(UNKNOWN)), np.int64, len(forms))
        tokens = TextTokens(ids, cleaned.segment, cleaned.starts, cleaned.ends, forms)
        self._last = text, tokens
        return tokens

    def form(self, surface: str) -> str:
        """What stands for all forms of a word."""
        return self._stem(surface.lower())
