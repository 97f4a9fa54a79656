"""Correlations and the agreement of raters, by hand and by published figures."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from sfumato.errors import NotMeasurable
from sfumato.statistics import fleiss_kappa, pearson, spearman


def test_pearson_by_hand() -> None:
    # Deviations (-1.5, -.5, .5, 1.5) and (-1.5, .5, -.5, 1.5): 4 / 5. With two degrees of freedom p is 1 - |r|.
    correlation = pearson([1, 2, 3, 4], [1, 3, 2, 4])
    assert (correlation.value, correlation.p, correlation.n) == pytest.approx((0.8, 0.2, 4))
    # Fisher: artanh .8 = 1.0986, plus and minus 1.96 / sqrt(4 - 3).
    assert correlation.interval == pytest.approx((-0.6969, 0.9956), abs=1e-4)
    assert pearson([1, 2, 3], [3, 2, 1]).value == pytest.approx(-1.0)


def test_the_published_correlation_has_the_published_p() -> None:
    # Pilan et al. (2025), section 5.5: r = .864 over seven methods, p = .012. A line and a parabola are uncorrelated.
    line, parabola = np.array([-3, -2, -1, 0, 1, 2, 3]), np.array([5, 0, -3, -4, -3, 0, 5])
    mixed = 0.864 * line / sqrt(28) + sqrt(1 - 0.864**2) * parabola / sqrt(84)
    correlation = pearson(line.tolist(), mixed.tolist())
    assert correlation.value == pytest.approx(0.864)
    assert round(correlation.p, 3) == 0.012


def test_spearman_is_pearson_of_ranks() -> None:
    first, second = [1.0, 10.0, 10.0, 50.0, 70.0], [2.0, 1.0, 3.0, 5.0, 5.0]
    ranks = [1, 2.5, 2.5, 4, 5], [2, 1, 3, 4.5, 4.5]
    assert spearman(first, second).value == pytest.approx(pearson(*ranks).value)
    assert spearman(first, second).p == pytest.approx(pearson(*ranks).p)


def test_what_does_not_correlate_is_refused() -> None:
    with pytest.raises(NotMeasurable, match="three pairs"):
        pearson([1, 2], [2, 1])
    with pytest.raises(NotMeasurable, match="the same"):
        spearman([1, 2, 3], [5, 5, 5])
    with pytest.raises(ValueError, match="no pairs"):
        pearson([1, 2, 3], [1, 2])


FLEISS = [
    (0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0), (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7),
]  # fmt: skip
"""How many of 14 raters chose each of five categories, for ten items: a worked example of kappa = .210."""


def test_fleiss_kappa_of_the_worked_example() -> None:
    ratings = [[category for category, count in enumerate(item) for _ in range(count)] for item in FLEISS]
    kappa = fleiss_kappa(ratings)
    assert kappa.value == pytest.approx(0.210, abs=5e-4)
    assert kappa.interval[0] < kappa.value < kappa.interval[1]
    assert (kappa.n, kappa.settings) == (10, {"raters": 14, "categories": 5})


def test_fleiss_kappa_by_hand() -> None:
    # Three raters: agreement 1, 1/3; shares 4/6 and 2/6, so chance is 20/36. (2/3 - 5/9) / (1 - 5/9) = 1/4.
    assert fleiss_kappa(["yyy", "ynn"]).value == pytest.approx(0.25)
    assert fleiss_kappa(["yyy", "nnn"]).value == pytest.approx(1.0)


@pytest.mark.parametrize("ratings", [[], ["y", "n"], ["yy", "yyn"], ["yy", "yy"]])
def test_ratings_that_show_no_agreement_are_refused(ratings: list[str]) -> None:
    with pytest.raises(NotMeasurable):
        fleiss_kappa(ratings)
