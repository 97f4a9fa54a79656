"""Words and signs where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sfumato.models.base import Range

TOKEN = re.compile(r"['’]s\b|(?<=s)['’](?= )|[^\W_]+(?:[’'](?!s\b)[^\W_]+)*|[^\w\s]|_", re.IGNORECASE)
"""A word, a possessive ending, or one sign."""


class Token(NamedTuple):
    """A word or sign where it stands."""

    start: int
    end: int
    text: str

    @property
    def key(self) -> str:
        """The form in which it stands in word lists."""
        return self.text.lower().replace("’", "'")

    @property
    def is_capitalised(self) -> bool:
        return self.text[0].isupper()


def tokens(text: str) -> list[Token]:
    """The words and signs of a text, in order."""
    return [Token(found.start(), found.end(), found[0]) for found in TOKEN.finditer(text)]


def disjoint(taken: Sequence[Range], more: Iterable[Range]) -> list[Range]:
    """The ranges taken, and those of ``more`` that touch none of them, sorted."""
    added: list[Range] = []
    at = 0
    for start, end in sorted(more):
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        is_free = at == len(taken) or end <= taken[at][0]
        if is_free and (not added or added[-1][1] <= start):
            added.append((start, end))
    return sorted([*taken, *added])
