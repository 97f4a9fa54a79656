"""Writes the header of a GGUF file."""

from __future__ import annotations

import struct
from collections.abc import Mapping


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(content: object) -> bytes:
    if isinstance(content, str):
        return struct.pack("<I", 8) + text(content)
    if isinstance(content, float):
        return struct.pack("<If", 6, content)
    if isinstance(content, int):
        return struct.pack("<II", 4, content)
    assert isinstance(content, list)
    if content and isinstance(content[0], str):
        return struct.pack("<IIQ", 9, 8, len(content)) + b"".join(map(text, content))
    return struct.pack("<IIQ", 9, 4, len(content)) + b"".join(struct.pack("<I", item) for item in content)


def gguf(about: Mapping[str, object]) -> bytes:
    pairs = b"".join(text(key) + value(content) for key, content in about.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(about)) + pairs
