"""Structured text inside documents (JSON, XML, code, logs, tables): what is a value, and where it ends.

Spans are cut to the values, and replacements are written as the format demands. What no format claims is prose.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from html import unescape
from itertools import groupby, pairwise
from operator import attrgetter

from sfumato.annotated_text import AnnotatedText, read_once
from sfumato.detectors.code_lines import find_code_lines, is_code_line
from sfumato.detectors.json_blocks import find_json, with_inner_json
from sfumato.detectors.markup import find_tags
from sfumato.detectors.structured_lines import (
    Piece,
    Region,
    Style,
    find_borders,
    find_cards,
    find_code,
    find_columns,
    find_fence,
    find_header,
    find_log,
    find_settings,
    find_statements,
    find_times,
    find_trace,
    in_order,
    lex_code,
    lines_of,
)
from sfumato.detectors.tables import find_lists, find_tables
from sfumato.detectors.yaml_blocks import find_yaml, needs_quotes
from sfumato.document import Document, Edit, LazyEdits, Range, Span, allowed_ranges, outside
from sfumato.formats.identifiers import Place
from sfumato.lexicon.name_lists import given_names, is_full_name
from sfumato.lexicon.tokens import lazy_pattern

FEWEST_DIGITS = 5
"""So many digits in a key or an identifier may be a number of someone."""
BATCH_TEXTS = 64
"""Texts whose structure is kept: the same text is asked for when its spans are merged and when they are replaced."""
_LONGEST_CACHED = 50_000
_CHOSEN = ("recipe:", "gold", "docx:", "rules:encoded")
"""Spans that a user, an annotator or the file itself gave, and encoded text: they count wherever they stand."""
_NOT_DIGITS = frozenset({"PERSON", "ORG", "LOC", "CODE", "MISC"})
"""What a value of a single digit is not: a flag or a count beside a place is no place."""
_ESCAPE = lazy_pattern(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\"'\\/`bfnrtv0])")
_LETTER_ESCAPE = lazy_pattern(r"\\[ux]([0-9A-Fa-f]{4}|[0-9A-Fa-f]{2})")
_LETTER_ESCAPES = lazy_pattern(r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|[^\W_])+")
_NESTED_ESCAPE = lazy_pattern(r"\\++(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})")
_LONGEST_ESCAPE = 6
_BARE_QUOTE = lazy_pattern(r'(?<!\\)"')
_REFERENCE = lazy_pattern(r"&#?\w{1,10};")
_LONGEST_REFERENCE_NAME = 12
_LITERAL = lazy_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NULLS: dict[Style, str] = {"json": "null", "sql": "NULL"}
_WORD = lazy_pattern(r"[^\W\d_]+")
_MACHINE_NAME = lazy_pattern(r"\w@\w")


def document_structure(document: Document) -> Structure:
    """The pieces of a document's text, with the borders of fields and the scripts that its format tells of."""
    places: tuple[Place, ...] = document.meta.get("identifiers", ())
    code = tuple((place.start, place.end) for place in places if place.kind == "code")
    structure = find_structure(document.text, tuple(document.meta.get("borders", ())), code)
    ranges = allowed_ranges(document)
    return structure.with_parts(ranges) if ranges else structure


@read_once
def find_structure(text: str, borders: tuple[int, ...] = (), code: tuple[tuple[int, int], ...] = ()) -> Structure:
    """The pieces of a text. Where two formats claim a part, the first one that is looked for has it.

    ``borders``: where another field of the file begins, which no span crosses; a line break stands before each.
    ``code``: ranges that are code, whatever they look like.
    """
    claims = _Claims()
    claims.add_pieces(Piece(border - 1, border, "fixed") for border in borders if border > 0)
    in_json = list(find_json(text))
    claims.add_regions(in_json)
    claims.add_regions(Region(start, end, list(lex_code(text, start, end))) for start, end in code)
    tags = list(find_tags(text))
    claims.add_regions(tags)
    if tags:  # each tag is a region, and all of them together have a form
        claims.regions.append(Region(tags[0].start, tags[-1].end, [], "markup"))
    lines = lines_of(text)
    without_json = lines_of(_with_strings(text, in_json))
    claims.add_regions(find_settings(lines, in_sections=True))
    claims.add_regions(find_statements(text, lines))
    claims.add_regions(find_code(text, without_json))
    tables = (table for table in find_tables(text, lines) if not _is_code_line(text, table))
    claims.add_regions(with_inner_json(text, table) for table in tables)
    claims.add_regions(find_settings(lines, in_sections=False))
    claims.add_regions(with_inner_json(text, block) for block in find_yaml(text, lines))
    claims.add_regions(find_lists(text, lines))
    claims.add_regions(find_code_lines(text, without_json))
    stamps = list(find_times(text))
    claims.add_pieces(stamps)
    for find in (find_fence, find_header, find_trace, find_log, find_columns):
        claims.add_pieces(piece for line in lines for piece in find(line))
    claims.add_pieces(find_cards(lines))
    claims.add_pieces(find_borders(text))
    return Structure(text, in_order(_with_stamps(claims.pieces, stamps)), claims.regions)


