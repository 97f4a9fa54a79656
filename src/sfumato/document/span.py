"""A stretch of a text, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

LABELS = ("PERSON", "CODE", "ORG", "LOC", "DEM", "DATETIME", "QUANTITY", "MISC")
"""The eight types of the Text Anonymization Benchmark, in the order that settles ties between detectors."""

Identifier = Literal["direct", "quasi"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text that may give someone away: ``text[start:end]``.

    Only an edit that puts something back (``Release.inverse``) has a span of no width; detectors never do.
    """

    start: int
    end: int
    label: str
    identifier: Identifier | None = None
    score: float = 1.0
    source: str = ""
    entity: str | None = None
    annotator: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"a span needs 0 <= start <= end, got [{self.start}, {self.end})")
        if not 0.0 <= self.score <= 1.0:
            raise ValueError(f"a span's score lies between 0 and 1, got {self.score}")
        if not self.label:
            raise ValueError("a span needs a label")

    def __len__(self) -> int:
        return self.end - self.start

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def moved(self, start: int, end: int) -> Span:
        """The same span at other offsets."""
        return self if (start, end) == (self.start, self.end) else replace(self, start=start, end=end)
