"""Pass: spans of a string that is mostly not found where it stands are dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sfumato.detectors.passes import LIKELY
from sfumato.detectors.passes.repeats import RepeatFinder
from sfumato.document import Span


def drop_outvoted(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans (disjoint, sorted) without unlikely ones whose string was left alone in most other places.

    A string that is replaced once is replaced everywhere, so its occurrences are judged together: an unlikely span at
    one of five places would mask all five. Direct identifiers always stay.
    """
    unlikely = Counter(text[span.start : span.end] for span in spans if _is_unlikely(span))
    if not unlikely:
        return list(spans)
    doubtful = unlikely.keys() - {text[span.start : span.end] for span in spans if not _is_unlikely(span)}
    judged = {text[span.start : span.end]: span for span in spans if text[span.start : span.end] in doubtful}
    others = RepeatFinder(judged).find(text, spans, "repeated")
    left_alone = Counter(text[other.start : other.end] for other in others)
    outvoted = {string for string in judged if left_alone[string] > unlikely[string]}
    return [span for span in spans if text[span.start : span.end] not in outvoted]


def _is_unlikely(span: Span) -> bool:
    return span.identifier != "direct" and span.score < LIKELY
