"""What is packed in strings and bytes (Base64, hexadecimal digits, zip, gzip), and what bytes are, by their content.

The names of files and types are not asked. A hash, a key or a number is random bytes, in which nothing can be read.
"""

from __future__ import annotations

import binascii
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal, NamedTuple
from urllib.parse import unquote

from sfumato.lexicon.tokens import lazy_pattern

Kind = Literal["image", "font", "sound or film", "document", "archive"]

MAX_UNPACKED = 256 * 1024 * 1024
"""Bytes that are decoded and unpacked of one file, all levels together."""
_MAX_DEPTH = 8
_FIRST_BYTES = 1024 * 1024
"""Of what is packed, to see whether anything can be read in it."""
_SHORTEST = 16
"""Characters of Base64: twelve bytes, which is a short full name."""
_FEWEST_LETTERS = 4
"""Different letters and digits of a readable string; what repeats a few is data."""

_LINE_BREAK = r"(?:(?<![ \t])[ \t]*+\r?\n[ \t>]*+|(?:\\++[rn]){1,2}+|(?:&#(?:1[03]|[xX]0?[aAdD]);){1,2}+)"
_TOKENS = lazy_pattern(
    r"[A-Za-z0-9+/_-]{16,}+"
    # Lines that follow, of nothing else.
    rf"(?:{_LINE_BREAK}[A-Za-z0-9+/_-]++(?==|[ \t\r]*+(?:\n|\Z)|\\|&#|[\"'<)\]}},;]))*+={{0,2}}+"
    r"|[A-Za-z0-9+/]{10,15}+={1,2}"
    r"|(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[ :]){11,}+[0-9A-Fa-f]{2}(?![0-9A-Fa-f])"
)
_BREAK = lazy_pattern(_LINE_BREAK)
_BETWEEN_BYTES = lazy_pattern(r"[ :]")
_NOT_BASE64 = lazy_pattern(r"[^A-Za-z0-9+/]")
_FROM_URL_SAFE = str.maketrans("-_", "+/")
_HEX = lazy_pattern(r"[0-9A-Fa-f]{24,}+")

_STRINGS = (
    lazy_pattern(rb"(?:[\w .,:@'\"/<>=\r\n-]|[\xc3-\xcb][\x80-\xbf]|\xe2\x80[\x80-\xbf]){12,}+"),
    lazy_pattern(rb"(?:[\xc2-\xdf][\x80-\xbf]|[\xe3-\xe9][\x80-\xbf]{2}|[ .,]){8,}+"),  # other scripts than Latin
    lazy_pattern(rb"(?:[ -~\t\r\n\xa0-\xff]\0|[^\0-\x08][\x01-\x06]){6,}+"),
    lazy_pattern(rb"(?:\0[ -~\t\r\n\xa0-\xff]|[\x01-\x06][^\0-\x08]){6,}+"),
    lazy_pattern(rb"(?:[ -~\xa0-\xff]\0{3}){6,}+"),
    lazy_pattern(rb"(?:\0{3}[ -~\xa0-\xff]){6,}+"),
)
"""What a reader can read in bytes: UTF-8, UTF-16 and UTF-32."""
_PLAIN = lazy_pattern(rb"(?:[\w .,@'-]|[\xc3-\xcb][\x80-\xbf])+\Z")
_NAME = lazy_pattern(rb"[A-Za-z .,@-]+\Z")
_LETTER = lazy_pattern(rb"[A-Za-z0-9\x80-\xff]")

