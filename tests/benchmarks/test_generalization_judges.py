"""The benchmark's own statistics against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.generalization_judges import _agreement, _auc, _kappa, estimates
from sklearn.metrics import cohen_kappa_score, roc_auc_score

HUMAN = np.array([True, True, False, True, False, False, True, False])
SCORES = np.array([0.9, 0.4, 0.4, 0.8, 0.1, 0.7, 0.6, 0.3])


def test_agreement_kappa_and_auc_are_the_known_ones() -> None:
    assert _agreement(HUMAN, SCORES, 0.5) == 0.75
    assert _kappa(HUMAN, SCORES, 0.5) == pytest.approx(cohen_kappa_score(HUMAN, SCORES >= 0.5))
    assert _auc(HUMAN, SCORES, 0.5) == pytest.approx(roc_auc_score(HUMAN, SCORES))


def test_what_is_not_defined_is_no_number() -> None:
    ones = np.ones(4)
    assert _auc(HUMAN[:4], ones, 0.5) is None
    assert _auc(np.array([True, True]), np.array([0.1, 0.2]), 0.5) is None
    assert _kappa(np.array([True, True]), np.array([0.9, 0.8]), 0.5) is None


def test_intervals_hold_their_value() -> None:
    for shown in estimates(HUMAN, SCORES, 0.5, list("aabbccdd")):
        value, low, high = (float(part) for part in shown.replace("(", "").replace(")", "").replace("–", " ").split())
        assert low <= value <= high
