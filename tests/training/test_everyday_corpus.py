"""The everyday corpus: every mark can be read, and the parts do not depend on the order of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import pytest
from training.everyday_corpus import FOLDER, KINDS, MarkedDocument, Part, parse, read_corpus
from training.everyday_counts import tables
from training.tagger.records import Record
from training.tagger.sets import everyday

LANGUAGES = {"en", "es", "de", "fr", "it", "nl", "pt"}
_NAMED = "NUOL"
"""Kinds whose marks say which person, organisation or place they are of."""


@pytest.fixture(scope="module")
def documents() -> list[MarkedDocument]:
    return list(read_corpus())


@pytest.fixture(scope="module", autouse=True)
def _read_once(documents: Sequence[MarkedDocument]) -> Iterator[None]:
    """The training data come from the documents already read."""

    def read(part: Part) -> Iterator[MarkedDocument]:
        return (document for document in documents if document.part == part)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(everyday, "read_corpus", read)
        yield


@pytest.fixture(scope="module")
def copies(_read_once: None) -> list[Record]:
    return list(islice(everyday.copies(1, 1), 60))


def test_every_document_can_be_read(documents: Sequence[MarkedDocument]) -> None:
    assert {document.language for document in documents} <= LANGUAGES
    for document in documents:
        assert document.spans, document.id
        for span in document.spans:
            assert span.kind in KINDS
            assert document.text[span.start : span.end].strip(), document.id
            assert (span.entity is None) <= (span.kind not in _NAMED), document.id
            assert span.kind != "X" or span.entity is None, document.id


def test_no_document_is_there_twice(documents: Sequence[MarkedDocument]) -> None:
    texts = Counter(document.text for document in documents)
    assert texts.most_common(1)[0][1] == 1


def test_each_part_is_where_its_share_says(documents: Sequence[MarkedDocument]) -> None:
    parts = Counter(document.part for document in documents if document.id.count("/") == 1)
    total = parts.total()
    assert abs(parts["train"] / total - 0.60) < 0.08
    assert abs(parts["test"] / total - 0.25) < 0.08


@pytest.mark.parametrize("text", ["⟦N1|Anna", "⟦N1|⟦N2|Anna⟧⟧", "⟦N1| Anna⟧", "⟦Y1|Anna⟧", "Anna⟧", "⟦N1|⟧"])
def test_a_malformed_mark_is_an_error_with_its_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "letter-01.txt"
    path.write_text(f"Dear all,\n{text}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"letter-01\.txt: line [12]: a mark"):
        parse(path)


def test_copies_keep_the_text_around_the_marks_and_one_name_a_person(copies: Sequence[Record]) -> None:
    originals = {record.id: record for record in everyday.read("train")}
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
def test_a_folder_may_be_one_part(documents: Sequence[MarkedDocument], folder: str, part: str) -> None:
    parts = [document.part for document in documents if document.id.startswith(f"{folder}/")]
    assert len(parts) >= 40
    assert set(parts) == {part}


def test_the_test_part_is_never_read_for_training(
    documents: Sequence[MarkedDocument], copies: Sequence[Record]
) -> None:
    tested = {document.id for document in documents if document.part in ("test", "new_kinds")}
    for record in (*everyday.read("train"), *everyday.read("validation"), *copies):
        assert record.group not in tested


def test_a_part_is_read_alone(documents: Sequence[MarkedDocument]) -> None:
    assert [document.id for document in read_corpus(part="new_kinds")] == [
        document.id for document in documents if document.part == "new_kinds"
    ]


def test_the_new_kinds_are_in_no_other_part(documents: Sequence[MarkedDocument]) -> None:
    new = {document.genre for document in documents if document.part == "new_kinds"}
    assert new.isdisjoint(document.genre for document in documents if document.part != "new_kinds")


def test_the_card_has_the_counts_of_the_corpus(documents: Sequence[MarkedDocument]) -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    for table in tables(documents).split("\n\n"):
        assert table in card, "python -m training.everyday_counts prints the tables of corpora/everyday/README.md"
    marks = sum(len(document.spans) for document in documents)
    words = sum(len(document.text.split()) for document in documents)
    assert f"{len(documents):,} documents, {words:,} words, plain text, one file a document, {marks:,} marks" in card
    assert f"seven languages and {len({document.genre for document in documents}):,} genres" in card


def test_counts_of_two_documents(tmp_path: Path) -> None:
    for name, text in (("note-01", "⟦N1|Anna⟧ takes ⟦X|aspirin⟧."), ("recipe-01", "⟦X|Brown Betty⟧, ⟦Q|4 people⟧")):
        path = tmp_path / "training" / "en" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    printed = tables(list(read_corpus(tmp_path)))
    assert "| all | 2 | 7 | 2 | 1 | 1 | 2 | 1 |" in printed
    assert "| English | 2 | 0 | 0 | 0 | 2 | 7 | 1 | 2 | 1 |" in printed
    assert printed.endswith("note 1, recipe 1; genres with one document: 2")


def test_what_may_go_or_stay_teaches_nothing_and_what_must_stay_is_plain_text() -> None:
    marks = [mark for record in everyday.read("train") for mark in record.marks]
    assert any(mark.label is None for mark in marks)
    assert all((mark.label is None) == (mark.decision is None) for mark in marks)
