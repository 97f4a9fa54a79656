"""The tables that come along, in ``data/``; where they come from is said in ``data/SOURCES.md``."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from unicodedata import combining, normalize


def lines(table: str) -> list[str]:
    """The lines of a table, ``cities`` or ``words/frequency-en``."""
    packed = resources.files("sfumato.lexicon").joinpath("data", *f"{table}.txt.gz".split("/")).read_bytes()
    return gzip.decompress(packed).decode("utf-8").split("\n")


def table_rows(table: str) -> list[list[str]]:
    """The lines of a table, split at their tabs."""
    return [line.split("\t") for line in lines(table)]


# -- Word tables shipped with the package: lines of a number, a tab, and the words it belongs to. Sources beside them.


def read(table: str) -> Mapping[str, int]:
    """Word -> number."""
    rows = table_rows(f"words/{table}")
    return MappingProxyType({word: int(number) for number, words in rows for word in words.split(" ")})


def pack(numbers: Mapping[str, int]) -> bytes:
    """What ``read`` reads. The same numbers give the same bytes."""
    rows = (f"{number}\t{' '.join(words)}" for number, words in sorted(_by_number(numbers.items()).items()))
    return gzip.compress("\n".join(rows).encode("utf-8"), 9, mtime=0)


def key(word: str) -> str:
    """The form under which a word stands in the tables."""
    return normalize("NFC", word.casefold().replace("’", "'"))


def _by_number(items: Iterable[tuple[str, int]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for word, number in sorted(items):
        found.setdefault(number, []).append(word)
    return found


# -- Names as whoever looks for them may write them: Gdansk is Gdańsk, St Petersburg is Saint Petersburg.


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
