"""Whether two metrics go together, over methods and over documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sfumato.comparison.compare import Comparison
from sfumato.errors import NotMeasurable, UnknownName, suggest
from sfumato.metrics.run import select_metrics
from sfumato.statistics import Correlation, pearson


@dataclass(frozen=True)
class MetricCorrelation:
    """Pearson's r of two metrics, over methods and over the documents of each method that have a value of both."""

    first: str
    second: str
    over_methods: Correlation | None
    why_none: str
    """Why there is none over methods."""
    over_documents: Mapping[str, Correlation]

    @property
    def by_subject(self) -> dict[str, Correlation]:
        """Each correlation by what it is over."""
        over = {"methods": self.over_methods} if self.over_methods else {}
        return over | {f"documents of {key}": result for key, result in self.over_documents.items()}

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato compare --json`` prints it."""
        return {
            "metrics": [self.first, self.second],
            "over_methods": self.over_methods and self.over_methods._asdict(),
            "why_none": self.why_none,
            "over_documents": {method: found._asdict() for method, found in self.over_documents.items()},
        }


def check_correlated(pairs: Iterable[tuple[str, str]], metrics: Iterable[str] | None) -> None:
    """Raises where one of the metrics will not be measured; before hours are spent on the others."""
    measured = select_metrics(metrics)
    for name in (name for pair in pairs for name in pair):
        if name not in measured:
            raise UnknownName(f"--correlate {name}: is not measured; {suggest(name, measured)}")


def correlate(comparison: Comparison, first: str, second: str) -> MetricCorrelation:
    """How two metrics go together: r, p and interval."""
    both = {
        method: (measurement.scores[first], measurement.scores[second])
        for method, measurement in comparison.measurements.items()
        if first in measurement.scores and second in measurement.scores
    }
    over_methods, why_none = None, ""
    try:
        over_methods = pearson([score.value for score, _ in both.values()], [score.value for _, score in both.values()])
    except NotMeasurable as reason:
        why_none = str(reason)
    over_documents: dict[str, Correlation] = {}
    for method, scores in both.items():
        one, other = (score.per_document for score in scores)
        shared = [key for key in one if key in other]
        with suppress(NotMeasurable):
            over_documents[method] = pearson([one[key] for key in shared], [other[key] for key in shared])
    return MetricCorrelation(first, second, over_methods, why_none, over_documents)
