"""How private, how useful? Every metric takes originals and releases, and returns a Score."""

from sfumato.metrics.base import Annotations, Material, Metric, edited, metric
from sfumato.statistics import Estimate, mean, ratio, share, share_of_documents, wilson

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
