"""Parquet tables, read and written in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal

from sfumato.document import Document
from sfumato.errors import MissingExtra, OutputError, Problem
from sfumato.formats.base import Columns, OnProblem, Record, RecordTemplate, Unreadable
from sfumato.formats.records import BadRecord, Layout, cell_subjects, find_columns, skipping_bad_record, to_document
from sfumato.formats.text import EMPTY

_ROWS = 256
"""Rows per batch; few, because texts may be long."""


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("Parquet", "formats") from None
    return pyarrow, pyarrow.parquet


class Parquet:
    """A Parquet file with one document a row."""

    name: ClassVar[str] = "parquet"
    holds: ClassVar[Literal["records"]] = "records"

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        pyarrow, parquet = _pyarrow()
        if path.stat().st_size == 0:
            on_problem(Problem(path, EMPTY))
            return
        number = 0
        try:
            with parquet.ParquetFile(path) as table:
                header = table.schema_arrow.names
                names = find_columns(path, header, columns)
                for batch in table.iter_batches(batch_size=_ROWS, columns=list(names)):
                    for row in range(batch.num_rows):
                        number += 1
                        with skipping_bad_record(path, on_problem, number=number):
                            record = {name: _cell(batch.column(name)[row]) for name in names}
                            yield to_document(record, columns, {"record": number}, cell_subjects, header)
        except (pyarrow.ArrowException, OSError):
            raise Unreadable(path, "is not a readable Parquet file; write it again") from None
        if not number:
            on_problem(Problem(path, "the table has no rows; remove it from the input or fill it"))

    def rows(self, path: Path) -> Iterator[dict[str, Any]]:
        """Every row with all its columns; none where the file is empty."""
        pyarrow, parquet = _pyarrow()
        if path.stat().st_size == 0:
            return
        try:
            with parquet.ParquetFile(path) as table:
                for batch in table.iter_batches(batch_size=_ROWS):
                    yield from batch.to_pylist()
        except (pyarrow.ArrowException, OSError):
            raise Unreadable(path, "is not a readable Parquet file; write it again") from None

    def write(self, path: Path, records: Iterable[Record], like: RecordTemplate | None = None) -> None:
        pyarrow, parquet = _pyarrow()
        layout = Layout()
        if like is not None:
            with parquet.ParquetFile(like.path) as table:
                layout = Layout.of(table.schema_arrow.names, like.columns)
        records = iter(records)
        batch = list(islice(records, _ROWS))
        kept = {name: [record.kept.get(name) for record in batch] for name in (batch[0].kept if batch else ())}
        types = {name: _type_of(pyarrow, values) for name, values in kept.items()}
        schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in layout.names(kept)])
        with parquet.ParquetWriter(path, schema) as writer:
            while batch:
                rows = [layout.fields(replace(record, id=str(record.id))) for record in batch]
                try:
                    writer.write_batch(pyarrow.RecordBatch.from_pylist(rows, schema=schema))
                except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
                    raise OutputError("a kept column changes its type; write .jsonl instead") from None
                batch = list(islice(records, _ROWS))


def _cell(value: Any) -> Any:
    try:
        return value.as_py()
    except UnicodeDecodeError:
        raise BadRecord("a cell is not valid UTF-8; write the table again from its source") from None


def _type_of(pyarrow: Any, values: list[Any]) -> Any:
    try:
        arrow_type = pyarrow.array(values).type
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        raise OutputError("a kept column holds values of several types; write .jsonl instead") from None
    return pyarrow.string() if pyarrow.types.is_null(arrow_type) else arrow_type
