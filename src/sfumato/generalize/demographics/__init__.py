"""What people are: nationality, occupation, family, health."""

from sfumato.generalize.demographics.levels import originals, rungs

__all__ = ["originals", "rungs"]
