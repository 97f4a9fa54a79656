"""What is about to stand in a mention's place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in place of ``text[start:end]``, before capital and edges are seen to."""

    start: int
    end: int
    text: str
    possessive: str = ""
    sound: bool = True
    """Whether it is grammatical, and as true as the rung is."""
