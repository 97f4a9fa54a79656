"""File formats: documents from files, and files from releases."""

from sfumato.formats.base import (
    SUFFIXES,
    TEXT_SUFFIXES,
    Columns,
    OnProblem,
    Record,
    RecordFormat,
    RecordTemplate,
    Unreadable,
    file_format,
    format_for,
    record_format,
)
from sfumato.formats.files import CONFIDENTIAL, DiskIndex, SeenIds, atomic_path
from sfumato.formats.jsonl import write_object
from sfumato.formats.sources import Source, load, open_corpus
from sfumato.formats.spans import read_masks, read_spans, spans_record
from sfumato.formats.subject_table import SubjectTable, SubjectTableLike, as_subject_table

__all__ = [
    "CONFIDENTIAL",
    "SUFFIXES",
    "TEXT_SUFFIXES",
    "Columns",
    "DiskIndex",
    "OnProblem",
    "Record",
    "RecordFormat",
    "RecordTemplate",
    "SeenIds",
    "Source",
    "SubjectTable",
    "SubjectTableLike",
    "Unreadable",
    "as_subject_table",
    "atomic_path",
    "file_format",
    "format_for",
    "load",
    "open_corpus",
    "read_masks",
    "read_spans",
    "record_format",
    "spans_record",
    "write_object",
]
