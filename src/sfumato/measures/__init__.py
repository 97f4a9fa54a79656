"""How private, how useful? Every metric takes originals and releases, and returns a Score."""

from sfumato.measures.base import Annotations, Material, Metric, edited, metric
from sfumato.measures.intervals import Estimate, mean, ratio, share, wilson

__all__ = ["Annotations", "Estimate", "Material", "Metric", "edited", "mean", "metric", "ratio", "share", "wilson"]
