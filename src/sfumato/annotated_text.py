"""A text that keeps what has been read in it: each reading is made once, on demand, and lives as long as the text."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

LONG = 50_000
"""Characters; a text with more is a long one, of which little is kept at a time."""

T = TypeVar("T")
Others = ParamSpec("Others")


class AnnotatedText(str):
    """A ``str`` with its readings: words, structure, language, ages and whatever else a ``read_once`` function returns.

    Every document has one as its ``text``. It is passed on instead of a copy, so that what one step reads is there for
    the next. Slices and other strings made of it are plain strings. Readings are not pickled.
    """

    readings: dict[object, Any]
    _parts: dict[str, AnnotatedText]

    def __new__(cls, text: str) -> AnnotatedText:
        if type(text) is cls:
            return text
        annotated = super().__new__(cls, text)
        annotated.readings, annotated._parts = {}, {}
        return annotated

    def part(self, text: str) -> AnnotatedText:
        """A line or paragraph of the text, to be read by itself.

        The same object for the same characters, in this text and in those derived from it.
        """
        part = self._parts.get(text)
        if part is None:
            part = self._parts[text] = AnnotatedText(text)
        return part

    def derive(self, text: str) -> AnnotatedText:
        """Another version of this text, such as a release of it: what is read part by part is read anew where it
        differs."""
        derived = AnnotatedText(text)
        derived._parts = self._parts
        return derived

    def with_edit(self, start: int, end: int, replacement: str) -> AnnotatedText:
        """The version of this text with something else at ``[start:end]``."""
        return self.derive(f"{self[:start]}{replacement}{self[end:]}")

    def forget(self) -> None:
        """Give up all readings; they may refer to the text, which would stay in memory for a while."""
        self.readings.clear()
        self._parts.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return AnnotatedText, (str(self),)


def read_once(function: Callable[Concatenate[str, Others], T]) -> Callable[Concatenate[str, Others], T]:
    """Keep what a function returns for an ``AnnotatedText``, its first argument, and other arguments, with the text.

    For a plain string nothing is kept. The result must not be changed by who gets it.
    """

    @wraps(function)
    def read(text: str, /, *others: Others.args, **named: Others.kwargs) -> T:
        if type(text) is not AnnotatedText:
            return function(text, *others, **named)
        key = (function, others, *named.items()) if others or named else function
        readings = text.readings
        if key in readings:
            result: T = readings[key]
            return result
        result = readings[key] = function(text, *others, **named)
        return result

    return read


class HasText(Protocol):
    """A place in a text."""

    @property
    def text(self) -> str: ...


Place = TypeVar("Place", bound=HasText)


def read_once_at(function: Callable[Concatenate[Place, Others], T]) -> Callable[Concatenate[Place, Others], T]:
    """The same of a function whose first argument is a place in a text: kept with its ``text``."""

    @wraps(function)
    def read(place: Place, /, *others: Others.args, **named: Others.kwargs) -> T:
        text = place.text
        if type(text) is not AnnotatedText:
            return function(place, *others, **named)
        key = (function, place, others, *named.items())
        readings = text.readings
        if key in readings:
            result: T = readings[key]
            return result
        result = readings[key] = function(place, *others, **named)
        return result

    return read
