"""Times and dates."""

from sfumato.knowledge.ladders.dates.ladder import originals, rungs

__all__ = ["originals", "rungs"]
