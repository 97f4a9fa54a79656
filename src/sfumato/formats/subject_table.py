"""Subject table: a file that maps document ids, or names of files, to ids of the people that they are about."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from io import StringIO
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any
from unicodedata import normalize

from sfumato.document import Document
from sfumato.errors import InputError, Problem, listed
from sfumato.formats.base import OnProblem, Unreadable, raise_problem
from sfumato.formats.json_array import Broken, first_character, stream_items, stream_pairs
from sfumato.formats.jsonl import read_objects
from sfumato.formats.records import BadRecord, as_id, cell_subjects
from sfumato.formats.text import check_utf8, open_utf8

SubjectTableLike = str | Path | Mapping[str, str | Iterable[str]]
_COLUMNS = {"id", "subjects"}
_TABLE_SUFFIXES = (".csv", ".tsv")
_LINE_SUFFIXES = (".jsonl", ".ndjson")
_ROW = "subject_table_row"
"""The key of a document's ``meta`` that holds the row it was matched to."""


@dataclass(frozen=True, eq=False, repr=False)
class SubjectTable:
    """Subjects by the id of a document or the name of a file. ``empty_rows``: ids of rows that name nobody."""

    name: str
    subjects: Mapping[str, tuple[str, ...]]
    empty_rows: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """A digest of the content, because a resumed run must notice another table."""
        content = json.dumps([sorted(self.subjects.items()), self.empty_rows])
        return f"SubjectTable({sha256(content.encode()).hexdigest()})"

    def with_subjects(self, document: Document, file: PurePosixPath | None = None) -> Document:
        """The document with the subjects that the table names for it; unchanged where it names none.

        ``file``: its path, if the document is a whole file. The longest part of the path that the table has counts.
        """
        names = [document.id] if file is None else [document.id, *_names(file)]
        row = next((row for name in names if (row := _normalize(name)) in self.subjects), None)
        if row is None:
            return document
        return replace(document, subjects=self.subjects[row], meta={**document.meta, _ROW: row})

    def unmatched(self, documents: Iterable[Document]) -> list[Problem]:
        """Rows and documents without a match; ``documents`` come from ``with_subjects``. Raises where none matches."""
        matches: dict[str, int] = {}
        missing = []
        for document in documents:
            if (row := document.meta.get(_ROW)) is None:
                missing.append(document.id)
            else:
                matches[row] = matches.get(row, 0) + 1
        unknown = [row for row in self.subjects if row not in matches]
        if unknown and missing and not matches:
            raise InputError(
                f"{self.name}: not one of its ids ({listed(unknown)}) is that of a document ({listed(missing)}); name "
                "the record's id, or the file with or without its ending"
            )
        several = [row for row, count in matches.items() if count > 1]
        groups = [
            (self.empty_rows, "row without a subject says nothing", "rows without a subject say nothing"),
            (unknown, "id is of no document here", "ids are of no document here"),
            (
                missing,
                "document is not in it, so its own subjects, else its id, count",
                "documents are not in it, so their own subjects, else their ids, count",
            ),
            (
                several,
                "id fits several documents; name the folders of the files, too",
                "ids fit several documents each; name the folders of the files, too",
            ),
        ]
        return [
            Problem(self.name, f"{len(which)} {one if len(which) == 1 else more}: {listed(which)}")
            for which, one, more in groups
            if which
        ]


def as_subject_table(table: SubjectTableLike | None) -> SubjectTable | None:
    """From a file (.csv, .tsv, .json, .jsonl) or ``{document: person or people}``. Raises where it is no such table."""
    if table is None:
        return None
    rows: Iterator[tuple[object, object]]
    if isinstance(table, str | Path):
        name, rows = str(table), _rows(Path(table))
    else:
        name = "subject_table"
        rows = ((key, people if isinstance(people, str) else list(people)) for key, people in table.items())
    subjects: dict[str, tuple[str, ...]] = {}
    empty_rows: dict[str, None] = {}
    for number, (key, value) in enumerate(rows, 1):
        try:
            row, people = _normalize(as_id(key)), _people(value)
        except BadRecord as bad:
            raise InputError(f"{name}: row {number}: {bad}") from None
        if people:
            subjects[row] = tuple(dict.fromkeys((*subjects.get(row, ()), *people)))
        else:
            empty_rows[row] = None
    if not subjects:
        raise InputError(f"{name}: says of no document whom it is about; give the columns id and subjects")
    return SubjectTable(name, subjects, tuple(empty_rows))


