"""Word tables shipped with the package: lines of a number, a tab, and the words it belongs to. Sources beside them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from unicodedata import normalize

from sfumato.knowledge import shipped


def read(table: str) -> Mapping[str, int]:
    """Word -> number."""
    rows = shipped.rows(f"words/{table}")
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
