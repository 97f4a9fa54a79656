"""When to try again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_FIRST, _LONGEST = 0.5, 20.0
_CHANCE = random.Random()
"""Our own: drawing from the common one would change what a seeded program draws."""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and chance, which tests replace."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = _CHANCE.random


def backoff(waits: int, clock: Clock) -> float:
    """Twice as long each time, less up to half of it by chance, so that many do not come back at once."""
    longest = min(_LONGEST, _FIRST * 2.0 ** min(waits, 10))
    return longest * (0.5 + clock.chance() / 2)


def seconds_from(header: str | None) -> float | None:
    """Retry-After: seconds, or a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
