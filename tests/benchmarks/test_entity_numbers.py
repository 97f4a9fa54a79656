"""The benchmark of entity numbers against values worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.entity_numbers import count, estimates, read_counts

TEXT = "Anna Quorvex, Bo, Anna, Bo, Quorvex"
DOCUMENT = {
    "id": "d",
    "text": TEXT,
    "spans": [[0, 12, "N"], [14, 16, "N"], [18, 22, "N"], [24, 26, "N"], [28, 35, "N"], [5, 12, "X"]],
    "entities": [1, 2, 1, 2, 1, None],
}


def edit(start: int, end: int, replacement: str) -> dict[str, object]:
    return {"start": start, "end": end, "replacement": replacement}


EDITS = [
    edit(0, 4, "PERSON_1"),  # cut in two
    edit(5, 12, "LOC_1"),
    edit(14, 16, "PERSON_2"),
    edit(18, 22, "PERSON_1"),  # Anna keeps the number
    edit(28, 35, "PERSON_2"),  # Quorvex has Bo's; the second Bo is left alone
]


def test_counts_of_one_document() -> None:
    counts = count(DOCUMENT, EDITS)
    assert counts.totals == {"repeats": 2, "tied": 2, "cut": 4, "shared": 1}
    assert counts.hits == {"repeats": 1, "tied": 1, "cut": 1, "shared": 1}
    assert counts.untouched == 1
    assert [measure for measure, _ in counts.faults] == ["cut", "repeats", "tied", "shared"]


def test_files_are_read_and_shares_have_intervals(tmp_path: Path) -> None:
    withheld = {"id": "w", "withheld": "in a language no active detector covers"}
    (tmp_path / "documents.jsonl").write_text(f"{json.dumps(DOCUMENT)}\n{json.dumps({**DOCUMENT, 'id': 'w'})}\n")
    (tmp_path / "audit.jsonl").write_text(f"{json.dumps({'id': 'd', 'edits': EDITS})}\n{json.dumps(withheld)}\n")
    counts = read_counts(tmp_path / "documents.jsonl", tmp_path / "audit.jsonl")
    result = estimates(counts)["repeats"]
    assert list(counts) == ["d"]
    assert result is not None
    assert result.value == 0.5
    assert estimates({}) == {"repeats": None, "tied": None, "cut": None, "shared": None}
