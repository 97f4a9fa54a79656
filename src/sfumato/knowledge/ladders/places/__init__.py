"""Buildings, cities, countries and parts of the world."""

from sfumato.knowledge.ladders.places.guesses import originals
from sfumato.knowledge.ladders.places.ladder import nationality, rungs, where

__all__ = ["nationality", "originals", "rungs", "where"]
