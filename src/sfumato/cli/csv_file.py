"""Tables that commands write beside what they print."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sfumato.corpus import CONFIDENTIAL, atomic_path
from sfumato.measures.run import Measurement


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The whole table or none, readable by its owner only."""
    with atomic_path(path, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)


def write_values(path: Path, what: str, measured: Mapping[str, Measurement]) -> None:
    """Every document's value by metric; ``what`` was measured heads the first column.

    A risk that is one attack's names it: the strongest for one method need not be the strongest for another.
    """
    write_csv(path, (what, "metric", "id", "value", "attack"), _values(measured))


def _values(measured: Mapping[str, Measurement]) -> Iterator[Sequence[object]]:
    for name, one in measured.items():
        for metric, score in one.scores.items():
            for identifier, value in score.per_document.items():
                yield name, metric, identifier, value, score.settings.get("attack", "")
