"""JSON in a text, also in strings of JSON, in cells of tables and in YAML: its values, and what must stay."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence

from sfumato.detectors.structured_lines import Piece, Region, comment_pieces, in_order
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import lazy_pattern

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
_JSON_ESCAPE = lazy_pattern(r"\\(?:u(?P<code>[0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_TWICE_ESCAPED = lazy_pattern(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)|[^\w ]", re.DOTALL)
_BRACKETS = 2
_LONGEST_REFERENCE = len("[2024]")
_LINE_END = lazy_pattern(r"[ \t\r]*(?:\n|$)")
_FORMAT_KEYS = word_set("structure", "format_keys")
FORMAT_NAME = lazy_pattern(r"https?://[a-z.]+(?:/(?!~)[A-Za-z0-9#._-]{0,40}){0,6}|[A-Za-z]+|urn:[a-z:.0-9-]+")
"""An address of a schema or a list of codes, or the name of a type."""
_LONGEST_ESCAPE = len("\\u00e9")


def find_json(text: str) -> Iterator[Region]:
    """Objects and lists with at least one key, and lines of such; lists of strings; lists of numbers on their own."""
    position = 0
    while start := _JSON_START.search(text, position):
        end, pieces, has_key, is_closed = _read_json(text, start.start())
        is_bare = text[start.end() - 1 : start.end()] not in ("{", "[")
        if is_bare and not any(text[piece.start] == "," for piece in pieces):
            pass  # lines of keys in quotes without commas are YAML
        elif has_key or (is_closed and _is_list(text, start.start(), end, pieces)):
            yield Region(start.start(), end, pieces, "JSON")
        # What was read without finding a key holds no object that has one.
        position = max(end, start.end(), position + 1)


def _is_list(text: str, start: int, end: int, pieces: Sequence[Piece]) -> bool:
    """Whether a list without keys is data: it holds strings, or numbers on lines of its own. "[12]" is a reference."""
    if text[start] != "[" or len(pieces) <= _BRACKETS:
        return False
    if any(piece.style == "json" and piece.kind == "value" for piece in pieces):
        return True
    is_alone = not text[text.rfind("\n", 0, start) + 1 : start].strip() and _LINE_END.match(text, end) is not None
    is_reference = len(pieces) == _BRACKETS + 1 and end - start <= _LONGEST_REFERENCE and pieces[1].kind == "number"
    return is_alone and not is_reference


def _read_json(text: str, position: int) -> tuple[int, list[Piece], bool, bool]:
    """Where the JSON that begins at a position ends or breaks off, its pieces, whether it has a key, and is closed."""
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
                pieces.append(Piece(start + 1, position - 1, "name", string[0], "json"))
            elif key in _FORMAT_KEYS and FORMAT_NAME.fullmatch(string[1:-1]):
                pieces.append(Piece(start + 1, position - 1, "fixed"))
            else:
                pieces += _string_pieces(text, start + 1, position - 1, string[0])
            pieces.append(Piece(position - 1, position, "fixed"))
        elif kind == "number":
            pieces.append(Piece(start, position, "number", '"', "json"))
        elif kind == "comment":
            pieces += comment_pieces(token)
        elif kind in ("word", "mark"):
            pieces.append(Piece(start, position, "fixed"))
            depth += (string in "{[") - (string in "}]") if kind == "mark" else 0
            if depth == 0 and string in "}]":
                break
    return position, pieces, has_key, depth == 0 and bool(pieces)


def _string_pieces(text: str, start: int, end: int, quote: str) -> Iterator[Piece]:
    """The content of a string: a value, or the pieces of the JSON that stands escaped in it."""
    value = Piece(start, end, "value", quote, "json")
    if text.find('\\"', start, end) < 0:
        yield value
        return
    inner, offsets = _unescaped(text, start, end)
    position = 0
    for region in find_json(inner):
        yield value._replace(start=offsets[position], end=offsets[region.start])
        for piece in _without_gaps(inner, region):
            for part in _around_escapes(inner, offsets, piece):
                yield part._replace(start=offsets[part.start], end=offsets[part.end], depth=part.depth + 1)
        position = region.end
    yield value._replace(start=offsets[position])


def with_inner_json(text: str, region: Region) -> Region:
    """A table or YAML block, with the JSON in its strings read, too."""
    pieces: list[Piece] = []
    for piece in region.pieces:
        if piece.kind == "value" and (piece.style, piece.quote) == ("json", '"'):
            pieces += _string_pieces(text, piece.start, piece.end, '"')
        elif piece.style == "quoted" and text.find('""', piece.start, piece.end) >= 0:
            pieces += _pieces_of_cell(text, piece)
        else:
            pieces.append(piece)
    return region._replace(pieces=pieces)


def _pieces_of_cell(text: str, cell: Piece) -> Iterator[Piece]:
    """The content of a cell whose quotes are doubled: a value, or the pieces of the JSON that stands in it."""
    parts, offsets, position = [], list[int](), cell.start
    while (quote := text.find('""', position, cell.end)) >= 0:
        parts.append(text[position : quote + 1])
        offsets.extend(range(position, quote + 1))
        position = quote + 2
    inner = "".join([*parts, text[position : cell.end]])
    offsets.extend(range(position, cell.end + 1))
    position = 0
    for region in find_json(inner):
        yield cell._replace(start=offsets[position], end=offsets[region.start])
        for piece in _without_gaps(inner, region):
            quote_in_cell = '""' if piece.kind == "number" else piece.quote
            yield piece._replace(
                start=offsets[piece.start], end=offsets[piece.end], quote=quote_in_cell, style="json in cell"
            )
        position = region.end
    yield cell._replace(start=offsets[position])


def _without_gaps(text: str, region: Region) -> Iterator[Piece]:
    """The pieces of a region and what stands between them: white space, which may be escapes, and comments."""
    position = region.start
    for piece in [*in_order(region.pieces), Piece(region.end, region.end, "fixed")]:
        if position < piece.start:
            is_space = not text[position : piece.start].strip()
            yield Piece(position, piece.start, "fixed" if is_space else "value", "", "json")
        yield piece
        position = piece.end


def _unescaped(text: str, start: int, end: int) -> tuple[str, Sequence[int]]:
    """The content of a string without its escapes; and for every offset in it the offset in the text."""
    parts: list[str] = []
    offsets = array("q")
    position = start
    for escape in _JSON_ESCAPE.finditer(text, start, end):
        code = escape["code"]
        parts += [text[position : escape.start()], chr(int(code, 16)) if code else _ESCAPED.get(escape[2], escape[2])]
        offsets.extend(range(position, escape.start() + 1))
        position = escape.end()
    offsets.extend(range(position, end + 1))
    return "".join([*parts, text[position:end]]), offsets


def _around_escapes(inner: str, offsets: Sequence[int], piece: Piece) -> Iterator[Piece]:
    """A value cut around the escapes in it, which a span must not cut in two; those of letters are kept whole."""
    if piece.kind != "value" or piece.depth:
        yield piece
        return
    position = piece.start
    for escape in _TWICE_ESCAPED.finditer(inner, piece.start, piece.end):
        if escape.group()[1:2] in ("u", "x") or offsets[escape.end()] - offsets[escape.start()] in (1, _LONGEST_ESCAPE):
            continue
        yield piece._replace(start=position, end=escape.start())
        yield Piece(*escape.span(), "fixed")
        position = escape.end()
    yield piece._replace(start=position)
