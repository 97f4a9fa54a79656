"""What an attack is: it learns from a background, then says of released texts whom they are about.

An attack is handed released text only, never a Release, so it cannot peek. Whoever knows the subjects decides on
success (``risk.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, Self, runtime_checkable

from sfumato.document import Attempt

TOP = 50
"""People an attempt names at most, best first. Enough for every rank that a release is protected up to (4 × 11)."""


@dataclass(frozen=True, slots=True)
class Person:
    """Someone in the background, and all that is known about them."""

    id: str
    texts: tuple[str, ...]


@runtime_checkable
class LinkingAttack(Protocol):
    """Ranks the people of a background by how well they fit a released text.

    An attempt's ``guesses`` are at most ``TOP`` people, best first, with the attack's own scores (higher fits better;
    people who share nothing with the text are left out); ``score`` is the margin of the first over the second, as a
    share of the first; ``evidence`` names the terms of the released text that carry the link to the first guess,
    heaviest first, with offsets into the released text. ``rank`` stays None: the attack does not know the truth.
    """

    name: ClassVar[str]
    goal: ClassVar[str]
    """What the attacker wants and is assumed to know, in one sentence."""
    paper: ClassVar[str | None]
    extra: ClassVar[str | None]

    def fit(self, background: Sequence[Person]) -> Self:
        """Learn the people; once, before any run."""
        ...

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each released text (document id -> text), in order."""
        ...
