"""The interfaces of file formats, and which format a file name stands for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from sfumato.document import Document, Release
from sfumato.errors import InputError, Problem

if TYPE_CHECKING:
    from sfumato.formats.subject_table import SubjectTable


MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
"""A document (a line, a cell, a file) above this size is refused instead of filling the memory."""

OnProblem = Callable[[Problem], None]
"""Called for every record that could not be read; the reader continues with the next."""


def raise_problem(problem: Problem) -> None:
    """The ``OnProblem`` that stops at the first problem."""
    raise InputError(str(problem))


class Unreadable(InputError):
    """A whole file cannot be read. Has the file and the reason, so that a run over many files can continue."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Columns:
    """The fields of a record that are read. All others are dropped unless named in ``keep``."""

    id: str | None = None
    """None: ``id``, else ``doc_id``."""
    text: str = "text"
    keep: tuple[str, ...] = ()
    subjects: str = "subjects"
    subject_table: SubjectTable | None = None
    """A table of the subjects of documents; it takes precedence over their own."""


@dataclass(frozen=True, slots=True)
class Record:
    """One released document as written to a file of records; nothing in it undoes the release."""

    id: str | int
    """An int where the source has one and it did not change."""
    text: str = field(repr=False)
    kept: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class RecordTemplate:
    """A file whose column names, order and dialect a new file takes over, and the columns that were read of it."""

    path: Path
    columns: Columns


class RecordFormat(Protocol):
    """Many documents in one file (JSONL, JSON, CSV, Parquet, TAB)."""

    name: ClassVar[str]
    holds: ClassVar[Literal["records"]]

    def read(self, path: Path, columns: Columns, on_problem: OnProblem) -> Iterator[Document]:
        """Documents in file order, streaming. Kept columns land in ``meta["kept"]``."""
        ...

    def write(self, path: Path, records: Iterable[Record], like: RecordTemplate | None = None) -> None:
        """Write all records to ``path`` (the caller gives a temporary name and renames it), streaming.

        ``like``: the file of this format that the records come from.
        """
        ...


class FileFormat(Protocol):
    """One document per file (text, Markdown, .docx, .html), with structure that survives the release."""

    name: ClassVar[str]
    holds: ClassVar[Literal["document"]]

    def read(self, path: Path, document_id: str) -> Document:
        """The file as one document. Raises InputError when it cannot be read."""
        ...

    def render(self, source: Path, release: Release) -> bytes:
        """The source file with the release's edits, and everything else unchanged.

        ``release.document`` is what ``read(source)`` gave. Reading the result gives ``release.text``.
        """
        ...


Format = RecordFormat | FileFormat

TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown", ".log", "")
"""Endings of plain text; a file without an ending is read as text, too, and refused where it is none."""
_FORMATS = {
    # Imported when the first file of the format is read.
    ".jsonl": "jsonl:JsonLines",
    ".ndjson": "jsonl:JsonLines",
    ".json": "jsonl:JsonObject",
    ".tab.json": "json_array:Tab",
    ".csv": "csv_table:Csv",
    ".tsv": "csv_table:Tsv",
    ".parquet": "parquet:Parquet",
    **dict.fromkeys(TEXT_SUFFIXES, "text:Text"),
    ".docx": "docx.document:Docx",
    ".html": "html.document:Html",
    ".htm": "html.document:Html",
}

SUFFIXES = tuple(suffix for suffix in _FORMATS if suffix not in ("", ".tab.json"))
"""Every supported file name ending."""

_LATER = "comes later: convert to .txt or .docx first"
_AS_DOCX = "is not read: save it as .docx first"
_AS_CSV = "is not read: save it as .csv first"
_REFUSED = {
    ".pdf": f"PDF {_LATER}",
    ".eml": f"mail {_LATER}",
    ".msg": f"mail {_LATER}",
    ".mbox": f"mail {_LATER}",
    ".doc": f"the old Word format {_AS_DOCX}",
    ".docm": f"a Word file with macros {_AS_DOCX}",
    ".dotx": f"a Word template {_AS_DOCX}",
    ".rtf": f"RTF {_AS_DOCX}",
    ".odt": f"OpenDocument {_AS_DOCX}",
    ".xls": f"an Excel file {_AS_CSV}",
    ".xlsx": f"an Excel file {_AS_CSV}",
    ".ods": f"an OpenDocument table {_AS_CSV}",
}


def format_for(path: Path) -> Format:
    """The format of a file by its suffix; the two kinds of ``.json`` differ by their first character."""
    suffix = path.suffix.lower()
    if suffix in _REFUSED:
        raise Unreadable(path, _REFUSED[suffix])
    if suffix not in _FORMATS:
        raise Unreadable(path, f"its format is not supported; convert it to one of {', '.join(SUFFIXES)}")
    if suffix == ".json" and _is_list(path):
        suffix = ".tab.json"
    module, _, name = _FORMATS[suffix].partition(":")
    instance: Format = getattr(import_module(f"sfumato.formats.{module}"), name)()
    return instance


def record_format(format: Format) -> RecordFormat | None:
    """The format, if its files hold many documents."""
    return format if format.holds == "records" else None


def file_format(format: Format) -> FileFormat | None:
    """The format, if each file is one document."""
    return format if format.holds == "document" else None


def _is_list(path: Path) -> bool:
    if not path.is_file():
        return path.name.lower().endswith(".tab.json")
    from sfumato.formats.json_array import first_character

    return first_character(path) == "["
