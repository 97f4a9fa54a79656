"""Readers of reference spans, labels and subject profiles, by document id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.document import Document, Span
from sfumato.errors import InputError, Problem
from sfumato.formats.base import Columns, OnProblem, format_for, record_format
from sfumato.formats.inputs import is_mask_file, load_documents
from sfumato.formats.json_array import Broken, stream_pairs
from sfumato.formats.jsonl import read_objects
from sfumato.formats.spans import read_spans
from sfumato.metrics.base import Annotations

_MENTION = re.compile(r"(T\d+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t|$)")
"""A line of brat's standoff files: ``T1<tab>LABEL 10 14<tab>words``."""


def read_brat(folder: Path, on_problem: OnProblem) -> Iterator[tuple[str, list[Span]]]:
    """Each document's id, which is the path of its .ann file in the folder without the suffix, and its mentions."""
    for path in sorted(folder.rglob("*.ann")):
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            on_problem(Problem(path, "the file cannot be read as UTF-8; its document is left out of the reference"))
            continue
        spans: list[Span] = []
        for number, line in enumerate(lines, 1):
            if line.startswith("T"):
                match = _MENTION.match(line)
                if match is None:
                    on_problem(Problem(path, "the line is no mention of brat's (T1, tab, label and offsets)", number))
                else:
                    spans += _spans(*match.groups())
        yield path.relative_to(folder).with_suffix("").as_posix(), spans


def _spans(name: str, label: str, places: str) -> Iterator[Span]:
    """A mention in several pieces is one entity: it is masked when all of them are."""
    pieces = [tuple(map(int, piece.split())) for piece in places.split(";")]
    for start, end in pieces:
        yield Span(start, end, label, source="gold", entity=name if len(pieces) > 1 else None)


_EXPECTED = (
    'Reference spans are TAB\'s JSON, lines with "annotations" or "entities", a file of sfumato detect, masks '
    "{id: [[start, end], ...]}, or a folder of .ann files"
)


def annotations_of(originals: Sequence[Document]) -> Annotations | None:
    """The annotations that came with the originals, where any did."""
    annotations = {document.id: document.annotations for document in originals if document.annotations is not None}
    return annotations or None


def load_gold(path: Path, originals: Sequence[Document], columns: Columns, on_problem: OnProblem) -> Annotations:
    """Each original's reference spans.

    From annotated documents (TAB's JSON, or lines with ``annotations`` or ``entities``), from a file that
    ``sfumato detect`` wrote, a mask file, or a folder of brat's ``.ann`` files. Documents whose annotated text
    is not the original's are left out.
    """
    by_id = {document.id: document for document in originals}
    gold: dict[str, Sequence[Span]] = {}
    problems: list[Problem] = []
    for identifier, spans, text in _reference(path, columns, problems.append):
        if identifier not in by_id:
            continue
        size = len(by_id[identifier].text)
        if text is not None and text != by_id[identifier].text:
            message = f"document {identifier} was annotated on another text; its spans are left out"
            problems.append(Problem(path, message))
        elif any(span.end > size for span in spans):
            message = f"a span of document {identifier} ends after its text; its spans are left out"
            problems.append(Problem(path, message))
        else:
            gold[identifier] = spans
    if not gold:
        first = f" (the first of {len(problems)} problems: {problems[0]})" if problems else ""
        raise InputError(
            f"{path}: holds reference spans of not one original{first}; check that the ids are the originals'. "
            f"{_EXPECTED}"
        )
    for problem in problems:
        on_problem(problem)
    return gold


def _reference(path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[tuple[str, Sequence[Span], str | None]]:
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder; check the name")
    if path.is_dir() and any(path.rglob("*.ann")):
        for identifier, spans in read_brat(path, on_problem):
            yield identifier, spans, None
        return
    if is_mask_file(path) or _is_spans_file(path):
        for identifier, spans in read_spans(path, on_problem):
            yield identifier, spans, None
        return
    for document in load_documents(path, columns, on_problem, _EXPECTED):
        if document.annotations is None:
            on_problem(Problem(path, f"document {document.id} has no annotations; it is left out of the reference"))
        else:
            yield document.id, document.annotations, document.text


def _is_spans_file(path: Path) -> bool:
    if path.suffix.lower() not in (".jsonl", ".ndjson") or not path.is_file():
        return False
    _, first = next(read_objects(path, lambda problem: None), (0, None))
    return isinstance(first, Mapping) and "spans" in first


def load_labels(path: Path, columns: Columns, on_problem: OnProblem) -> dict[str, str]:
    """A label per document: ``{id: label}``, or a table or lines with the columns id and label."""
    return {key: str(value) for key, value in _table(path, "label", columns, on_problem)}


def load_subjects(path: Path, columns: Columns, on_problem: OnProblem) -> dict[str, Any]:
    """What is known of each document's people: ``{id: ...}``, or a table or lines with the columns id and subjects."""
    return dict(_table(path, "subjects", columns, on_problem))


def _table(path: Path, column: str, columns: Columns, on_problem: OnProblem) -> Iterator[tuple[str, Any]]:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the name")
    rows = stream_pairs(path) if path.suffix.lower() == ".json" else _records(path, column, columns, on_problem)
    try:
        pairs = [(key, value) for key, value in rows if value not in (None, "")]
    except Broken as broken:
        raise InputError(f"{path}: {broken}") from None
    if not pairs:
        raise InputError(f"{path}: holds no {column}; give {{id: {column}}} or the columns id and {column}")
    yield from pairs


def _records(path: Path, column: str, columns: Columns, on_problem: OnProblem) -> Iterator[tuple[str, Any]]:
    """Lines and tables are read as documents whose text is the wanted column, so that all formats work."""
    table_format = record_format(format_for(path))
    if table_format is None:
        raise InputError(f"{path}: is no table; give {{id: {column}}} as .json, or .jsonl or .csv")
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for _, record in read_objects(path, on_problem):
            if isinstance(record, Mapping) and (key := _identifier(record, columns)) is not None:
                yield str(key), record.get(column)
        return
    for document in table_format.read(path, Columns(columns.id, column), on_problem):
        yield document.id, document.text


def _identifier(record: Mapping[str, Any], columns: Columns) -> Any:
    """A record's id; the SPIA benchmark keeps it in ``metadata.data_id``."""
    identifier = record.get(columns.id or "id", record.get("doc_id"))
    inner = record.get("metadata")
    return inner.get("data_id") if identifier is None and isinstance(inner, Mapping) else identifier
