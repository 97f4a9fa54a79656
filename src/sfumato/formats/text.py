"""Plain text and Markdown, byte for byte; and reading UTF-8 lines of limited size."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator
from pathlib import Path
from typing import IO, ClassVar, Literal

from sfumato.document import Document, Release
from sfumato.errors import OutputError, Problem
from sfumato.formats.base import MAX_DOCUMENT_BYTES, OnProblem, Unreadable

BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CHUNK = 1 << 20
_HEAD = 4096

EMPTY = "the file is empty; remove it from the input or fill it"
TOO_LARGE = f"is larger than {MAX_DOCUMENT_BYTES // (1024 * 1024)} MB; split the text into several documents"


def open_utf8(path: Path) -> IO[bytes]:
    """The open file, positioned after its byte order mark if it has one."""
    try:
        handle = path.open("rb")
    except OSError as error:
        raise Unreadable(path, f"cannot be opened ({error.strerror}); check the name and the permissions") from None
    start = handle.read(_HEAD)
    try:
        refuse_utf16(path, start)
    except Unreadable:
        handle.close()
        raise
    handle.seek(len(BOM) if start.startswith(BOM) else 0)
    return handle


def refuse_utf16(path: Path, data: bytes) -> None:
    """Raise Unreadable for text in UTF-16 or UTF-32, also without a byte order mark: read as UTF-8 it has NULs."""
    if data.startswith(_UTF16):
        raise Unreadable(path, "is in UTF-16; save it as UTF-8 and run again")
    if b"\0" in data:
        reason = "has NUL characters, as text in UTF-16 or UTF-32 without a byte order mark has; save it as UTF-8"
        raise Unreadable(path, reason)


def not_utf8(data: bytes) -> str:
    """The message for bytes that are not UTF-8; most often Excel wrote them."""
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "is not valid UTF-8; save the file as UTF-8"
    return 'is not valid UTF-8 and looks like Windows-1252; save the file as UTF-8 (in Excel: as "CSV UTF-8")'


def check_utf8(path: Path) -> None:
    """Raise Unreadable with the first line that is not UTF-8."""
    decoder, number = getincrementaldecoder("utf-8")(), 1
    with open_utf8(path) as handle:
        piece = b"\n"
        while piece:
            piece = handle.readline(_CHUNK)
            try:
                decoder.decode(piece, final=not piece)
            except UnicodeDecodeError:
                raise Unreadable(path, f"line {number} {not_utf8(piece)}") from None
            number += piece.endswith(b"\n")


def numbered_lines(path: Path, on_problem: OnProblem) -> Iterator[tuple[int, bytes | None]]:
    """Every line with its number and line ending; None for a line that was too large and skipped."""
    with open_utf8(path) as handle:
        number = 0
        while line := handle.readline(MAX_DOCUMENT_BYTES + 1):
            number += 1
            if len(line) <= MAX_DOCUMENT_BYTES:
                yield number, line
                continue
            ended = line.endswith(b"\n")
            del line  # frees 64 MB while the rest is skipped
            while not ended and (chunk := handle.readline(_CHUNK)):
                ended = chunk.endswith(b"\n")
            on_problem(Problem(path, f"the line {TOO_LARGE}", number))
            yield number, None
        if not number:
            on_problem(Problem(path, EMPTY))


class Text:
    """The file is the document. A byte order mark is kept and is not part of the text."""

    name: ClassVar[str] = "text"
    holds: ClassVar[Literal["document"]] = "document"

    def read(self, path: Path, document_id: str) -> Document:
        data = read_bytes(path)
        refuse_utf16(path, data)
        try:
            text = data.removeprefix(BOM).decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise Unreadable(path, f"line {line} is not valid UTF-8; save the file as UTF-8") from None
        return Document(document_id, text)

    def render(self, source: Path, release: Release) -> bytes:
        with source.open("rb") as handle:
            has_bom = handle.read(len(BOM)) == BOM
        try:
            data = release.text.encode()
        except UnicodeEncodeError:
            raise OutputError(f"{source}: a replacement holds half a surrogate pair; choose another replacer") from None
        # Text that itself begins with a mark would lose it when read back.
        return BOM + data if has_bom or data.startswith(BOM) else data


def read_bytes(path: Path) -> bytes:
    """The content of a file that is one document. Raises Unreadable where it is empty or too large."""
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
