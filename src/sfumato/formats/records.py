"""Records of any format as documents, and the names and order of their columns."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.document import Document, Identifier, Span
from sfumato.errors import Problem, nearest
from sfumato.formats.base import Columns, OnProblem, Record, Unreadable
from sfumato.isolation import concerns_run, describe

IDENTIFIERS: dict[str, Identifier] = {"DIRECT": "direct", "QUASI": "quasi"}
NOT_MASKED = "gold:no-mask"
"""The source of a mention that an annotator decided not to mask (TAB's NO_MASK)."""
ID_FIELDS = ("id", "doc_id", "metadata.provenance.doc_id")
"""The fields that may hold the id; a dot leads into an object."""
MAX_NESTING = 100
"""Levels of lists and objects in a JSON record. Parsers need memory that grows with the square of the depth."""
TOO_NESTED = f"nests lists or objects more than {MAX_NESTING} levels deep; flatten or remove it"

_OPENING = b"[{"
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_JSON_ESCAPE = re.compile(rb"\\.", re.DOTALL)


class BadRecord(ValueError):
    """A record that cannot become a document; the message never quotes the record."""


@contextmanager
def skipping_bad_record(
    path: Path, on_problem: OnProblem, *, line: int | None = None, number: int | None = None
) -> Iterator[None]:
    """Report what goes wrong with one record, told by its line or its number, so that the reader goes on."""
    try:
        yield
    except Exception as error:
        if not isinstance(error, BadRecord) and concerns_run(error):
            raise
        reason = str(error) if isinstance(error, BadRecord) else describe(error)
        on_problem(Problem(path, reason if number is None else f"record {number}: {reason}", line))


class MissingField(BadRecord):
    """A record lacks a field that an option names."""

    def __init__(self, *names: str, option: str) -> None:
        self.names = " or ".join(map(repr, names))
        self.option = option
        super().__init__(f"the record has no field {self.names}; name the right one with {option}")


class NestingCounter:
    """Counts the levels of nested lists and objects in JSON that arrives in pieces."""

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self._rest = b""

    def count(self, piece: bytes) -> bool:
        """Whether the levels stay within the limit in the next piece."""
        data = _JSON_ESCAPE.sub(b"", self._rest + piece)
        self._rest = b"\\" if data.endswith(b"\\") else b""
        parts = data.split(b'"')
        outside_strings = b"".join(parts[self._in_string :: 2])
        self._in_string ^= len(parts) % 2 == 0
        for bracket in outside_strings.translate(None, _NO_BRACKETS):
            self._depth += 1 if bracket in _OPENING else -1
            if self._depth > MAX_NESTING:
                return False
        return True

    def allowed(self, piece: bytes) -> int:
        """How many bytes of the next piece stay within the limit."""
        before = copy(self)
        if self.count(piece):
            return len(piece)
        return bisect_left(range(len(piece)), True, key=lambda size: not copy(before).count(piece[: size + 1]))


def is_too_nested(data: bytes) -> bool:
    """Whether a JSON value has more levels than a record may have."""
    has_many = data.count(b"[") + data.count(b"{") > MAX_NESTING
    return has_many and not NestingCounter().count(data)


def as_id(value: object) -> str:
    """An id, text or whole number, as text. Raises BadRecord for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise BadRecord("the id is neither text nor a whole number; give the record an id")
    if not value:
        raise BadRecord("the id is empty; give the record an id")
    return writable(value, "the id")


def writable(value: str, what: str) -> str:
    """The same string. Raises BadRecord where it cannot be written as UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadRecord(f"{what} holds half a surrogate pair; repair the encoding of the record") from None
    return value


def to_document(
    record: object,
    columns: Columns,
    place: Mapping[str, int],
    subjects: Callable[[object], object] = lambda value: value,
    header: Sequence[str] | None = None,
) -> Document:
    """The document of a record. ``place`` (its line or record number) goes into ``meta``. Raises BadRecord.

    ``subjects``: parses the field of that name where it is not an id or a list already. ``header``: all names of a
    table of which the record has only those that are read; ``meta`` gets the names of what is not written again.
    """
    if not isinstance(record, Mapping):
        raise BadRecord("the record is not an object; write one object with an id and a text per record")
    if columns.text not in record:
        raise MissingField(columns.text, option="--text-column")
    text = record[columns.text]
    if not isinstance(text, str):
        raise BadRecord(f"the field {columns.text!r} is not text; name the right one with --text-column")
    writable(text, "the text")
    meta: dict[str, Any] = dict(place)
    identifier = _id_of(record, columns)
    if isinstance(identifier, int):
        meta["numbered"] = True
    if columns.keep:
        meta["kept"] = _kept(record, columns.keep)
    if dropped := _dropped(record if header is None else header, columns):
        meta["dropped"] = dropped
    return Document(
        as_id(identifier),
        text,
        _subjects(subjects(record.get(columns.subjects)), columns.subjects),
        gold_spans(record, len(text)),
        meta,
    )


def _dropped(names: Collection[str], columns: Columns) -> tuple[str, ...]:
    identifying = next((name for name in (ID_FIELDS if columns.id is None else (columns.id,)) if name in names), None)
    return tuple(str(name) for name in names if name not in (columns.text, identifying, *columns.keep))


def _id_of(record: Mapping[str, object], columns: Columns) -> object:
    for name in ID_FIELDS if columns.id is None else (columns.id,):
        if (value := _field(record, name)) is not None:
            return value
    names = ("id", "doc_id") if columns.id is None else (columns.id,)
    raise MissingField(*names, option="--id-column")


def _field(record: Mapping[str, object], name: str) -> object:
    if name in record:
        return record[name]
    first, dot, rest = name.partition(".")
    inner = record.get(first)
    return _field(inner, rest) if dot and isinstance(inner, Mapping) else None


def cell_subjects(value: object) -> object:
    """A cell of a table as an id or a list of ids: ``["a", "b"]`` and ``a | b`` name several."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return parsed if isinstance(parsed, list) else value
    return [name for part in value.split("|") if (name := part.strip())] if "|" in value else value


def _subjects(value: object, field: str) -> tuple[str, ...]:
    if value is None or value == "":
        return ()
    values = value if isinstance(value, list) else [value]
    try:
        return tuple(as_id(subject) for subject in values)
    except BadRecord:
        raise BadRecord(f"the field {field!r} is not an id or a list of ids; correct or remove it") from None


def _kept(record: Mapping[str, object], keep: Sequence[str]) -> dict[str, object]:
    kept = {name: record[name] for name in keep if name in record}
    writable(json.dumps(kept, ensure_ascii=False, default=str), "a kept field")
    return kept


def gold_spans(record: Mapping[str, object], length: int) -> tuple[Span, ...] | None:
    """``annotations`` as the Text Anonymization Benchmark has them, or one flat list ``entities``."""
    by_annotator = record.get("annotations")
    spans: list[Span] = []
    if isinstance(by_annotator, Mapping) and all(map(_is_annotator, by_annotator.values())):
        for annotator, annotations in by_annotator.items():
            spans += [_mention(mention, annotator) for mention in annotations["entity_mentions"]]
    elif _is_mentions(record.get("entities")):
        mentions: Any = record["entities"]
        spans += [_mention(mention, None) for mention in mentions]
    else:
        return None
    if any(span.end > length for span in spans):
        raise BadRecord("an annotation ends after the text; check that offsets count characters, not bytes")
    return tuple(spans)


def _is_annotator(value: object) -> bool:
    return isinstance(value, Mapping) and _is_mentions(value.get("entity_mentions"))


def _is_mentions(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(mention, Mapping) and bool({"start_offset", "start"} & mention.keys()) for mention in value
    )


def _mention(mention: Mapping[str, Any], annotator: str | None) -> Span:
    decision = str(mention.get("identifier_type"))
    try:
        return Span(
            start=_offset(mention, "start"),
            end=_offset(mention, "end"),
            label=str(mention.get("entity_type") or mention["type"]),
            identifier=IDENTIFIERS.get(decision),
            source=NOT_MASKED if decision == "NO_MASK" else "gold",
            entity=None if mention.get("entity_id") is None else str(mention["entity_id"]),
            annotator=annotator or mention.get("annotator") or None,
        )
    except (KeyError, ValueError):
        raise BadRecord("an annotation lacks its offsets or its type; see the benchmark's format") from None


def _offset(mention: Mapping[str, Any], which: str) -> int:
    value = mention.get(f"{which}_offset", mention.get(which))
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(which)
    return value


def find_columns(path: Path, names: Iterable[str], columns: Columns) -> tuple[str, ...]:
    """The columns of a table that are read, id first, then text. Raises where one is missing."""
    present = list(names)
    wanted = [(columns.text, "--text-column"), *((name, "--keep-column") for name in columns.keep)]
    if columns.id is not None:
        wanted.append((columns.id, "--id-column"))
    if columns.subjects != Columns().subjects:
        wanted.append((columns.subjects, "--subjects-column"))
    for name, option in wanted:
        if name not in present:
            raise Unreadable(path, f"has no column {name!r}{_hint(name, present)}; name the right one with {option}")
    if columns.id is None and not {"id", "doc_id"} & set(present):
        raise Unreadable(path, "has no column 'id' or 'doc_id'; name the right one with --id-column")
    identifying = columns.id or ("id" if "id" in present else "doc_id")
    optional = [name for name in (columns.subjects, "annotations", "entities") if name in present]
    return tuple(dict.fromkeys([identifying, columns.text, *optional, *columns.keep]))


@dataclass(frozen=True, slots=True)
class Layout:
    """The names and order of the fields of a written record."""

    id: str = "id"
    text: str = "text"
    order: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[str], columns: Columns) -> Layout:
        """The layout of a source whose record, or header, has these names."""
        order = tuple(names)
        return cls(columns.id or ("id" if "id" in order or "doc_id" not in order else "doc_id"), columns.text, order)

    def names(self, kept: Iterable[str]) -> list[str]:
        """All names in order; those that the source does not have come last."""
        names = dict.fromkeys([self.id, self.text, *kept])
        return [name for name in self.order if name in names] + [name for name in names if name not in self.order]

    def fields(self, record: Record) -> dict[str, Any]:
        """A record as it is written."""
        values = {**record.kept, self.id: record.id, self.text: record.text}
        return {name: values[name] for name in self.names(record.kept)}


def _hint(name: str, present: Sequence[str]) -> str:
    """The nearest column. The others are not listed: in a file without a header they are personal data."""
    similar = nearest(name, present)
    return f" among its {len(present)}" if similar is None else f" (did you mean {similar!r}?)"
