"""One JSON object ``{id: text}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

from sfumato.corpus.base import Columns, Model, OnProblem, Record
from sfumato.corpus.json_stream import read_elements, stream_pairs
from sfumato.corpus.records import BadRecord, to_document
from sfumato.document import Document
from sfumato.errors import OutputError

_FIELDS = Columns(id="id", text="text")


class JsonObject:
    """Every member of the object is a document; its name is the id."""

    name: ClassVar[str] = "json"

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        return read_elements(path, stream_pairs(path), _document, on_problem)

    def write(self, path: Path, records: Iterable[Record], like: Model | None = None) -> None:
        write_object(path, ((str(record.id), _only_text(record)) for record in records))


def _document(member: tuple[str, object], number: int) -> Document:
    identifier, text = member
    if not isinstance(text, str):
        raise BadRecord("the value is not text; this format is one object {id: text}")
    return to_document({"id": identifier, "text": text}, _FIELDS, {"record": number})


def _only_text(record: Record) -> str:
    if record.kept:
        raise OutputError("a {id: text} file has no room for kept columns; write .jsonl, .csv or .parquet instead")
    return record.text


def write_object(path: Path, members: Iterable[tuple[str, object]]) -> None:
    """One JSON object, written member by member."""
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        before = "{\n"
        for name, value in members:
            handle.write(before + json.dumps(name, ensure_ascii=False) + ": " + json.dumps(value, ensure_ascii=False))
            before = ",\n"
        handle.write("{}\n" if before == "{\n" else "\n}\n")
