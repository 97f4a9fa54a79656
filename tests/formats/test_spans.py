"""Mask files, and spans files both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sfumato.document import Document, Span
from sfumato.errors import InputError, Problem
from sfumato.formats.spans import read_masks, read_spans, spans_record


def test_missing_replacements_suppress_and_overlaps_are_merged(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"a": [[5, 9], [0, 6, "X"], [0, 6, "X"], [2, 4, None]]}))
    ((_, edits),) = read_masks(path)
    assert [(e.span.start, e.span.end, e.replacement) for e in edits] == [(0, 6, "X"), (6, 9, "")]


@pytest.mark.parametrize(
    ("masks", "said"),
    [
        ("[[0, 1], [1]]", r"document a: mask 2 is not \[start, end\] or \[start, end, replacement\]"),
        ("[[10, 4]]", r"document a: mask 1 starts \(10\) after it ends \(4\)"),
        ("[[-1, 4]]", r"mask 1 starts \(-1\) before the text"),
        ('[["a", 2]]', "mask 1 has an offset that is not a whole number"),
        ("[[false, true]]", "mask 1 has an offset that is not a whole number"),
        ("[[1, 2, 3]]", "mask 1 has a replacement that is neither text nor null"),
        ("[[1, 2, null, 4]]", "mask 1 is not"),
        ("5", r"document a: its masks are not a list; a mask file is \{id: "),
        ('["ab"]', "mask 1 is not"),
    ],
)
def test_what_is_no_mask_is_refused_by_document_and_number(tmp_path: Path, masks: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(f'{{"a": {masks}}}')
    with pytest.raises(InputError, match=said):
        list(read_masks(path))


@pytest.mark.parametrize(
    ("masks", "warned"),
    [
        ([[0, 6, "X"], [5, 9, "Y"]], True),
        ([[0, 9, "X"], [2, 4]], True),
        ([[0, 9], [1, 2], [2, 4, "X"]], True),
        ([[0, 3, "X"], [4, 5], [5, 9]], False),
        ([[0, 6], [5, 9]], False),
        ([[0, 6, "X"], [0, 6, "X"]], False),
        ([[0, 6, "X"], [6, 9, "Y"], [6, 6, "Z"]], False),
    ],
)
def test_overlapping_masks_give_a_warning_where_it_matters(
    tmp_path: Path, masks: list[list[object]], warned: bool
) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"a": masks, "b": []}))
    problems: list[Problem] = []
    list(read_masks(path, problems.append))
    assert [problem.message.partition(":")[0] for problem in problems] == [
        "1 documents have masks that overlap (a)"
    ] * warned
    assert all(problem.is_warning for problem in problems)


def test_a_replacement_that_is_a_label_types_the_span(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"a": [[0, 4, "PERSON_1"], [5, 9, "[LOC]"], [10, 12, "ORG"], [13, 14, "Oslo"], [15, 16]]})
    )
    ((_, spans),) = read_spans(path, lambda problem: None)
    assert [span.label for span in spans] == ["PERSON", "LOC", "ORG", "MISC", "MISC"]
    ((_, edits),) = read_masks(path)
    assert {edit.span.label for edit in edits} == {"MISC"}


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


@pytest.mark.parametrize("said", ["direct", "DIRECT", "Direct"])
def test_an_identifier_in_capitals_says_the_same(tmp_path: Path, said: str) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps({"id": "a", "spans": [{"start": 0, "end": 4, "identifier": said}]}), encoding="utf-8")
    ((_, (span,)),) = read_spans(path, print)
    assert span.identifier == "direct"