def _is_changed(piece: Piece, replacement: str) -> bool:
    """Whether a replacement cannot be written as it is in a part of a value."""
    return _WRITERS[piece.style](replacement, piece.quote) != replacement


def _with_strings(text: str, regions: Iterable[Region]) -> str:
    """A text with a string of the same length for each region within a line, whose signs are none of a language."""
    parts, position = [], 0
    for start, end, *_ in regions:
        if position <= start < end - 1 and "\n" not in text[start:end]:
            parts += [text[position:start], '"', " " * (end - start - 2), '"']
            position = end
    return "".join([*parts, text[position:]])


def _is_code_line(text: str, table: Region) -> bool:
    """Whether a table of one row is rather a line of code: "let v = vec![1, 2, 3];"."""
    row = text[table.start : table.end]
    return "\n" not in row and is_code_line(row)


class Structure:
    """The pieces of a text, disjoint and in order. What lies in none of them is prose."""

    def __init__(self, text: str, pieces: Sequence[Piece], regions: Iterable[Region] = ()) -> None:
        """``regions``: what can be read again after replacing."""
        self.text = AnnotatedText(text)
        self.pieces = pieces
        self.regions = sorted(regions, key=attrgetter("start", "end"))
        self._starts = [piece.start for piece in pieces]

    @cached_property
    def without_commas(self) -> AnnotatedText:
        """The text, with tabs for the commas between values, which are none of a sentence or of an amount."""
        parts, position = [], 0
        for piece in self.pieces:
            if piece.kind == "fixed" and self.text.find(",", piece.start, piece.end) >= 0:
                parts += [self.text[position : piece.start], self.text[piece.start : piece.end].replace(",", "\t")]
                position = piece.end
        return AnnotatedText("".join([*parts, self.text[position:]]) if parts else self.text)

    def words_near(self, start: int, end: int) -> str | None:
        """What tells about a range in a cell below a header: the header, and the rest of the cell."""
        piece = next(self._overlapping(start, end), None)
        if piece is None or not piece.header:
            return None
        return "\n".join((piece.header, self.text[piece.start : start], self.text[end : piece.end]))

    def with_parts(self, ranges: Sequence[Range]) -> Structure:
        """The same, where a number that is partly in one of the ranges, which stay, is replaced in part."""
        pieces = [
            piece._replace(kind="part")
            if piece.kind == "number" and outside(self.text, ranges, piece.start, piece.end) != [piece[:2]]
            else piece
            for piece in self.pieces
        ]
        return Structure(self.text, pieces, self.regions)

    def cut_spans(self, spans: Iterable[Span]) -> list[Span]:
        """The spans within values and prose: cut at borders, without what is not a value."""
        if not self.pieces:
            return list(spans)
        return [part for span in spans for part in self._parts(span)]

    def is_value(self, start: int, end: int) -> bool:
        """Whether a range is a whole value or a whole key."""
        index = bisect_left(self._starts, start)
        piece = self.pieces[index] if index < len(self.pieces) else None
        return piece is not None and (piece.start, piece.end) == (start, end) and piece.style != "plain"

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
            yield from self._between(span, position, piece.start)
            position = piece.end
            start, end = max(span.start, piece.start), min(span.end, piece.end)
            if piece.end - piece.start == 1 and text[piece.start].isdigit() and span.label in _NOT_DIGITS:
                continue
            if piece.kind in ("value", "part"):
                start, end = _whole_escapes(text, start, end, piece)
                if start < end:
                    yield span.moved(start, end)
            elif piece.kind == "number":
                yield span.moved(piece.start, piece.end)
            elif piece.kind == "time":
                yield replace(span, start=piece.start, end=piece.end, label="DATETIME", identifier="quasi")
            elif piece.kind == "name" and _is_identifying(text[start:end], span.label):
                yield span.moved(start, end)
        yield from self._between(span, position, span.end)

    def _between(self, span: Span, start: int, end: int) -> Iterator[Span]:
        """The part of a span in prose, without white space at its ends."""
        string = self.text[start:end]
        if stripped := string.strip():
            start += len(string) - len(string.lstrip())
            yield span.moved(start, start + len(stripped))

    def read(self, start: int, end: int) -> str:
        """What ``text[start:end]`` says: without the escapes of the value that it lies in."""
        string = self.text[start:end]
        piece = next(self._overlapping(start, end), None)
        read = _READERS.get(piece.style) if piece is not None and piece.start <= start and end <= piece.end else None
        return string if read is None else read(string)

    def values_in(self, span: Span) -> list[Span]:
        """The parts of a span in values, numbers and prose, whoever made it; of keys those that it lies in, or that
        name somebody."""
        parts: list[Span] = []
        position = span.start
        for piece in self._overlapping(span.start, span.end):
            parts += self._between(span, position, piece.start)
            position = piece.end
            start, end = max(span.start, piece.start), min(span.end, piece.end)
            is_within = (start, end) == (span.start, span.end)
            if piece.kind == "name" and not (is_within or _is_identifying(self.text[start:end], span.label)):
                continue
            if piece.kind in ("value", "name", "part"):
                parts += self._between(span, *_whole_escapes(self.text, start, end, piece))
            elif piece.kind != "fixed":
                parts.append(span.moved(piece.start, piece.end))
        return [*parts, *self._between(span, position, span.end)]

    def write(self, edit: Edit, anchor: Span) -> Edit:
        """An edit as the format demands at the place of its anchor, without alternatives."""
        return self._fit(replace(edit, alternatives=()), anchor, is_code=False)

    def join_in_scalars(self, edits: Sequence[Edit], *, are_written: bool = False) -> list[Edit]:
        """The edits; those in a part of a number, a cell or a YAML scalar without quotes as one edit of all of it.

        Only where a part could not be written as it is: the whole may stand in quotes. ``are_written``: all edits are
        written as their format demands, but those in a part of a number.
        """
        joined: list[Edit] = []
        for piece, group in groupby(sorted(edits, key=lambda edit: edit.span.start), key=self._scalar_around):
            parts = list(group)
            if piece is None or (
                piece.kind != "part"
                and (are_written or not any(_is_changed(piece, each.replacement) for each in parts))
            ):
                joined += parts
                continue
            written, position = "", piece.start
            for each in parts:
                written += self.text[position : each.span.start] + each.replacement
                position = each.span.end
            written += self.text[position : piece.end]
            edit = replace(parts[0], span=parts[0].span.moved(piece.start, piece.end), replacement=written)
            joined.append(self.write(edit, edit.span) if are_written else edit)
        return joined

    def _scalar_around(self, edit: Edit) -> Piece | None:
        piece = next(self._overlapping(edit.span.start, edit.span.end), None)
        is_inside = piece is not None and piece.start <= edit.span.start and edit.span.end <= piece.end
        is_scalar = piece is not None and (piece.kind == "part" or piece.style in _PLAIN_SCALARS)
        return piece if is_inside and is_scalar else None

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
        elif piece.end < anchor.end:
            piece = Piece(anchor.start, anchor.end, "value", piece.quote, piece.style)
        written = self._write(edit, piece, is_code=is_code)
        alternatives = edit.alternatives
        if not isinstance(alternatives, LazyEdits) and not alternatives:
            return written
        return replace(
            written,
            alternatives=LazyEdits(lambda: tuple(self._write(each, piece, is_code=is_code) for each in alternatives)),
        )

    def _write(self, edit: Edit, piece: Piece, *, is_code: bool) -> Edit:
        if piece.kind in ("number", "time"):
            span = edit.span.moved(piece.start, piece.end)
        else:
            start = min(max(edit.span.start, piece.start), piece.end)
            span = edit.span.moved(start, max(start, min(edit.span.end, piece.end)))
        is_whole = (span.start, span.end) == (piece.start, piece.end)
        replacement = edit.replacement
        if piece.kind == "part" and not is_whole:
            return edit if span is edit.span else replace(edit, span=span)  # ``join_in_scalars`` writes all of it
        if piece.kind in ("number", "part"):
            replacement = _literal(replacement, piece, is_code=is_code)
        elif piece.style in _PLAIN_SCALARS and is_whole:
            replacement = _PLAIN_SCALARS[piece.style](replacement, piece.quote)
        elif not is_code:
            replacement = _WRITERS[piece.style](replacement, piece.quote)
        for _ in range(0 if is_code else piece.depth):
            replacement = _with_backslashes(replacement, '"')
        if span is edit.span and replacement == edit.replacement:
            return edit
        return replace(edit, span=span, replacement=replacement)


