"""Laws, offences, medicines, works and other things."""

from sfumato.knowledge.ladders.things.ladder import originals, rungs

__all__ = ["originals", "rungs"]
