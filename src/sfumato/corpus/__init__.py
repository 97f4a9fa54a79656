"""In and out: documents from files, and files from releases."""

from sfumato.corpus.about import About, AboutLike, as_about
from sfumato.corpus.atomic import CONFIDENTIAL, atomic_path
from sfumato.corpus.base import (
    Columns,
    Model,
    OnProblem,
    Record,
    RecordFormat,
    Unreadable,
)
from sfumato.corpus.disk import DiskIndex, SeenIds
from sfumato.corpus.formats import SUFFIXES, TEXT_SUFFIXES, file_format, format_for, record_format
from sfumato.corpus.json_object import write_object
from sfumato.corpus.masks import read_masks
from sfumato.corpus.sources import Source, load, open_corpus
from sfumato.corpus.spans import read_spans, spans_record

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
