"""What a model found beside what other detectors found: it adds to theirs, and takes nothing away."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from sfumato.document import Span, merge_spans

FROM_CHAT = ":chat"
"""How the source of a model's span ends."""


def around_direct(spans: Sequence[Span]) -> list[Span]:
    """The spans, those of a model cut around the direct identifiers that others found in them.

    Where spans are merged the longest wins. A name that a model's longer span swallows ("her uncle Otto") would be a
    name no more: it would lose its label, and with it the other places where it stands in another form.
    """
    direct = merge_spans(span for span in spans if span.identifier == "direct" and not _is_of_model(span))
    if not direct:
        return list(spans)
    ends = [span.end for span in direct]
    kept: list[Span] = []
    for span in spans:
        if not _is_of_model(span):
            kept.append(span)
            continue
        start = span.start
        for place in range(bisect_right(ends, span.start), len(direct)):
            if direct[place].start >= span.end:
                break
            kept += [span.moved(start, direct[place].start)] if start < direct[place].start else []
            start = max(start, direct[place].end)
        kept += [span.moved(start, span.end)] if start < span.end else []
    return kept


def _is_of_model(span: Span) -> bool:
    return span.source.endswith(FROM_CHAT)
