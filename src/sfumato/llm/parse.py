"""Parses what language models answer: JSON, lists, rewritten texts and ratings; refusals are recognised.

Answers are repaired where there is one way to read them (a code fence, the wrong quotes, a trailing comma); anything
ambiguous is not parsed at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import lazy_pattern
from sfumato.llm.chat import Reply
from sfumato.models.tokens import replace_surrogates

MAX_LENGTH = 1_000_000
"""Characters of an answer that are parsed; a longer one is not an answer."""
MAX_REPAIRED = 200_000
"""Characters of an answer that is not valid JSON, in which JSON is searched for."""
MAX_DEPTH = 50
"""Levels of nested JSON; what is nested deeper is not an answer."""
MAX_VALUES = 20
"""JSON values that are searched for in one answer."""
CHATTER = 3
"""Lines that may precede and follow a list without JSON."""

_PHRASES = load_toml("answers", package="sfumato.llm")

# Lists and objects


@dataclass(frozen=True, slots=True)
class Strings:
    """A list of strings in an answer; ``cut`` where it is truncated, and has only the complete items."""

    items: list[str]
    cut: bool


def parse_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of an answer: alone, in a code fence, or between other words; None for anything else."""
    objects = [(item.value, item.unclosed) for item in _json_values(text) if isinstance(item.value, dict)]
    return objects[0][0] if len(objects) == 1 and not objects[0][1] else None


def parse_list(text: str, key: str) -> list[Any] | None:
    """The list under ``key`` in the answer's one object; or the one list that the answer, or its one object, is."""
    items, is_cut = _find_list(text, key)
    return None if is_cut else items


def parse_strings(text: str, key: str) -> list[str] | None:
    """The same, of strings only: stripped, without empty ones; lines with hyphens or numbers are also a list."""
    strings = parse_partial_strings(text, key)
    return None if strings is None or strings.cut else strings.items


def parse_partial_strings(text: str, key: str) -> Strings | None:
    """The same, with the complete items of a list that is truncated. A refusal is not a list."""
    if (lines := _list_lines(text)) is not None:
        return Strings(lines, cut=False)
    values, is_cut = _find_list(text, key)
    if values is None:
        return None
    values = [str(value) if type(value) in (int, float) else value for value in values]
    items = [value.strip() for value in values if isinstance(value, str)]
    if len(items) < len(values) or (len(items) == 1 and is_refusal(items[0])):
        return None
    return Strings([item for item in items if item], is_cut)


def _find_list(text: str, key: str) -> tuple[list[Any] | None, bool]:
    """The list, and whether it is truncated."""
    values = _json_values(text)
    objects = [(item, item.value) for item in values if isinstance(item.value, dict)]
    lists = [(item, inner) for item, value in objects if isinstance(inner := value.get(key), list)]
    if not lists and len(values) == 1:
        # What else could be meant: the answer itself, or the one member of its object.
        members = [*values[0].value.values()] if isinstance(values[0].value, dict) else [values[0].value]
        lists = [(values[0], members[0])] if len(members) == 1 and isinstance(members[0], list) else []
    if len(lists) != 1:
        return None, False
    ((whole, items),) = lists
    return items, any(items is part for part in whole.unclosed)


_ITEM = lazy_pattern(r"(?:([-*•–—+])|(\d{1,3})[.)])\s+(\S.*)")
_BRACKET = lazy_pattern(r"[\[{]")
_QUOTED_ITEM = lazy_pattern(r"(\*\*|__|[\"'`“‘„«])(.+?)(\*\*|__|[\"'`”’“»])[,;]?")


def _list_lines(text: str) -> list[str] | None:
    """A list of lines with hyphens, bullets or numbers, with a few lines of other words before and after."""
    if len(text) > MAX_LENGTH or is_refusal(text):
        return None
    lines = list(filter(None, map(str.strip, _unfence(text).splitlines())))
    matches = [_ITEM.fullmatch(line) for line in lines]
    places = [index for index, match in enumerate(matches) if match]
    if not places or places[-1] - places[0] + 1 != len(places):
        return None
    before, after = lines[: places[0]], lines[places[-1] + 1 :]
    if max(len(before), len(after)) > CHATTER or any(map(_BRACKET.search, before + after)):
        return None
    items = [match for match in matches if match]
    if len({item[1] for item in items}) > 1:
        return None
    return list(filter(None, (_unquoted(item[3]).strip() for item in items)))


def _unquoted(item: str) -> str:
    quoted = _QUOTED_ITEM.fullmatch(item)
    return quoted[2] if quoted else item


_CODE_FENCE = "```"
_MAX_FENCE_LINE = 20


def _unfence(text: str) -> str:
    """The content of the one code fence that an answer is; any other answer as it is."""
    stripped = text.strip()
    first, _, rest = stripped.partition("\n")
    is_fenced = stripped.startswith(_CODE_FENCE) and rest.endswith(_CODE_FENCE) and rest.count(_CODE_FENCE) == 1
    return rest.removesuffix(_CODE_FENCE) if is_fenced and len(first) <= _MAX_FENCE_LINE else text


