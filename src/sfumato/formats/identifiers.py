"""Names that files give to their own parts (ids, classes, file names) and that people are named in.

Detectors read prose; in ``ignatius_pennywhistle.jpg`` or ``pennywhistleCard`` they see one strange word. So, once a
release says who was replaced, every such name that holds a word of theirs becomes a neutral one, the same everywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from sfumato.document import Edit, Release, Span
from sfumato.lexicon.name_lists import common_words, is_title
from sfumato.lexicon.tokens import ALPHANUMERIC

WORD_BOUNDARIES = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|_|-|\.|/|\+|(?<=\D)(?=\d)|(?<=\d)(?=\D)")
_TOKEN = re.compile(r"\w+(?:-\w+)*")
_SHORTEST_WORD = 3
_SHORTEST_CODE = 4
_SHORTEST_INSIDE = 6
"""A word this long counts even where nothing sets it apart, as in ``ignatiuspennywhistle``."""
_BECAUSE = ("an identifier that holds part of a replaced value",)


class Place(NamedTuple):
    """A stretch of a document's text that names things for machines; in ``code``, prose stands between the names."""

    start: int
    end: int
    kind: Literal["name", "code"] = "name"


def identifier_words(name: str) -> list[str]:
    """The words of a name, casefolded: ``words_of("annaBerg_2") == ["anna", "berg", "2"]``."""
    return [word.casefold() for word in ALPHANUMERIC.findall(WORD_BOUNDARIES.sub(" ", name))]


def alphanumeric(name: str) -> str:
    """All letters and digits of a name, casefolded."""
    return "".join(ALPHANUMERIC.findall(name)).casefold()


class ReplacedWords:
    """The words and codes that a release replaced, to be looked for in names."""

    def __init__(self, release: Release) -> None:
        self._words: set[str] = set()
        self._codes: set[str] = set()
        text = release.document.text
        for edit in release.edits:
            original = text[edit.span.start : edit.span.end]
            if edit.span.label in ("PERSON", "ORG"):
                words = {
                    word for word in identifier_words(original) if len(word) >= _SHORTEST_WORD and not is_title(word)
                }
                # "group" and "office" are in the names of half of all organisations, and of half of all classes.
                self._words |= words if edit.span.label == "PERSON" else words - common_words()
            elif edit.span.label == "CODE" and len(code := alphanumeric(original)) >= _SHORTEST_CODE:
                self._codes.add(code)
        self._inside = [word for word in self._words if len(word) >= _SHORTEST_INSIDE] + sorted(self._codes)

    def __bool__(self) -> bool:
        return bool(self._words or self._codes)

    def holds(self, name: str) -> bool:
        """Whether the name has one of them in it."""
        if not self._words.isdisjoint(identifier_words(name)):
            return True
        together = alphanumeric(name)
        return any(word in together for word in self._inside)


def hide_identifiers(release: Release) -> Release:
    """The release with edits added for what ``meta["identifiers"]`` of its document points to."""
    places: tuple[Place, ...] = release.document.meta.get("identifiers", ())
    telling = ReplacedWords(release) if places and release.rewrite is None else None
    if not telling:
        return release
    text = release.document.text
    neutral: dict[str, str] = {}
    edits: list[Edit] = []
    # Names first: code speaks of them, and there they are renamed even where they look like any other word.
    for place in sorted(places, key=lambda place: place.kind == "code"):
        for start, end in _untouched(release, place):
            for found in _TOKEN.finditer(text, start, end):
                token = found.group()
                alone = (
                    not _is_set_apart(text, found, place)
                    if place.kind == "name"
                    else WORD_BOUNDARIES.search(token) is None
                )
                known = token in neutral and not _between_spaces(text, found)
                if not known and (alone or not telling.holds(token)):
                    continue
                if token not in neutral:
                    neutral[token] = _unused(text, len(neutral) + 1)
                edits.append(Edit(Span(*found.span(), "MISC", source="identifier"), neutral[token], _BECAUSE))
    return replace(release, edits=(*release.edits, *edits)) if edits else release


def _untouched(release: Release, place: Place) -> Iterator[tuple[int, int]]:
    pieces = release.segments
    at = bisect_right(pieces, place.start, key=lambda piece: piece.end)
    while at < len(pieces) and pieces[at].start < place.end:
        if pieces[at].edit is None:
            yield max(place.start, pieces[at].start), min(place.end, pieces[at].end)
        at += 1


def _is_set_apart(text: str, found: re.Match[str], place: Place) -> bool:
    """Whether a token is a name by its form or by what stands beside it, and not a word of a sentence."""
    if WORD_BOUNDARIES.search(found.group()) or found.span() == (place.start, place.end):
        return True
    before, after = text[max(place.start, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]
    return (before + (after if found.end() < place.end else "")).strip() != ""


def _between_spaces(text: str, found: re.Match[str]) -> bool:
    return not (text[found.start() - 1 : found.start()].strip() or text[found.end() : found.end() + 1].strip())


def _unused(text: str, number: int) -> str:
    while (name := f"name{number}") in text:
        number += 1000
    return name
