"""Spans and edits that overlap, cut until none does."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from sfumato.document.release import Edit
from sfumato.document.span import LABELS, Span

_IDENTIFIERS = ("direct", "quasi", None)
_RANK = {label: position for position, label in enumerate(LABELS)}


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Spans of several detectors, made disjoint and sorted, covering every character the inputs cover.

    Where spans overlap the longest wins; of equally long ones the higher score, then the label that comes first in
    ``LABELS``, then the earlier one; a direct identifier before a quasi one. What a loser covers beyond the winner
    stays covered, under the loser's label: dropping it would release the rest of a name because its beginning was also
    part of an address.
    """
    taken = _Ranges()
    merged: list[Span] = []
    for span in sorted(spans, key=_precedence):
        for start, end in taken.gaps(span.start, span.end):
            merged.append(span.moved(start, end))
            taken.add(start, end)
    return sorted(merged, key=lambda span: span.start)


def _precedence(span: Span) -> tuple[Any, ...]:
    order = _RANK.get(span.label, len(_RANK))
    # Nothing is left to chance: the order in which detectors give their spans must not matter.
    rest = (span.source, span.entity or "", _IDENTIFIERS.index(span.identifier), span.annotator or "")
    return (-len(span), -span.score, order, span.start, span.label, *rest)


def settled(edits_with_cores: Sequence[tuple[Edit, Span]]) -> tuple[Edit, ...]:
    """The edits in the order of the text, cut back until no two overlap.

    An edit may be wider than what it is there to replace (an article, a preposition): that is its core, and cores are
    disjoint. No edit keeps anything of another's core. Of what lies between two cores the first takes as much as it
    reaches for, and the second what is left. What an edit replaces of its own core it replaces all the same.
    """
    ordered = sorted(edits_with_cores, key=lambda pair: (pair[1].start, pair[1].end))
    for edit, core in ordered:
        if edit.span.end < core.start or core.end < edit.span.start:
            raise ValueError(
                f"an edit at [{edit.span.start}, {edit.span.end}) does not touch its core [{core.start}, {core.end}): "
                "give each edit the span that it replaces"
            )
    borders = []
    for (before, left), (_, right) in pairwise(ordered):
        if right.start < left.end:
            raise ValueError(
                f"cores overlap at [{left.start}, {left.end}) and [{right.start}, {right.end}): "
                "merge the spans first (merge_spans)"
            )
        borders.append(min(max(before.span.end, left.end), right.start))
    if not ordered:
        return ()
    starts, ends = [ordered[0][0].span.start, *borders], [*borders, ordered[-1][0].span.end]
    return tuple(_within(edit, start, end) for (edit, _), start, end in zip(ordered, starts, ends, strict=True))


def _within(edit: Edit, start: int, end: int) -> Edit:
    """The edit, without what it replaces outside of ``[start, end)``."""
    if start <= edit.span.start and edit.span.end <= end:
        return edit
    return replace(edit, span=edit.span.moved(max(edit.span.start, start), min(edit.span.end, end)))


class _Ranges:
    """Disjoint ranges, kept sorted."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def gaps(self, start: int, end: int) -> list[tuple[int, int]]:
        """The parts of ``[start, end)`` not in any range."""
        found = []
        at = start
        index = bisect_right(self._ends, start)
        while index < len(self._starts) and self._starts[index] < end:
            if at < self._starts[index]:
                found.append((at, self._starts[index]))
            at = self._ends[index]
            index += 1
        if at < end:
            found.append((at, end))
        return found

    def add(self, start: int, end: int) -> None:
        index = bisect_left(self._starts, start)
        self._starts.insert(index, start)
        self._ends.insert(index, end)
