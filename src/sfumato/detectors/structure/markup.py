"""JSON and XML inside a text, also cut off, with trailing commas, or one object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.detectors.structure.pieces import Piece, Region

# Possessive repeats: a text full of quotes or brackets costs one pass.
_JSON_TOKEN = re.compile(
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
_JSON_START = re.compile(r'[{\[]|^[ \t]*+(?="[^"\\\n]{1,60}"[ \t]*+:)', re.MULTILINE)
_ESCAPED_KEY = re.compile(r'\\"([^"\\\n]{1,60})\\"\s*+:\s*+')
_ESCAPED_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?=[,}\]])")

_ATTRIBUTE = r"""[A-Za-z_:][\w:.-]*+\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+')"""
_TAG = re.compile(
    rf"<(?P<close>/)?(?P<name>[A-Za-z][\w:.-]*+)(?P<attributes>(?:\s++{_ATTRIBUTE})*+)\s*+(?P<empty>/)?>"
    r"|(?P<comment><!--(?:[^-]|-(?!->))*+(?:-->)?)|(?P<declaration><\?[\w-]+[^?>]*+\?>|<!DOCTYPE[^>]{0,300}+>)"
    r"|<!\[CDATA\[(?P<data>(?:[^\]]|\](?!\]>))*+)(?:\]\]>)?"
)
_ONE_ATTRIBUTE = re.compile(r"""[A-Za-z_:][\w:.-]*+\s*+=\s*+(?:"(?P<double>[^"]*+)"|'(?P<single>[^']*+)')""")
_LONE_TAGS = frozenset("br hr img input meta link p li td tr".split())


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
    depth, has_key = 0, False
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
                pieces.append(Piece(start + 1, position - 1, "name", style="json"))
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
            yield Piece(*attribute.span(group), "value", quote, "markup")
            start = attribute.end(group)
        yield Piece(start, end, "fixed")
