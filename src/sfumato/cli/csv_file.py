"""Tables that commands write beside what they print."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.corpus import CONFIDENTIAL, atomic_path


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """The whole table or none, readable by its owner only."""
    with atomic_path(path, CONFIDENTIAL) as temporary, temporary.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(header)
        writer.writerows(rows)
