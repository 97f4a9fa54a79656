"""Courts, ministries, hospitals, companies and the like."""

from sfumato.knowledge.ladders.organisations.ladder import originals, rungs

__all__ = ["originals", "rungs"]
