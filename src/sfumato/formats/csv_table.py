"""Tables with a header as comma- or tab-separated values."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import IO, ClassVar, Literal

from sfumato.document import Document
from sfumato.errors import OutputError, Problem
from sfumato.formats.base import MAX_DOCUMENT_BYTES, Columns, OnProblem, Record, RecordTemplate, Unreadable
from sfumato.formats.records import BadRecord, Layout, cell_subjects, find_columns, skipping_bad_record, to_document
from sfumato.formats.text import BOM, not_utf8, numbered_lines

_SKIPPED_LINE = "\udcff\n"
"""Replaces a line that was too large, so that its record is refused instead of losing a part."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written."""

    delimiter: str
    ending: str = "\r\n"
    has_bom: bool = False
    """Excel recognizes UTF-8 only by a byte order mark."""
    quoting: Literal[0, 1] = csv.QUOTE_MINIMAL
    layout: Layout = field(default_factory=Layout)


class _Lines:
    """Writes rows with the line ending: with "\\n" csv itself would leave a lone "\\r" in a cell unquoted."""

    def __init__(self, handle: IO[str], ending: str) -> None:
        self._handle = handle
        self._ending = ending

    def write(self, row: str) -> int:
        return self._handle.write(row.removesuffix("\r\n") + self._ending)


class Csv:
    """A table with one document a row; the header is tried with comma, semicolon, tab and bar."""

    name: ClassVar[str] = "csv"
    holds: ClassVar[Literal["records"]] = "records"
    delimiters: ClassVar[tuple[str, ...]] = (",", ";", "\t", "|")

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        csv.field_size_limit(max(csv.field_size_limit(), MAX_DOCUMENT_BYTES))
        lines = _decoded(path, on_problem)
        first = next(lines, None)
        if first is None:
            return
        delimiter = self._delimiter(first, columns)
        rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
        try:
            header = next(rows)
        except csv.Error:
            raise Unreadable(path, "the header cannot be read; quote its names properly") from None
        names = find_columns(path, header, columns)
        if len(set(header)) < len(header):
            raise Unreadable(path, "two columns have the same name; rename one of them")
        wanted = {name: header.index(name) for name in names}
        any_row = False
        while True:
            line = rows.line_num + 1
            try:
                row = next(rows)
                if not row:
                    continue
            except StopIteration:
                break
            except csv.Error:
                any_row = True
                on_problem(Problem(path, "the row cannot be read; check its quotes (a quote inside is doubled)", line))
                continue
            any_row = True
            with skipping_bad_record(path, on_problem, line=line):
                if len(row) != len(header):
                    raise BadRecord(f"the row has {len(row)} cells, the header {len(header)}; check quotes and commas")
                record = {name: _cell(row[index]) for name, index in wanted.items()}
                yield to_document(record, columns, {"line": line}, cell_subjects, header)
        if not any_row:
            on_problem(Problem(path, "the table has a header and no rows; remove it from the input or fill it"))

    def header(self, path: Path) -> list[str]:
        """The names of the columns; none where the file is empty."""
        first = next(_decoded(path, lambda problem: None), "")
        return next(csv.reader([first], delimiter=self._delimiter(first, Columns())), [])

    def _delimiter(self, header: str, columns: Columns) -> str:
        """The delimiter that shows the text column; counting characters, as sniffers do, is misled by the text."""

        def names(delimiter: str) -> list[str]:
            try:
                return next(csv.reader([header], delimiter=delimiter), [])
            except csv.Error:
                return []

        with_text = [delimiter for delimiter in self.delimiters if columns.text in names(delimiter)]
        return max(with_text or self.delimiters, key=lambda delimiter: len(names(delimiter)))

    def write(self, path: Path, records: Iterable[Record], like: RecordTemplate | None = None) -> None:
        dialect = Dialect(self.delimiters[0]) if like is None else self._dialect(like)
        records = iter(records)
        first = next(records, None)
        kept = tuple(first.kept) if first is not None else ()
        with path.open("w", encoding="utf-8-sig" if dialect.has_bom else "utf-8", newline="") as handle:
            writer = csv.writer(_Lines(handle, dialect.ending), delimiter=dialect.delimiter, quoting=dialect.quoting)
            writer.writerow(dialect.layout.names(kept))
            for record in chain([first] if first is not None else [], records):
                if not set(record.kept) <= set(kept):
                    raise OutputError("the kept columns differ between records; write .jsonl instead")
                filled = replace(record, kept={name: record.kept.get(name) for name in kept})
                writer.writerow(map(_written, dialect.layout.fields(filled).values()))

    def _dialect(self, like: RecordTemplate) -> Dialect:
        """How a table is written, as far as its header shows it."""
        with like.path.open("rb") as handle:
            has_bom = handle.read(len(BOM)) == BOM
        lines = _decoded(like.path, lambda problem: None)
        first = next(lines, "")
        delimiter = self._delimiter(first, like.columns)
        header = next(csv.reader(chain([first], lines), delimiter=delimiter), [])
        quoted = first.rstrip("\r\n") == delimiter.join('"{}"'.format(name.replace('"', '""')) for name in header)
        return Dialect(
            delimiter,
            "\r\n" if first.endswith("\r\n") else "\n",
            has_bom,
            csv.QUOTE_ALL if quoted and header else csv.QUOTE_MINIMAL,
            Layout.of(header, like.columns),
        )


class Tsv(Csv):
    """The same with tabs."""

    name: ClassVar[str] = "tsv"
    delimiters: ClassVar[tuple[str, ...]] = ("\t",)


def _decoded(path: Path, on_problem: OnProblem) -> Iterator[str]:
    """Lines as text; bytes that are not UTF-8 are escaped, so that only their record is refused."""
    for _, line in numbered_lines(path, on_problem):
        yield _SKIPPED_LINE if line is None else line.decode("utf-8", "surrogateescape")


def _cell(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        if _SKIPPED_LINE in value:
            raise BadRecord("the row has too large a line; split its text into several documents") from None
        raise BadRecord(f"the row {not_utf8(value.encode('utf-8', 'surrogateescape'))}") from None
    return value


def _written(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)
