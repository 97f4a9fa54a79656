"""Courts, ministries, hospitals, companies and the like."""

from sfumato.generalize.organisations.inversion import originals
from sfumato.generalize.organisations.levels import rungs

__all__ = ["originals", "rungs"]
