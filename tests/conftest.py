"""What all tests share."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "default", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("default")


@pytest.fixture
def loop_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each document that the loop really went through."""
    from sfumato.protection.loop import Loop, Repaired

    seen: list[int] = []
    run = Loop.run

    def counted(self: Loop) -> Repaired:
        seen.append(1)
        return run(self)

    monkeypatch.setattr(Loop, "run", counted)
    return seen
