"""Keep spans on the boundaries of what a reader sees as one character."""

from __future__ import annotations

import unicodedata

_JOINER = "\u200d"


def _continues(character: str) -> bool:
    """Combining marks, joiners, variation selectors, emoji modifiers and tags belong to what stands before them."""
    return (
        character == _JOINER
        or "\ufe00" <= character <= "\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or unicodedata.category(character) in ("Mn", "Mc", "Me")
    )


def snap(text: str, start: int, end: int) -> tuple[int, int]:
    """The smallest range around ``[start, end)`` that cuts no character, CRLF included."""
    while 0 < start < len(text) and (
        _continues(text[start]) or text[start - 1] == _JOINER or text[start - 1 : start + 1] == "\r\n"
    ):
        start -= 1
    while 0 < end < len(text) and (
        _continues(text[end]) or text[end - 1] == _JOINER or text[end - 1 : end + 1] == "\r\n"
    ):
        end += 1
    return start, end
