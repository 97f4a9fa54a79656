"""Pictures: what no viewer shows is removed (camera, place, author, comments, thumbnails, colour profiles).

Pixels are unchanged. What is kept is a list of what a decoder needs, so that what is not known goes. Colour profiles
carry the name of a screen and its owner; without one a picture is shown in the usual colours.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator

_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_NEEDED = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD pHYs cICP acTL fcTL fdAT".split())
"""Chunks that a decoder uses to show the picture; any other may hold text."""
_JPEG = b"\xff\xd8\xff"
_END_OF_IMAGE = 0xD9
_SCAN = 0xDA
_JPEG_NEEDED = frozenset({*range(0xC0, 0xD0), _SCAN, 0xDB, 0xDC, 0xDD})
"""Segments that a decoder uses: tables, frames, scans."""
_APP0, _APP14 = 0xE0, 0xEE
_JFIF, _ADOBE = b"JFIF\0", b"Adobe"
"""Application segments that a decoder uses: resolution, and the kind of colours."""
_JFIF_SIZE, _ADOBE_SIZE = 12, 12
_MARKER_AFTER_SCAN = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")
_GIF_EXTENSION, _GIF_IMAGE, _GIF_END = 0x21, 0x2C, 0x3B
_GIF_CONTROL, _GIF_APPLICATION = 0xF9, 0xFF
_GIF_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_WEBP_NEEDED = frozenset((b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"))
_WEBP_FLAGS = 0b00010010
"""Of VP8X: transparency and animation stay; colour profile, EXIF and XMP are gone."""
_KEPT_WHOLE = {
    **dict.fromkeys((b"II*\0", b"MM\0*"), "TIFF"),
    **dict.fromkeys((b"\xd7\xcd\xc6\x9a", b"\1\0\x09\0"), "WMF"),
    b"\1\0\0\0": "EMF",
    b"BM": "BMP",
    b"\0\0\1\0": "ICO",
    b"II\xbc": "JPEG XR",
}


def without_metadata(data: bytes) -> bytes:
    """The picture without metadata, its pixels unchanged; of a damaged one what stands before the damage.

    Bytes of another kind, as also TIFF pictures, are returned as they are (see ``image_kind``).
    """
    remove = _remover(data)
    return data if remove is None else b"".join(remove(data))


def image_kind(data: bytes) -> str:
    """``image`` where ``without_metadata`` knows this kind of picture, else its name: nothing of it is removed."""
    if _remover(data) is not None:
        return "image"
    return next((f"{kind} image" for start, kind in _KEPT_WHOLE.items() if data.startswith(start)), "other image")


def _remover(data: bytes) -> Callable[[bytes], Iterator[bytes]] | None:
    if data.startswith(_PNG):
        return _png_chunks
    if data.startswith(_JPEG):
        return _jpeg_segments
    if data.startswith((b"GIF87a", b"GIF89a")):
        return _gif_blocks
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return _webp_chunks
    return None


def _png_chunks(data: bytes) -> Iterator[bytes]:
    yield _PNG
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
    yield data[:2]
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
        if marker == _APP0 and body.startswith(_JFIF):
            yield _segment(marker, body[:_JFIF_SIZE].ljust(_JFIF_SIZE, b"\0") + b"\0\0")  # a thumbnail of no size
        elif marker == _APP14 and body.startswith(_ADOBE):
            yield _segment(marker, body[:_ADOBE_SIZE])
        if marker == _SCAN:
            following = _MARKER_AFTER_SCAN.search(data, end)
            end = following.start() if following else len(data)
        if marker in _JPEG_NEEDED:
            yield data[position:end]
        position = end
    yield b"\xff\xd9"  # what follows, as a second picture, is not part of this one


def _segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def _gif_blocks(data: bytes) -> Iterator[bytes]:
    position = 13 + _gif_colours(data, 10)
    yield data[:position]
    if position > len(data):
        return
    while position + 1 < len(data) and data[position] in (_GIF_EXTENSION, _GIF_IMAGE):
        start, label = position, data[position + 1]
        if data[start] == _GIF_IMAGE:
            is_needed, position = True, position + 11 + _gif_colours(data, position + 9)
        else:
            # A comment, and a text that viewers do not show, are not needed.
            is_loop = label == _GIF_APPLICATION and data[start + 3 : start + 14] in _GIF_LOOPS
            is_needed, position = label == _GIF_CONTROL or is_loop, position + 2
        while position < len(data) and data[position]:
            position += data[position] + 1
        position += 1
        if is_needed:
            yield data[start:position]
    yield bytes((_GIF_END,))


def _gif_colours(data: bytes, flags: int) -> int:
    """The size of the table of colours that the byte of flags at a position tells of."""
    value = data[flags] if flags < len(data) else 0
    return 3 << (value & 7) + 1 if value & 0x80 else 0


def _webp_chunks(data: bytes) -> Iterator[bytes]:
    chunks: list[bytes] = []
    position = 12
    while position + 8 <= len(data):
        (length,) = struct.unpack_from("<I", data, position + 4)
        kind, end = data[position : position + 4], position + 8 + length + length % 2
        chunk = data[position:end]
        if kind == b"VP8X" and len(chunk) > 8:
            chunk = chunk[:8] + bytes((chunk[8] & _WEBP_FLAGS,)) + chunk[9:]
        if kind in _WEBP_NEEDED:
            chunks.append(chunk)
        position = end
    yield b"RIFF" + struct.pack("<I", 4 + sum(map(len, chunks))) + b"WEBP"
    yield from chunks
