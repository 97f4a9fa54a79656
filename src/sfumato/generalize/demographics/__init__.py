"""What people are: nationality, occupation, family, health."""

from sfumato.generalize.demographics.hierarchy import candidate_originals, levels

__all__ = ["candidate_originals", "levels"]
