"""Methods side by side on one corpus: how private, how useful."""

from sfumato.comparison.compare import FIELDS, Comparison, compare_methods
from sfumato.comparison.methods import Methods

__all__ = ["FIELDS", "Comparison", "Methods", "compare_methods"]
