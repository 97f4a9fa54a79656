"""Searches a text for the matches of many patterns, each only where its hints say that it can match."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from sfumato.annotated_text import AnnotatedText, read_once
from sfumato.detectors.rules.hints import FAR, Hints
from sfumato.lexicon.tokens import (
    NeededStrings,
    caseless_words,
    characters_of,
    find_all,
    find_at,
    letter_runs,
    starts_of,
    without_case,
)

_NUMBER = re.compile(r"\d+")
_WINDOW = 32
_NUMBERS = re.compile(r"[0-9](?:[^0-9]{0,64}+[0-9])*+")
"""Digits less than two windows apart. Possessive, so that a text full of digits costs one pass and no memory."""
# Pieces that hold a digit or are short and in capitals, with one to three separators between them.
_PIECE = r"(?:[A-Za-z]{0,6}[0-9][A-Za-z0-9]{0,39}|[A-Z]{1,6})(?![^\W_])"
_CODES = re.compile(rf"(?<!\w)[+(]{{0,2}}{_PIECE}(?:[ \u00a0./()·*-]{{1,3}}{_PIECE})*+")


@read_once
def code_ranges(text: str) -> Sequence[tuple[int, int]]:
    """Runs of digits and capitals with at least five digits, or four beside letters."""
    size = len(text)
    windows = ((max(0, m.start() - _WINDOW), min(size, m.end() + _WINDOW)) for m in _NUMBERS.finditer(text))
    codes = (match for start, end in windows for match in _CODES.finditer(text, start, end))
    return [match.span() for match in codes if _may_be_a_code(match.group())]


def _may_be_a_code(chunk: str) -> bool:
    digits = sum(map(str.isdigit, chunk))
    return digits > 4 or (digits == 4 and any(map(str.isalpha, chunk)))


class _Places:
    """Where in a text matches can begin, besides at certain words."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._kept: dict[tuple[object, ...], Sequence[int]] = {}
        self.numbers = array("I", [match.start() for match in _NUMBER.finditer(text)])

    @cached_property
    def _ends_of_numbers(self) -> Sequence[int]:
        return array("I", [match.end() for match in _NUMBER.finditer(self._text)])

    @cached_property
    def caseless(self) -> AnnotatedText:
        """The text without case."""
        return AnnotatedText(without_case(self._text))

    def starts(self, hints: Hints, words: frozenset[str]) -> Sequence[int]:
        """Where a match of a pattern with these hints can begin, of whose words the text has at most these."""
        others = self._beside_words(hints)
        if words.isdisjoint(hints.words):
            return others
        starts = starts_of(hints.words, self._text)
        return sorted({*starts, *others}) if others else starts

    def _beside_words(self, hints: Hints) -> Sequence[int]:
        """Many patterns begin alike, so the places are kept."""
        if not (hints.letters or hints.signs or hints.lines):
            return self.numbers if hints.numbers else ()
        within = hints.digit_within if hints.letters else None
        key = (hints.letters, hints.signs, hints.numbers, hints.lines, within)
        if key not in self._kept:
            self._kept[key] = array("I", self._read(hints, within))
        return self._kept[key]

    def _read(self, hints: Hints, within: int | None) -> Iterable[int]:
        text = self._text
        places = set[int](self.numbers if hints.numbers else ())
        for sign in characters_of(text).intersection(hints.signs):
            places.update(find_all(sign, text))
        if hints.lines:
            places.update((0, *(end + 1 for end in find_all("\n", text))))
        if hints.letters:
            for word, starts in letter_runs(text).items():
                if word[0] in hints.letters:
                    places.update(starts)
        return sorted(places if within is None or within >= FAR else self._near_digits(places, within))

    def _near_digits(self, places: Iterable[int], within: int) -> Iterator[int]:
        for place in places:
            number = bisect_right(self.numbers, place + within) - 1
            if number >= 0 and self._ends_of_numbers[number] > place:
                yield place


_places_of = read_once(_Places)


class Searchable(Protocol):
    """A pattern: a regular expression and its hints."""

    @property
    def compiled(self) -> re.Pattern[str]: ...

    @property
    def hints(self) -> Hints: ...


_NONE = Hints()
P = TypeVar("P", bound=Searchable)


class PatternSearch(Generic[P]):
    """Patterns that are searched for together. Each has the matches that ``finditer`` gives for the whole text."""

    def __init__(self, patterns: Iterable[P]) -> None:
        self._patterns = tuple(patterns)

    @cached_property
    def _hints(self) -> Sequence[tuple[P, Hints]]:
        return [(pattern, pattern.hints) for pattern in self._patterns]

    @cached_property
    def _by_word(self) -> tuple[Mapping[str, Sequence[int]], frozenset[int]]:
        """The places in the list of patterns all of whose matches begin with a word, by the word; and of the others."""
        places: dict[str, list[int]] = {}
        others = set[int]()
        for place, (_, hints) in enumerate(self._hints):
            if hints.words and hints[4:] == _NONE[4:]:
                for word in hints.words:
                    places.setdefault(word, []).append(place)
            else:
                others.add(place)
        return places, frozenset(others)

    @cached_property
    def _needed(self) -> tuple[NeededStrings, NeededStrings]:
        """The strings that patterns need as written, and without case."""
        as_written = (need for _, hints in self._hints if not hints.caseless for need in hints.needs)
        caseless = (need for _, hints in self._hints if hints.caseless for need in hints.needs)
        return NeededStrings(as_written), NeededStrings(caseless)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for _, hints in self._hints for word in hints.words)

    def find(self, text: str) -> Iterator[tuple[P, re.Match[str]]]:
        """Each match of each pattern, a pattern at a time."""
        places = _places_of(text)
        words = self._words & caseless_words(text)
        as_written, caseless = self._needed
        needed = as_written.in_text(text) | caseless.in_text(places.caseless)
        by_word, others = self._by_word
        for place in sorted(others.union(*(by_word.get(word, ()) for word in words))):
            pattern, hints = self._hints[place]
            if hints.needs and needed.isdisjoint(hints.needs):
                continue
            if hints.digit_within is not None and not places.numbers:
                continue
            if hints.anywhere:
                matches = pattern.compiled.finditer(text)
            elif starts := places.starts(hints, words):
                matches = find_at(pattern.compiled, text, starts)
            else:
                continue
            for match in matches:
                yield pattern, match
