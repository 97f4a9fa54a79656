"""Structured text inside documents (JSON, XML, code, logs, tables): what is a value, and where it ends.

Spans are cut to the values, and replacements are written as the format demands. What no format claims is prose.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter

from sfumato.detectors.structured_lines import (
    Piece,
    Region,
    Style,
    find_borders,
    find_cards,
    find_code,
    find_columns,
    find_header,
    find_log,
    find_settings,
    find_statements,
    find_table,
    find_times,
    find_trace,
    find_yaml,
    in_order,
    lex_code,
    lines_of,
)
from sfumato.document import Document, Edit, LazyEdits, Span
from sfumato.formats.identifiers import Place
from sfumato.lexicon.name_lists import is_full_name
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import lazy_pattern

FEWEST_DIGITS = 5
"""So many digits in a key or an identifier may be a number of someone."""
BATCH_TEXTS = 64
"""Texts whose structure is kept: the same text is asked for when its spans are merged and when they are replaced."""
_LONGEST_CACHED = 50_000
_CHOSEN = ("recipe:", "gold", "docx:")
"""Spans that a user, an annotator or the file itself gave: they count wherever they stand."""
_NOT_DIGITS = frozenset({"PERSON", "ORG", "LOC", "CODE", "MISC"})
"""What a value of a single digit is not: a flag or a count beside a place is no place."""
_ESCAPE = lazy_pattern(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\"'\\/`bfnrtv0])")
_LETTER_ESCAPES = lazy_pattern(r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|[^\W_])+")
_LONGEST_ESCAPE = 6
_LITERAL = lazy_pattern(r"[-+]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_NULLS: dict[Style, str] = {"json": "null", "sql": "NULL"}
_WORD = lazy_pattern(r"[^\W\d_]+")
_MACHINE_NAME = lazy_pattern(r"\w@\w")


def document_structure(document: Document) -> Structure:
    """The pieces of a document's text, with the borders of fields and the scripts that its format tells of."""
    places: tuple[Place, ...] = document.meta.get("identifiers", ())
    code = tuple((place.start, place.end) for place in places if place.kind == "code")
    return find_structure(document.text, tuple(document.meta.get("borders", ())), code)


def find_structure(text: str, borders: tuple[int, ...] = (), code: tuple[tuple[int, int], ...] = ()) -> Structure:
    """The pieces of a text. Where two formats claim a part, the first one that is looked for has it.

    ``borders``: where another field of the file begins, which no span crosses; a line break stands before each.
    ``code``: ranges that are code, whatever they look like.
    """
    return (_cached if len(text) <= _LONGEST_CACHED else _scan)(text, borders, code)


@lru_cache(maxsize=BATCH_TEXTS)
def _cached(text: str, borders: tuple[int, ...], code: tuple[tuple[int, int], ...]) -> Structure:
    return _scan(text, borders, code)


def _scan(text: str, borders: tuple[int, ...], code: tuple[tuple[int, int], ...]) -> Structure:
    claims = _Claims()
    claims.add_pieces(Piece(border - 1, border, "fixed") for border in borders if border > 0)
    claims.add_regions(find_json(text))
    claims.add_regions(Region(start, end, list(lex_code(text, start, end))) for start, end in code)
    claims.add_regions(find_tags(text))
    lines = lines_of(text)
    claims.add_regions(find_settings(lines, in_sections=True))
    claims.add_regions(find_statements(text, lines))
    claims.add_regions(find_code(text, lines))
    claims.add_regions(find_table(lines))
    claims.add_regions(find_settings(lines, in_sections=False))
    claims.add_regions(find_yaml(lines))
    stamps = list(find_times(text))
    claims.add_pieces(stamps)
    for find in (find_header, find_trace, find_log, find_columns):
        claims.add_pieces(piece for line in lines for piece in find(line))
    claims.add_pieces(find_cards(lines))
    claims.add_pieces(find_borders(text))
    return Structure(text, in_order(_with_stamps(claims.pieces, stamps)))


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
            yield from self._between(span, position, piece.start)
            position = piece.end
            start, end = max(span.start, piece.start), min(span.end, piece.end)
            if piece.end - piece.start == 1 and text[piece.start].isdigit() and span.label in _NOT_DIGITS:
                continue
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
        yield from self._between(span, position, span.end)

    def _between(self, span: Span, start: int, end: int) -> Iterator[Span]:
        """The part of a span in prose, without white space at its ends."""
        string = self.text[start:end]
        if stripped := string.strip():
            start += len(string) - len(string.lstrip())
            yield span.moved(start, start + len(stripped))

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
    if is_code or (not replacement and piece.style in _NULLS):
        return _NULLS.get(piece.style, "null")
    return piece.quote + _WRITERS[piece.style](replacement, piece.quote) + piece.quote


