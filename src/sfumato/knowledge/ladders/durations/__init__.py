"""Durations and ages."""

from sfumato.knowledge.ladders.durations.ladder import originals, rungs

__all__ = ["originals", "rungs"]
