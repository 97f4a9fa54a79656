"""Which format a file name stands for. Format modules are imported when one of their files comes up."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from sfumato.corpus.base import FileFormat, RecordFormat, Unreadable

Format = RecordFormat | FileFormat

TEXT_SUFFIXES = (".txt", ".text", ".md", ".markdown")
_BY_SUFFIX = {
    ".jsonl": "jsonl:JsonLines",
    ".ndjson": "jsonl:JsonLines",
    ".json": "json_object:JsonObject",
    ".tab.json": "tab:Tab",
    ".csv": "csv_table:Csv",
    ".tsv": "csv_table:Tsv",
    ".parquet": "parquet:Parquet",
    **dict.fromkeys(TEXT_SUFFIXES, "text:Text"),
    ".docx": "docx.format:Docx",
    ".html": "html.format:Html",
    ".htm": "html.format:Html",
}

SUFFIXES = tuple(suffix for suffix in _BY_SUFFIX if suffix != ".tab.json")
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
    """The format of a file, by its name; two kinds of ``.json`` are told apart by their first character."""
    suffix = path.suffix.lower()
    if suffix in _REFUSED:
        raise Unreadable(path, _REFUSED[suffix])
    if suffix not in _BY_SUFFIX:
        raise Unreadable(path, f"its format is not supported; convert it to one of {', '.join(SUFFIXES)}")
    if suffix == ".json" and _is_list(path):
        suffix = ".tab.json"
    module, _, name = _BY_SUFFIX[suffix].partition(":")
    found: Format = getattr(import_module(f"sfumato.corpus.{module}"), name)()
    return found


def record_format(candidate: Format) -> RecordFormat | None:
    """The format, if its files hold many documents."""
    return candidate if hasattr(candidate, "write") else None  # type: ignore[return-value]


def file_format(candidate: Format) -> FileFormat | None:
    """The format, if its files are one document each."""
    return candidate if hasattr(candidate, "render") else None  # type: ignore[return-value]


def _is_list(path: Path) -> bool:
    if not path.is_file():
        return path.name.lower().endswith(".tab.json")
    from sfumato.corpus.json_stream import first_character

    return first_character(path) == "["
