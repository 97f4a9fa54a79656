"""A code is taken whole: no group of its digits is left behind."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from sfumato.document import Span

_WHOLE_ALREADY = frozenset({"email", "url", "username", "password", "secret", "ip", "mac", "crypto", "uuid"})
_SEPARATOR = r"[ \u00a0./-]"
# Two digits or more, perhaps with capitals; or one or two capitals that no sentence goes on from.
_GROUP = r"(?:[A-Z]{0,3}[0-9]{2,12}[A-Z]{0,2}|[A-Z]{1,2}(?![ \u00a0][a-z]))"
_AFTER = re.compile(rf"(?:{_SEPARATOR}{_GROUP}(?![\w'’]|-[a-z]))+")
_BEFORE = re.compile(rf"(?<![\w.,/-])(?:[0-9]{{1,12}}{_SEPARATOR})+$")
_REACH = 40


def completed(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, those of codes grown over the adjoining groups of the same run, up to what is something else."""
    others = [span for span in spans if span.label != "CODE"]
    starts, ends = sorted(span.start for span in others), sorted(span.end for span in others)
    return [_grown(text, span, starts, ends) if _may_grow(span) else span for span in spans]


def _may_grow(span: Span) -> bool:
    return span.label == "CODE" and span.source.removeprefix("rules:") not in _WHOLE_ALREADY


def _grown(text: str, span: Span, starts: Sequence[int], ends: Sequence[int]) -> Span:
    start, end = span.start, span.end
    if text[end - 1].isalnum() and (after := _AFTER.match(text, end, end + _REACH)):
        stop = bisect_right(starts, end)
        end = min(after.end(), starts[stop] - 1) if stop < len(starts) else after.end()
    if text[start].isdigit() and (before := _BEFORE.search(text, max(0, start - _REACH), start)):
        stop = bisect_left(ends, start)
        start = max(before.start(), ends[stop - 1] + 1) if stop else before.start()
    return span.moved(start, end)
