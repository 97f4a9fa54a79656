"""Texts of any length cut into windows that the network can read, so that every token has context on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

SEGMENT = 50_000
"""Characters tokenized at once: bounds the memory that a long text takes."""
MARGIN = 1_000
"""Characters of context that a segment sees beyond its own part."""


def segments(text: str) -> list[tuple[int, int]]:
    """The text in ranges of at most SEGMENT characters, cut at white space where there is some."""
    found = []
    start = 0
    while len(text) - start > SEGMENT:
        end = start + SEGMENT
        cut = max(text.rfind(mark, start + SEGMENT // 2, end) for mark in ("\n", " "))
        end = cut + 1 if cut > 0 else end
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]


def cuts(length: int, window: int, hop: int) -> list[tuple[int, int]]:
    """Ranges of tokens of at most ``window``, each ``hop`` after the one before, that cover all ``length`` tokens."""
    starts = range(0, max(1, length - window + hop), hop)
    return [(start, min(length, start + window)) for start in starts]


def centred(pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The part of each window whose tokens stand further from an edge there than in the neighbouring windows."""
    borders = [0, *((before[1] + after[0]) // 2 for before, after in pairwise(pieces)), pieces[-1][1]]
    return list(pairwise(borders))
