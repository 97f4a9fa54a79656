"""A user's own annotated files: TAB's JSON, or one JSON line a text with spans as ``sfumato detect`` writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.tagger.records import Mark, Record, disjoint
from training.tagger.sets.tab import DECISION


def read_user(path: Path) -> Iterator[Record]:
    """Records of set ``user``; where several people annotated a text, each reading counts, in the same group."""
    content = path.read_text(encoding="utf-8")
    rows = json.loads(content) if content.lstrip().startswith("[") else map(json.loads, content.splitlines())
    for number, row in enumerate(rows, 1):
        name = str(row.get("id") or row.get("doc_id") or f"{path.name}-{number}")
        if "text" not in row or not ("annotations" in row or "spans" in row):
            raise ValueError(f'{path}, text {number}: needs "text", and "spans" or TAB\'s "annotations"')
        for reader, marks in _readings(row).items():
            yield Record("user", f"{name}{reader}", name, row["text"], disjoint(row["text"], marks))


def _readings(row: dict[str, Any]) -> dict[str, list[Mark]]:
    if "annotations" in row:
        return {
            f" {reader}": [_tab(m) for m in given["entity_mentions"]] for reader, given in row["annotations"].items()
        }
    # A span without an identifier is typed only: nobody said whether it must go.
    return {"": [Mark(span["start"], span["end"], span["label"], span.get("identifier")) for span in row["spans"]]}


def _tab(mention: dict[str, Any]) -> Mark:
    return Mark(
        mention["start_offset"], mention["end_offset"], mention["entity_type"], DECISION[mention["identifier_type"]]
    )
