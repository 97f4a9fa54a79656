"""Identifiers in files (ids, classes, names of files): where they stand, their words, and what was replaced in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from sfumato.document import Document, Release, Span
from sfumato.lexicon.folding import compared_form, folded_form
from sfumato.lexicon.name_lists import common_words, is_title
from sfumato.lexicon.tokens import ALPHANUMERIC

WORD_BOUNDARIES = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|_|-|\.|/|\+|(?<=\D)(?=\d)|(?<=\d)(?=\D)")
_SHORTEST_WORD = 3
_SHORTEST_CODE = 4
_SHORTEST_INSIDE = 6
"""A word this long counts even without a word boundary, as in ``ignatiuspennywhistle``."""
LONGEST_COMPARED = 64
"""Characters of a word by which it is found."""


class Place(NamedTuple):
    """A range of a document's text with identifiers; in ``code`` there is prose between them."""

    start: int
    end: int
    kind: Literal["name", "code"] = "name"


def is_in_code(document: Document, span: Span) -> bool:
    """Whether a span lies in code of a page, where quotes cannot be added."""
    places: tuple[Place, ...] = document.meta.get("identifiers", ())
    return any(place.kind == "code" and place.start <= span.start < place.end for place in places)


def identifier_words(name: str) -> list[str]:
    """The words of an identifier, casefolded: ``identifier_words("annaBerg_2") == ["anna", "berg", "2"]``."""
    return [compared_form(word) for word in ALPHANUMERIC.findall(WORD_BOUNDARIES.sub(" ", folded_form(name)))]


def alphanumeric(name: str) -> str:
    """All letters and digits of an identifier, casefolded."""
    return compared_form("".join(ALPHANUMERIC.findall(folded_form(name))))


class SubstringIndex:
    """Finds words anywhere in a text, in a time that does not depend on their number.

    A long word is found by its beginning.
    """

    def __init__(self, words: Iterable[str], shortest: int) -> None:
        """``shortest``: the length of the shortest word."""
        self._shortest = shortest
        self._words: dict[str, list[str]] = {}
        self._lengths: dict[str, list[int]] = {}
        for word in sorted(words):
            beginning = word[:LONGEST_COMPARED]
            self._words.setdefault(beginning, []).append(word)
            lengths = self._lengths.setdefault(word[:shortest], [])
            if len(beginning) not in lengths:
                lengths.append(len(beginning))

    def find(self, text: str) -> Iterator[tuple[int, str]]:
        """The words in a text, from left to right, with where they begin."""
        for offset in range(len(text) - self._shortest + 1):
            for length in self._lengths.get(text[offset : offset + self._shortest], ()):
                for word in self._words.get(text[offset : offset + length], ()):
                    yield offset, word


class ReplacedWords:
    """The words and codes that a release replaced, to search for in identifiers."""

    def __init__(self, release: Release) -> None:
        self._words: set[str] = set()
        self._codes: set[str] = set()
        text = release.document.text
        for edit in release.hidden:
            original = text[edit.span.start : edit.span.end]
            if edit.span.label in ("PERSON", "ORG"):
                words = {
                    word for word in identifier_words(original) if len(word) >= _SHORTEST_WORD and not is_title(word)
                }
                # "group" and "office" are in many names of organisations, and in many names of classes.
                self._words |= words if edit.span.label == "PERSON" else words - common_words()
            elif edit.span.label == "CODE" and len(code := alphanumeric(original)) >= _SHORTEST_CODE:
                self._codes.add(code)
        inside = [word for word in self._words if len(word) >= _SHORTEST_INSIDE]
        self._inside = SubstringIndex([*inside, *self._codes], _SHORTEST_CODE)

    def __bool__(self) -> bool:
        return bool(self._words or self._codes)

    def occur_in(self, name: str) -> bool:
        """Whether the identifier contains one of them."""
        if not self._words.isdisjoint(identifier_words(name)):
            return True
        return any(self._inside.find(alphanumeric(name)))
