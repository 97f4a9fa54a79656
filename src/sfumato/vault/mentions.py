"""One thing that a replacement stands for, and the words by which it is looked up."""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"\w+")
NUMBERED = re.compile(r"([^\W\d_]+)_(\d+)")
_WRITTEN = re.compile(r"([^\W\d_]+)(?:\\?_|-|\s+#?|)(\d+)")


class Mention(NamedTuple):
    """``replacement`` stands for ``original``, which is one way to name the ``entity``."""

    replacement: str
    label: str
    entity: str
    original: str

    def words(self) -> set[str]:
        """A numbered label is one word; any other replacement may turn up by each of its own."""
        if NUMBERED.fullmatch(self.replacement):
            return {self.replacement.casefold()}
        return {word.casefold() for word in _WORD.findall(self.replacement)}


def words_in(text: str) -> set[str]:
    """All words by which mentions in a text may be looked up: its own, and its labels however they are written."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return words | {f"{label}_{number}".casefold() for label, number in _WRITTEN.findall(text)}


def written_forms(replacement: str) -> list[str]:
    """Language models write PERSON_1 also as "Person 1", "PERSON-1" or, in Markdown, "PERSON\\_1"."""
    numbered = NUMBERED.fullmatch(replacement)
    if numbered is None:
        return [replacement]
    label, number = numbered.groups()
    return [f"{label}{joint}{number}" for joint in ("_", " ", "-", "\\_", "", " #")]
