"""Courts, ministries, hospitals, companies and the like."""

from sfumato.knowledge.ladders.organisations.guesses import originals
from sfumato.knowledge.ladders.organisations.ladder import rungs

__all__ = ["originals", "rungs"]
