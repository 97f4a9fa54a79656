"""Times and dates."""

from sfumato.generalize.dates.inversion import originals
from sfumato.generalize.dates.levels import rungs

__all__ = ["originals", "rungs"]
