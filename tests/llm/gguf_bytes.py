"""Writes the header of a GGUF file."""

from __future__ import annotations

import struct
from collections.abc import Mapping


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(one: object) -> bytes:
    if isinstance(one, str):
        return struct.pack("<I", 8) + text(one)
    if isinstance(one, float):
        return struct.pack("<If", 6, one)
    if isinstance(one, int):
        return struct.pack("<II", 4, one)
    assert isinstance(one, list)
    if one and isinstance(one[0], str):
        return struct.pack("<IIQ", 9, 8, len(one)) + b"".join(map(text, one))
    return struct.pack("<IIQ", 9, 4, len(one)) + b"".join(struct.pack("<I", item) for item in one)


def gguf(about: Mapping[str, object]) -> bytes:
    pairs = b"".join(text(key) + value(one) for key, one in about.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(about)) + pairs
