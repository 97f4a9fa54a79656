"""Samples are added up to the time of each function, the warm-up and what only passes on left out."""

from __future__ import annotations

import pytest
from benchmarks.recipe_profile import RATE, add_up

CHILD = "<module> (recipe_speed.py:9);run_child (recipe_speed.py:8);pipeline_seconds (recipe_speed.py:7)"
TIMED = f"{CHILD};timed (recipe_speed.py:6)"
SAMPLES = [
    f"{CHILD};find (sfumato/rules.py:1) 500",  # before what is timed
    f"{TIMED};go (sfumato/pipeline.py:2);detect (sfumato/rules.py:4);find (sfumato/rules.py:1) 30",
    f"{TIMED};go (sfumato/pipeline.py:3);detect (sfumato/rules.py:4);find (sfumato/rules.py:2) 30",
    f"{TIMED};go (sfumato/pipeline.py:3);replace (sfumato/replace.py:4) 40",
    "_bootstrap (threading.py:1);_run (sfumato/detectors/tagger.py:3) 50",
]  # fmt: skip


def test_each_function_has_the_time_of_what_it_calls() -> None:
    profile = add_up(SAMPLES)
    assert profile.total == pytest.approx(100 / RATE)
    assert profile.telling == pytest.approx(
        {
            "find (sfumato/rules.py)": 60 / RATE,  # detect only passes on, and go is all there is
            "replace (sfumato/replace.py)": 40 / RATE,
            "(the tagger's network, in its own threads)": 50 / RATE,
        }
    )
    assert profile.seconds["detect (sfumato/rules.py)"] == pytest.approx(60 / RATE)
