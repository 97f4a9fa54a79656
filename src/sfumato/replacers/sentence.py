"""The sentence around a span: what a model is shown of a text."""

from __future__ import annotations

import re

_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[\"'“‘(]?[A-ZÀ-Þ0-9])|\n+")

_MOST = 1000
"""Characters on each side that are shown of a sentence without an end."""


def marked_sentence(text: str, start: int, end: int) -> str:
    """The sentence in which ``text[start:end]`` stands, with that in double brackets."""
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    first = max(start - _MOST, max(border for border in borders if border <= start))
    last = min(end + _MOST, min(border for border in borders if border >= end))
    return f"{text[first:start]}[[{text[start:end]}]]{text[end:last]}".strip()
