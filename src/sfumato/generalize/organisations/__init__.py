"""Courts, ministries, hospitals, companies and the like."""

from sfumato.generalize.organisations.guesses import candidate_originals
from sfumato.generalize.organisations.hierarchy import levels

__all__ = ["candidate_originals", "levels"]
