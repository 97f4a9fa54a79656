"""The attack on everyone in a text, not on one person alone (paper 004)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from sfumato.attacks.by_name import chosen
from sfumato.attacks.subjects.chat import ChatProfiler
from sfumato.attacks.subjects.profiler import HouseProfiler, Profiler
from sfumato.attacks.subjects.tags import Profile, attempt_of
from sfumato.document import Attempt
from sfumato.models.chat import Chat

PROFILERS: Mapping[str, Callable[[], Profiler]] = {HouseProfiler.name: HouseProfiler}


class SubjectAttack:
    """Lists every person in a released text and infers fifteen attributes of each, from numbers to occupation."""

    name: ClassVar[str] = "subjects"
    goal: ClassVar[str] = "Knows nothing but the released text, and wants to know as much as it can of everyone in it."
    paper: ClassVar[str | None] = "004"
    extra: ClassVar[str | None] = None

    def __init__(self, *, profiler: str | Profiler = "house", chat: Chat | None = None) -> None:
        """``profiler``: "house", "chat" (which asks the ``chat``), or an object such as ``ChatProfiler(chat)``."""
        if isinstance(profiler, str):
            profiler = chosen("profiler", profiler, PROFILERS, ChatProfiler, chat)
        self.profiler: Profiler = profiler

    def profiles(self, released: Mapping[str, str]) -> dict[str, list[Profile]]:
        """The people found in each released text (id -> text), and what was inferred of each."""
        return dict(zip(released, self.profiler.profile(list(released.values())), strict=True))

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each person found in each released text; a guess is "TAG: value".

        A guess's score is its certainty, 1 to 5, over 5; the evidence says where an attribute was read, by its tag.
        """
        return [
            attempt_of(self.name, identifier, profile)
            for identifier, profiles in self.profiles(released).items()
            for profile in profiles
        ]
