"""Generalization hierarchy of dates and times."""

from sfumato.generalize.dates.guesses import candidate_originals
from sfumato.generalize.dates.hierarchy import levels

__all__ = ["candidate_originals", "levels"]
