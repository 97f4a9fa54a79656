"""Values that a release replaced, searched for in any spelling: in the rest of the text, and in a rendered file.

Only values that can hardly be anything else count: a full name, a rare surname, a number, an address, a date with a
day. "18", "May" and "Park" are left alone.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, groupby
from typing import NamedTuple

from sfumato.document import Edit, Release, keep_allowed
from sfumato.formats.identifiers import LONGEST_COMPARED, SubstringIndex
from sfumato.lexicon import wordnet
from sfumato.lexicon.folding import compared_form, fold, folded_form
from sfumato.lexicon.name_lists import BRANDS, PARTICLES, cities, common_words, given_names, is_title, regions

_SHORTEST_SURNAME = 4
_SHORTEST_FULL_NAME = 6
_SHORTEST_ORGANISATION = 9
_SHORTEST_ADDRESS = 8
_SHORTEST_CODE = 6
_FEWEST_DIGITS = 5
_DATE_PARTS = 3
_SHORTEST_INSIDE = 8
"""A value of this length counts also within a longer word, as in ``xannaquorvexy``."""

_MAIL = re.compile(r"\w@\w")
_REASONS = ("stands elsewhere in the text for the same value",)
_NEUTRAL = "hidden"
_NEUTRAL_IN_TEXT = re.compile(rf"{_NEUTRAL}(\d{{0,9}})", re.IGNORECASE)

_CASE_CHANGE = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_PIECE = re.compile(rf"\d+|[^\W\d_]+?(?:{_CASE_CHANGE.pattern}|(?![^\W\d_]))")
_MAY_FOLD = re.compile(r"[^\x00-\x7f]|&|%[0-9A-Fa-f]|\\[ux]")
"""What a text may be folded for: other letters and escapes."""
_ASCII_SEPARATORS = {code: None for code in range(128) if not chr(code).isalnum()}
_FEW_VALUES = 500
"""Where a first search of the whole text for each of them costs less than going through its words."""
_BEFORE_IN_NAME = re.compile(r"(?:[\w<@#$%\\/]|\w\.)\Z")
_AFTER_IN_NAME = re.compile(r"[\w(\[{/\\]|\.\w|[\"']?[ \t]{0,4}[:=]")


class Match(NamedTuple):
    """``text[start:end]`` is a value of the index."""

    value: str
    start: int
    end: int


class ValueIndex:
    """Finds values in any spelling: with other separators or none, in another case, with words run together."""

    def __init__(self, values: Iterable[str]) -> None:
        """``values``: as ``join_pieces`` writes them."""
        self.values = frozenset(filter(None, values))
        self._index = SubstringIndex(self.values, min(map(len, self.values), default=1))

    def find(self, text: str) -> Iterator[Match]:
        """All values in a text, from left to right, without overlaps; the longest of those that begin together.

        Where values overlap within one word or identifier (``quorvex_annaQuorvex``), the second match is what the first
        one does not cover.
        """
        if not self._may_stand_in(text):
            return
        joined, end = _JoinedPieces(text), 0
        for first, occurrences in groupby(self._occurrences(joined), key=lambda occurrence: occurrence.first):
            longest = max(occurrences, key=_reach)
            start, stop = joined.range(first, longest.last)
            if stop <= end:
                continue
            if start < end:
                start = next(start for piece in count(first) if (start := joined.range(piece, piece)[0]) >= end)
                if any(map(str.isspace, text[end:start])):
                    continue
            yield Match(longest.value, start, stop)
            end = stop

    def present(self, text: str) -> set[str]:
        """All values that stand in a text, also within each other."""
        if not self._may_stand_in(text):
            return set()
        return {occurrence.value for occurrence in self._occurrences(_JoinedPieces(text))}

    def _may_stand_in(self, text: str) -> bool:
        """False where the letters and digits alone, which are searched fast, already show that no value does."""
        if _MAY_FOLD.search(text) or len(self.values) > _FEW_VALUES:
            return bool(self.values)
        letters = text.casefold().translate(_ASCII_SEPARATORS)
        return any(value[:LONGEST_COMPARED] in letters for value in self.values)

    def _occurrences(self, joined: _JoinedPieces) -> Iterator[_Occurrence]:
        for offset, value in self._index.find(joined.text):
            if (occurrence := joined.occurrence(offset, value)) is not None:
                yield occurrence


class _Occurrence(NamedTuple):
    """The pieces that a value stands in, by their numbers, and whether it begins where the first one does."""

    value: str
    first: int
    last: int
    begins: bool


def _reach(occurrence: _Occurrence) -> tuple[bool, int, int]:
    return occurrence.begins, occurrence.last, len(occurrence.value)


class _JoinedPieces:
    """The pieces of a text as one string, and where each of them stands in it and in the text."""

    def __init__(self, text: str) -> None:
        self._folded = fold(text, escapes=True)
        seen = text if self._folded is None else self._folded.text
        self._starts, self._ends, self._words, self._offsets = array("I"), array("I"), array("I"), array("I", [0])
        parts, offset = [], 0
        for start, end, word in _piece_ranges(seen):
            parts.append(part := compared_form(seen[start:end]))
            offset += len(part)
            self._starts.append(start)
            self._ends.append(end)
            self._words.append(word)
            self._offsets.append(offset)
        self.text = "".join(parts)

    def occurrence(self, offset: int, value: str) -> _Occurrence | None:
        """A value at an offset, of a very long one its beginning.

        None where it neither begins with a piece nor is all in one word, or is short and no whole pieces.
        """
        first = bisect_right(self._offsets, offset) - 1
        begins = self._offsets[first] == offset
        end = offset + (len(value) if self.text.startswith(value, offset) else LONGEST_COMPARED)
        last = bisect_left(self._offsets, end) - 1
        is_long = len(value) >= _SHORTEST_INSIDE
        is_whole = begins and (is_long or self._offsets[last + 1] == end)
        is_in_word = is_long and self._words[first] == self._words[last]
        return _Occurrence(value, first, last, begins) if is_whole or is_in_word else None

    def range(self, first: int, last: int) -> tuple[int, int]:
        """Where pieces stand in the text."""
        place = self._starts[first], self._ends[last]
        return place if self._folded is None else self._folded.original(*place)


def join_pieces(text: str) -> str:
    """The form in which values are compared: letters and digits as a reader sees them, without case."""
    return "".join(piece.text for piece in pieces(text))


class Piece(NamedTuple):
    """A run of letters or of digits, folded, up to where a capital follows a small letter."""

    text: str
    start: int
    end: int


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of a text, with their ranges."""
    folded = fold(text, escapes=True)
    seen = text if folded is None else folded.text
    for start, end, _ in _piece_ranges(seen):
        yield Piece(compared_form(seen[start:end]), *((start, end) if folded is None else folded.original(start, end)))


