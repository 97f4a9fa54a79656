"""Letters without their accents: Gdańsk is Gdansk to whoever looks for it."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import combining, normalize

_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ı": "i", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
    | {"ß": "ss", "ð": "d", "þ": "th", "ə": "e", "ħ": "h", "ŋ": "n"}
)


@lru_cache(maxsize=2**14)
def plain(text: str) -> str:
    """The text with every letter as it stands in the English alphabet, where it has a like there."""
    if text.isascii():
        return text
    return "".join(letter for letter in normalize("NFKD", text) if not combining(letter)).translate(_LETTERS)
