"""Numbers, money, measures and counts."""

from sfumato.knowledge.ladders.quantities.ladder import originals, rungs

__all__ = ["originals", "rungs"]
