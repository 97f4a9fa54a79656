"""Pack the hand-written wider nouns and modifiers that ``sfumato.knowledge.nouns`` and ``modifiers`` ship.

Run it from the repository root: ``python training/build_nouns.py``. Sources: ``training/wordlists/nouns.txt`` and
``modifiers.txt``.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE.parent / "src" / "sfumato" / "knowledge" / "data"


def lines(name: str) -> Iterator[str]:
    for line in (HERE / "wordlists" / name).read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def nouns() -> list[str]:
    rows = []
    for line in lines("nouns.txt"):
        if line.startswith("@"):
            name, _, words = line.partition(" = ")
            rows.append("\t".join((name, *words.split())))
        else:
            wider, conditions, narrower = (part.strip() for part in line.split("|"))
            rows.append("\t".join((wider, conditions, _things(narrower))))
    return rows


def modifiers() -> list[str]:
    pairs = (line.split("|") for line in lines("modifiers.txt"))
    return [f"{wider.strip()}\t{_things(narrower)}" for wider, narrower in pairs]


def _things(listed: str) -> str:
    return ";".join(dict.fromkeys(thing.strip() for thing in listed.split(";")))


def main() -> None:
    for name, rows in (("nouns", nouns()), ("modifiers", modifiers())):
        packed = gzip.compress("\n".join(rows).encode("utf-8"), 9, mtime=0)
        (DATA / f"{name}.txt.gz").write_bytes(packed)
        print(f"{name}: {len(rows)} lines, {len(packed)} bytes")


if __name__ == "__main__":
    main()
