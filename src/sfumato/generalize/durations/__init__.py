"""Durations and ages."""

from sfumato.generalize.durations.hierarchy import candidate_originals, known_originals, levels

__all__ = ["known_originals", "candidate_originals", "levels"]