def _people(value: object) -> tuple[str, ...]:
    parsed = cell_subjects(value)
    people = parsed if isinstance(parsed, list) else [] if parsed is None else [parsed]
    return tuple(as_id(person.strip() if isinstance(person, str) else person) for person in people if person != "")


def _normalize(name: str) -> str:
    """The name as it is compared: macOS may write an accent as two characters, and Windows separates with "\\"."""
    return normalize("NFC", name.strip()).replace("\\", "/").removeprefix("./").lstrip("/")


def _names(file: PurePosixPath) -> Iterator[str]:
    """All names of a file: from the whole path to the bare name, each with and without its suffix."""
    parts = file.parts
    for start in range(len(parts)):
        tail = PurePosixPath(*parts[start:])
        yield str(tail)
        yield str(tail.with_suffix(""))


def _rows(path: Path) -> Iterator[tuple[object, object]]:
    for _, record in read_id_table(path, "subjects"):
        if not isinstance(record, Mapping) or not record.keys() >= _COLUMNS:
            if path.suffix.lower() in _TABLE_SUFFIXES:
                raise Unreadable(
                    path, f"has the columns {listed(list(record), 10)}; name two of them 'id' and 'subjects'"
                )
            raise Unreadable(path, 'holds a record that is not {"id": ..., "subjects": ...}; correct it')
        yield record["id"], record["subjects"]


def read_id_table(
    path: Path, column: str | None = None, on_problem: OnProblem = raise_problem
) -> Iterator[tuple[str, Any]]:
    """Each row of a table that says something of documents or people by id: where it stands, and its fields by name.

    One reader for every such file that is not a corpus (subjects, labels, questions): .csv and .tsv, whose header may
    be in any case and separated by comma, semicolon, tab or bar; .jsonl; and .json, a list of records or one object
    ``{id: value}``. A member of that object gives ``{"id": id, column: value}``, or, without a ``column``, the value's
    own fields and ``id``. What a record must have is for the caller to check: in .json and .jsonl it may be anything.
    ``on_problem`` gets the lines of a .jsonl that are not JSON. Raises Unreadable where the file cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix in _TABLE_SUFFIXES:
        for number, row in enumerate(_csv_rows(path, {"id", "doc_id", column}), 1):
            yield f"record {number}", row
    elif suffix in _LINE_SUFFIXES:
        for number, record in read_objects(path, on_problem):
            yield f"line {number}", record
    elif suffix == ".json":
        try:
            if first_character(path) == "{":
                for key, value in stream_pairs(path):
                    fields = {column: value} if column else value
                    yield f"id {key}", {**fields, "id": key} if isinstance(fields, Mapping) else fields
            else:
                for number, record in enumerate(stream_items(path), 1):
                    yield f"record {number}", record
        except Broken as broken:
            raise Unreadable(path, str(broken)) from None
    else:
        raise Unreadable(path, "is no table of ids; save it as .csv, .tsv, .json or .jsonl")


def _csv_rows(path: Path, expected: set[str | None]) -> Iterator[dict[str, str]]:
    """Rows with their cells by name; the delimiter is the one that shows most of the ``expected`` names."""
    check_utf8(path)
    with open_utf8(path) as handle:
        text = handle.read().decode()
    first = text.partition("\n")[0].lower()
    headers = {delimiter: next(csv.reader([first], delimiter=delimiter), []) for delimiter in ",;\t|"}
    names = {delimiter: [name.strip() for name in cells] for delimiter, cells in headers.items()}
    delimiter, header = max(names.items(), key=lambda item: len(expected & set(item[1])))
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    next(rows, None)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                cells = (cell.strip() for cell in row[: len(header)])
                yield dict(zip_longest(header, cells, fillvalue=""))
    except csv.Error:
        raise Unreadable(path, f"line {rows.line_num} cannot be read; check its quotes") from None
