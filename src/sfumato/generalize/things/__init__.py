"""Laws, offences, medicines, works and other things."""

from sfumato.generalize.things.hierarchy import candidate_originals, levels

__all__ = ["candidate_originals", "levels"]
