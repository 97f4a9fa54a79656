"""How the clinical classifier's cases are labelled and its scores are counted."""

from __future__ import annotations

import numpy as np
import pytest
from training.classifier.train import calibration_error, rarity_of, scores


def test_scores_by_hand() -> None:
    logits = np.array([[3.0, 2, 1, 0], [0, 3, 2, 1], [3, 2, 1, 0], [0, 1, 2, 3]])
    scored = scores(logits, np.array([0, 1, 1, 0]))
    assert (scored["n"], scored["accuracy"], scored["first_three"], scored["per_chapter_mean"]) == (4, 0.5, 0.75, 0.5)


def test_calibration_error_by_hand() -> None:
    chances = np.array([[0.95, 0.05], [0.95, 0.05], [0.35, 0.65], [0.45, 0.55]])
    # .9 to 1: two of .95, one right. .6 to .7: .65, right. .5 to .6: .55, wrong.
    assert calibration_error(chances, np.array([0, 1, 1, 0])) == pytest.approx((0.9 + 0.35 + 0.55) / 4)


def test_rare_stretches_weigh_more() -> None:
    weights = rarity_of(["fever fever", "fever", "cough"])
    seen = np.unique(weights[weights > 0].round(6))
    assert seen.tolist() == pytest.approx([np.log(4 / 3) + 1, np.log(2) + 1])


@pytest.mark.extras
def test_diagnoses_are_looked_up_in_the_code_book() -> None:
    pytest.importorskip("simple_icd_10_cm")
    from training.classifier.cases import chapters, look_up

    assert len(chapters()) == 18
    assert look_up("Myasthenia gravis") == ("6", "G70")
    assert look_up("Steven-Johnson syndrome") == ("12", "L51")
    assert look_up("Congenital Rubella Infection") == ("16", "P35")
    assert look_up("Pneumonia")[0] == "10"  # type: ignore[index]
    assert look_up("Normal behavior") is None
