"""Buildings, cities, countries and parts of the world."""

from sfumato.knowledge.ladders.places.ladder import nationality, originals, rungs, where

__all__ = ["nationality", "originals", "rungs", "where"]
