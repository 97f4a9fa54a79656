"""The exponential mechanism over a vocabulary: which token comes next, and what that tells about the text before it.

A token v after a document x has the utility u(x, v) = the model's ln p(v | x), clipped to [low, high]. Two documents,
however different, change the utility of a token by high - low at most: that is its sensitivity, whatever the model is
and although the clipped scores no longer sum to one. Drawing v with probability proportional to
exp(u(x, v) / temperature) is the exponential mechanism, which keeps

    epsilon = 2 (high - low) / temperature

for each token drawn (paper 004; the 2 pays for the normalization, which depends on x as well). It holds for drawing
from the whole vocabulary only: a token left out because it is unlikely after x tells something about x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import RecipeError


@dataclass(frozen=True, slots=True)
class Exponential:
    """Bounds of the scores, and the temperature."""

    low: float
    high: float
    temperature: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise RecipeError(f"low must lie below high, and both be finite: got {self.low} and {self.high}")
        if not (np.isfinite(self.temperature) and self.temperature > 0):
            raise RecipeError(f"the temperature must be above 0, got {self.temperature}")

    @classmethod
    def keeping(cls, epsilon: float, low: float, high: float) -> Exponential:
        """The mechanism that keeps an epsilon for each token."""
        if not (np.isfinite(epsilon) and epsilon > 0):
            raise RecipeError(f"epsilon must be above 0, got {epsilon}")
        return cls(low, high, 2 * (high - low) / epsilon)

    @property
    def epsilon(self) -> float:
        """What one token may tell."""
        return 2 * (self.high - self.low) / self.temperature

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """How likely each token is drawn, by its clipped score. Each has some chance."""
        clipped = np.clip(scores, self.low, self.high)
        # Shifted by the largest, which cancels: else exp overflows at low temperatures.
        weights = np.exp((clipped - clipped.max()) / self.temperature)
        shares: NDArray[np.float64] = weights / weights.sum()
        return shares

    def draw(self, scores: NDArray[np.float64], chance: float) -> int:
        """The place of the token drawn; ``chance`` is uniform in [0, 1)."""
        heights = np.cumsum(self.probabilities(scores))
        return min(int(np.searchsorted(heights, chance * heights[-1], side="right")), len(heights) - 1)
