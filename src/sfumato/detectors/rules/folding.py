"""Text without the characters that no reader sees, and where each of its characters came from."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Soft hyphens, zero-width spaces and joiners, word joiners and marks of order or direction.
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
# Full-width and mathematical letters and ligatures: the same letters in another dress.
_DRESSED = "\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_FOLDS = re.compile(f"[{_INVISIBLE}{_DRESSED}]")


@dataclass(frozen=True)
class Folded:
    """A folded text with, for each of its characters, the offset of the original one."""

    text: str
    offsets: list[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original that a range of the folded text stands for."""
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str) -> Folded | None:
    """The text as it is read, or None where that is how it is written."""
    if text.isascii() or not _FOLDS.search(text):
        return None
    letters: list[str] = []
    offsets: list[int] = []
    for at, character in enumerate(text):
        if not _FOLDS.match(character):
            letters.append(character)
            offsets.append(at)
        elif not _UNSEEN.match(character):
            plain = unicodedata.normalize("NFKC", character)
            letters.append(plain)
            offsets.extend([at] * len(plain))
    return Folded("".join(letters), offsets)
