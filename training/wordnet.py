"""Reading WordNet's data files, for the scripts that derive tables from it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Line(NamedTuple):
    """A synset as it stands in a data file."""

    offset: str
    file: int
    names: list[str]
    pointers: list[tuple[str, str]]
    """What each points to, after the sign that says how."""
    rest: list[str]
    """What follows the pointers: of verbs, their sentence frames."""


def read_data(path: Path) -> Iterator[Line]:
    """The synsets of ``data.noun`` or ``data.verb``."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):  # the licence
            continue
        fields = line.split("|")[0].split()
        count = int(fields[3], 16)
        at = 4 + 2 * count
        pointers = [(fields[at + 1 + 4 * number], fields[at + 2 + 4 * number]) for number in range(int(fields[at]))]
        names = [fields[4 + 2 * number] for number in range(count)]
        yield Line(fields[0], int(fields[1]), names, pointers, fields[at + 1 + 4 * len(pointers) :])
