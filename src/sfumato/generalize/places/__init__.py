"""Places: buildings, cities, countries and parts of the world."""

from sfumato.generalize.places.guesses import candidate_originals
from sfumato.generalize.places.hierarchy import (
    is_nationality,
    is_ruled_out,
    levels,
    nationality_levels,
    surrounding_areas,
)

__all__ = ["candidate_originals", "is_nationality", "is_ruled_out", "levels", "nationality_levels", "surrounding_areas"]
