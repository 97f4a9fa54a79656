"""Values that a release replaced, searched for in any spelling: in the rest of the text, and in a rendered file.

Only values that can hardly be anything else count: a full name, a rare surname, a number, an address, a date with a
day. "18", "May" and "Park" are left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, count, groupby, pairwise, takewhile
from typing import NamedTuple

from sfumato.document import Edit, Release, keep_allowed
from sfumato.formats.identifiers import SubstringIndex
from sfumato.lexicon import wordnet
from sfumato.lexicon.folding import FoldedText, compared_form, fold, folded_form
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
_LONGEST_COMPARED = 120
"""Characters of a value by which it is found, so that searching takes linear time."""
_BEGINNING = 2
_NEAR_VALUES = 4
"""Values in the order of the alphabet among which the beginning of a word is looked for."""

_MAIL = re.compile(r"\w@\w")
_REASONS = ("stands elsewhere in the text for the same value",)
_NEUTRAL = "hidden"
_NEUTRAL_IN_TEXT = re.compile(rf"{_NEUTRAL}(\d{{0,9}})", re.IGNORECASE)

_RUN = re.compile(r"\d+|[^\W\d_]+")
_ASCII_SEPARATORS = {code: None for code in range(128) if not chr(code).isalnum()}
_ESCAPE_SIGN = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)|&amp;[#A-Za-z]|%[0-9A-Fa-f]|\\[ux]")
_MARKUP_ESCAPE = re.compile(r"&(?:amp|lt|gt|quot|apos);")
_FEW_VALUES = 500
"""Where a first search of the whole text for each of them costs less than going through its words."""
_LONGEST_SEARCHED = 32
"""Characters of a value that the first search looks for: no more than any comparison asks for."""
_BEFORE_IN_NAME = re.compile(r"(?:[\w<@#$%\\/]|\w\.)\Z")
_AFTER_IN_NAME = re.compile(r"[\w(\[{/\\]|\.\w|[\"']?[ \t]{0,4}[:=]")
_CASE_CHANGE = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")


class Match(NamedTuple):
    """``text[start:end]`` is a value of the index."""

    value: str
    start: int
    end: int


class ValueIndex:
    """Finds values in any spelling: with other separators or none, in another case, with words run together."""

    def __init__(self, values: Iterable[str]) -> None:
        """``values``: as ``join_pieces`` writes them."""
        self.values = frozenset(values)
        self._sorted = sorted(self.values)
        self._beginnings = {value[:length] for value in self.values for length in range(1, _BEGINNING + 1)}
        self._inside = SubstringIndex(
            (value for value in self.values if len(value) >= _SHORTEST_INSIDE), _SHORTEST_INSIDE
        )

    def find(self, text: str) -> Iterator[Match]:
        """All values in a text, from left to right, without overlaps; the longest of those that begin together.

        Where values overlap within one word or identifier (``quorvex_annaQuorvex``), the second match is what the first
        one does not cover.
        """
        end, word, inside = 0, -1, dict[int, list[Match]]()
        for piece, cursor in self._candidates(text):
            if piece.run != word:
                word, inside = piece.run, self._inside_word(cursor)
            match = max(self._from_piece(cursor), key=_reach, default=None)
            match = match or max(inside.get(piece.start, ()), key=_reach, default=None)
            if match is None or match.end <= end:
                continue
            if match.start < end:
                start = next(other.start for other in cursor if other.start >= end)
                if any(map(str.isspace, text[end:start])):
                    continue
                match = match._replace(start=start)
            yield match
            end = match.end

    def _candidates(self, text: str) -> Iterator[tuple[Piece, _Cursor]]:
        """The pieces where a value may begin, or may stand within a word that ends there."""
        is_searched = len(self.values) <= _FEW_VALUES
        if not self.values or (is_searched and not self._may_stand_in(text)):
            return
        folded = fold(text, escapes=True)
        for first, last in self._ranges(text, folded) if is_searched else [(0, len(text))]:
            cursor = _Cursor(_read_pieces(text, folded, first))
            while (piece := cursor.at(0)) is not None and piece.start < last:
                yield piece, cursor
                cursor.advance()

    def _may_stand_in(self, text: str) -> bool:
        """False where the letters and digits alone, which are searched fast, already show that no value does."""
        if not text.isascii() or _ESCAPE_SIGN.search(text):
            return True
        joined = _MARKUP_ESCAPE.sub(" ", text).casefold().translate(_ASCII_SEPARATORS)
        return any(value[:_LONGEST_SEARCHED] in joined for value in self.values)

    def _ranges(self, text: str, folded: FoldedText | None) -> Iterator[tuple[int, int]]:
        """Where words begin, and end in the text as written, outside of which no value stands, from left to right.

        Found by a search of the letters and digits alone, which is fast. Words that are folded, or in other letters
        than ASCII, are always among them, since they may be compared in two forms.
        """
        seen = text if folded is None else folded.text
        runs = [match.span() for match in _RUN.finditer(seen)]
        words = [seen[start:end] for start, end in runs]
        ranges = runs if folded is None else [folded.original(*run) for run in runs]
        are_read = bytearray(not word.isascii() for word in words)
        if folded is not None:
            for index, (start, end) in enumerate(ranges):
                are_read[index] |= text[start:end] != words[index]
        forms = [
            word.casefold() if word.isascii() else "".join(piece.text for piece in _read_pieces(word, None))
            for word in words
        ]
        joined, starts = "".join(forms), [0, *accumulate(map(len, forms))]
        for value in self.values:
            beginning = value[:_LONGEST_SEARCHED]
            place = joined.find(beginning)
            while place >= 0:
                first = bisect_right(starts, place) - 1
                last = bisect_left(starts, place + len(beginning))
                are_read[first:last] = b"\1" * (last - first)
                place = joined.find(beginning, place + 1)
        for is_read, group in groupby(range(len(runs)), key=are_read.__getitem__):
            if is_read:
                indices = list(group)
                yield runs[indices[0]][0], ranges[indices[-1]][1]

    def present(self, text: str) -> set[str]:
        """All values that stand in a text, also within each other."""
        values, word = set[str](), -1
        for piece, cursor in self._candidates(text):
            values.update(match.value for match in self._from_piece(cursor))
            if piece.run != word:
                word = piece.run
                values.update(match.value for matches in self._inside_word(cursor).values() for match in matches)
        beginnings = {value[:_LONGEST_COMPARED] for value in values if len(value) >= _LONGEST_COMPARED}
        return values | {value for value in self.values if value[:_LONGEST_COMPARED] in beginnings}

    def _from_piece(self, cursor: _Cursor) -> Iterator[Match]:
        """The values that begin with the current piece. Of a long one, the beginning is enough."""
        first = cursor.at(0)
        if first is None or first.text[:_BEGINNING] not in self._beginnings:
            return
        joined, index, long_value, position = "", 0, "", 0
        while (piece := cursor.at(position)) is not None:
            position += 1
            if long_value and not long_value.startswith(piece.text, len(joined)):
                return
            joined += piece.text
            if not long_value:
                index = bisect_left(self._sorted, joined, index)
                if index == len(self._sorted) or not self._sorted[index].startswith(joined):
                    # Letters that follow without a sign, as in anna_quorvexs; a value sorts before what it begins.
                    shortest = max(_SHORTEST_INSIDE, len(joined) - len(piece.text) + 1)
                    for value in self._sorted[max(0, index - _NEAR_VALUES) : index]:
                        if len(value) >= shortest and joined.startswith(value):
                            yield Match(value, first.start, piece.end)
                    return
                long_value = self._sorted[index] if len(joined) >= _LONGEST_COMPARED else ""
            if long_value or self._sorted[index] == joined:
                yield Match(long_value or joined, first.start, piece.end)

    def _inside_word(self, cursor: _Cursor) -> dict[int, list[Match]]:
        """Values anywhere in the word that begins here, by the beginning of the piece that they begin in."""
        word = cursor.word()
        ends = list(accumulate(len(piece.text) for piece in word))
        matches: dict[int, list[Match]] = {}
        for offset, value in self._inside.find("".join(piece.text for piece in word)):
            last_offset = min(offset + len(value), ends[-1])
            first, last = word[bisect_right(ends, offset)], word[bisect_left(ends, last_offset)]
            matches.setdefault(first.start, []).append(Match(value, first.start, last.end))
        return matches


def _reach(match: Match) -> tuple[int, int]:
    return match.end, len(match.value)


class _Cursor:
    """The pieces of a text from the current one on, read as they are needed."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._rest = pieces
        self._ahead: deque[Piece] = deque()

    def at(self, position: int) -> Piece | None:
        """A piece by its distance from the current one; None behind the last."""
        while len(self._ahead) <= position:
            if (piece := next(self._rest, None)) is None:
                return None
            self._ahead.append(piece)
        return self._ahead[position]

    def advance(self) -> None:
        self._ahead.popleft()

    def __iter__(self) -> Iterator[Piece]:
        return takewhile(bool, map(self.at, count()))  # type: ignore[arg-type]  # None behind the last

    def word(self) -> list[Piece]:
        """The pieces of the word that the current one begins."""
        run = None if (first := self.at(0)) is None else first.run
        return list(takewhile(lambda piece: piece.run == run, self))