def _with_backslashes(text: str, quote: str) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace(quote[-1], "\\" + quote[-1]) if quote else text


def _without_separators(text: str, separator: str) -> str:
    joined = re.sub(rf"(?<=\d){re.escape(separator)}(?=\d)", "", text)
    return joined.replace(separator, " ").replace("\n", " ").replace('"', "").replace("\\", "/")


def _with_references(text: str, quote: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return text.replace(quote, "&#39;" if quote == "'" else "&quot;") if quote else text


_WRITERS: dict[Style, Callable[[str, str], str]] = {
    "plain": lambda text, quote: text,
    "yaml": lambda text, quote: text,
    "json": _with_backslashes,
    "code": _with_backslashes,
    "sql": lambda text, quote: text.replace("'", "''"),
    "markup": _with_references,
    "cell": _without_separators,
}


def _whole_escapes(text: str, start: int, end: int, piece: Piece) -> tuple[int, int]:
    """A range that cuts no escape in two: one that stands for a letter is taken in, any other is left out."""
    if piece.style not in ("json", "code") or text.find("\\", max(piece.start, start - _LONGEST_ESCAPE), end + 1) < 0:
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


class _Claims:
    """Ranges of a text that a format has claimed, and their pieces."""

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self._ranges: list[tuple[int, int]] = []

    def add_regions(self, regions: Iterable[Region]) -> None:
        """Regions that touch nothing claimed; of a region around claimed ones, the pieces beside them."""
        added: list[tuple[int, int]] = []
        for region in sorted(regions, key=attrgetter("start")):
            if not added or added[-1][1] <= region.start:
                self.pieces += [piece for piece in in_order(region.pieces) if self._is_free(piece.start, piece.end)]
                added.append((region.start, region.end))
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


# JSON and XML.

# Possessive repeats: a text full of quotes or brackets costs one pass.
_JSON_TOKEN = lazy_pattern(
    r"""
    (?P<space>[ \t\r\n]+)
    | (?P<string>"(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+')
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<word>(?:true|false|null|True|False|None|NaN|undefined)\b)
    | (?P<mark>[{}\[\],:])
    | (?P<comment>//[^\n]* | /\*(?:[^*]|\*(?!/))*+(?:\*/)?)
    """,
    re.VERBOSE,
)
_JSON_START = lazy_pattern(r'[{\[]|^[ \t]*+(?="[^"\\\n]{1,60}"[ \t]*+:)', re.MULTILINE)
_ESCAPED_KEY = lazy_pattern(r'\\"([^"\\\n]{1,60})\\"\s*+:\s*+')
_ESCAPED_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?(?=[,}\]])")

_ATTRIBUTE = r"""[A-Za-z_:][\w:.-]*+\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')"""
_TAG = lazy_pattern(
    rf"<(?P<close>/)?(?P<name>[A-Za-z][\w:.-]*+)(?P<attributes>(?:\s++{_ATTRIBUTE})*+)\s*+(?P<empty>/)?>"
    r"|(?P<comment><!--(?:[^-]|-(?!->))*+(?:-->)?)|(?P<declaration><\?[\w-]+[^?>]*+\?>|<!DOCTYPE[^>]{0,300}+>)"
    r"|<!\[CDATA\[(?P<data>(?:[^\]]|\](?!\]>))*+)(?:\]\]>)?"
)
_ONE_ATTRIBUTE = lazy_pattern(
    r"""(?P<name>[A-Za-z_:][\w:.-]*+)\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)')"""
)
_FORMAT_KEYS = word_set("structure", "format_keys")
_FORMAT_NAME = lazy_pattern(r"https?://[a-z.]+(?:/(?!~)[A-Za-z0-9#._-]{0,40}){0,6}|[A-Za-z]+|urn:[a-z:.0-9-]+")
"""An address of a schema or a list of codes, or the name of a type."""
_LONE_TAGS = word_set("structure", "lone_tags")


def find_json(text: str) -> Iterator[Region]:
    """Objects and lists with at least one key, and lines of such."""
    position = 0
    while start := _JSON_START.search(text, position):
        end, pieces, has_key = _read_json(text, start.start())
        if has_key:
            yield Region(start.start(), end, pieces)
        # What was read without finding a key holds no object that has one.
        position = max(end, start.end(), position + 1)


