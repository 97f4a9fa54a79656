"""Privacy and utility metrics: each takes originals and releases and returns a Score."""

from sfumato.metrics.base import Annotations, Metric, MetricInput, metric, require_edits
from sfumato.statistics import Estimate, mean, ratio, share, share_of_documents, wilson

__all__ = [
    "Annotations",
    "Estimate",
    "Metric",
    "MetricInput",
    "mean",
    "metric",
    "ratio",
    "require_edits",
    "share",
    "share_of_documents",
    "wilson",
]
