"""Buildings, cities, countries and parts of the world."""

from sfumato.generalize.places.inversion import originals
from sfumato.generalize.places.levels import nationality, rungs, where

__all__ = ["nationality", "originals", "rungs", "where"]
