"""Buildings, cities, countries and parts of the world."""

from sfumato.generalize.places.hierarchy import levels, nationality, where
from sfumato.generalize.places.inversion import candidate_originals

__all__ = ["nationality", "candidate_originals", "levels", "where"]
