"""A plain table of people: one row a person, any columns. What is known of them is what the cells say."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.corpus import Columns, OnProblem, Unreadable
from sfumato.corpus.formats import Format
from sfumato.corpus.json_stream import Broken, read_elements, stream_items
from sfumato.corpus.jsonl import read_objects
from sfumato.corpus.lines import open_utf8
from sfumato.corpus.records import ID_FIELDS, BadRecord, to_document
from sfumato.document import Document
from sfumato.errors import MissingExtra, Problem

_TEXT = Columns().text
_SEPARATORS = {"csv": ",;\t|", "tsv": "\t"}
_NOT_KNOWLEDGE = ("subjects", "annotations", "entities")
_ROWS = 4096


def read_people(path: Path, form: Format, columns: Columns, on_problem: OnProblem) -> Iterator[Document] | None:
    """One document a row, its text the row's cells; None where the file is no such table but a corpus.

    A file is a table of people when no column of texts was named and it has none of the usual name.
    """
    names = _names(path, form.name) if columns.text == _TEXT else None
    if not names or _TEXT in names:
        return None
    match form.name:
        case "csv" | "tsv":
            return _from_csv(form, path, names, columns, on_problem)
        case "jsonl":
            return _from_lines(path, columns, on_problem)
        case _:
            rows = _parquet_rows(path) if form.name == "parquet" else stream_items(path)
            return read_elements(path, rows, lambda row, number: _person(row, columns, {"record": number}), on_problem)


def _names(path: Path, kind: str) -> list[str] | None:
    """The names of the columns, or of the first record's fields; None where the format has none."""
    if kind in _SEPARATORS:
        with open_utf8(path) as handle:
            header = handle.readline().decode("utf-8", "replace")
        split = [next(csv.reader([header], delimiter=mark), []) for mark in _SEPARATORS[kind]]
        return next((names for names in split if _TEXT in names), max(split, key=len))
    if kind == "parquet":
        return next((list(row) for row in _parquet_rows(path)), None) if path.stat().st_size else None
    try:
        first: Any = None
        if kind == "jsonl":
            first = next((record for _, record in read_objects(path, lambda problem: None)), None)
        elif kind == "tab":
            first = next(stream_items(path), None)
    except Broken:
        return None
    return list(first) if isinstance(first, Mapping) else None


def _from_csv(form: Any, path: Path, names: list[str], columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
    """The reader of tables takes any column for the text, and hands on all others beside it."""
    identifying = columns.id or next((name for name in ID_FIELDS if name in names), None)
    others = [name for name in names if name != identifying]
    if not others:
        raise Unreadable(path, "has a column of ids and none that says anything about a person; add what is known")
    for document in form.read(path, Columns(columns.id, others[0], tuple(names)), on_problem):
        yield replace(document, text=_cells(document.meta["kept"], identifying))


def _from_lines(path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
    for number, record in read_objects(path, on_problem):
        try:
            person = _person(record, columns, {"line": number})
        except BadRecord as bad:
            on_problem(Problem(path, str(bad), number))
        else:
            yield person


def _parquet_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtra("Parquet", "formats") from None
    try:
        with ParquetFile(path) as table:
            for batch in table.iter_batches(batch_size=_ROWS):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError):
        raise Unreadable(path, "is not a readable Parquet file; write it again") from None


def _person(record: object, columns: Columns, place: Mapping[str, int]) -> Document:
    if not isinstance(record, Mapping):
        raise BadRecord("the record is not an object; write one object a person")
    identifying = columns.id or next((name for name in ID_FIELDS if name in record), None)
    return to_document({**record, _TEXT: _cells(record, identifying)}, Columns(columns.id), place)


def _cells(record: Mapping[str, Any], identifying: str | None) -> str:
    """What the cells say, a line each. The id is no knowledge: it is how the person is told from others here."""
    known = (value for name, value in record.items() if name != identifying and name not in _NOT_KNOWLEDGE)
    return "\n".join(said for value in known if (said := _said(value)))


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        return ", ".join(said for item in value if (said := _said(item)))
    return "" if value is None else str(value).strip()
