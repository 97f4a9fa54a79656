"""A fake clock: time passes only when somebody sleeps, or by a fixed step at each look."""

from __future__ import annotations

import threading
from collections.abc import Callable

from sfumato.llm.http import Clock


class FakeClock:
    """What was slept, and a Clock that it belongs to."""

    def __init__(self, step: float = 0.0, when: Callable[[int], None] | None = None) -> None:
        self.waits: list[float] = []
        self._now, self._step, self._when = 0.0, step, when
        self._lock = threading.Lock()
        self.clock = Clock(self._look, self._sleep, lambda: 1.0)

    def _look(self) -> float:
        with self._lock:
            self._now += self._step
            return self._now

    def _sleep(self, seconds: float) -> None:
        with self._lock:
            self.waits.append(seconds)
            self._now += seconds
        if self._when is not None:
            self._when(len(self.waits))
