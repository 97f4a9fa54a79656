"""The figures of ``benchmarks/judges.py``, on judges whose answers are known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks import judges
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.llm.usage import Usage


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judges, "RESAMPLES", 50)


def test_samples_keep_the_shares_of_their_strata() -> None:
    items = [(stratum, number) for stratum, size in (("a", 600), ("b", 300), ("c", 100)) for number in range(size)]
    drawn = judges.stratified(items, lambda item: item[0], 100, seed=3)
    assert Counter(stratum for stratum, _ in drawn) == {"a": 60, "b": 30, "c": 10}
    assert len(set(drawn)) == 100
    assert drawn == judges.stratified(items, lambda item: item[0], 100, seed=3)
    assert drawn != judges.stratified(items, lambda item: item[0], 100, seed=4)
    assert sorted(judges.stratified(items, lambda item: item[0], 5000, seed=0)) == sorted(items)


def test_kappa_and_rank_correlation_by_hand() -> None:
    human, said = np.array([1.0, 1, 0, 0, 1]), np.array([1.0, 0, 0, 0, 1])
    # Observed .8; expected .6 * .4 + .4 * .6 = .48.
    assert judges.kappa(human, said) == pytest.approx((0.8 - 0.48) / 0.52)
    assert judges.correlation(human, said) == pytest.approx(np.corrcoef(human, said)[0, 1])
    assert judges.kappa(np.ones(3), np.ones(3)) is None
    assert judges.correlation(np.ones(3), np.array([0.0, 1, 1])) is None


def test_a_row_counts_what_was_read() -> None:
    groups = ["x", "x", "y", "y", "z", "z"]
    row = judges.row("d", "q", "j", groups, [1.0, 0.5, 0, 0, 1, 1], [1.0, 0.5, 0, None, 1, 0], Usage(requests=7))
    assert (row.n, row.unread, row.agreement) == (5, 1, 0.8)
    assert row.kappa is not None
    assert row.kappa[1] <= row.kappa[0] <= row.kappa[2]
    nothing = judges.row("d", "q", "j", ["x"], [1.0], [None], Usage())
    assert (nothing.n, nothing.agreement, nothing.kappa, nothing.spearman) == (0, None, None, None)
    assert "| d | q | j | 0 | 1 | - | - | - | - | - |" in judges.table([row, nothing])
    assert json.loads(json.dumps(judges.as_json(row)))["usage"]["requests"] == 7


def test_a_judge_that_says_what_people_said_agrees(tmp_path: Path) -> None:
    guesses = ["baker", "nurse", "shopkeeper"]
    profiles = [
        {
            "username": f"u{number}",
            "reviews": {"human_evaluated": {"occupation": {"estimate": f"trade {number}"}, "income_level": {}}},
            "predictions": {"m": {"occupation": {"guess": guesses}}},
            "evaluations": {"m": {"human_evaluated": {"occupation": [1, 0, 0.5], "income_level": [1]}}},
        }
        for number in range(5)
    ]
    path = tmp_path / "profiles.jsonl"
    path.write_text("\n".join(map(json.dumps, profiles)), encoding="utf-8")

    def says(request: Request) -> str:
        (guess,) = (word for word in guesses if f"guess: {word}" in request.messages[-1].text)
        return json.dumps({"scores": [{"baker": 1, "nurse": 0, "shopkeeper": 0.5}[guess]]})

    rows = {
        (attribute.judge, attribute.question): attribute
        for attribute in judges.attributes(path, ScriptedChat(says), 15, 0)
    }
    assert rows["chat", "1, 0.5 or 0"].n == 15
    assert rows["chat", "1, 0.5 or 0"].kappa == (1.0, 1.0, 1.0)
    assert rows["chat", "right or not"].spearman == (1.0, 1.0, 1.0)
    assert rows["rules", "right or not"].agreement == pytest.approx(10 / 15)
    assert rows["rules", "right or not"].usage.requests == 0
