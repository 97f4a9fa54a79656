"""Generalization hierarchy of numbers, money, measures and counts."""

from sfumato.generalize.quantities.guesses import candidate_originals
from sfumato.generalize.quantities.hierarchy import levels

__all__ = ["candidate_originals", "levels"]
