"""Methods side by side on one corpus: how private, how useful."""

from sfumato.comparison.compare import Comparison, compare_methods
from sfumato.comparison.methods import Methods

__all__ = ["Comparison", "Methods", "compare_methods"]
