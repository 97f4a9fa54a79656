"""In and out: documents from files, and files from releases."""

from sfumato.corpus.atomic import CONFIDENTIAL, atomic_path
from sfumato.corpus.base import (
    MAX_DOCUMENT_BYTES,
    Columns,
    FileFormat,
    Model,
    OnProblem,
    Record,
    RecordFormat,
    Unreadable,
)
from sfumato.corpus.disk import DiskIndex, SeenIds
from sfumato.corpus.formats import SUFFIXES, file_format, format_for, record_format
from sfumato.corpus.json_object import write_object
from sfumato.corpus.masks import read_masks, write_masks
from sfumato.corpus.sources import Source, load, open_corpus
from sfumato.corpus.spans import read_spans, spans_record

__all__ = [
    "CONFIDENTIAL",
    "MAX_DOCUMENT_BYTES",
    "SUFFIXES",
    "Columns",
    "DiskIndex",
    "FileFormat",
    "Model",
    "OnProblem",
    "Record",
    "RecordFormat",
    "SeenIds",
    "Source",
    "Unreadable",
    "atomic_path",
    "file_format",
    "format_for",
    "load",
    "open_corpus",
    "read_masks",
    "read_spans",
    "record_format",
    "spans_record",
    "write_masks",
    "write_object",
]
