"""Courts, ministries, hospitals, companies and the like."""

from sfumato.generalize.organisations.hierarchy import levels
from sfumato.generalize.organisations.inversion import candidate_originals

__all__ = ["candidate_originals", "levels"]
