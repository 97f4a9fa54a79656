"""What the scripts that build the shipped tables share: our own word lists to read, and how a table is written."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sfumato.lexicon.tables import LANGUAGE_FILES

WORDLISTS = Path(__file__).parent / "wordlists"
DATA = Path(__file__).parents[1] / "src" / "sfumato" / "lexicon" / "data"
LARGE = 700_000
"""Bytes from which on a table is stored as it is: see ``sfumato.lexicon.tables``."""


def listed(name: str) -> Iterator[str]:
    """The lines of one of our word lists that say something."""
    for line in (WORDLISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def write(table: str, lines: Iterable[str]) -> int:
    """Store the lines as ``sfumato.lexicon.tables`` reads them, and say how many bytes they take."""
    content = "\n".join(lines).encode("utf-8")
    plain, packed = DATA / f"{table}.txt", DATA / f"{table}.txt.gz"
    path, other = (plain, packed) if len(content) >= LARGE and not _is_found_by_name(table) else (packed, plain)
    # mtime=0 keeps the file the same from run to run.
    path.write_bytes(content if path is plain else gzip.compress(content, 9, mtime=0))
    other.unlink(missing_ok=True)
    return path.stat().st_size


def _is_found_by_name(table: str) -> bool:
    """Whether a language is known by this file, which then has one name."""
    return f"{table.rpartition('/')[2]}.txt.gz" in LANGUAGE_FILES


def number_lines(numbers: Mapping[str, int]) -> list[str]:
    """The lines of a table that ``sfumato.lexicon.tables.read_numbers`` reads: a number, a tab and its words."""
    words: dict[int, list[str]] = defaultdict(list)
    for word, number in sorted(numbers.items()):
        words[number].append(word)
    return [f"{number}\t{' '.join(words[number])}" for number in sorted(words)]


def index_lines(names: Iterable[tuple[str, int]]) -> list[str]:
    """The lines of an index that ``sfumato.lexicon.tables.SortedTable`` reads: a name, a tab and the lines it is on."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for name, number in names:
        numbers[name].append(number)
    return sorted(f"{name}\t{' '.join(map(str, same))}" for name, same in numbers.items())
