"""Derive the hyponym counts that ``sfumato.models.table_scorers`` ships.

Run it from the repository root with the folder that holds WordNet 3.0's ``data.noun``, ``index.noun`` and ``noun.exc``
(and those of the verbs): ``python -m training.build_taxonomy FOLDER``. Debian's ``wordnet-base`` has them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from sfumato.models.table_scorers import CONCEPTS
from training.tables import number_lines, write

HYPONYM = ("~", "~i")
"""WordNet's signs for a kind of something and for an instance of it."""


def lines(file: Path) -> list[list[str]]:
    """The fields of each line; the licence at the top is indented."""
    return [line.split() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("  ")]


def children(file: Path) -> dict[str, list[str]]:
    """Synset -> the synsets directly below it."""
    found = {}
    for fields in lines(file):
        at = 4 + 2 * int(fields[3], 16)
        pointers = (fields[at + 1 + 4 * number :][:2] for number in range(int(fields[at])))
        found[fields[0]] = [target for sign, target in pointers if sign in HYPONYM]
    return found


def count_below(synset: str, below: Mapping[str, list[str]]) -> int:
    """All synsets below this one, each once, though some stand below several."""
    seen = {synset}
    waiting = [synset]
    while waiting:
        new = [child for child in below[waiting.pop()] if child not in seen]
        seen.update(new)
        waiting += new
    return len(seen) - 1


def counts(folder: Path, kind: str) -> dict[str, int]:
    """Every word with the hyponyms of its first, most frequent sense; irregular forms as their base."""
    below = children(folder / f"data.{kind}")
    if len(below) != CONCEPTS[kind]:
        raise SystemExit(f"data.{kind} has {len(below)} synsets, not {CONCEPTS[kind]}: give the folder of WordNet 3.0")
    found = {}
    for fields in lines(folder / f"index.{kind}"):
        senses = fields[-int(fields[2]) :]
        found[fields[0]] = count_below(senses[0], below)
    for form, base, *_ in lines(folder / f"{kind}.exc"):
        if base in found:
            found.setdefault(form, found[base])
    return found


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m training.build_taxonomy FOLDER_WITH_data.noun")
    folder = Path(sys.argv[1])
    for kind in CONCEPTS:
        table = counts(folder, kind)
        size = write(f"en/hyponyms-{kind}", number_lines(table))
        print(f"{kind}: {len(table)} words, {size} bytes")


if __name__ == "__main__":
    main()
