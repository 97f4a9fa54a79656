"""Hide replaced names inside machine identifiers (ids, classes, file names) of Word files and web pages.

Detectors read prose; ``ignatius_pennywhistle.jpg`` or ``pennywhistleCard`` is one unknown word to them. So every
identifier that contains a word of a replaced person, organisation or code becomes a neutral one, the same everywhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace

from sfumato.document import Edit, Release, Span, keep_allowed
from sfumato.formats.identifiers import WORD_BOUNDARIES, Place, ReplacedWords

_TOKEN = re.compile(r"\w+(?:-\w+)*")
_NEUTRAL_NAME = re.compile(r"name\d{1,12}")
_SAFE_NAME = re.compile(r"[A-Za-z]\w*")
_REASONS = ("an identifier that holds part of a replaced value",)


def hide_identifiers(release: Release) -> Release:
    """The release with a neutral name for every identifier that holds something replaced, the same everywhere.

    ``meta["identifiers"]`` of its document says where identifiers stand. Where an edit touches one, all of it is
    renamed: ``class="PERSON_3-card"`` would no longer be what the style sheet calls it.
    """
    places: tuple[Place, ...] = release.document.meta.get("identifiers", ())
    if not places or release.rewrite is not None or not release.edits:
        return release
    names = _Renaming(release)
    # Names first: code refers to them, and there they are renamed even where they look like ordinary words.
    for place in sorted(places, key=lambda place: place.kind == "code"):
        for token in _TOKEN.finditer(release.document.text, place.start, place.end):
            names.read(token, place)
    if not names.edits:
        return release
    kept = [edit for number, edit in enumerate(release.edits) if number not in names.dropped]
    return replace(release, edits=(*kept, *keep_allowed(release.document, names.edits.values())))


class _Renaming:
    """The identifiers of a release that get neutral names."""

    def __init__(self, release: Release) -> None:
        text = release.document.text
        self._text, self._given, self._replaced = text, release.edits, ReplacedWords(release)
        self._starts = [edit.span.start for edit in release.edits]
        self._neutral: dict[str, str] = {}
        self._taken = {name[:end] for name in _NEUTRAL_NAME.findall(text) for end in range(len("name1"), len(name) + 1)}
        self.edits: dict[int, Edit] = {}
        """By where they begin."""
        self.dropped: set[int] = set()
        """Numbers of the release's edits that these take the place of."""

    def read(self, token: re.Match[str], place: Place) -> None:
        """Rename a token where it is an identifier that holds something replaced, or was renamed before."""
        touching = self._edits_within(token)
        if touching is None:
            return
        name, is_known = token.group(), token.group() in self._neutral and not self._is_between_spaces(token)
        if place.kind == "name":
            if len(touching) == 1:
                self._take_replacement(name, self._given[touching[0]])
            is_telling = self._is_set_apart(token, place) and (bool(touching) or self._replaced.occur_in(name))
        else:
            is_telling = not touching and bool(WORD_BOUNDARIES.search(name)) and self._replaced.occur_in(name)
        if is_known or is_telling:
            if name not in self._neutral:
                self._neutral[name] = self._unused_name()
            self.dropped.update(touching)
            span = Span(*token.span(), "MISC", source="identifier")
            self.edits[token.start()] = Edit(span, self._neutral[name], _REASONS)

    def _edits_within(self, token: re.Match[str]) -> range | None:
        """The edits that touch a token; None where one of them goes beyond it."""
        first = max(0, bisect_right(self._starts, token.start()) - 1)
        first += first < len(self._starts) and self._given[first].span.end <= token.start()
        last = bisect_left(self._starts, token.end())
        spans = [edit.span for edit in self._given[first:last]]
        is_beyond = any(span.start < token.start() or token.end() < span.end for span in spans)
        return None if is_beyond else range(first, last)

    def _take_replacement(self, name: str, edit: Edit) -> None:
        """The replacement of a whole identifier is its name everywhere, where it can be one."""
        if len(edit.span) == len(name) and _SAFE_NAME.fullmatch(edit.replacement):
            self._neutral.setdefault(name, edit.replacement)

    def _is_set_apart(self, token: re.Match[str], place: Place) -> bool:
        """Whether a token is an identifier by its form or its neighbours, and not a word of a sentence."""
        if WORD_BOUNDARIES.search(token.group()) or token.span() == (place.start, place.end):
            return True
        before = self._text[max(place.start, token.start() - 1) : token.start()]
        after = self._text[token.end() : token.end() + 1] if token.end() < place.end else ""
        return (before + after).strip() != ""

    def _is_between_spaces(self, token: re.Match[str]) -> bool:
        before, after = self._text[token.start() - 1 : token.start()], self._text[token.end() : token.end() + 1]
        return not (before.strip() or after.strip())

    def _unused_name(self) -> str:
        number = len(self._neutral) + 1
        while (name := f"name{number}") in self._taken:
            number += 1000
        return name
