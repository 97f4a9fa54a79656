"""Where in a text the patterns are searched for: near numbers, in codes, and only where a match can begin."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from sfumato.annotated_text import read_once
from sfumato.lexicon.tokens import NUMBER_START, starts_of

Begins = Literal["anywhere", "at cues", "at numbers", "at capitals"]
"""Where the matches of a pattern begin: with one of its cues, with a number and perhaps a sign, with a capital from A
to Z or a digit, or anywhere."""

_WINDOW = 32
_NUMBER = re.compile(r"[0-9]++")
# Possessive, so that a text full of digits costs one pass and no memory.
_NUMBERS = re.compile(r"[0-9](?:[^0-9]{0,64}+[0-9])*+")
_CAPITAL_OR_DIGIT_START = re.compile(r"[A-Z\d](?<!\w.)")
_SIGNS = "−+-<>"
# Pieces that hold a digit or are short and in capitals, with one to three separators between them.
_PIECE = r"(?:[A-Za-z]{0,6}[0-9][A-Za-z0-9]{0,39}|[A-Z]{1,6})(?![^\W_])"
_CODES = re.compile(rf"(?<!\w)[+(]{{0,2}}{_PIECE}(?:[ \u00a0./()·*-]{{1,3}}{_PIECE})*+")

Range = tuple[int, int]


class SearchRegions:
    """Where in a text the patterns of each scope are searched for, computed once for all of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.numbers = [match.start() for match in _NUMBER.finditer(text)]
        size = len(text)
        # Windows do not overlap: digits less than two windows apart share one.
        self.windows = [(max(0, m.start() - _WINDOW), min(size, m.end() + _WINDOW)) for m in _NUMBERS.finditer(text)]

    @cached_property
    def codes(self) -> list[Range]:
        """Runs of digits and capitals with at least five digits, or four beside letters."""
        return [
            match.span()
            for start, end in self.windows
            for match in _CODES.finditer(self._text, start, end)
            if _may_be_a_code(match.group())
        ]

    @cached_property
    def _chunks(self) -> list[str]:
        """The text of each window."""
        return [self._text[start:end] for start, end in self.windows]

    @cached_property
    def _window_starts(self) -> list[int]:
        return [start for start, _ in self.windows]

    @cached_property
    def _number_places(self) -> list[Range]:
        """Where numbers in the windows begin, with the ends of their windows; a sign may belong to the number."""
        text, places = self._text, []
        for start, end in self.windows:
            for match in NUMBER_START.finditer(text, start, end):
                place = match.start()
                if place > start and text[place - 1] in _SIGNS:
                    places.append((place - 1, end))
                places.append((place, end))
        return places

    @cached_property
    def _capital_places(self) -> list[Range]:
        """Where words in the windows begin with a capital or a digit."""
        places = ((_CAPITAL_OR_DIGIT_START.finditer(self._text, start, end), end) for start, end in self.windows)
        return [(match.start(), end) for matches, end in places for match in matches]

    def _cue_places(self, cue_words: frozenset[str]) -> list[Range]:
        """Where cues in the windows begin, with the ends of their windows.

        A word that the end of a window cuts is none in its cut form: no match is a cue alone.
        """
        places = []
        for start in starts_of(cue_words, self._text):
            index = bisect_right(self._window_starts, start) - 1
            if index >= 0 and start < self.windows[index][1]:
                places.append((start, self.windows[index][1]))
        return places

    def find_near_numbers(
        self, regex: re.Pattern[str], begins: Begins, needs: Sequence[str], cue_words: frozenset[str]
    ) -> Iterator[re.Match[str]]:
        """The matches of a regex in the windows, each of which has one of the strings in ``needs``."""
        if begins == "anywhere":
            return self._search_windows(regex, needs, cue_words)
        if begins == "at cues":
            return self._match_at(regex, self._cue_places(cue_words))
        return self._match_at(regex, self._number_places if begins == "at numbers" else self._capital_places)

    def _search_windows(
        self, regex: re.Pattern[str], needs: Sequence[str], cue_words: frozenset[str]
    ) -> Iterator[re.Match[str]]:
        ends = {end for _, end in self._cue_places(cue_words)} if cue_words else None
        for (start, end), chunk in zip(self.windows, self._chunks, strict=True):
            if ends is not None and end not in ends:
                continue
            if needs and not any(needed in chunk for needed in needs):
                continue
            if regex.search(self._text, start, end):  # most have no match, and search is cheaper than finditer
                yield from regex.finditer(self._text, start, end)

    def _match_at(self, regex: re.Pattern[str], places: Iterable[Range]) -> Iterator[re.Match[str]]:
        match_at, free_from = regex.match, 0
        for start, end in places:
            if start >= free_from and (match := match_at(self._text, start, end)):
                free_from = match.end()
                yield match


def _may_be_a_code(chunk: str) -> bool:
    digits = sum(map(str.isdigit, chunk))
    return digits > 4 or (digits == 4 and any(map(str.isalpha, chunk)))


search_regions = read_once(SearchRegions)
"""Those of a text that several sets of patterns are searched for in."""
