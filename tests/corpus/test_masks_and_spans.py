"""Mask files, and spans files both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.corpus import read_masks, read_spans, spans_record
from sfumato.document import Document, Span
from sfumato.errors import InputError, Problem


def test_missing_replacements_suppress_and_overlaps_are_merged(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"a": [[5, 9], [0, 6, "X"], [0, 6, "X"], [2, 4, None]]}))
    ((_, edits),) = read_masks(path)
    assert [(e.span.start, e.span.end, e.replacement) for e in edits] == [(0, 6, "X"), (6, 9, "")]


@pytest.mark.parametrize(
    "masks", ["[[1]]", "[[1, 0]]", '[["a", 2]]', "[[1, 2, 3]]", "[[1, 2, null, 4]]", "5", '["ab"]']
)
def test_what_is_no_mask_is_refused(tmp_path: Path, masks: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(f'{{"a": {masks}}}')
    with pytest.raises(InputError, match="record 1"):
        list(read_masks(path))


def test_a_list_is_no_mask_file(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[]")
    with pytest.raises(InputError, match="not a mask file"):
        list(read_masks(path))


def test_spans_survive_writing_and_reading(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    spans = [Span(0, 4, "PERSON", "direct", 0.9, "spans", "e1"), Span(5, 9, "LOC", source="spans")]
    good = json.dumps(spans_record(Document("a", "Anna Oslo"), spans))
    path.write_text(good + '\n{"id": "b", "spans": [{"start": 3}]}\n{"id": "c"}\n')
    problems: list[Problem] = []
    assert list(read_spans(path, problems.append)) == [("a", spans)]
    assert [problem.line for problem in problems] == [2, 3]


def test_a_mask_file_gives_spans(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": [[0, 4, "X"]]}')
    assert list(read_spans(path, lambda problem: None)) == [("a", [Span(0, 4, "MISC", source="mask")])]
