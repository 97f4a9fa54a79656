"""YAML in a text: blocks of lines that a parser reads as nested or machine-made, their values, and what must stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import yaml

from sfumato.detectors.structured_lines import Line, Piece, Region, Style
from sfumato.lexicon.name_lists import common_words, given_names
from sfumato.lexicon.tokens import lazy_pattern

_FIRST_LINE = lazy_pattern(r"[ ]*+(?:-(?: |$)|---|[\w\"'/.$][^\n]{0,100}?:(?: |$))")
_NEXT_LINE = lazy_pattern(r"[ \t]|#|\.\.\.|[}\]]|$")
_COMMENT = lazy_pattern(
    r"(?:(?<=\s)|^)#[^\n]*",
)
_IDENTIFIER = lazy_pattern(r"[\w.$/-]+")
_FEWEST_KEYS = 3
_DEEPEST = 100
_FEWEST_FLAT_KEYS = 2
_STRING = "tag:yaml.org,2002:str"
_CONSTANTS = ("bool", "null")
_NUMBERS = ("int", "float", "timestamp")
_PLAIN = lazy_pattern(r"\w(?:[\w ./()+@-]*\w)?")
"""Text that needs no quotes wherever a scalar may stand, unless it is a number or a constant."""

TokenKind = Literal["mark", "key", "string", "number", "constant"]


class Token(NamedTuple):
    """A bracket, key or scalar of a YAML or JSON text; ``text`` is a bracket or the content of a scalar."""

    kind: TokenKind
    text: str
    start: int = 0
    end: int = 0
    quote: str = ""
    """How a scalar is written: in quotes, as a block (| or >), or plain."""


@cache
def _resolver() -> Any:
    return yaml.resolver.Resolver()


def scalar_kind(string: str) -> TokenKind:
    """What a scalar without quotes is."""
    tag = _resolver().resolve(yaml.ScalarNode, string, (True, False))
    if tag == _STRING:
        return "string"
    return "number" if tag.rpartition(":")[2] in _NUMBERS else "constant"


def needs_quotes(string: str) -> bool:
    """Whether a text would not be the same text as a scalar without quotes."""
    return _PLAIN.fullmatch(string) is None or scalar_kind(string) != "string"


def read_yaml(string: str) -> list[Token] | None:
    """The tokens of a text; None where it cannot be read. Parsed by events, so that aliases cost nothing."""
    tokens: list[Token] = []
    opened: list[list[bool]] = []
    """For each open mapping whether a key comes next; nothing for a list."""
    try:
        for event in yaml.parse(string, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            is_key = bool(opened and opened[-1] and opened[-1][0])
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                _turn(opened)
                if len(opened) == _DEEPEST:
                    return None  # the parser's time grows with the depth
                opened.append([True] if isinstance(event, yaml.MappingStartEvent) else [])
                tokens.append(Token("mark", "{" if opened[-1] else "["))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                opened.pop()
                tokens.append(Token("mark", "}"))
            elif isinstance(event, yaml.ScalarEvent):
                _turn(opened)
                tokens.append(_scalar(event, is_key=is_key))
            elif isinstance(event, yaml.AliasEvent):
                _turn(opened)
                tokens.append(Token("mark", "*" + event.anchor))
            elif isinstance(event, yaml.DocumentStartEvent):
                tokens.append(Token("mark", "---"))
    except (yaml.YAMLError, ValueError):
        return None
    return tokens


def _turn(opened: Sequence[list[bool]]) -> None:
    """In a mapping, a value follows a key, and a key a value."""
    if opened and opened[-1]:
        opened[-1][0] = not opened[-1][0]


def _scalar(event: Any, *, is_key: bool) -> Token:
    quote = event.style or ""
    if is_key:
        kind: TokenKind = "key"
    elif event.tag is not None:
        name = event.tag.rpartition(":")[2]
        kind = "constant" if name in _CONSTANTS else "number" if name in _NUMBERS else "string"
    else:
        kind = "string" if quote else scalar_kind(event.value)
    return Token(kind, event.value, event.start_mark.index, event.end_mark.index, quote)


def find_yaml(text: str, lines: Sequence[Line]) -> Iterator[Region]:
    """Nested mappings, and flat ones with keys as programs write them. Other lines may be a form or a chat: prose."""
    block: list[Line] = []
    for line in (*lines, Line(0, 0, "\0")):
        if _FIRST_LINE.match(line.text) or (block and _NEXT_LINE.match(line.text)):
            block.append(line)
        elif block:
            yield from _read_block(text, block)
            block = []


def _read_block(text: str, block: Sequence[Line]) -> Iterator[Region]:
    """The YAML of a run of lines: all of it, or else its paragraphs."""
    if len(block) < _FEWEST_FLAT_KEYS:
        return
    start, end = block[0].start, block[-1].end
    tokens = read_yaml(text[start:end])
    if tokens is not None:
        if _is_written_for_programs(tokens):
            end = start + len(text[start:end].rstrip())
            yield Region(start, end, list(_pieces(text, start, end, tokens)), "YAML")
        return
    borders = [-1, *(number for number, line in enumerate(block) if not line.text.strip()), len(block)]
    if len(borders) > 2:
        for first, last in pairwise(borders):
            yield from _read_block(text, block[first + 1 : last])


def _is_written_for_programs(tokens: Sequence[Token]) -> bool:
    keys = [token for token in tokens if token.kind == "key"]
    if len(keys) < _FEWEST_FLAT_KEYS:
        return False
    if any(key.quote for key in keys):
        return True
    is_nested = sum(token.text in ("{", "[") for token in tokens) > 1
    are_identifiers = all(_IDENTIFIER.fullmatch(key.text) for key in keys)
    if is_nested and are_identifiers and len(keys) >= _FEWEST_KEYS:
        return True
    in_small = sum(key.text.islower() and _IDENTIFIER.fullmatch(key.text) is not None for key in keys)
    names = sum(key.text in given_names() and key.text not in common_words() for key in keys)
    return 2 * in_small >= len(keys) >= 2 * names


def _pieces(text: str, start: int, end: int, tokens: Sequence[Token]) -> Iterator[Piece]:
    position = start
    for token in tokens:
        if token.kind == "mark" or token.start == token.end:
            continue
        first, last = start + token.start, min(start + token.end, end)
        if token.kind == "number":  # with its tag, where it has one
            yield from _between(text, position, first)
            yield Piece(first, last, "number", '"', "json")
            position = last
            continue
        style: Style = "yaml"
        if token.quote in ("'", '"') and text[first] == token.quote:
            first, last, style = first + 1, last - 1, "json" if token.quote == '"' else "sql"
        elif token.quote in ("|", ">"):
            first = min(text.find("\n", first) + 1 or end, last)
            style = "plain"
        yield from _between(text, position, first)
        position = last
        if token.kind == "key":
            yield Piece(first, last, "name" if _IDENTIFIER.fullmatch(token.text) else "value", "", style)
        elif token.kind == "constant":
            yield Piece(first, last, "fixed")
        else:
            yield Piece(first, last, "value", token.quote if style in ("json", "sql") else "", style)
    yield from _between(text, position, end)


def _between(text: str, start: int, end: int) -> Iterator[Piece]:
    """What stands between two scalars; comments are values."""
    for comment in _COMMENT.finditer(text, start, end):
        yield Piece(start, comment.start() + 1, "fixed")
        yield Piece(comment.start() + 1, comment.end(), "value", style="comment")
        start = comment.end()
    yield Piece(start, end, "fixed")
