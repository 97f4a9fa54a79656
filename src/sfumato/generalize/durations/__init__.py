"""Generalization hierarchy of durations and ages."""

from sfumato.generalize.durations.hierarchy import candidate_originals, levels

__all__ = ["candidate_originals", "levels"]