def _literal(replacement: str, piece: Piece, *, is_code: bool) -> str:
    """A number stays a number where it is replaced by one, else becomes a string; null where nothing is left of it."""
    if not piece.quote or _LITERAL.fullmatch(replacement):
        return replacement
    if is_code or (not replacement and piece.style in _NULLS):
        return _NULLS.get(piece.style, "null")
    return piece.quote + _WRITERS[piece.style](replacement, piece.quote) + piece.quote


_CONTROLS = {code: f"\\u{code:04x}" for code in range(32)} | {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def _with_backslashes(text: str, quote: str) -> str:
    text = text.replace("\\", "\\\\").translate(_CONTROLS)
    return text.replace(quote[-1], "\\" + quote[-1]) if quote else text


def _in_string(text: str, quote: str) -> str:
    # A stand-in may repeat the escaped quotes of the original.
    return _with_backslashes(text.replace('\\"', '"'), quote)


def _scalar(text: str, quote: str) -> str:
    """Text in the place of a YAML scalar without quotes: in quotes where it would be something else without them."""
    return f'"{_with_backslashes(text, chr(34))}"' if needs_quotes(text) else text


def _cell(text: str, separator: str) -> str:
    """Text in the place of a cell without quotes."""
    if separator == "|" and not text.startswith('"'):
        return " ".join(text.replace(separator, " ").splitlines())
    if separator == "|":
        return _without_separators(text, separator)
    return '"' + text.replace('"', '""') + '"' if re.search(rf'[{re.escape(separator)}"\r\n]', text) else text


_PLAIN_SCALARS: dict[Style, Callable[[str, str], str]] = {"yaml": _scalar, "cell": _cell}
"""What stands without quotes and is replaced as a whole may be put in quotes."""


def _in_line(text: str, quote: str) -> str:
    """Text in a comment: on one line, and without what ends it."""
    return " ".join(text.splitlines()).replace("*/", "* /")


def _without_marks(text: str, quote: str) -> str:
    return re.sub(r":(?=\s|$)|\s#|[\[\]{}\n]|^[^\w+(]+", " ", text).strip() if text else text


def _without_separators(text: str, separator: str) -> str:
    joined = re.sub(rf"(?<=\d){re.escape(separator)}(?=\d)", "", text)
    return joined.replace(separator, " ").replace("\n", " ").replace('"', "").replace("\\", "/")


def _with_references(text: str, quote: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace(quote, "&#39;" if quote == "'" else "&quot;") if quote else text


_WRITERS: dict[Style, Callable[[str, str], str]] = {
    "plain": lambda text, quote: text,
    "yaml": _without_marks,
    "quoted": lambda text, quote: text.replace('"', '""'),
    "json in cell": lambda text, quote: _in_string(text, '"').replace('"', '""'),
    "json": _in_string,
    "code": _in_string,
    "sql": lambda text, quote: text.replace("'", "''"),
    "markup": _with_references,
    "cell": _without_separators,
    "raw": _without_separators,
    "comment": _in_line,
}


def _without_backslashes(text: str) -> str:
    try:
        return str(json.loads('"' + _BARE_QUOTE.sub(r'\\"', text) + '"', strict=False))
    except ValueError:  # an escape that JSON does not know: what it stands for is not certain
        return text


_READERS: dict[Style, Callable[[str], str]] = {
    "json": _without_backslashes,
    "code": _without_backslashes,
    "sql": lambda text: text.replace("''", "'"),
    "markup": unescape,
    "cell": lambda text: text.replace('""', '"'),
    "quoted": lambda text: text.replace('""', '"'),
    "json in cell": lambda text: _without_backslashes(text.replace('""', '"')),
}


def _whole_escapes(text: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """A range that cuts no escape in two: one that stands for a letter is taken in, any other is left out."""
    if piece.depth:
        cut = [escape.span() for escape in _NESTED_ESCAPE.finditer(text, *_near(text, start, end, piece))]
        start = next((first for first, last in cut if first < start < last), start)
        return start, next((last for first, last in cut if first < end < last), end)
    if piece.style == "markup" and text.find("&", max(piece.start, start - _LONGEST_REFERENCE_NAME), end) >= 0:
        return _whole_references(text, start, end, piece)
    if (
        piece.style not in ("json", "code", "json in cell")
        or text.find("\\", max(piece.start, start - _LONGEST_ESCAPE), end + 1) < 0
    ):
        return start, end
    if escape := _escape_around(text, start, piece):
        start = escape.start() if escape.group()[1] in "ux" else min(escape.end(), end)
    if escape := _escape_around(text, end, piece):
        end = escape.end() if escape.group()[1] in "ux" else max(escape.start(), start)
    if start < end and text.startswith(("\\u", "\\x"), end) and (rest := _LETTER_ESCAPES.match(text, end, piece.end)):
        end = rest.end()
    return start, end


def _near(text: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """A range with the escapes that it may cut: each has a backslash for every level, doubled."""
    longest = _LONGEST_ESCAPE + (1 << piece.depth)
    first, last = max(piece.start, start - longest), min(piece.end, end + longest)
    while first > piece.start and text[first - 1] == "\\":
        first -= 1
    return first, last


def _whole_references(text: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """The same for references of markup (&#10;), which are taken in; nothing within a single one is a value."""
    for reference in _REFERENCE.finditer(text, max(piece.start, start - _LONGEST_REFERENCE_NAME), piece.end):
        first, last = reference.span()
        if first <= start and end <= last:
            return start, start
        if first < start < last:
            start = first
        if first < end < last:
            return start, last
        if first >= end:
            break
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


def _is_identifying(string: str, label: str) -> bool:
    """Whether a key or an identifier is one of someone: a mail address, a long number, a full name."""
    if _MACHINE_NAME.search(string) or sum(map(str.isdigit, string)) >= FEWEST_DIGITS:
        return True
    string = _LETTER_ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), string)
    pairs = [(first, second) for first, second in pairwise(_WORD.findall(string)) if first[0].isupper()]
    if any(is_full_name(first.casefold(), second.casefold()) for first, second in pairs):
        return True
    # Two words with capitals and a blank, one of them a given name: no program has such a key.
    return label == "PERSON" and any(
        f"{first} {second}" in string and second[0].isupper() and first.casefold() in given_names()
        for first, second in pairs
    )


class _Claims:
    """Ranges of a text that a format has claimed, and their pieces."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.regions: list[Region] = []
        """Those that can be read again."""
        self._ranges: list[tuple[int, int]] = []

    def add_regions(self, regions: Iterable[Region]) -> None:
        """Regions that touch nothing claimed; of a region around claimed ones, the pieces beside them."""
        added: list[tuple[int, int]] = []
        for region in sorted(regions, key=attrgetter("start")):
            if not added or added[-1][1] <= region.start:
                self.pieces += [piece for piece in in_order(region.pieces) if self._is_free(piece.start, piece.end)]
                added.append((region.start, region.end))
                if region.format and not self._is_within_another(region):
                    self.regions.append(region)
        self._extend(added)

    def add_pieces(self, pieces: Iterable[Piece]) -> None:
        """Pieces that touch nothing claimed."""
        free = [piece for piece in in_order(pieces) if self._is_free(piece.start, piece.end)]
        self.pieces += free
        self._extend([(piece.start, piece.end) for piece in free])

    def _extend(self, added: list[tuple[int, int]]) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted([*self._ranges, *added]):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self._ranges = merged

    def _is_within_another(self, region: Region) -> bool:
        """Whether a region begins or ends within what is claimed; around it, it may be read like any."""
        index = bisect_right(self._ranges, (region.start, region.start)) - 1
        last = bisect_left(self._ranges, (region.end, region.end)) - 1
        starts_within = index >= 0 and region.start < self._ranges[index][1]
        ends_within = last >= 0 and region.end < self._ranges[last][1]
        return starts_within or ends_within or (region.start, region.end) in self._ranges[last : last + 1]

    def _is_free(self, start: int, end: int) -> bool:
        index = bisect_right(self._ranges, (start, end))
        is_before = index == len(self._ranges) or end <= self._ranges[index][0]
        return is_before and (index == 0 or self._ranges[index - 1][1] <= start)


def _with_stamps(pieces: Iterable[Piece], stamps: list[Piece]) -> Iterator[Piece]:
    """The pieces, with values cut around the time stamps in them."""
    starts = [stamp.start for stamp in stamps]
    for piece in pieces:
        if piece.kind != "value":
            yield piece
            continue
        position = piece.start
        index = bisect_right(starts, piece.start - 1)
        while index < len(stamps) and stamps[index].end <= piece.end:
            yield piece._replace(start=position, end=stamps[index].start)
            yield stamps[index]
            position = stamps[index].end
            index += 1
        yield piece._replace(start=position)
