"""The attack on everyone in a text, not on one person alone (paper 004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sfumato.attacks.subjects.profiler import HouseProfiler, Profiler
from sfumato.attacks.subjects.tags import attempt_of
from sfumato.document import Attempt
from sfumato.errors import RecipeError


class SubjectAttack:
    """Lists every person in a released text and infers fifteen attributes of each, from numbers to occupation."""

    name: ClassVar[str] = "subjects"
    goal: ClassVar[str] = "Knows nothing but the released text, and wants to know as much as it can of everyone in it."
    paper: ClassVar[str | None] = "004"
    extra: ClassVar[str | None] = None

    def __init__(self, *, profiler: str | Profiler = "house") -> None:
        """``profiler``: "house", or an object such as ``ChatProfiler(chat)``."""
        if isinstance(profiler, str) and profiler != HouseProfiler.name:
            raise RecipeError(f"no profiler {profiler!r}: choose 'house', or give an object from Python")
        self.profiler: Profiler = HouseProfiler() if isinstance(profiler, str) else profiler

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each person found in each released text (id -> text); a guess is "TAG: value".

        A guess's score is its certainty, 1 to 5, over 5; the evidence says where an attribute was read, by its tag.
        """
        found = self.profiler.profile(list(released.values()))
        return [
            attempt_of(self.name, identifier, profile)
            for identifier, profiles in zip(released, found, strict=True)
            for profile in profiles
        ]
