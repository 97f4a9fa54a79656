"""Pack the hand-written wider nouns that ``sfumato.knowledge.nouns`` ships.

Run it from the repository root: ``python training/build_nouns.py``. Source: ``training/wordlists/nouns.txt``.
"""

from __future__ import annotations

import gzip
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE.parent / "src" / "sfumato" / "knowledge" / "data" / "nouns.txt.gz"


def main() -> None:
    rows, count = [], 0
    for line in (HERE / "wordlists" / "nouns.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            name, _, words = line.partition(" = ")
            rows.append("\t".join((name, *words.split())))
        elif "|" in line and not line.startswith("#"):
            wider, conditions, narrower = (part.strip() for part in line.split("|"))
            things = [thing.strip() for thing in narrower.split(";")]
            rows.append("\t".join((wider, conditions, ";".join(dict.fromkeys(things)))))
            count += len(things)
    packed = gzip.compress("\n".join(rows).encode("utf-8"), 9, mtime=0)
    TABLE.write_bytes(packed)
    print(f"{TABLE.name}: {count} pairs, {len(packed)} bytes")


if __name__ == "__main__":
    main()
