"""JSON as models write it: between other words, with the wrong quotes, with a comma too many, or broken off.

Read from left to right once, without recursion; what could be read in two ways is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DEEPEST = 50
"""Levels of nesting that anyone asks for; what goes deeper is not an answer."""
TRIES = 20
"""Places of an answer at which a value is looked for."""

_OPENS = re.compile(r"[\[{]")
_SPACE = re.compile(r"\s*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’", "«": "»", "`": "`"}
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_FRACTION = re.compile(r"[.eE]")
_LONGEST_NUMBER = 20
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_WORD = re.compile(r"[A-Za-z]+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Value:
    """An object or a list that stands in an answer; where it breaks off, it has what was complete."""

    value: dict[str, Any] | list[Any]
    unclosed: tuple[dict[str, Any] | list[Any], ...] = ()
    """What of it was not closed when the text ended, outermost first."""

    def is_cut(self, part: Any) -> bool:
        """Whether a part of it breaks off."""
        return any(part is one for one in self.unclosed)


class _Unreadable(Exception):
    """There is no one way to read this."""


class _End(Exception):
    """The text ends in the middle of a value."""


def values(text: str) -> list[Value]:
    """The objects and lists of an answer, outermost, in order; those of the same content once."""
    found: list[Value] = []
    for value in _all(text):
        if value not in found:
            found.append(value)
    return found


def _all(text: str) -> Iterator[Value]:
    at = 0
    for _ in range(TRIES):
        opened = _OPENS.search(text, at)
        if opened is None:
            return
        reader = _Reader(text, opened.start())
        try:
            yield reader.read()
            at = reader.at
        except _Unreadable:
            # Not the brackets inside it: they are parts of something that cannot be read.
            at = max(reader.at, opened.end())


class _Reader:
    """Reads one value. ``at``: how far it has come."""

    def __init__(self, text: str, at: int) -> None:
        self._text, self.at = text, at
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []

    def read(self) -> Value:
        self._begin()
        whole = self._open[0]
        try:
            while self._open:
                self._step()
        except _End:
            return Value(whole, tuple(self._open))
        return Value(whole)

    def _step(self) -> None:
        """One member of the innermost open object or list, or its end."""
        inner = self._open[-1]
        mark = self._peek()
        if mark == ("}" if isinstance(inner, dict) else "]"):
            self.at += 1
            self._close()
            return
        if isinstance(inner, dict):
            self._keys[-1] = self._key()
        mark = self._peek()
        if mark in "[{":
            self._begin()
            return
        self._put(self._string() if mark in _QUOTES else self._plain())
        self._comma()

    def _begin(self) -> None:
        if len(self._open) >= DEEPEST:
            raise _Unreadable
        new: dict[str, Any] | list[Any] = {} if self._text[self.at] == "{" else []
        self.at += 1
        if self._open:
            self._put(new)
        self._open.append(new)
        self._keys.append(None)

    def _close(self) -> None:
        self._open.pop()
        self._keys.pop()
        if self._open:
            self._comma()

    def _put(self, item: Any) -> None:
        inner, key = self._open[-1], self._keys[-1]
        if isinstance(inner, list):
            inner.append(item)
        elif key is None or key in inner:
            raise _Unreadable
        else:
            inner[key] = item

    def _comma(self) -> None:
        """A comma, or none before the end of what is open: one too many there is let pass."""
        mark = self._peek()
        if mark == ",":
            self.at += 1
        elif mark not in "]}":
            raise _Unreadable

    def _key(self) -> str:
        if self._peek() not in _QUOTES:
            raise _Unreadable
        key = self._string()
        if self._peek() != ":":
            raise _Unreadable
        self.at += 1
        return key

    def _peek(self) -> str:
        found = _SPACE.match(self._text, self.at)
        self.at = found.end() if found else self.at
        if self.at >= len(self._text):
            raise _End
        return self._text[self.at]

    def _plain(self) -> Any:
        number = _NUMBER.match(self._text, self.at)
        if number:
            if number.end() == len(self._text):
                raise _End
            self.at = number.end()
            return _number(number[0])
        word = _WORD.match(self._text, self.at)
        if word is None or word[0] not in _WORDS:
            raise _Unreadable
        self.at = word.end()
        return _WORDS[word[0]]

    def _string(self) -> str:
        """A string: it ends with its quote, where a comma, a colon or the end of what is open comes after it."""
        opening = self._text[self.at]
        ends = _ends(_QUOTES[opening])
        at = self.at + 1
        while True:
            found = ends.search(self._text, at)
            if found is None:
                raise _End
            at = found.end()
            if found[0][0] != "\\":
                break
        said = self._text[self.at + 1 : found.start()]
        self.at = found.end()
        return _unescaped(said) if "\\" in said else said


def _number(said: str) -> Any:
    if len(said) > _LONGEST_NUMBER:
        return said
    return float(said) if _FRACTION.search(said) else int(said)


def _ends(quotes: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|[{quotes}](?=\s*(?:[,:\]}}]|\Z))", re.DOTALL)


def _unescaped(said: str) -> str:
    def plain(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT.get(match[2], match[2])

    # Two escaped surrogates are one character.
    return _ESCAPE.sub(plain, said).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
