"""Privacy and utility metrics: each takes originals and releases and returns a Score."""

from sfumato.metrics.base import Annotations, Metric, MetricInput, metric, require_edits

__all__ = ["Annotations", "Metric", "MetricInput", "metric", "require_edits"]
