"""One thing that may stand in a word's place."""

from __future__ import annotations

from dataclasses import dataclass

SUPPRESSED = "[…]"

Room = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Wording:
    """``text`` in place of ``original[start:end]``: as true as the original, and it says less."""

    kind: str
    """"figure", "hypernym", "drop" or "suppress"."""
    start: int
    end: int
    text: str
    because: str
    """The table or the rule that says so."""

    def lies_in(self, room: Room) -> bool:
        return room[0] <= self.start and self.end <= room[1]
