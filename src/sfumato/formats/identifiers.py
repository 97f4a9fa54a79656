"""Hide replaced names inside machine identifiers (ids, classes, file names) of Word files and web pages.

Detectors read prose; ``ignatius_pennywhistle.jpg`` or ``pennywhistleCard`` is one unknown word to them. So every
identifier that contains a word of a replaced person, organisation or code becomes a neutral one, the same everywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, NamedTuple

from sfumato.document import Document, Edit, Release, Span, keep_allowed
from sfumato.lexicon.folding import compared_form, folded_form
from sfumato.lexicon.name_lists import common_words, is_title
from sfumato.lexicon.tokens import ALPHANUMERIC

WORD_BOUNDARIES = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|_|-|\.|/|\+|(?<=\D)(?=\d)|(?<=\d)(?=\D)")
_TOKEN = re.compile(r"\w+(?:-\w+)*")
_SHORTEST_WORD = 3
_SHORTEST_CODE = 4
_SHORTEST_INSIDE = 6
"""A word this long counts even without a word boundary, as in ``ignatiuspennywhistle``."""
_LONGEST_INSIDE = 64
_NEUTRAL_NAME = re.compile(r"name\d{1,12}")
_SAFE_NAME = re.compile(r"[A-Za-z]\w*")
_REASONS = ("an identifier that holds part of a replaced value",)


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
            beginning = word[:_LONGEST_INSIDE]
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


def hide_identifiers(release: Release) -> Release:
    """The release with a neutral name for every identifier that holds something replaced, the same everywhere.

    ``meta["identifiers"]`` of its document says where identifiers stand. Where an edit touches one, all of it is
    renamed: ``class="PERSON_3-card"`` would no longer be what the style sheet calls it.
    """
    places: tuple[Place, ...] = release.document.meta.get("identifiers", ())
    if not places or release.rewrite is not None or not release.edits:
        return release
    text = release.document.text
    replaced = ReplacedWords(release)
    starts = [edit.span.start for edit in release.edits]
    neutral: dict[str, str] = {}
    taken = {name[:end] for name in _NEUTRAL_NAME.findall(text) for end in range(len("name1"), len(name) + 1)}
    renamed: dict[int, Edit] = {}
    dropped: set[int] = set()

    def edits_within(token: re.Match[str]) -> range | None:
        """The edits that touch a token; None where one of them goes beyond it."""
        first = max(0, bisect_right(starts, token.start()) - 1)
        first += first < len(starts) and release.edits[first].span.end <= token.start()
        last = bisect_left(starts, token.end())
        touching = release.edits[first:last]
        is_beyond = any(edit.span.start < token.start() or token.end() < edit.span.end for edit in touching)
        return None if is_beyond else range(first, last)

    # Names first: code refers to them, and there they are renamed even where they look like ordinary words.
    for place in sorted(places, key=lambda place: place.kind == "code"):
        for token in _TOKEN.finditer(text, place.start, place.end):
            touching = edits_within(token)
            if touching is None:
                continue
            name = token.group()
            is_identifier = (
                _is_set_apart(text, token, place)
                if place.kind == "name"
                else WORD_BOUNDARIES.search(name) is not None and not touching
            )
            is_known = name in neutral and not _between_spaces(text, token)
            edit = release.edits[touching[0]] if len(touching) == 1 else None
            if edit and len(edit.span) == len(name) and _SAFE_NAME.fullmatch(edit.replacement) and place.kind == "name":
                neutral.setdefault(name, edit.replacement)
            is_touched = bool(touching) and place.kind == "name"
            if not is_known and not (is_identifier and (is_touched or replaced.occur_in(name))):
                continue
            if name not in neutral:
                neutral[name] = _unused(taken, len(neutral) + 1)
            dropped.update(touching)
            renamed[token.start()] = Edit(Span(*token.span(), "MISC", source="identifier"), neutral[name], _REASONS)
    if not renamed:
        return release
    kept = [edit for number, edit in enumerate(release.edits) if number not in dropped]
    return replace(release, edits=(*kept, *keep_allowed(release.document, renamed.values())))


def _is_set_apart(text: str, match: re.Match[str], place: Place) -> bool:
    """Whether a token is an identifier by its form or its neighbours, and not a word of a sentence."""
    if WORD_BOUNDARIES.search(match.group()) or match.span() == (place.start, place.end):
        return True
    before, after = text[max(place.start, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    return (before + (after if match.end() < place.end else "")).strip() != ""


def _between_spaces(text: str, match: re.Match[str]) -> bool:
    return not (text[match.start() - 1 : match.start()].strip() or text[match.end() : match.end() + 1].strip())


def _unused(taken: set[str], number: int) -> str:
    while (name := f"name{number}") in taken:
        number += 1000
    return name
