"""Generalization hierarchy of dates and times."""

from sfumato.generalize.dates.hierarchy import levels
from sfumato.generalize.dates.inversion import candidate_originals

__all__ = ["candidate_originals", "levels"]
