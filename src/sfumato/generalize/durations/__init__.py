"""Durations and ages."""

from sfumato.generalize.durations.levels import known_originals, originals, rungs

__all__ = ["known_originals", "originals", "rungs"]
