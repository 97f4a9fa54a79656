"""Subject table: a file that maps document ids, or names of files, to ids of the people that they are about."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import Any
from unicodedata import normalize

from sfumato.document import Document
from sfumato.errors import InputError, Problem, listed
from sfumato.formats.base import Unreadable, raise_problem
from sfumato.formats.json_array import Broken, first_character, stream_items, stream_pairs
from sfumato.formats.jsonl import read_objects
from sfumato.formats.records import BadRecord, as_id, cell_subjects
from sfumato.formats.text import check_utf8, open_utf8

SubjectTableLike = str | Path | Mapping[str, str | Iterable[str]]
_COLUMNS = ("id", "subjects")
_DELIMITERS = ",;\t|"
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
            (self.empty_rows, "rows without a subject say nothing"),
            (unknown, "ids are of no document here"),
            (missing, "documents are not in it, so their own subjects, else their ids, count"),
            (several, "ids fit several documents each; name the folders of the files, too"),
        ]
        return [Problem(self.name, f"{len(which)} {what}: {listed(which)}") for which, what in groups if which]


def as_subject_table(table: SubjectTableLike | None) -> SubjectTable | None:
    """From a file (.csv, .tsv, .json, .jsonl) or ``{document: person or people}``. Raises where it is no such table."""
    if table is None:
        return None
    name, rows = "subject_table", iter(())  # type: str, Iterator[tuple[object, object]]
    if isinstance(table, str | Path):
        name, rows = str(table), _rows(Path(table))
    else:
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
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return _from_table(path)
    if suffix in _LINE_SUFFIXES:
        return (_fields(path, record) for _, record in read_objects(path, raise_problem))
    if suffix == ".json":
        return _from_json(path)
    raise Unreadable(path, "is no table of ids and subjects; save it as .csv, .tsv, .json or .jsonl")


def _from_table(path: Path) -> Iterator[tuple[object, object]]:
    check_utf8(path)
    with open_utf8(path) as handle:
        text = handle.read().decode()
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=lambda mark: len(set(_COLUMNS) & set(_header(first, mark))))
    header = _header(first, delimiter)
    if not set(_COLUMNS) <= set(header):
        raise Unreadable(path, f"has the columns {listed(header, 10)}; name two of them 'id' and 'subjects'")
    places = [header.index(name) for name in _COLUMNS]
    rows = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    next(rows)
    try:
        for row in rows:
            if any(cell.strip() for cell in row):
                key, value = (row[place] if place < len(row) else "" for place in places)
                yield key, value.strip()
    except csv.Error:
        raise Unreadable(path, f"line {rows.line_num} cannot be read; check its quotes") from None


def _header(line: str, delimiter: str) -> list[str]:
    return [name.strip().lower() for name in next(csv.reader([line], delimiter=delimiter), [])]


def _from_json(path: Path) -> Iterator[tuple[object, object]]:
    try:
        if first_character(path) == "{":
            yield from stream_pairs(path)
        else:
            yield from (_fields(path, record) for record in stream_items(path))
    except Broken as broken:
        raise Unreadable(path, str(broken)) from None


def _fields(path: Path, record: Any) -> tuple[object, object]:
    if not isinstance(record, Mapping) or not set(_COLUMNS) <= record.keys():
        raise Unreadable(path, 'holds a record that is not {"id": ..., "subjects": ...}; correct it')
    return record["id"], record["subjects"]