def _piece_ranges(seen: str) -> Iterator[tuple[int, int, int]]:
    """The ranges of the pieces of a folded text, and where the word begins that each is a piece of."""
    word = end = -1
    for piece in _PIECE.finditer(seen):
        start = piece.start()
        if start != end or not _CASE_CHANGE.match(seen, start):
            word = start
        end = piece.end()
        yield start, end, word


def replaced_values(release: Release) -> set[str]:
    """The values that a release replaced and no name or field beside its text may hold, as ``join_pieces`` does."""
    before = release.before_rewrite or release
    return {value for edit in _hiding_edits(before) for value in _searchable_forms(before, edit)}


def hide_repeats(release: Release) -> Release:
    """The release with edits added where a replaced full name, number or address stands once more in the text.

    A rare surname alone counts where it is a key, a tag or a part of an identifier; in prose, detectors judge it.
    """
    if release.rewrite is not None:
        return release
    first, surnames = _repeated_values(release)
    text = release.document.text
    ends = [edit.span.end for edit in release.edits]
    repeats = []
    names, neutral = _neutral_names(text), dict[str, str]()  # two keys of one object must not become the same one
    for match in ValueIndex(first).find(text):
        following = bisect_right(ends, match.start)
        if following < len(ends) and release.edits[following].span.start < match.end:
            continue
        if match.value in surnames and (not _is_part_of_name(text, match) or wordnet.is_common_noun(match.value)):
            continue
        edit, written = first[match.value], text[match.start : match.end]
        replacement = edit.replacement
        if written.casefold().split() != _original(release, edit).casefold().split():  # no prose
            if written not in neutral:
                neutral[written] = next(names)
            replacement = neutral[written]
        span = edit.span.moved(match.start, match.end)
        repeats.append(replace(edit, span=span, replacement=replacement, reasons=_REASONS))
    return replace(release, edits=(*release.edits, *keep_allowed(release.document, repeats))) if repeats else release


