"""What a GGUF file says of itself, read from its head without loading the model."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Any, BinaryIO

from sfumato.errors import ChatProblem

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _LIST = 8, 9
_SAMPLE = 1 << 20
_MOST = 1 << 27
"""Bytes of one string: a length beyond it is damage."""


def context_length(path: Path) -> int | None:
    """How many tokens the model was trained to read at once; None where the file does not say."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ChatProblem(f"{path}: not a GGUF file; give a model in llama.cpp's format")
            version, _, pairs = struct.unpack("<IQQ", file.read(20))
            for _ in range(pairs if version >= 2 else 0):
                key = _string(file)
                value = _value(file, _number(file, "I"))
                if key.endswith(b".context_length"):
                    return int(value)
    except OSError as error:
        raise ChatProblem(f"{path}: the model cannot be read ({error.strerror}); name a .gguf file") from None
    except (struct.error, KeyError, ValueError):
        raise ChatProblem(f"{path}: the GGUF file is damaged; fetch it again") from None
    return None


def digest(path: Path) -> str:
    """Tells files apart by size, head and tail: enough for names, and quick for gigabytes."""
    with path.open("rb") as file:
        size = path.stat().st_size
        found = hashlib.sha256(size.to_bytes(8, "big") + file.read(_SAMPLE))
        file.seek(max(0, size - _SAMPLE))
        found.update(file.read(_SAMPLE))
    return found.hexdigest()[:8]


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(file)
    if kind == _LIST:
        inner, count = _number(file, "I"), _number(file, "Q")
        if inner in _NUMBERS:
            file.seek(struct.calcsize(_NUMBERS[inner]) * count, 1)
        else:
            for _ in range(count):
                _value(file, inner)
        return None
    return _number(file, _NUMBERS[kind])


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack("<" + form, file.read(struct.calcsize("<" + form)))[0]


def _string(file: BinaryIO) -> bytes:
    length = _number(file, "Q")
    if length > _MOST:
        raise ValueError("longer than any string there")
    return file.read(length)