def join_pieces(text: str) -> str:
    """The form in which values are compared: letters and digits as a reader sees them, without case."""
    return "".join(piece.text for piece in pieces(text))


class Piece(NamedTuple):
    """``text`` is folded; ``run`` is where the word begins that it is a piece of."""

    text: str
    start: int
    end: int
    run: int


def pieces(text: str) -> Iterator[Piece]:
    """Runs of letters or of digits, cut where a capital follows a small letter, with their ranges."""
    return _read_pieces(text, fold(text, escapes=True))


def _read_pieces(text: str, folded: FoldedText | None, first: int = 0) -> Iterator[Piece]:
    """The pieces of a text from the word on that begins at ``first``."""
    seen = text if folded is None else folded.text
    for run in _RUN.finditer(seen, first):
        cuts = [run.start(), *(change.start() for change in _CASE_CHANGE.finditer(seen, *run.span())), run.end()]
        for start, end in pairwise(cuts):
            word = compared_form(seen[start:end])
            if folded is None:
                yield Piece(word, start, end, run.start())
            else:
                yield Piece(word, *folded.original(start, end), folded.starts[run.start()])


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
    starts = [edit.span.start for edit in release.edits]
    repeats = []
    names, neutral = _neutral_names(text), dict[str, str]()  # two keys of one object must not become the same one
    for match in ValueIndex(first).find(text):
        near = bisect_right(starts, match.start)
        if any(
            edit.span.start < match.end and match.start < edit.span.end
            for edit in release.edits[max(0, near - 1) : near + 1]
        ):
            continue
        if match.value in surnames and (not _is_part_of_name(text, match) or wordnet.is_common_noun(match.value)):
            continue
        edit = first[match.value]
        written = text[match.start : match.end]
        is_prose = written.casefold().split() == _original(release, edit).casefold().split()
        if not is_prose and written not in neutral:
            neutral[written] = next(names)
        replacement = edit.replacement if is_prose else neutral[written]
        repeats.append(
            replace(edit, span=edit.span.moved(match.start, match.end), replacement=replacement, reasons=_REASONS)
        )
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
    original, label = folded_form(_original(release, edit)), edit.span.label
    parts = [piece.text for piece in pieces(original)]
    joined = "".join(parts)
    digits = sum(len(part) for part in parts if part.isdigit())
    if label == "PERSON":
        yield from _forms_of_person(original, alone=alone)
    elif label == "ORG":
        is_ordinary = all(part in common_words() or part in BRANDS for part in parts)
        if len(parts) > 1 and len(joined) >= _SHORTEST_ORGANISATION and not is_ordinary:
            yield joined
    elif label == "LOC":
        if digits and len(parts) > 1 and len(joined) >= _SHORTEST_ADDRESS:
            yield joined
    elif label == "DATETIME":
        if len(parts) >= _DATE_PARTS and digits >= _FEWEST_DIGITS:
            yield joined
    elif _MAIL.search(original) or (digits >= _FEWEST_DIGITS and len(joined) >= _SHORTEST_CODE):
        yield joined


def _forms_of_person(original: str, *, alone: bool) -> Iterator[str]:
    """A full name in both orders, and a surname that is neither a word nor a place."""
    names = [
        compared_form(word)
        for part in original.split()
        if not is_title(part)
        for word in re.findall(r"[^\W\d_]+", part)
        if len(word) > 1 and compared_form(word) not in PARTICLES
    ]
    joined = "".join(names)
    if len(names) > 1 and len(joined) >= _SHORTEST_FULL_NAME and not set(names) <= common_words():
        yield joined
        yield "".join([names[-1], *names[:-1]])
        yield names[0] + names[-1]
        yield names[-1] + names[0]
        yield join_pieces(original)
    last = names[-1] if names else ""
    is_ordinary = last in common_words() or last in cities() or last in regions() or last in given_names()
    if alone and len(last) >= _SHORTEST_SURNAME and not is_ordinary:
        yield last
