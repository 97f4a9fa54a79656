"""What people are: nationality, occupation, family, health."""

from sfumato.knowledge.ladders.demographics.ladder import originals, rungs

__all__ = ["originals", "rungs"]
