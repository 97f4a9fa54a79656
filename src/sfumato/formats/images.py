"""Pictures: metadata of JPEG and PNG files (camera, place, author, comments), which no viewer shows, is removed."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_NEEDED = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs cICP acTL fcTL fdAT".split())
"""Chunks that a decoder uses to show the picture; any other may hold text."""
_JPEG = b"\xff\xd8\xff"
_END_OF_IMAGE = 0xD9
_SCAN = 0xDA
_COMMENT = 0xFE
_APPLICATION = range(0xE0, 0xF0)
_APPLICATION_NEEDED = {0xE0: b"JFIF\0", 0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
"""Application segments that a decoder uses: resolution and colours."""
_MARKER_AFTER_SCAN = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")


def without_metadata(data: bytes) -> bytes:
    """The picture without metadata, its pixels unchanged; of a damaged one what stands before the damage."""
    if data.startswith(_PNG):
        return _PNG + b"".join(_png_chunks(data))
    if data.startswith(_JPEG):
        return data[:2] + b"".join(_jpeg_segments(data))
    return data


def _png_chunks(data: bytes) -> Iterator[bytes]:
    position = len(_PNG)
    while position + 8 <= len(data):
        (length,) = struct.unpack_from(">I", data, position)
        kind, end = data[position + 4 : position + 8], position + 12 + length
        if kind in _PNG_NEEDED:
            yield data[position:end]
        if kind == b"IEND":  # what follows is not part of the picture
            return
        position = end


def _jpeg_segments(data: bytes) -> Iterator[bytes]:
    position = 2
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xFF:  # a fill byte
            position += 1
            continue
        if marker == _END_OF_IMAGE:
            break
        (length,) = struct.unpack_from(">H", data, position + 2)
        end = position + 2 + length
        body = data[position + 4 : end]
        if marker in _APPLICATION:
            is_needed = marker in _APPLICATION_NEEDED and body.startswith(_APPLICATION_NEEDED[marker])
        else:
            is_needed = marker != _COMMENT
        if marker == _SCAN:
            following = _MARKER_AFTER_SCAN.search(data, end)
            end = following.start() if following else len(data)
        if is_needed:
            yield data[position:end]
        position = end
    yield b"\xff\xd9"  # what follows, as a second picture, is not part of this one
