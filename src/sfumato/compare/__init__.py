"""Methods side by side on one corpus: how private, how useful."""

from sfumato.compare.compare import FIELDS, Comparison, compare_methods
from sfumato.compare.methods import Methods

__all__ = ["FIELDS", "Comparison", "Methods", "compare_methods"]
