"""Passes: overlapping spans of several detectors, before they are merged."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sfumato.detectors.base import SOURCE_SUFFIX
from sfumato.detectors.passes.edges import is_small_word
from sfumato.detectors.rules.name_parts import SMALL_WORDS_IN_NAMES
from sfumato.document import Range, Span, merge_spans
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.tokens import ALPHANUMERIC

_EXACT_RULES = frozenset({"rules:age", "rules:date"})
"""Rules whose spans end where an age or a date does: "58 y.o.", "Sat 3/14 at 7 pm"."""


def drop_imprecise(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without those of rules that the other detectors, which read context, have covered more exactly.

    Rules join what stands together ("48080 Bilbao") and include titles and full stops. Where other spans leave only
    marks, titles and small words of such a span uncovered, and one of them has the same label, their borders are
    better. A person's name is not cut in two at its particle ("van der").
    """
    spans = list(spans)
    exact = merge_spans(span for span in spans if not span.source.startswith("rules:"))
    if len(exact) in (0, len(spans)):
        return spans
    covered = _union(exact)
    covered_starts = [start for start, _ in covered]
    starts, ends = [span.start for span in exact], [span.end for span in exact]

    def is_uncovered(word: re.Match[str]) -> bool:
        index = bisect_right(covered_starts, word.start()) - 1
        return index < 0 or covered[index][1] < word.end()

    def is_imprecise(span: Span) -> bool:
        if not span.source.startswith("rules:") or span.source in _EXACT_RULES:
            return False
        words = list(ALPHANUMERIC.finditer(text, span.start, span.end))
        uncovered = list(map(is_uncovered, words))
        if any(is_open and not is_small_word(word[0]) for word, is_open in zip(words, uncovered, strict=True)):
            return False
        if span.label == "PERSON":
            for (before, word), is_before_open, is_open in zip(pairwise(words), uncovered, uncovered[1:], strict=False):
                belongs_to_name = not is_before_open or is_title(before[0])
                if is_open and belongs_to_name and word[0] in SMALL_WORDS_IN_NAMES:
                    return False
        overlapping = exact[bisect_right(ends, span.start) : bisect_left(starts, span.end)]
        return any(other.label == span.label for other in overlapping)

    return [span for span in spans if not is_imprecise(span)]


def _union(spans: Iterable[Span]) -> list[Range]:
    """Sorted spans as ranges that do not touch."""
    ranges: list[Range] = []
    for span in spans:
        if ranges and span.start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], span.end))
        else:
            ranges.append((span.start, span.end))
    return ranges


def cut_around_direct(spans: Sequence[Span]) -> list[Span]:
    """The spans, with those of a model cut around the direct identifiers that other detectors found in them.

    Where spans are merged the longest wins. A name inside a longer span of a model ("her uncle Otto") would lose its
    label, and other forms of the name elsewhere in the text would not be found.
    """
    direct = merge_spans(span for span in spans if span.identifier == "direct" and not _is_from_model(span))
    if not direct:
        return list(spans)
    ends = [span.end for span in direct]
    result: list[Span] = []
    for span in spans:
        if not _is_from_model(span):
            result.append(span)
            continue
        start = span.start
        for other in direct[bisect_right(ends, span.start) :]:
            if other.start >= span.end:
                break
            result += [span.moved(start, other.start)] if start < other.start else []
            start = max(start, other.end)
        result += [span.moved(start, span.end)] if start < span.end else []
    return result


def _is_from_model(span: Span) -> bool:
    return span.source.endswith(SOURCE_SUFFIX)
