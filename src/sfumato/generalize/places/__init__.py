"""Places: buildings, cities, countries and parts of the world."""

from sfumato.generalize.places.hierarchy import levels, nationality_levels, surrounding_areas
from sfumato.generalize.places.inversion import candidate_originals

__all__ = ["candidate_originals", "levels", "nationality_levels", "surrounding_areas"]
