"""The arithmetic of DP-Fusion (Thareja et al., 2026): how far private spans may move the next token, and the epsilon.

At each token the model has a distribution Q without the private spans, and P with those of one group. What is sampled
is a mixture M = λ P + (1 - λ) Q with the largest λ for which both Rényi divergences of order α, D(M‖Q) and D(Q‖M), are
at most a bound. Both grow with λ, so λ is found by bisection.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import RecipeError

Floats = NDArray[np.float64]

_HALVINGS = 50
"""Of the range of λ: an error below 1e-15."""


def probabilities(scores: Floats, temperature: float = 1.0) -> Floats:
    """The softmax of log-probabilities at a temperature; an impossible token has -inf and stays impossible."""
    shifted = (scores - scores.max()) / temperature
    weights = np.exp(shifted)
    shares: Floats = weights / weights.sum()
    return shares


def symmetric_divergence(one: Floats, other: Floats, order: float) -> float:
    """The larger of the two Rényi divergences between distributions; ``order`` above 1, or infinite."""
    return max(_divergence(one, other, order), _divergence(other, one, order))


def _divergence(one: Floats, other: Floats, order: float) -> float:
    present = one > 0
    if (other[present] == 0).any():
        return inf
    first, second = np.log(one[present]), np.log(other[present])
    if order == inf:
        return max(0.0, float((first - second).max()))
    return max(0.0, _log_sum(order * first + (1 - order) * second) / (order - 1))


def _log_sum(logarithms: Floats) -> float:
    """ln Σ exp, without overflow."""
    largest = float(logarithms.max())
    return largest if largest == inf else largest + float(np.log(np.exp(logarithms - largest).sum()))


def find_share(private: Floats, public: Floats, order: float, bound: float) -> float:
    """The largest share λ of the private distribution that keeps the mixture within the bound of the public one.

    The divergence of what is returned is computed and within the bound, never only near it.
    """
    if (private[public == 0] > 0).any() or bound <= 0:
        return 0.0
    present = public > 0
    weights, ratios = np.log(public[present]), private[present] / public[present] - 1

    def is_within(share: float) -> bool:
        with np.errstate(divide="ignore"):
            changes = np.log1p(share * ratios)
        if order == inf:
            return bool(np.abs(changes).max() <= bound)
        limit = (order - 1) * bound
        return _log_sum(weights + order * changes) <= limit and _log_sum(weights + (1 - order) * changes) <= limit

    if is_within(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_within(middle) else (low, middle)
    return low


@dataclass(frozen=True, slots=True)
class FusionBudget:
    """What private spans may tell over all tokens of a paraphrase.

    ``bound`` limits the divergence between the mixture and what is sampled without the spans. Two values of a span
    are told apart through two such mixtures, M and M'. Bounds at one order alone do not add up at this order: both may
    be within it and D(M‖M') be as large as one likes. By the weak triangle inequality (Mironov, 2017), with the
    exponents that give the highest order, they do at a lower one:

        D of order α² / (2α - 1) between M and M' is at most (2α - 1) / (α - 1) × bound

    (for an infinite order: twice the bound). Tokens add up, and (ε, δ) follows as there.
    """

    order: float
    """α: above 1; infinite for an epsilon without δ."""
    bound: float
    """Of one token. The publication writes it αβ."""
    tokens: int
    """Sampled at most; fixed before anything is read."""
    delta: float = 0.0

    def __post_init__(self) -> None:
        if not self.order > 1:
            raise RecipeError(f"alpha is the order of a Rényi divergence, above 1 or inf; got {self.order}")
        if not (isfinite(self.bound) and self.bound >= 0):
            raise RecipeError(f"the bound of a token's divergence is a number from 0 on, got {self.bound}")
        if isinstance(self.tokens, bool) or not isinstance(self.tokens, int) or self.tokens < 1:
            raise RecipeError(f"tokens is a whole number from 1 on, got {self.tokens!r}")
        if self.order == inf and self.delta != 0:
            raise RecipeError("with alpha = inf epsilon needs no delta: leave it out")
        if self.order < inf and not 0 < self.delta < 1:
            raise RecipeError(
                f"no epsilon can be computed at the order {self.order:g} without a delta between 0 and 1, got "
                f"{self.delta}: give one far below 1 / documents, or alpha = inf, which needs none"
            )

    @classmethod
    def with_epsilon(cls, epsilon: float, order: float, tokens: int, delta: float = 0.0) -> FusionBudget:
        """The budget whose ``epsilon()`` for all spans, of one piece of text, is this one."""
        free = cls(order, 0.0, tokens, delta)
        left = epsilon - free.epsilon()
        if not (isfinite(epsilon) and left > 0):
            raise RecipeError(
                f"epsilon {epsilon} cannot be kept: at the order {order:g} delta {delta:g} alone takes "
                f"{free.epsilon():.4g}; give a larger epsilon, delta or alpha"
            )
        return cls(order, left / (tokens * free._widening), tokens, delta)

    @property
    def value_order(self) -> float:
        """The order at which two values are compared."""
        return inf if self.order == inf else self.order**2 / (2 * self.order - 1)

    @property
    def value_bound(self) -> float:
        """The divergence between the mixtures of two values, of one token."""
        return self._widening * self.bound

    @property
    def _widening(self) -> float:
        return 2.0 if self.order == inf else (2 * self.order - 1) / (self.order - 1)

    def epsilon(self, groups: int = 1, pieces: int = 1) -> float:
        """With δ, for any two values of one of ``groups`` groups of spans, which are mixed in equal parts.

        For the spans of all groups at once it is that of one group, the default.
        """
        step = shared_divergence(self.value_bound, self.value_order, groups)
        return pieces * self.tokens * step + self._conversion(self.value_order)

    def authors_epsilon(self, groups: int = 1, pieces: int = 1) -> float:
        """As the publication counts: 4β a token and group at the order α itself; infinite for an infinite order."""
        if self.order == inf:
            return inf
        step = shared_divergence(4 * self.bound / self.order, self.order, groups)
        return pieces * self.tokens * step + self._conversion(self.order)

    def _conversion(self, order: float) -> float:
        return 0.0 if order == inf else -log(self.delta) / (order - 1)


def shared_divergence(divergence: float, order: float, groups: int) -> float:
    """Of two means of ``groups`` distributions that differ in one of them, by so much.

    exp((order - 1) D) is jointly convex. At an infinite order it holds for mixtures of two values only: all of them are
    within half of the divergence of the public distribution, in both directions, which gives the same form.
    """
    factor = 1.0 if order == inf else order - 1
    # ln ((n - 1 + e^x) / n), which does not overflow
    return float(np.logaddexp(log(groups - 1) if groups > 1 else -inf, factor * divergence) - log(groups)) / factor