def _neutral_names(text: str) -> Iterator[str]:
    """``hidden``, ``hidden2``, ... from a number on that the text does not have."""
    taken = max((int(number or 1) for number in _NEUTRAL_IN_TEXT.findall(text)), default=0)
    return (_NEUTRAL if number == 1 else f"{_NEUTRAL}{number}" for number in count(taken + 1))


def _repeated_values(release: Release) -> tuple[dict[str, Edit], set[str]]:
    """By value the edit that replaced it first, and which of the values are surnames alone."""
    first: dict[str, Edit] = {}
    surnames: set[str] = set()
    for edit in _hiding_edits(release):
        # Words in lower case that a detector took for a name may be ordinary ones elsewhere.
        is_word = edit.span.label == "PERSON" and _original(release, edit).islower()
        if edit.span.label in ("PERSON", "CODE", "LOC") and not is_word:
            for value in _searchable_forms(release, edit, alone=False):
                first.setdefault(value, edit)
            for surname in _searchable_forms(release, edit) if edit.span.label == "PERSON" else ():
                if surname not in first:
                    first[surname] = edit
                    surnames.add(surname)
    return first, surnames


def _is_part_of_name(text: str, match: Match) -> bool:
    """Whether a word is a key, a tag or a part of an identifier or of a path rather than a word of a sentence."""
    word = text[match.start : match.end]
    return (
        word.islower()
        or join_pieces(word) != match.value
        or _BEFORE_IN_NAME.search(text[max(0, match.start - 2) : match.start]) is not None
        or _AFTER_IN_NAME.match(text, match.end) is not None
    )


def _hiding_edits(release: Release) -> Iterator[Edit]:
    return (edit for edit in release.edits if edit.replacement != _original(release, edit))


def _original(release: Release, edit: Edit) -> str:
    return release.document.text[edit.span.start : edit.span.end]


def _searchable_forms(release: Release, edit: Edit, *, alone: bool = True) -> Iterator[str]:
    """``alone``: whether a rare surname counts by itself."""
    original = folded_form(_original(release, edit))
    parts = [piece.text for piece in pieces(original)]
    if edit.span.label == "PERSON":
        yield from _forms_of_person(original, alone=alone)
    elif _is_telling(edit.span.label, original, parts):
        yield "".join(parts)


def _is_telling(label: str, original: str, parts: Sequence[str]) -> bool:
    """Whether a value that is no name of a person can hardly be anything else."""
    letters = sum(map(len, parts))
    digits = sum(len(part) for part in parts if part.isdigit())
    if label == "ORG":
        is_rare = bool(frozenset(parts).difference(common_words(), BRANDS))
        return len(parts) > 1 and letters >= _SHORTEST_ORGANISATION and is_rare
    if label == "LOC":
        return digits > 0 and len(parts) > 1 and letters >= _SHORTEST_ADDRESS
    if label == "DATETIME":
        return len(parts) >= _DATE_PARTS and digits >= _FEWEST_DIGITS
    return _MAIL.search(original) is not None or (digits >= _FEWEST_DIGITS and letters >= _SHORTEST_CODE)


def _forms_of_person(original: str, *, alone: bool) -> Iterator[str]:
    """A full name in both orders, and a surname that is neither a word nor a place."""
    names = _names_in(original)
    joined, last = "".join(names), names[-1] if names else ""
    if len(names) > 1 and len(joined) >= _SHORTEST_FULL_NAME and not set(names) <= common_words():
        yield joined
        yield "".join([last, *names[:-1]])
        yield names[0] + last
        yield last + names[0]
        yield join_pieces(original)
    is_ordinary = any(last in known for known in (common_words(), cities(), regions(), given_names()))
    if alone and len(last) >= _SHORTEST_SURNAME and not is_ordinary:
        yield last


def _names_in(original: str) -> list[str]:
    words = (word for part in original.split() if not is_title(part) for word in re.findall(r"[^\W\d_]+", part))
    return [name for word in words if len(word) > 1 and (name := compared_form(word)) not in PARTICLES]
