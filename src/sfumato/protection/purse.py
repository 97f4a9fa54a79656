"""What the loop may spend: information, a little for every change, and what a sentence suffers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.protection.loss import Loss
from sfumato.protection.text import WorkingText

Floats = NDArray[np.float64]

_SENTENCE = 2.0
"""In mean terms: what it costs to take a function word out of its sentence, of which TPS knows nothing."""
_ROUNDING = 1e-9
"""Of a budget."""


class Purse:
    """Prices of repairs, and the budget; None: as much as it takes."""

    def __init__(self, text: WorkingText, loss: Loss, budget: float | None) -> None:
        self._text, self._loss, self.budget = text, loss, budget
        self._sentence = np.array([_SENTENCE * loss.mean * place.empty for place in text.places])

    @property
    def left(self) -> float:
        """What may still be lost."""
        return (1.0 if self.budget is None else self.budget) - self._loss.lost

    @property
    def is_overdrawn(self) -> bool:
        """Whether more was lost than may be, as it was settled last."""
        return self.budget is not None and self.left < -_ROUNDING

    def at_stake(self) -> Floats:
        """By place, what it would cost to suppress it now."""
        stake: Floats = self._loss.at_stake(self._text.starts, self._text.ends) + self._sentence
        return stake

    def cost(self, places: Sequence[int]) -> float:
        """What it takes to let places say their next wording."""
        return self.information(places) + self._loss.least * len(places) + float(self._sentence[list(places)].sum())

    def information(self, places: Sequence[int]) -> float:
        """Of the cost what is information."""
        return self._loss.cost([offer.edit for number in places if (offer := self._text.next_offer(number))])

    def can_afford(self, places: Sequence[int]) -> bool:
        return self.budget is None or self.spent(places) <= self.left + _ROUNDING

    def spent(self, places: Sequence[int]) -> float:
        """What counts against the budget: a function word as much as a mean term."""
        return self.information(places) + float(self._sentence[list(places)].sum()) / _SENTENCE
