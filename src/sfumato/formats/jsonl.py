"""JSON Lines (one object a line, with an id and a text), and one JSON object ``{id: text}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

from sfumato.document import Document
from sfumato.errors import InputError, OutputError, Problem
from sfumato.formats.base import Columns, OnProblem, Record, RecordTemplate
from sfumato.formats.json_array import read_elements, stream_pairs, write_elements
from sfumato.formats.records import TOO_NESTED, BadRecord, Layout, is_too_nested, skipping_bad_record, to_document
from sfumato.formats.text import numbered_lines
from sfumato.isolation import concerns_run, describe


class JsonLines:
    """One JSON object a line."""

    name: ClassVar[str] = "jsonl"
    holds: ClassVar[Literal["records"]] = "records"

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        for number, record in read_objects(path, on_problem):
            with skipping_bad_record(path, on_problem, line=number):
                yield to_document(record, columns, {"line": number})

    def write(self, path: Path, records: Iterable[Record], like: RecordTemplate | None = None) -> None:
        layout = Layout()
        if like is not None:
            objects = (record for _, record in read_objects(like.path, lambda problem: None))
            first = next((record for record in objects if isinstance(record, dict)), ())
            layout = Layout.of(first, like.columns)
        with path.open("w", encoding="utf-8", newline="\n") as handle:
            for record in records:
                handle.write(line_of(layout.fields(record)))


def line_of(record: dict[str, Any]) -> str:
    """A record as one line of a file."""
    return json.dumps(record, ensure_ascii=False, default=str) + "\n"


def read_objects(path: Path, on_problem: OnProblem) -> Iterator[tuple[int, Any]]:
    """The value of each line with its number; blank lines are skipped, broken ones reported."""
    has_content = has_blank = False
    for number, line in numbered_lines(path, on_problem):
        if line is None:
            has_content = True
        elif not line.strip():
            has_blank = True
        else:
            has_content = True
            try:
                if is_too_nested(line):
                    on_problem(Problem(path, f"the line {TOO_NESTED}", number))
                    continue
                value = json.loads(line.decode())
            except UnicodeDecodeError:
                on_problem(Problem(path, "the line is not valid UTF-8; save the file as UTF-8", number))
            except (ValueError, RecursionError):
                on_problem(Problem(path, "the line is not valid JSON; correct or remove it", number))
            except Exception as error:  # which must not end the reading of the file
                if concerns_run(error) or isinstance(error, InputError):
                    raise
                on_problem(Problem(path, describe(error), number))
            else:
                yield number, value
    if has_blank and not has_content:
        on_problem(Problem(path, "the file holds blank lines only; remove it from the input or fill it"))


_FIELDS = Columns(id="id", text="text")


class JsonObject:
    """Every member of the object is a document; its name is the id."""

    name: ClassVar[str] = "json"
    holds: ClassVar[Literal["records"]] = "records"

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        return read_elements(path, stream_pairs(path), _document, on_problem)

    def write(self, path: Path, records: Iterable[Record], like: RecordTemplate | None = None) -> None:
        write_object(path, map(_member, records))


def _document(member: tuple[str, object], number: int) -> Document:
    identifier, text = member
    if not isinstance(text, str):
        raise BadRecord("the value is not text; this format is one object {id: text}")
    return to_document({"id": identifier, "text": text}, _FIELDS, {"record": number})


def _member(record: Record) -> tuple[str, str]:
    if record.kept:
        raise OutputError("a {id: text} file has no room for kept columns; write .jsonl, .csv or .parquet instead")
    return str(record.id), record.text


def write_object(path: Path, members: Iterable[tuple[str, object]]) -> None:
    """One JSON object, written member by member."""
    pairs = ((json.dumps(name, ensure_ascii=False), json.dumps(value, ensure_ascii=False)) for name, value in members)
    write_elements(path, (f"{name}: {value}" for name, value in pairs), "{}")
