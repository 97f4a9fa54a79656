"""Methods side by side on one corpus: how private, how useful."""

from sfumato.comparison.compare import compare_methods
from sfumato.comparison.methods import Methods
from sfumato.comparison.result import FIELDS, Comparison

__all__ = ["FIELDS", "Comparison", "Methods", "compare_methods"]