# Rewritten texts and ratings

_MARK_LINE = lazy_pattern(r"[ \t]*#[ \t]*")
_MARK_BEFORE_TEXT = lazy_pattern(r"[ \t]*#[ \t]+(?=\S)")
_RATING = lazy_pattern(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")


def parse_rewrite(text: str) -> str | None:
    """The text after the one line that is a ``#``, before which a model reasons; None where it is not clear which.

    A second such line may close the text. Without one, the only line that begins with ``# `` begins the text.
    """
    if len(text) > MAX_LENGTH or is_refusal(text):
        return None
    lines = text.splitlines(keepends=True)
    marks = [index for index, line in enumerate(lines) if _MARK_LINE.fullmatch(line.rstrip("\r\n"))]
    if not marks:
        begins = [(index, match) for index, line in enumerate(lines) if (match := _MARK_BEFORE_TEXT.match(line))]
        if len(begins) != 1:
            return None
        ((first, mark),) = begins
        rest = lines[first][mark.end() :] + "".join(lines[first + 1 :])
    else:
        if len(marks) > 2 or (len(marks) == 2 and "".join(lines[marks[1] + 1 :]).strip()):
            return None
        rest = "".join(lines[marks[0] + 1 : marks[1] if len(marks) == 2 else None])
    rewrite = replace_surrogates(_unfence(rest)).strip()
    return rewrite if rewrite and not is_refusal(rewrite) else None


def parse_rating(text: str, low: int, high: int) -> int | None:
    """The whole number from ``low`` to ``high`` in an answer: alone, "of ``high``", in an object or a sentence.

    An answer with two different numbers gives none.
    """
    if len(text) > MAX_LENGTH:
        return None
    table = parse_object(text)
    if table is None:
        return _find_rating(text, low, high)
    values = [value for value in table.values() if isinstance(value, int | float | str) and value is not True]
    ratings = [rating for value in values if (rating := _find_rating(str(value), low, high)) is not None]
    return ratings[0] if len(set(ratings)) == 1 else None


def _find_rating(text: str, low: int, high: int) -> int | None:
    to, of = ("|".join(_PHRASES["rating"][key]) for key in ("range", "out_of"))
    scale = rf"\b{low}\s*(?:{to})\s*{high}\b|(?<=\d)\s*(?:{of})\s*{high}\b"
    numbers = {float(match[0].replace(",", ".")) for match in _RATING.finditer(re.sub(scale, " ", text))}
    if len(numbers) != 1:
        return None
    (number,) = numbers
    return int(number) if low <= number <= high and number == int(number) else None


# Refusals and other reasons why an answer cannot be used

CUT = "the answer was cut off at max_tokens"
EMPTY = "an empty answer"
_REFUSAL_LENGTH = 300
"""Characters at the start of an answer in which a refusal is recognised."""


def failure_reason(reply: Reply) -> str:
    """Why a reply could not be used, in words that never quote it."""
    if reply.failure is not None:
        return reply.failure
    if is_refusal(reply.text):
        return "a refusal"
    if reply.cut:
        return CUT
    return "not in the form asked for" if reply.text.strip() else EMPTY


def is_refusal(text: str) -> bool:
    """Whether an answer begins by declining. "I'm sorry I came late" is a text; "I'm sorry, I can't help" is not."""
    return _REFUSAL.match(text[:_REFUSAL_LENGTH]) is not None


def _refusal_pattern() -> re.Pattern[str]:
    def any_of(*keys: str) -> str:
        tables = _PHRASES["refusal"].values()
        return f"(?:{'|'.join(phrase for key in keys for table in tables for phrase in table.get(key, ()))})"

    opening = r"[\s\"'“”‘’*_>#.\-]*"
    sorry, but, serve = any_of("sorry"), any_of("but"), any_of("serve")
    unable, unable_at_end = any_of("unable", "unable_at_end"), any_of("unable_at_end")
    return lazy_pattern(
        rf"{opening}(?:{any_of('as_model')}"
        rf"|(?:{sorry}\W{{0,4}})?{but}?\W{{0,3}}{unable}[^\n]{{0,80}}?{serve}"
        rf"|{sorry}\W{{0,4}}{but}?\W{{0,3}}{unable}[^\n]{{0,60}}$"
        rf"|{sorry}[^\n]{{0,40}}{unable_at_end}"
        rf"|{sorry}\W*$)",
        re.IGNORECASE,
    )


_REFUSAL = _refusal_pattern()

# JSON as models write it: between other words, with the wrong quotes, with a trailing comma, or truncated.
# Read once from left to right.

_SPACE = lazy_pattern(r"\s*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’", "«": "»", "`": "`"}
_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_FRACTION = lazy_pattern(r"[.eE]")
_MAX_DIGITS = 20
_CONSTANT = lazy_pattern(r"[A-Za-z]+")
_CONSTANTS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_ESCAPE = lazy_pattern(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_SURROGATE_ESCAPE = lazy_pattern(r"\\(?:(u[dD][89aAbB]..\\u[dD][c-fC-F]..)|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
"""An escape: a surrogate pair (1), a lone surrogate (2), or any other."""


@dataclass(frozen=True, slots=True)
class JsonValue:
    """An object or a list in an answer; where it is truncated, it has what was complete."""

    value: dict[str, Any] | list[Any]
    unclosed: tuple[dict[str, Any] | list[Any], ...] = ()
    """The parts of it that were not closed when the text ended, outermost first."""


class _Unreadable(Exception):
    """There is no one way to read this."""


class _End(Exception):
    """The text ends in the middle of a value."""


def _json_values(text: str) -> list[JsonValue]:
    """The objects and lists of an answer, outermost, in order; those of the same content once."""
    if len(text) > MAX_LENGTH:
        return []
    if "\\u" in text:  # a lone surrogate is no character
        text = _SURROGATE_ESCAPE.sub(lambda escape: "\\ufffd" if escape[2] else escape[0], text)
    try:
        whole = json.loads(_unfence(text), strict=False)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict | list):
        return [JsonValue(whole)]
    values: list[JsonValue] = []
    for value in _search_json(text) if len(text) <= MAX_REPAIRED else ():
        if value not in values:
            values.append(value)
    return values


def _search_json(text: str) -> Iterator[JsonValue]:
    position = 0
    for _ in range(MAX_VALUES):
        opening = _BRACKET.search(text, position)
        if opening is None:
            return
        reader = _JsonReader(text, opening.start())
        try:
            yield reader.read()
            position = reader.position
        except _Unreadable:
            # Not the brackets inside it: they are parts of something that cannot be read.
            position = max(reader.position, opening.end())


class _JsonReader:
    """Reads one object or list from ``position`` on; ``_open`` is a stack of those that are not closed yet."""

    def __init__(self, text: str, position: int) -> None:
        self._text, self.position = text, position
        self._open: list[dict[str, Any] | list[Any]] = []

    def read(self) -> JsonValue:
        whole = self._begin()
        try:
            self._fill(whole)
        except _End:
            return JsonValue(whole, tuple(self._open))
        return JsonValue(whole)

    def _begin(self) -> dict[str, Any] | list[Any]:
        if len(self._open) >= MAX_DEPTH:
            raise _Unreadable
        self.position += 1
        return {} if self._text[self.position - 1] == "{" else []

    def _fill(self, container: dict[str, Any] | list[Any]) -> None:
        """Read the members of an object or list up to its closing bracket; a trailing comma is allowed."""
        self._open.append(container)
        closing = "}" if isinstance(container, dict) else "]"
        while self._peek() != closing:
            key = self._key() if isinstance(container, dict) else ""
            character = self._peek()
            value = self._begin() if character in "[{" else self._scalar(character)
            if isinstance(container, list):
                container.append(value)
            elif key in container:
                raise _Unreadable
            else:
                container[key] = value
            if isinstance(value, dict | list):
                self._fill(value)
            if self._peek() == ",":
                self.position += 1
            elif self._peek() not in "]}":
                raise _Unreadable
        self.position += 1
        self._open.pop()

    def _key(self) -> str:
        if self._peek() not in _QUOTES:
            raise _Unreadable
        key = self._string()
        if self._peek() != ":":
            raise _Unreadable
        self.position += 1
        return key

    def _peek(self) -> str:
        space = _SPACE.match(self._text, self.position)
        self.position = space.end() if space else self.position
        if self.position >= len(self._text):
            raise _End
        return self._text[self.position]

    def _scalar(self, character: str) -> Any:
        """A string, a number or a constant, which begins with this character."""
        if character in _QUOTES:
            return self._string()
        number = _NUMBER.match(self._text, self.position)
        if number:
            if number.end() == len(self._text):
                raise _End
            self.position = number.end()
            if len(number[0]) > _MAX_DIGITS:
                return number[0]
            return float(number[0]) if _FRACTION.search(number[0]) else int(number[0])
        constant = _CONSTANT.match(self._text, self.position)
        if constant is None or constant[0] not in _CONSTANTS:
            raise _Unreadable
        self.position = constant.end()
        return _CONSTANTS[constant[0]]

    def _string(self) -> str:
        """A string: it ends with its quote, where a comma, a colon, a closing bracket or the text's end follows."""
        closing = _QUOTES[self._text[self.position]]
        end_or_escape = lazy_pattern(rf"\\.|[{closing}](?=\s*(?:[,:\]}}]|\Z))", re.DOTALL)
        start = position = self.position + 1
        while True:
            match = end_or_escape.search(self._text, position)
            if match is None:
                raise _End
            position = match.end()
            if match[0][0] != "\\":
                break
        self.position = position
        content = self._text[start : match.start()]
        return _unescape(content) if "\\" in content else content


def _unescape(content: str) -> str:
    def character(escape: re.Match[str]) -> str:
        return chr(int(escape[1], 16)) if escape[1] else _CONTROL.get(escape[2], escape[2])

    # Two escaped surrogates are one character.
    return _ESCAPE.sub(character, content).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
