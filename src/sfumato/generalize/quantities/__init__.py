"""Numbers, money, measures and counts."""

from sfumato.generalize.quantities.levels import originals, rungs

__all__ = ["originals", "rungs"]
