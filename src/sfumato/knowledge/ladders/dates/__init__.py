"""Times and dates."""

from sfumato.knowledge.ladders.dates.guesses import originals
from sfumato.knowledge.ladders.dates.ladder import rungs

__all__ = ["originals", "rungs"]
