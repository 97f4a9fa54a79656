"""Generalization hierarchy of numbers, money, measures and counts."""

from sfumato.generalize.quantities.hierarchy import candidate_originals, levels

__all__ = ["candidate_originals", "levels"]
