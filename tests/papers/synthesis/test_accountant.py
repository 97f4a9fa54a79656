"""The ε of DP-SGD: published values, a series and an exact computation that share nothing with the accountant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr

from sfumato.errors import RecipeError
from sfumato_papers.synthesis.accountant import (
    ORDERS,
    Sampling,
    check_delta,
    epsilon_at,
    find_noise,
    renyi_divergences,
    spent_epsilon,
)

EPSILONS = (3.0, 8.0, 16.0, 64.0, 512.0, 1024.0)
"""Those of Xin et al. (2025)."""


def divergence(rate: float, noise: float, order: float) -> float:
    return float(renyi_divergences(rate, noise, [order])[0])


def test_published_values_of_another_accountant() -> None:
    """TensorFlow Privacy's own tests have these."""
    assert 10 * divergence(0.1, 2, 5) == pytest.approx(0.07737, abs=1e-5)
    found = 50 * renyi_divergences(0.01, 2.5, [1.5, 2.5, 5, 50, 100])
    assert found == pytest.approx([0.00065, 0.001085, 0.00218075, 0.023846, 167.416307], abs=1e-5)
    assert divergence(1, 10, 20) == pytest.approx(0.1)


def test_published_epsilons_by_the_older_conversion() -> None:
    """Theirs at order α is RDP + ln(1/δ) / (α - 1); ours is never larger."""
    rdp = 10_000 * renyi_divergences(0.01, 4, range(2, 33))
    older = [value - math.log(1e-5) / (order - 1) for order, value in zip(range(2, 33), rdp, strict=True)]
    assert min(older) == pytest.approx(1.258575, abs=1e-5)
    assert older.index(min(older)) + 2 == 20
    assert spent_epsilon(Sampling(0.01, 10_000), 4, 1e-5) < min(older)
    orders = (1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
    both = 40_000 * renyi_divergences(1e-4, 0.4, orders) + 100 * renyi_divergences(0.1, 2, orders)
    older = [value - math.log(1e-5) / (order - 1) for order, value in zip(orders, both, strict=True)]
    assert min(older) == pytest.approx(8.509656, abs=1e-5)


def series(rate: float, noise: float, order: float) -> float:
    """RDP of a fractional order by the two alternating series of Mironov et al. (2019), section 3.3."""
    middle = noise**2 * math.log(1 / rate - 1) + 0.5
    logs, signs = [], []
    log_binomial, sign = 0.0, 1.0
    for i in range(3000):
        j = order - i
        left = log_binomial + i * math.log(rate) + j * math.log1p(-rate) + (i * i - i) / (2 * noise**2)
        right = log_binomial + j * math.log(rate) + i * math.log1p(-rate) + (j * j - j) / (2 * noise**2)
        logs += [left + log_ndtr((middle - i) / noise), right + log_ndtr((j - middle) / noise)]
        signs += [sign, sign]
        log_binomial += math.log(abs(order - i)) - math.log(i + 1)
        sign *= math.copysign(1, order - i)
    top = max(logs)
    total = sum(s * math.exp(value - top) for s, value in zip(signs, logs, strict=True))
    return float(top + math.log(total)) / (order - 1)


@pytest.mark.parametrize("rate", [0.001, 0.02, 0.3])
@pytest.mark.parametrize("noise", [0.15, 0.7, 2.0, 8.0])
def test_fractional_orders_agree_with_the_series(rate: float, noise: float) -> None:
    for order in (1.25, 2.5, 6.75):
        assert divergence(rate, noise, order) == pytest.approx(series(rate, noise, order), rel=1e-5, abs=1e-10)


def test_whole_orders_agree_with_the_integral_beside_them() -> None:
    """The binomial sum and the integral are two computations of one function, which is continuous."""
    for rate, noise in ((0.01, 0.5), (0.1, 1.0), (0.5, 4.0)):
        for order in (2, 3, 7):
            near = divergence(rate, noise, order + 1e-7)
            assert divergence(rate, noise, order) == pytest.approx(near, rel=1e-5)


def exact_delta(rate: float, noise: float, steps: int, epsilon: float, *, removed: bool) -> float:
    """δ at ε by the distribution of the privacy loss, composed by Fourier transforms (Koskela et al. 2020).

    ``removed``: the record is in the first data set and not in the second, else the other way round.
    """
    points, width = 1 << 19, 40.0
    step = 2 * width / points
    grid = (np.arange(points) - points // 2) * step

    def below(loss: Any) -> Any:
        """Probability under the first data set of a privacy loss of at most this."""
        ratio = np.exp(loss if removed else -loss)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = noise**2 * np.log((ratio - (1 - rate)) / rate) + 0.5
        z = np.where(ratio <= 1 - rate, -np.inf, z)
        if removed:  # r(z) <= e^loss, z from the mixture
            return (1 - rate) * ndtr(z / noise) + rate * ndtr((z - 1) / noise)
        return 1 - ndtr(z / noise)  # r(z) >= e^-loss, z from the plain Gaussian

    masses = np.clip(np.diff(below(np.append(grid - step / 2, grid[-1] + step / 2))), 0, None)
    composed = np.fft.irfft(np.fft.rfft(np.fft.ifftshift(masses)) ** steps, points)
    composed = np.clip(np.fft.fftshift(composed), 0, None)
    return float((composed * np.clip(-np.expm1(epsilon - grid), 0, None)).sum())


def test_the_exact_computation_is_the_closed_form_of_the_gaussian_mechanism() -> None:
    """Without sampling, δ = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ) with μ = √T / σ (Balle and Wang 2018)."""
    epsilon, mu = 2.0, math.sqrt(50) / 10
    closed = ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
    for removed in (True, False):
        assert exact_delta(1.0, 10.0, 50, epsilon, removed=removed) == pytest.approx(closed, rel=1e-3)


@pytest.mark.parametrize(
    ("rate", "noise", "steps"), [(0.01, 4.0, 1000), (0.05, 1.0, 200), (0.2, 1.5, 50), (0.02, 0.7, 100)]
)
def test_the_epsilon_spent_bounds_the_exact_delta_and_is_near_it(rate: float, noise: float, steps: int) -> None:
    delta = 1e-5
    epsilon = spent_epsilon(Sampling(rate, steps), noise, delta)
    for removed in (True, False):
        assert exact_delta(rate, noise, steps, epsilon, removed=removed) <= delta
    assert exact_delta(rate, noise, steps, 0.7 * epsilon, removed=True) > delta


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_noise_spends_what_was_asked_for_and_not_more(epsilon: float) -> None:
    sampling = Sampling(0.05, 400)
    noise = find_noise(epsilon, 1e-5, sampling)
    assert 0.995 * epsilon < spent_epsilon(sampling, noise, 1e-5) <= epsilon


def test_more_steps_more_records_and_less_noise_spend_more() -> None:
    base = spent_epsilon(Sampling(0.05, 100), 1.0, 1e-5)
    assert spent_epsilon(Sampling(0.05, 200), 1.0, 1e-5) > base
    assert spent_epsilon(Sampling(0.1, 100), 1.0, 1e-5) > base
    assert spent_epsilon(Sampling(0.05, 100), 0.9, 1e-5) > base
    assert spent_epsilon(Sampling(0.05, 100), 1.0, 1e-6) > base


def test_the_conversion_by_hand() -> None:
    """α = 2, RDP 1, δ = e^-4: 1 + ln(1/2) + 4 - ln 2."""
    assert epsilon_at(1.0, 2, math.exp(-4)) == pytest.approx(5 - 2 * math.log(2))
    assert sorted(set(ORDERS)) == list(ORDERS)


def test_delta_is_checked_against_the_number_of_records() -> None:
    assert check_delta(0.01, 100) == 0.01
    with pytest.raises(RecipeError, match=r"a finite ε needs δ: give --delta, less than 1/n = 1.0e-02 for 100 records"):
        check_delta(None, 100)
    for wrong in (0.0, -1.0, 0.011, float("nan")):
        with pytest.raises(RecipeError, match="is not above 0 and at most 1/n"):
            check_delta(wrong, 100)


def test_what_cannot_be_computed_is_refused() -> None:
    with pytest.raises(RecipeError, match="no ε can be computed for a noise multiplier of 0"):
        spent_epsilon(Sampling(0.1, 10), 0.0, 1e-5)
    with pytest.raises(RecipeError, match="no ε can be computed for a noise multiplier of nan"):
        spent_epsilon(Sampling(0.1, 10), float("nan"), 1e-5)
    with pytest.raises(RecipeError, match=r"sampling rate is above 0 and at most 1, got 1.5"):
        Sampling(1.5, 10)
    with pytest.raises(RecipeError, match="at least one training step"):
        Sampling(0.5, 0)
    with pytest.raises(RecipeError, match="ε is a number above 0, got 0"):
        find_noise(0.0, 1e-5, Sampling(0.1, 10))
    with pytest.raises(RecipeError, match="needs a noise multiplier above 10,000"):
        find_noise(1e-6, 1e-5, Sampling(0.1, 10))
