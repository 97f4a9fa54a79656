"""One file with all training data, real and generated, and the list of what is kept back.

``python -m training.tagger.prepare --data DATA_PATH --out FILE.jsonl[.gz]``
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from training.tagger.data import read_sets
from training.tagger.generate import generate
from training.tagger.labels import LABELS
from training.tagger.records import Record, write
from training.tagger.sets import everyday
from training.tagger.splits import FOLDOUT, folded_out, write_foldout

EVERYDAY_COPIES = 8
"""Copies of each everyday document with other names and numbers."""


def prepare(data: Path, seed: int, copies: int) -> list[Record]:
    return [
        *read_sets(data),
        *generate(seed, copies),
        *everyday.read("train"),
        *everyday.read("validation"),
        *everyday.copies(EVERYDAY_COPIES, seed),
    ]


def counts(records: Iterable[Record], kept_back: Mapping[str, Collection[str]]) -> str:
    """A table: texts, texts kept back, characters and mentions by label of each set."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        row = rows[record.set]
        names = kept_back.get(record.set, ())
        row.update(texts=1, out=record.id in names or record.group in names, chars=len(record.text))
        row.update(mark.label or "unknown" for mark in record.marks)
    heads = ("texts", "out", "chars", *LABELS, "unknown")
    lines = ["set".ljust(20) + "".join(head.rjust(10) for head in heads)]
    lines += [name.ljust(20) + "".join(str(row[head]).rjust(10) for head in heads) for name, row in rows.items()]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with tab/, spia/, ner/ ...")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--foldout", type=Path, default=FOLDOUT)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--copies", type=int, default=40, help="texts per generated template")
    arguments = parser.parse_args()
    records = prepare(arguments.data, arguments.seed, arguments.copies)
    kept_back = folded_out(records, arguments.seed)
    write_foldout(kept_back, arguments.seed, arguments.foldout)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    write(arguments.out, records)
    print(counts(records, {name: set(ids) for name, ids in kept_back.items()}))


if __name__ == "__main__":
    main()
