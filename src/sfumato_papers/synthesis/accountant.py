"""The privacy accountant: the ε that DP-SGD has spent, and the noise that a given ε needs.

A step adds Gaussian noise to the sum of clipped gradients of a random batch, which each record joins by itself with the
same probability (Poisson sampling). Its Rényi divergence is that of the sampled Gaussian mechanism (Mironov et al.
2019): with r(z) = 1 - q + q exp((2z - 1) / 2σ²),

    RDP(α) = ln E[r(z)^α] / (α - 1),  z ~ N(0, σ²)

for data sets that differ in one record more or less. Steps add up, and (ε, δ) follows by Canonne et al. 2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, isfinite, log

import numpy as np
from scipy.special import gammaln, logsumexp

from sfumato.errors import RecipeError
from sfumato.models.base import Floats

ORDERS: tuple[float, ...] = (
    *(1 + step / 100 for step in range(1, 5)),
    *(1 + step / 20 for step in range(1, 41)),
    *(3 + step / 4 for step in range(1, 21)),
    *range(9, 65),
    *(72, 80, 96, 112, 128, 160, 192, 256, 384, 512),
)
"""The orders α that are tried; the best one counts. Near 1 for a large ε, large for a small one."""
LEAST_NOISE, MOST_NOISE = 0.05, 10_000.0
"""Noise multipliers that are searched."""
_TOLERANCE = 1e-4
"""Of the noise multiplier, relative: it is rounded up, so ε is never exceeded."""
_WIDTH = 20.0
"""Standard deviations on either side of where the integrand is large; beyond, it is below e^-200 of that."""


@dataclass(frozen=True)
class Sampling:
    """How records come into batches: the probability of each record in each step, and the number of steps."""

    rate: float
    steps: int

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise RecipeError(f"the sampling rate is above 0 and at most 1, got {self.rate}: batch / records")
        if self.steps < 1:
            raise RecipeError("ε needs at least one training step to be computed: raise the epochs")


def check_delta(delta: float | None, records: int) -> float:
    """δ, where it means something: above 0 and at most 1 / n."""
    if delta is None:
        raise RecipeError(f"a finite ε needs δ: give --delta, less than 1/n = {1 / records:.1e} for {records} records")
    if not 0 < delta <= 1 / records:
        raise RecipeError(
            f"δ = {delta:g} is not above 0 and at most 1/n = {1 / records:.1e} for {records} records: with a "
            "larger one a method may publish a whole record and still count as private"
        )
    return delta


def renyi_divergences(rate: float, noise: float, orders: Sequence[float] = ORDERS) -> Floats:
    """RDP of one step at each order; ``noise`` is the standard deviation as a multiple of the clipping norm."""
    alpha = np.asarray(orders, np.float64)
    if not noise > 0:
        return np.full(len(alpha), inf)
    if rate == 1:
        return alpha / (2 * noise * noise)
    whole = alpha == np.floor(alpha)
    log_moments = np.empty(len(alpha))
    if whole.any():
        log_moments[whole] = _binomial_log_moments(rate, noise, alpha[whole])
    if not whole.all():
        log_moments[~whole] = _integrated_log_moments(rate, noise, alpha[~whole])
    return np.maximum(0.0, log_moments) / (alpha - 1)


def _binomial_log_moments(rate: float, noise: float, orders: Floats) -> Floats:
    """ln E[r^α] for whole α: the binomial sum."""
    alpha = orders[:, None]
    k = np.arange(orders.max() + 1)[None, :]
    rest = np.maximum(alpha - k, 0)
    binomial = gammaln(alpha + 1) - gammaln(k + 1) - gammaln(rest + 1)
    terms = binomial + k * log(rate) + rest * np.log1p(-rate) + (k * k - k) / (2 * noise * noise)
    log_moments: Floats = logsumexp(np.where(k <= alpha, terms, -inf), axis=1)
    return log_moments


def _integrated_log_moments(rate: float, noise: float, orders: Floats) -> Floats:
    """ln E[r^α] for any α, by the trapezoid rule.

    It converges exponentially, as the integrand is analytic up to πσ² from the real line.
    """
    step = min(noise, noise * noise) / 8
    z = np.arange(-_WIDTH * noise, orders.max() + _WIDTH * noise, step)
    ratio = np.logaddexp(np.log1p(-rate), log(rate) + (2 * z - 1) / (2 * noise * noise))
    density = -z * z / (2 * noise * noise) - log(noise) - 0.5 * log(2 * np.pi)
    log_moments: Floats = logsumexp(density + orders[:, None] * ratio, axis=1) + log(step)
    return log_moments


def epsilon_at(divergence: float, order: float, delta: float) -> float:
    """The ε that an RDP of this order gives at δ (Canonne et al. 2020, proposition 12)."""
    return divergence + log((order - 1) / order) - (log(delta) + log(order)) / (order - 1)


def spent_epsilon(sampling: Sampling, noise: float, delta: float) -> float:
    """The ε after all steps, at the best order. Raises RecipeError where it cannot be computed."""
    if not 0 < delta < 1:
        raise RecipeError(f"δ lies between 0 and 1, got {delta:g}")
    divergences = sampling.steps * renyi_divergences(sampling.rate, noise)
    candidates = [
        epsilon_at(float(divergence), order, delta) for divergence, order in zip(divergences, ORDERS, strict=True)
    ]
    finite = [value for value in candidates if isfinite(value)]
    if not finite:
        raise RecipeError(
            f"no ε can be computed for a noise multiplier of {noise:g}: it must be a number above 0; without noise "
            "there is no bound, which --epsilon inf says"
        )
    return max(0.0, min(finite))


@cache
def find_noise(epsilon: float, delta: float, sampling: Sampling) -> float:
    """The least noise multiplier, to 4 digits and rounded up, with which all steps spend at most ε."""
    if not (isfinite(epsilon) and epsilon > 0):
        raise RecipeError(f"ε is a number above 0, got {epsilon}; --epsilon inf trains without noise")
    low, high = LEAST_NOISE, MOST_NOISE
    if spent_epsilon(sampling, high, delta) > epsilon:
        raise RecipeError(
            f"ε = {epsilon:g} at δ = {delta:g} needs a noise multiplier above {MOST_NOISE:,.0f} for {sampling.steps:,} "
            "steps: raise ε, or lower the epochs"
        )
    if spent_epsilon(sampling, low, delta) <= epsilon:
        return low
    while high / low > 1 + _TOLERANCE:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if spent_epsilon(sampling, middle, delta) <= epsilon else (middle, high)
    return high
