"""Pieces of structured text: spans are cut to the values, and replacements are written as the format demands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import Literal, NamedTuple

from sfumato.document import Edit, Span
from sfumato.lexicon.name_lists import is_full_name

Kind = Literal["fixed", "name", "value", "number", "time"]
"""``fixed``: punctuation, keywords, tags, which never change. ``name``: keys and identifiers, which change only where
they hold an identifier of someone. ``value``: text that a span may lie in and never leaves. ``number``: a literal
without quotes. ``time``: a time stamp; both are replaced as a whole."""
Style = Literal["plain", "json", "sql", "markup", "cell", "yaml"]
"""How text is written in a value: with backslashes, doubled quotes, character references, without separators."""

FEWEST_DIGITS = 5
"""So many digits in a key or an identifier may be a number of someone."""
_CHOSEN = ("recipe:", "gold", "docx:")
"""Spans that a user, an annotator or the file itself gave: they count wherever they stand."""
_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_LETTER_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|[^\W_])+")
_LONGEST_ESCAPE = 6
_LITERAL = re.compile(r"[-+]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[^\W\d_]+")
_MACHINE_NAME = re.compile(r"\w@\w")


class Piece(NamedTuple):
    """``text[start:end]`` is of a kind; ``quote`` is put around a number that becomes text."""

    start: int
    end: int
    kind: Kind
    quote: str = ""
    style: Style = "plain"


class Region(NamedTuple):
    """A range of a text in one format, with its pieces. What lies between them is prose: comments, free text."""

    start: int
    end: int
    pieces: list[Piece]


class Structure:
    """The pieces of a text, disjoint and in order. What lies in none of them is prose."""

    def __init__(self, text: str, pieces: Sequence[Piece]) -> None:
        self.text = text
        self.pieces = pieces
        self._starts = [piece.start for piece in pieces]

    def cut_spans(self, spans: Iterable[Span]) -> list[Span]:
        """The spans within values and prose: cut at borders, without what is not a value."""
        if not self.pieces:
            return list(spans)
        return [part for span in spans for part in self._parts(span)]

    def _overlapping(self, start: int, end: int) -> Iterator[Piece]:
        index = max(0, bisect_right(self._starts, start) - 1)
        for piece in self.pieces[index : bisect_left(self._starts, end)]:
            if start < piece.end:
                yield piece

    def _parts(self, span: Span) -> Iterator[Span]:
        if span.source.startswith(_CHOSEN):
            yield span
            return
        text, position = self.text, span.start
        for piece in self._overlapping(span.start, span.end):
            if position < piece.start:
                yield span.moved(position, piece.start)
            position = piece.end
            start, end = max(span.start, piece.start), min(span.end, piece.end)
            if piece.kind == "value":
                start, end = _whole_escapes(text, start, end, piece)
                if start < end:
                    yield span.moved(start, end)
            elif piece.kind == "number":
                yield span.moved(piece.start, piece.end)
            elif piece.kind == "time":
                yield replace(span, start=piece.start, end=piece.end, label="DATETIME", identifier="quasi")
            elif piece.kind == "name" and _is_identifying(text[start:end]):
                yield span.moved(start, end)
        if position < span.end:
            yield span.moved(max(position, span.start), span.end)

    def fit_edits(self, edits: Iterable[tuple[Edit, Span]], is_code: Callable[[Span], bool]) -> list[tuple[Edit, Span]]:
        """Edits with their anchors, kept within the values of their anchors and written as the format demands.

        ``is_code``: whether a span lies in a script, where a number cannot become a string.
        """
        if not self.pieces:
            return list(edits)
        return [(self._fit(edit, anchor, is_code=is_code(anchor)), anchor) for edit, anchor in edits]

    def _fit(self, edit: Edit, anchor: Span, *, is_code: bool) -> Edit:
        index = bisect_right(self._starts, anchor.start) - 1
        piece = self.pieces[index] if index >= 0 else None
        if piece is None or anchor.start >= piece.end:
            # Prose: an edit that takes in an article must not reach into the structure beside it.
            before = piece.end if piece is not None else 0
            after = self.pieces[index + 1].start if index + 1 < len(self.pieces) else len(self.text)
            piece = Piece(before, max(after, anchor.end), "value")
        written = self._write(edit, piece, is_code=is_code)
        if not edit.alternatives:
            return written
        return replace(written, alternatives=tuple(self._write(e, piece, is_code=is_code) for e in edit.alternatives))

    def _write(self, edit: Edit, piece: Piece, *, is_code: bool) -> Edit:
        if piece.kind in ("number", "time"):
            span = edit.span.moved(piece.start, piece.end)
        else:
            start = min(max(edit.span.start, piece.start), piece.end)
            span = edit.span.moved(start, max(start, min(edit.span.end, piece.end)))
        replacement = edit.replacement
        if piece.kind == "number":
            replacement = _literal(replacement, piece, is_code=is_code)
        elif piece.style == "yaml" and span.start == piece.start and not _WORD.match(replacement):
            replacement = '"' + replacement.replace("\\", "\\\\").replace('"', '\\"') + '"'
        elif not is_code:
            replacement = _WRITERS[piece.style](replacement, piece.quote)
        if span is edit.span and replacement == edit.replacement:
            return edit
        return replace(edit, span=span, replacement=replacement)


def _literal(replacement: str, piece: Piece, *, is_code: bool) -> str:
    """A number stays a number where it is replaced by one, else becomes a string; null where nothing is left of it."""
    if not piece.quote or _LITERAL.fullmatch(replacement):
        return replacement
    if is_code or not replacement:
        return "NULL" if piece.style == "sql" else "null" if piece.style == "json" else "None"
    return piece.quote + _WRITERS[piece.style](replacement, piece.quote) + piece.quote


def _with_backslashes(text: str, quote: str) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace(quote[-1], "\\" + quote[-1]) if quote else text


def _without_separators(text: str, separator: str) -> str:
    joined = re.sub(rf"(?<=\d){re.escape(separator)}(?=\d)", "", text)
    return joined.replace(separator, " ").replace("\n", " ").replace('"', "")


def _with_references(text: str, quote: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace(quote, "&#39;" if quote == "'" else "&quot;") if quote else text


_WRITERS: dict[Style, Callable[[str, str], str]] = {
    "plain": lambda text, quote: text,
    "yaml": lambda text, quote: text,
    "json": _with_backslashes,
    "sql": lambda text, quote: text.replace("'", "''"),
    "markup": _with_references,
    "cell": _without_separators,
}


def _whole_escapes(text: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """A range that cuts no escape in two: one that stands for a letter is taken in, any other is left out."""
    if piece.style != "json" or text.find("\\", max(piece.start, start - _LONGEST_ESCAPE), end + 1) < 0:
        return start, end
    if escape := _escape_around(text, start, piece):
        start = escape.start() if escape.group()[1] in "ux" else min(escape.end(), end)
    if escape := _escape_around(text, end, piece):
        end = escape.end() if escape.group()[1] in "ux" else max(escape.start(), start)
    if start < end and text.startswith(("\\u", "\\x"), end) and (rest := _LETTER_ESCAPES.match(text, end, piece.end)):
        end = rest.end()
    return start, end


def _escape_around(text: str, offset: int, piece: Piece) -> re.Match[str] | None:
    """The escape that begins before an offset and ends after it."""
    for start in range(offset - 1, max(piece.start, offset - _LONGEST_ESCAPE) - 1, -1):
        if text[start] != "\\":
            continue
        first = start
        while first > piece.start and text[first - 1] == "\\":
            first -= 1
        if (start - first) % 2:
            return None
        escape = _ESCAPE.match(text, start, piece.end)
        return escape if escape and escape.end() > offset else None
    return None


def _is_identifying(string: str) -> bool:
    """Whether a key or an identifier is one of someone: a mail address, a long number, a full name."""
    if _MACHINE_NAME.search(string) or sum(map(str.isdigit, string)) >= FEWEST_DIGITS:
        return True
    words = _WORD.findall(string)
    return any(
        first[0].isupper() and is_full_name(first.casefold(), second.casefold()) for first, second in pairwise(words)
    )


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces sorted by their place, those left out that begin before an earlier one ends."""
    ordered: list[Piece] = []
    for piece in sorted(pieces, key=attrgetter("start", "end")):
        if piece.end > piece.start and (not ordered or piece.start >= ordered[-1].end):
            ordered.append(piece)
    return ordered
