"""Plain text and Markdown, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from sfumato.corpus.base import MAX_DOCUMENT_BYTES, Unreadable
from sfumato.corpus.lines import BOM, EMPTY, TOO_LARGE
from sfumato.document import Document, Release
from sfumato.errors import OutputError


class Text:
    """The file is the document. A byte order mark is kept and is no part of the text."""

    name: ClassVar[str] = "text"

    def read(self, path: Path, document_id: str) -> Document:
        data = read_bytes(path)
        try:
            text = data.removeprefix(BOM).decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise Unreadable(path, f"line {line} is not valid UTF-8; save the file as UTF-8") from None
        return Document(document_id, text)

    def render(self, source: Path, release: Release) -> bytes:
        with source.open("rb") as handle:
            marked = handle.read(len(BOM)) == BOM
        try:
            data = release.text.encode()
        except UnicodeEncodeError:
            raise OutputError(f"{source}: a replacement holds half a surrogate pair; choose another replacer") from None
        # Text that itself begins like a mark would lose its beginning when read without one.
        return BOM + data if marked or data.startswith(BOM) else data


def read_bytes(path: Path) -> bytes:
    """All of a file that is one document; refused when it is empty or too large."""
    try:
        size = path.stat().st_size
        if size > MAX_DOCUMENT_BYTES:
            raise Unreadable(path, f"the file {TOO_LARGE}")
        data = path.read_bytes()
    except OSError as error:
        raise Unreadable(path, f"cannot be read ({error.strerror}); check the permissions") from None
    if not data:
        raise Unreadable(path, EMPTY)
    return data
