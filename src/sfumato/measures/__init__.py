"""How private, how useful? Every metric takes originals and releases, and returns a Score."""

from sfumato.intervals import Estimate, mean, ratio, share, share_of_documents, wilson
from sfumato.measures.base import Annotations, Material, Metric, edited, metric

__all__ = [
    "Annotations",
    "Estimate",
    "Material",
    "Metric",
    "edited",
    "mean",
    "metric",
    "ratio",
    "share",
    "share_of_documents",
    "wilson",
]