_MAGIC: dict[bytes, Kind] = {
    **dict.fromkeys((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"II\xbc\x01"), "image"),
    **dict.fromkeys((b"\xd7\xcd\xc6\x9a", b"\0\0\1\0", b"\1\0\x09\0\0\3"), "image"),
    **dict.fromkeys((b"\0\1\0\0\0", b"OTTO\0", b"true\0", b"ttcf\0", b"wOFF", b"wOF2"), "font"),
    **dict.fromkeys((b"OggS", b"fLaC", b"ID3\2", b"ID3\3", b"ID3\4", b"\x1aE\xdf\xa3", b"FLV\1"), "sound or film"),
    **dict.fromkeys((b"%PDF-", b"{\\rtf", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"SQLite f", b"bplist0"), "document"),
    **dict.fromkeys((b"PK\3\4", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!\x1a"), "archive"),
}
_RIFF: dict[bytes, Kind] = {b"WEBP": "image", b"WAVE": "sound or film", b"AVI ": "sound or film"}
_BITMAP_HEADERS = (12, 40, 108, 124)


def kind_of(data: bytes) -> Kind | None:
    """What a file is by its first bytes; None for text, and for what is not known."""
    for size in range(3, 9):
        if kind := _MAGIC.get(data[:size]):
            return kind
    if data.startswith(b"RIFF"):
        return _RIFF.get(data[8:12])
    if data[4:8] == b"ftyp":  # pictures and films share this form
        return "image" if data[8:12] in (b"heic", b"mif1", b"avif") else "sound or film"
    if data[40:44] == b" EMF" or (data.startswith(b"BM") and data[14:18] in _bitmap_headers()):
        return "image"
    return None


def _bitmap_headers() -> tuple[bytes, ...]:
    return tuple(size.to_bytes(4, "little") for size in _BITMAP_HEADERS)


class Encoded(NamedTuple):
    """``text[start:end]`` is Base64 or hexadecimal; ``lines`` are its ranges without what stands between lines."""

    start: int
    end: int
    lines: tuple[tuple[int, int], ...]
    readings: tuple[bytes, ...]
    """What it may decode to. Where it begins is not always certain: a word may stand before it."""

    @property
    def is_readable(self) -> bool:
        return any(map(is_readable, self.readings))


def find_encoded(text: str) -> Iterator[Encoded]:
    """What in a text may be encoded bytes, from left to right. Long words are among it, and decode to random bytes."""
    position = 0
    while token := _TOKENS.search(text, position):
        lines = list(_lines(text, *token.span()))
        position = lines[-1][1]
        if readings := tuple(_decoded("".join(text[start:end] for start, end in lines))):
            yield Encoded(token.start(), position, tuple(lines), readings)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a token, up to the first that is not as long as the first one: that is the last."""
    width = 0
    while start < end:
        line_break = _BREAK.search(text, start, end)
        stop = line_break.start() if line_break else end
        if width and stop - start > width:
            return
        yield start, stop
        if line_break is None or (width and stop - start < width):
            return
        width, start = stop - start, line_break.end()


def find_readable(text: str) -> Iterator[Encoded]:
    """The encoded bytes in a text in which something can be read, as they are or unpacked."""
    return (encoded for encoded in find_encoded(text) if encoded.is_readable)


def _decoded(token: str) -> Iterator[bytes]:
    joined = _BETWEEN_BYTES.sub("", token)
    if len(joined) < _SHORTEST:
        with suppress(binascii.Error):
            data = binascii.a2b_base64(joined, strict_mode=True)
            if binascii.b2a_base64(data, newline=False).decode() == joined and _PLAIN.match(data):
                yield data
        return
    for digits in _HEX.findall(joined):
        for first in range(2):
            data = bytes.fromhex(digits[first : len(digits) - (len(digits) - first) % 2])
            if not digits.isdecimal() or _NAME.match(data):  # else a long number
                yield data
    if len(token) > len(joined):
        return
    for part in re.split("=+", joined):
        yield from (from_base64(part[first:]) for first in range(4) if len(part) >= _SHORTEST)


def from_base64(data: str) -> bytes:
    """The bytes of Base64 up to its padding; white space and percent escapes in it are left out."""
    joined = _NOT_BASE64.sub("", unquote(data).translate(_FROM_URL_SAFE).partition("=")[0])
    joined = joined[: len(joined) - (len(joined) % 4 == 1)]
    return binascii.a2b_base64(joined + "=" * (-len(joined) % 4))


def is_readable(data: bytes, depth: int = _MAX_DEPTH) -> bool:
    """Whether something can be read in bytes: a text, a picture, a document, or any of these packed."""
    if kind_of(data) is not None or any(_has_string(data, strings) for strings in _STRINGS):
        return True
    if len(data) < _SHORTEST and _PLAIN.match(data) and _is_varied(data):
        return True
    return depth > 0 and any(is_readable(inner, depth - 1) for inner in _deflated(data, _FIRST_BYTES))


def _has_string(data: bytes, strings: re.Pattern[bytes]) -> bool:
    return any(_is_varied(string.group()) for string in strings.finditer(data))


def _is_varied(string: bytes) -> bool:
    return len(set(_LETTER.findall(string))) >= _FEWEST_LETTERS


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(NotImplementedError, RuntimeError, EOFError, OSError, ValueError),
)
"""What reading a zip file raises that is damaged, or only looks like one."""


class TooLargeUnpacked(Exception):
    """What is packed unpacks to more than ``MAX_UNPACKED``."""


class Unpacker:
    """Unpacks archives, and what is packed in them, up to ``MAX_UNPACKED`` bytes in all."""

    def __init__(self) -> None:
        self._left = MAX_UNPACKED

    def unpack(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Name and content of what is packed in bytes, one level deep; nothing where they are no archive.

        Raises TooLargeUnpacked.
        """
        if b"PK\5\6" in data:
            with suppress(*_DAMAGED):
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    for info in archive.infolist():
                        with archive.open(info) as member:
                            yield info.filename, self.count(member.read(self._left + 1))
                return
        for content in _deflated(data, self._left + 1):
            yield "", self.count(content)

    def count(self, content: bytes) -> bytes:
        """The content, counted. Raises TooLargeUnpacked."""
        self._left -= len(content)
        if self._left < 0:
            raise TooLargeUnpacked
        return content


def _deflated(data: bytes, limit: int) -> Iterator[bytes]:
    """What gzip, zlib or bare deflate packed; of a stream that is cut off, what can be read."""
    forms = [31] if data.startswith(b"\x1f\x8b") else [15, -15] if data[:1] in b"\x78\x68\x58\x48" else [-15]
    for form in forms:
        unpacker = zlib.decompressobj(form)
        with suppress(zlib.error):
            content = unpacker.decompress(data, limit)
            # Random bytes can look like a stream, but hardly ever like one that ends where they do.
            if content and (form > 0 or (unpacker.eof and len(unpacker.unused_data) < 4)):
                yield content
                return
