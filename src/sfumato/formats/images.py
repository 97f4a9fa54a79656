"""Pictures: the metadata of JPEG and PNG files (camera, place, author, comments), which no viewer shows, is removed."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_METADATA = {b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME", b"dSIG"}
_JPEG = b"\xff\xd8\xff"
_SCAN = 0xDA
_COMMENT = 0xFE
_APPLICATION = range(0xE1, 0xF0)
_COLOUR = {0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
"""Application segments that a decoder needs to show the right colours."""


def without_metadata(data: bytes) -> bytes:
    """The picture without metadata, its pixels unchanged; other files, and damaged ones, as they are."""
    try:
        if data.startswith(_PNG):
            return _PNG + b"".join(_png_chunks(data))
        if data.startswith(_JPEG):
            return data[:2] + b"".join(_jpeg_segments(data))
    except (struct.error, IndexError):
        pass
    return data


def _png_chunks(data: bytes) -> Iterator[bytes]:
    position = len(_PNG)
    while position < len(data):
        (length,) = struct.unpack_from(">I", data, position)
        end = position + 12 + length
        kind = data[position + 4 : position + 8]
        if kind not in _PNG_METADATA:
            yield data[position:end]
        if kind == b"IEND":  # what follows is not part of the picture
            return
        position = end


def _jpeg_segments(data: bytes) -> Iterator[bytes]:
    position = 2
    while data[position] == 0xFF:
        marker = data[position + 1]
        if marker == _SCAN:
            end = data.rfind(b"\xff\xd9")
            yield data[position : end + 2] if end > position else data[position:]
            return
        (length,) = struct.unpack_from(">H", data, position + 2)
        end = position + 2 + length
        body = data[position + 4 : end]
        needed = body.startswith(_COLOUR[marker]) if marker in _COLOUR else marker not in _APPLICATION
        if needed and marker != _COMMENT:
            yield data[position:end]
        position = end
    raise IndexError("not a segment")
