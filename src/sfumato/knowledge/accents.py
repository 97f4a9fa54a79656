"""Names as whoever looks for them may write them: Gdansk is Gdańsk, St Petersburg is Saint Petersburg."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import combining, normalize

_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ı": "i", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
    | {"ß": "ss", "ð": "d", "þ": "th", "ə": "e", "ħ": "h", "ŋ": "n"}
)
_MARKS = str.maketrans({"’": "'", "ʻ": "'", "‘": "'", "`": "'", "´": "'", "-": " ", "‐": " ", "–": " "})
_SPACES = re.compile(r"\s+")
_SAINT = re.compile(r"\b(?:saint|st\.)(?= )")


@lru_cache(maxsize=2**14)
def plain(text: str) -> str:
    """The text with every letter as it stands in the English alphabet, where it has a like there."""
    if text.isascii():
        return text
    return "".join(letter for letter in normalize("NFKD", text) if not combining(letter)).translate(_LETTERS)


@lru_cache(maxsize=4096)
def fold(name: str) -> str:
    """A name without case, accents, hyphens and article: ``fold("The Côte-d'Or") == "cote d'or"``."""
    folded = _SPACES.sub(" ", plain(name.casefold()).translate(_MARKS)).strip()
    return _SAINT.sub("st", folded).removeprefix("the ")
