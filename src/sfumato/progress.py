"""The progress event that every long-running function passes to its ``on_progress`` callback."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. ``total`` is 0 where the stage has no countable steps; ``detail`` names the current one."""

    stage: str
    done: int = 0
    total: int = 0
    detail: str = ""


OnProgress = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """The default callback."""
