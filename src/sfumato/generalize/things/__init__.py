"""Laws, offences, medicines, works and other things."""

from sfumato.generalize.things.levels import originals, rungs

__all__ = ["originals", "rungs"]
