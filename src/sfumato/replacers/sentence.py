"""What a model is shown of a text to say a span in other words: the sentence around it."""

from __future__ import annotations

import re

from sfumato.knowledge.ladders.base import Mention

_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[\"'“‘(]?[A-ZÀ-Þ0-9])|\n+")

_MOST = 1000
"""Characters on each side that are shown of a sentence without an end."""


def question(mention: Mention, count: int) -> dict[str, str]:
    """What a prompt with ``sentence``, ``span`` and ``count`` is filled with; the span stands in double brackets."""
    text, start, end = mention.text, mention.start, mention.end
    borders = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    first = max(start - _MOST, max(border for border in borders if border <= start))
    last = min(end + _MOST, min(border for border in borders if border >= end))
    sentence = f"{text[first:start]}[[{mention.said}]]{text[end:last]}".strip()
    return {"sentence": sentence, "span": mention.said, "count": str(count)}
