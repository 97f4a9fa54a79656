"""Killed at random moments and while publishing, a run ends with the same bytes. ``benchmarks.kills`` does it often."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.kills import run


def test_a_killed_run_ends_with_the_same_bytes(tmp_path: Path) -> None:
    counts = run(tmp_path, random_kills=2, publishing_kills=2, documents=30, seed=1)
    assert sum(counts.kills.values()) == 4
    assert counts.differences == []


@pytest.mark.deep
def test_a_run_that_is_killed_many_times_ends_with_the_same_bytes(tmp_path: Path) -> None:
    counts = run(tmp_path, random_kills=30, publishing_kills=15, documents=300, seed=2)
    assert sum(counts.kills.values()) == 45
    assert counts.differences == []
