"""What kind of thing a model's span is: by the rules, which need no model; what they do not know is MISC."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from sfumato.detectors.rules import RuleDetector
from sfumato.document import Document, Identifier, Span, merge_spans
from sfumato.knowledge.grammar.sentences import Range

MISC = "MISC"
"""The kind of all else. No ladder takes it for more than it is, and every replacer has at least its label for it."""


class Kinds:
    """The rules' own findings in a document, as kinds for spans that come without one."""

    def __init__(self, rules: RuleDetector, document: Document) -> None:
        (found,) = rules.detect([document])
        self._spans: Sequence[Span] = merge_spans(found)
        self._starts = [span.start for span in self._spans]
        self._ends = [span.end for span in self._spans]

    def parted(self, start: int, end: int) -> list[Range]:
        """A range, cut where a direct identifier that the rules know begins or ends in it.

        "Ida Quorvex (born 1950)" is a name and more; as one thing, it would not be known again as a name.
        """
        near = self._spans[bisect_right(self._ends, start) : bisect_left(self._starts, end)]
        inner = [border for span in near if span.identifier == "direct" for border in (span.start, span.end)]
        borders = [start, *(border for border in inner if start < border < end), end]
        return list(pairwise(borders))

    def of(self, start: int, end: int) -> tuple[str, Identifier]:
        """The label under which the rules have most of a range, at least half of it, and its identifier; else MISC."""
        shares: Counter[tuple[str, Identifier]] = Counter()
        for span in self._spans[bisect_right(self._ends, start) : bisect_left(self._starts, end)]:
            shares[span.label, span.identifier or "quasi"] += min(span.end, end) - max(span.start, start)
        (kind, share), *_ = shares.most_common(1) or [((MISC, "quasi"), 0)]
        return kind if 2 * share >= end - start else (MISC, "quasi")
