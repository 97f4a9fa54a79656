"""Durations and ages."""

from sfumato.knowledge.ladders.durations.ladder import known_originals, originals, rungs

__all__ = ["known_originals", "originals", "rungs"]
