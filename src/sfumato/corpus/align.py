"""What a released text changed, where only the text is known: found again by comparing words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Indel, Levenshtein

from sfumato.document import Document, Edit, Release, Span

ALIGNED = "aligned"
"""The source of an edit that was found by comparing texts; nobody recorded it."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_LABEL = "MISC"
_LARGE = 2_000_000_000
"""Comparing texts of so many pairs of words takes 250 MB; beyond, a way is taken that keeps a few words less."""

Range = tuple[int, int]


def aligned(document: Document, text: str) -> Release:
    """The release as edits, where at least half of the original's words stand unchanged and in order.

    Otherwise it is a rewritten text, and what was kept of it is not known.
    """
    before, after = _tokens(document.text), _tokens(text)
    kept = list(_kept(document.text, before, text, after))
    if 2 * sum(document.text[start].isalnum() for (start, _), _ in kept) < sum(
        document.text[start].isalnum() for start, _ in before
    ):
        return Release.rewritten(document, text)
    return Release(
        document,
        tuple(
            Edit(Span(start, end, _LABEL, source=ALIGNED), replacement, ("aligned",))
            for start, end, replacement in _changes(document.text, text, kept)
        ),
    )


def is_aligned(release: Release) -> bool:
    """Whether its edits were found by comparing texts."""
    return any(edit.span.source == ALIGNED for edit in release.edits)


def _tokens(text: str) -> list[Range]:
    return [match.span() for match in _TOKEN.finditer(text)]


def _kept(
    original: str, before: Sequence[Range], released: str, after: Sequence[Range]
) -> Iterator[tuple[Range, Range]]:
    """The words that stand in both, in order: the most there can be."""
    method = Indel if len(before) * len(after) <= _LARGE else Levenshtein
    steps = method.opcodes([original[slice(*place)] for place in before], [released[slice(*place)] for place in after])
    for step in steps:
        if step.tag == "equal":
            yield from zip(before[step.src_start : step.src_end], after[step.dest_start : step.dest_end], strict=True)


def _changes(original: str, released: str, kept: Sequence[tuple[Range, Range]]) -> Iterator[tuple[int, int, str]]:
    """What stands between kept words, where it differs; blanks that did not change are left out of it."""
    ends = [(0, 0), *((one[1], other[1]) for one, other in kept)]
    starts = [*((one[0], other[0]) for one, other in kept), (len(original), len(released))]
    for (start, released_start), (end, released_end) in zip(ends, starts, strict=True):
        gone, come = original[start:end], released[released_start:released_end]
        if gone == come:
            continue
        while gone and come and gone[-1] == come[-1] and gone[-1].isspace():
            gone, come, end = gone[:-1], come[:-1], end - 1
        while gone and come and gone[0] == come[0] and gone[0].isspace():
            gone, come, start = gone[1:], come[1:], start + 1
        yield start, end, come
