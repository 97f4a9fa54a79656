"""Scores of releases, and what tables and pages say of several measurements together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.document import Score
from sfumato.errors import Problem
from sfumato.metrics.adversaries import AdversaryComparison
from sfumato.metrics.base import BY_TYPE, MODELS, ShownRecord, figure

FIELDS = ("family", "metric", "value", "low", "high", "n", "higher_is_better", "settings")


@dataclass(frozen=True)
class Measurement:
    """Scores of one set of releases, and the reason why each other metric was refused."""

    scores: Mapping[str, Score]
    refused: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    families: Mapping[str, str] = field(default_factory=dict)
    records: tuple[ShownRecord, ...] = field(default=(), repr=False)
    """Documents with their matches by the claims attack, where they were asked for. They hold original text."""
    adversaries: Mapping[str, AdversaryComparison] = field(default_factory=dict)
    """By metric, where several adversaries were asked."""

    def rows(self, name: str) -> Iterator[tuple[object, ...]]:
        """A table of all figures, its columns as in ``FIELDS`` behind the name of what was measured."""
        for metric, score in self.scores.items():
            figures = (score.value, *score.interval, score.n, str(score.higher_is_better).lower())
            yield name, self.families[metric], metric, *figures, dict(score.settings)

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato measure --json`` prints it."""
        extra: dict[str, Any] = {"records": [record.to_json() for record in self.records]} if self.records else {}
        if self.adversaries:
            extra["adversaries"] = {name: compared.to_json() for name, compared in self.adversaries.items()}
        return extra | {
            "metrics": {
                name: figure(score) | {"higher_is_better": score.higher_is_better, "settings": dict(score.settings)}
                for name, score in self.scores.items()
            },
            "refused": dict(self.refused),
            "cost": {name: dict(score.cost) for name, score in self.scores.items()},
            "problems": [str(problem) for problem in self.problems],
        }


def by_family(measured: Iterable[Measurement]) -> dict[str, list[str]]:
    """The names of all metrics with a score, by family."""
    families: dict[str, dict[str, None]] = defaultdict(dict)
    for measurement in measured:
        for name in measurement.scores:
            families[measurement.families[name]][name] = None
    return {family: list(names) for family, names in sorted(families.items())}


def tables_by_type(measured: Mapping[str, Measurement]) -> dict[str, dict[str, Mapping[str, Any]]]:
    """By metric, then by release: the tables by type of entity that scores carry in their settings."""
    tables: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for release, measurement in measured.items():
        for name, score in measurement.scores.items():
            if BY_TYPE in score.settings:
                tables[name][release] = score.settings[BY_TYPE]
    return tables


def models_of(measured: Iterable[Measurement]) -> dict[str, list[str]]:
    """The names of the models that judged, by kind."""
    models: dict[str, dict[str, None]] = defaultdict(dict)
    for score in (score for measurement in measured for score in measurement.scores.values()):
        for kind in MODELS:
            if name := score.settings.get(kind):
                models[kind][name] = None
    return {kind: list(names) for kind, names in models.items()}


def by_reason(measured: Mapping[str, Measurement]) -> dict[str, dict[str, list[str]]]:
    """By reason, because most often one thing is missing for many metrics: those refused, and of which releases."""
    reasons: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for release, measurement in measured.items():
        for name, reason in measurement.refused.items():
            reasons[reason][name].append(release)
    return reasons
