"""The everyday corpus: every mark can be read, and the parts do not depend on the order of files."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from training.everyday_corpus import KINDS, parse, read_corpus
from training.tagger.sets import everyday

LANGUAGES = {"en", "es", "de", "fr", "it", "nl", "pt"}
_NAMED = "NUOL"
"""Kinds whose marks say which person, organisation or place they are of."""


def test_every_document_can_be_read() -> None:
    documents = list(read_corpus())
    assert {document.language for document in documents} <= LANGUAGES
    for document in documents:
        assert document.spans, document.id
        for span in document.spans:
            assert span.kind in KINDS
            assert document.text[span.start : span.end].strip(), document.id
            assert (span.entity is None) <= (span.kind not in _NAMED), document.id
            assert span.kind != "X" or span.entity is None, document.id


def test_no_document_is_there_twice() -> None:
    texts = Counter(document.text for document in read_corpus())
    assert texts.most_common(1)[0][1] == 1


def test_each_part_is_where_its_share_says() -> None:
    parts = Counter(document.part for document in read_corpus() if document.id.count("/") == 1)
    total = parts.total()
    assert abs(parts["train"] / total - 0.60) < 0.08
    assert abs(parts["test"] / total - 0.25) < 0.08


@pytest.mark.parametrize("text", ["⟦N1|Anna", "⟦N1|⟦N2|Anna⟧⟧", "⟦N1| Anna⟧", "⟦Y1|Anna⟧", "Anna⟧", "⟦N1|⟧"])
def test_a_malformed_mark_is_an_error_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "letter-01.txt"
    path.write_text(f"Dear all,\n{text}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"letter-01\.txt: line [12]: a mark"):
        parse(path)


def test_copies_keep_the_text_around_the_marks_and_one_name_a_person() -> None:
    originals = {record.id: record for record in everyday.read("train")}
    copies = list(islice(everyday.copies(1, 1), 60))
    assert all(record.group in originals for record in copies)
    names_changed = 0
    for record in copies:
        original = originals[record.group]
        assert [mark.label for mark in record.marks] or not original.marks
        names = {original.text[m.start : m.end] for m in original.marks if m.label == "PERSON"}
        new_names = {record.text[m.start : m.end] for m in record.marks if m.label == "PERSON"}
        names_changed += bool(names) and len(new_names - names) >= len(names) / 2
    assert names_changed >= 30


@pytest.mark.parametrize(("folder", "part"), [("training", "train"), ("new_kinds", "new_kinds")])
def test_a_folder_may_be_one_part(folder: str, part: str) -> None:
    parts = [document.part for document in read_corpus() if document.id.startswith(f"{folder}/")]
    assert len(parts) >= 40
    assert set(parts) == {part}


def test_the_test_part_is_never_read_for_training() -> None:
    tested = {document.id for part in ("test", "new_kinds") for document in read_corpus(part=part)}
    for record in (*everyday.read("train"), *everyday.read("validation"), *islice(everyday.copies(1, 1), 500)):
        assert record.group not in tested


def test_what_may_go_or_stay_teaches_nothing_and_what_must_stay_is_plain_text() -> None:
    marks = [mark for record in everyday.read("train") for mark in record.marks]
    assert any(mark.label is None for mark in marks)
    assert all((mark.label is None) == (mark.decision is None) for mark in marks)
