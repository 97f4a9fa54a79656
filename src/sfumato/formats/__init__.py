"""In and out: documents from files, and files from releases."""

from sfumato.formats.base import (
    SUFFIXES,
    TEXT_SUFFIXES,
    Columns,
    Model,
    OnProblem,
    Record,
    RecordFormat,
    Unreadable,
    file_format,
    format_for,
    record_format,
)
from sfumato.formats.files import CONFIDENTIAL, DiskIndex, SeenIds, atomic_path
from sfumato.formats.jsonl import write_object
from sfumato.formats.sources import Source, load, open_corpus
from sfumato.formats.spans import read_masks, read_spans, spans_record
from sfumato.formats.subject_table import About, AboutLike, as_about

__all__ = [
    "CONFIDENTIAL",
    "SUFFIXES",
    "TEXT_SUFFIXES",
    "About",
    "AboutLike",
    "Columns",
    "DiskIndex",
    "Model",
    "OnProblem",
    "Record",
    "RecordFormat",
    "SeenIds",
    "Source",
    "Unreadable",
    "as_about",
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