def _read_json(text: str, position: int) -> tuple[int, list[Piece], bool]:
    """Where the JSON that begins at a position ends or breaks off, its pieces, and whether it has a key."""
    pieces: list[Piece] = []
    depth, has_key, key = 0, False, ""
    while token := _JSON_TOKEN.match(text, position):
        start, position = token.span()
        kind, string = token.lastgroup, token.group()
        if kind == "string":
            after = _JSON_TOKEN.match(text, position)
            colon = after.end() if after and after.lastgroup == "space" else position
            is_key = text.startswith(":", colon)
            has_key = has_key or is_key
            pieces.append(Piece(start, start + 1, "fixed"))
            if is_key:
                key = string[1:-1]
                pieces.append(Piece(start + 1, position - 1, "name", style="json"))
            elif key in _FORMAT_KEYS and _FORMAT_NAME.fullmatch(string[1:-1]):
                pieces.append(Piece(start + 1, position - 1, "fixed"))
            else:
                pieces += _string_pieces(text, start + 1, position - 1, string[0])
            pieces.append(Piece(position - 1, position, "fixed"))
        elif kind == "number":
            pieces.append(Piece(start, position, "number", '"', "json"))
        elif kind in ("word", "mark"):
            pieces.append(Piece(start, position, "fixed"))
            depth += (string in "{[") - (string in "}]") if kind == "mark" else 0
            if depth == 0 and string in "}]":
                break
    return position, pieces, has_key


def _string_pieces(text: str, start: int, end: int, quote: str) -> Iterator[Piece]:
    """The content of a string: a value, or JSON whose quotes are escaped, which is read for its keys."""
    position = start
    for key in _ESCAPED_KEY.finditer(text, start, end):
        if position < key.start():
            yield Piece(position, key.start(), "value", quote, "json")
        yield Piece(key.start(), key.start(1), "fixed")
        yield Piece(*key.span(1), "name")
        yield Piece(key.end(1), key.end(), "fixed")
        position = key.end()
        if number := _ESCAPED_NUMBER.match(text, position, end):
            yield Piece(*number.span(), "number", '\\"', "json")
            position = number.end()
        elif text.startswith('\\"', position):
            yield Piece(position, position + 2, "fixed")
            position += 2
            closing = text.find('\\"', position, end)
            if closing >= 0:
                yield Piece(position, closing, "value", quote, "json")
                yield Piece(closing, closing + 2, "fixed")
                position = closing + 2
    if position < end:
        yield Piece(position, end, "value", quote, "json")


def find_tags(text: str) -> Iterator[Region]:
    """Tags, comments and declarations of XML and HTML, and the text between them."""
    if "<" not in text:
        return
    tags = list(_TAG.finditer(text))
    opened = {tag["name"] for tag in tags if tag["name"] and not tag["close"]}
    closed = {tag["name"] for tag in tags if tag["close"]}
    depth, position = 0, 0
    for tag in tags:
        name = tag["name"]
        if name and not (name in opened & closed or tag["attributes"] or tag["empty"] or name.lower() in _LONE_TAGS):
            continue  # <anna> may be someone's name
        pieces = [Piece(position, tag.start(), "value", "", "markup")] if depth > 0 and position < tag.start() else []
        region_start = position if pieces else tag.start()
        if name and name in opened & closed and not tag["empty"]:
            depth = max(0, depth + (-1 if tag["close"] else 1))
        yield Region(region_start, tag.end(), [*pieces, *_tag_pieces(text, tag)])
        position = tag.end()


def _tag_pieces(text: str, tag: re.Match[str]) -> Iterator[Piece]:
    start, end = tag.span()
    if tag["comment"] is not None:
        yield Piece(start, start + len("<!--"), "fixed")
        if text.endswith("-->", start + len("<!--"), end):
            yield Piece(end - len("-->"), end, "fixed")
    elif tag["data"] is not None:
        yield from (Piece(start, tag.start("data"), "fixed"), Piece(tag.end("data"), end, "fixed"))
    elif tag["declaration"] is not None:
        yield Piece(start, end, "fixed")
    else:
        for attribute in _ONE_ATTRIBUTE.finditer(text, tag.start("attributes"), tag.end("attributes")):
            group, quote = ("single", "'") if attribute["double"] is None else ("double", '"')
            yield Piece(start, attribute.start(group), "fixed")
            is_schema = attribute["name"].startswith("xmlns") and _FORMAT_NAME.fullmatch(attribute[group])
            yield Piece(*attribute.span(group), "fixed" if is_schema else "value", quote, "markup")
            start = attribute.end(group)
        yield Piece(start, end, "fixed")
