"""Searches a text for the matches of many patterns, each only where its hints say that it can match.

``training/hints`` reads the hints from the regular expressions of this package, and ``data/hints.json`` keeps them. A
pattern that is not there, one of a recipe or one that has changed since, is tried everywhere.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from hashlib import blake2b
from importlib import resources
from typing import Any, Generic, NamedTuple, TypeVar

from sfumato.annotated_text import AnnotatedText, read_once
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

HINTS_FILE = "hints.json"
"""In the data folder of the detectors, written by ``training/parse_word_lists.py``."""


FAR = 1000
"""So many characters, or more."""


class Hints(NamedTuple):
    """Where the matches of a regular expression can be. A match begins in one of the ways that are given."""

    needs: frozenset[str] = frozenset()
    """Strings of which a text with a match contains one; none where nothing is known."""
    caseless: bool = False
    """Whether they are in the form without case, as the text must then be."""
    digit_within: int | None = None
    """At most this many characters behind where a match begins there is a digit, or FAR; None: there may be none."""
    words: frozenset[str] = frozenset()
    """Runs of letters, without case, that a match begins with."""
    letters: str = ""
    """Letters of which a match may begin with one, where no letter stands before."""
    signs: str = ""
    """Characters that are neither letters nor digits, of which a match may begin with one."""
    numbers: bool = False
    """Whether it may begin with a digit, where no digit stands before."""
    lines: bool = False
    """Whether it may begin where a line does."""
    anywhere: bool = False
    """Whether nothing is known of how a match begins."""


ANYWHERE = Hints(anywhere=True)


@cache
def hints_of(regex: str) -> Hints:
    """The hints that are kept of a regular expression; any other is tried everywhere."""
    kept = _kept_hints().get(hint_key(regex))
    if kept is None:
        return ANYWHERE
    needs, caseless, digit_within, words, *begins = kept
    return Hints(frozenset(needs), caseless, digit_within, frozenset(words), *begins)


@cache
def _kept_hints() -> Mapping[str, list[Any]]:
    file = resources.files("sfumato.detectors").joinpath("data", HINTS_FILE)
    kept: Mapping[str, list[Any]] = json.loads(file.read_bytes()) if file.is_file() else {}
    return kept


def hint_key(regex: str) -> str:
    """What stands for a regular expression in the file."""
    return blake2b(regex.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


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
    def caseless(self) -> AnnotatedText:
        """The text without case."""
        return AnnotatedText(without_case(self._text))

    def starts(self, hints: Hints) -> Sequence[int]:
        """Where a match of a pattern with these hints can begin."""
        others = self._beside_words(hints)
        starts = starts_of(hints.words, self._text) if hints.words else ()
        return sorted({*starts, *others}) if starts and others else starts or others

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
            if number >= 0 and self.numbers[number] >= place:
                yield place


_places_of = read_once(_Places)


class Searchable:
    """What has a regular expression."""

    regex: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled regex. Compiled on first use: most texts need few of the patterns."""
        return re.compile(self.regex)

    @cached_property
    def hints(self) -> Hints:
        """Where the regex can match."""
        return hints_of(self.regex)


_NONE = Hints()
P = TypeVar("P", bound=Searchable)


class PatternSearch(Generic[P]):
    """Patterns that are searched for together. Each has the matches that ``finditer`` gives for the whole text."""

    def __init__(self, patterns: Iterable[P]) -> None:
        self._patterns = tuple(patterns)

    @cached_property
    def _by_word(self) -> tuple[Mapping[str, Sequence[int]], frozenset[int]]:
        """The places in the list of patterns all of whose matches begin with a word, by the word; and of the others."""
        places: dict[str, list[int]] = {}
        others = set[int]()
        for place, hints in enumerate(pattern.hints for pattern in self._patterns):
            if hints.words and hints[4:] == _NONE[4:]:
                for word in hints.words:
                    places.setdefault(word, []).append(place)
            else:
                others.add(place)
        return places, frozenset(others)

    @cached_property
    def _needed(self) -> tuple[NeededStrings, NeededStrings]:
        """The strings that patterns need as written, and without case."""
        every = [pattern.hints for pattern in self._patterns]
        as_written = (need for hints in every if not hints.caseless for need in hints.needs)
        caseless = (need for hints in every if hints.caseless for need in hints.needs)
        return NeededStrings(as_written), NeededStrings(caseless)

    def find(self, text: str) -> Iterator[tuple[P, re.Match[str]]]:
        """Each match of each pattern, a pattern at a time."""
        places = _places_of(text)
        as_written, caseless = self._needed
        needed = as_written.in_text(text) | caseless.in_text(places.caseless)
        by_word, others = self._by_word
        for place in sorted(others.union(*(by_word[word] for word in by_word.keys() & caseless_words(text)))):
            pattern = self._patterns[place]
            hints = pattern.hints
            if hints.needs and needed.isdisjoint(hints.needs):
                continue
            if hints.digit_within is not None and not places.numbers:
                continue
            if hints.anywhere:
                matches = pattern.compiled.finditer(text)
            elif starts := places.starts(hints):
                matches = find_at(pattern.compiled, text, starts)
            else:
                continue
            for match in matches:
                yield pattern, match
