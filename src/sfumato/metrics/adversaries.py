"""Several adversaries on the same releases: their figures side by side, and how far they agree (Oh et al., 2026)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sfumato.document import Score
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import figure
from sfumato.statistics import Correlation, Estimate, fleiss_kappa, mean, share_of_documents, spearman


@dataclass(frozen=True)
class AdversaryPair:
    """How far two adversaries agree about the documents."""

    first: str
    second: str
    difference: float
    """Mean absolute difference of their values of a document."""
    correlation: Correlation | None
    """Spearman's, over documents: whether they find the same documents weak."""
    why_none: str = ""


@dataclass(frozen=True)
class AdversaryComparison:
    """One metric by several adversaries, and their agreement over the documents that all of them have a value of."""

    metric: str
    scores: Mapping[str, Score]
    """By adversary."""
    documents: int
    worst: Estimate
    """Mean over documents, each at the adversary who learns most about it."""
    pairs: tuple[AdversaryPair, ...]
    kappa: Estimate | None = None
    """Fleiss' kappa, where a document is either found or not."""

    @property
    def strongest(self) -> str:
        """The adversary who leaves least private."""
        return min(self.scores, key=lambda name: _privacy(self.scores[name], self.scores[name].value))

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato measure --adversary ... --json`` prints it."""
        return {
            "adversaries": {name: figure(score) | {"cost": dict(score.cost)} for name, score in self.scores.items()},
            "strongest": self.strongest,
            "documents": self.documents,
            "worst": figure(self.worst),
            "pairs": [_pair_to_json(pair) for pair in self.pairs],
            "kappa": None if self.kappa is None else figure(self.kappa),
        }


def compare_adversaries(scores: Mapping[str, Score]) -> AdversaryComparison:
    """Two or more adversaries' scores of one metric. Raises NotMeasurable where they share no document."""
    named = list(scores.items())
    metrics = {score.metric for _, score in named}
    if len(named) < 2 or len(metrics) != 1:
        raise ValueError(f"adversaries are compared by one metric, and there are two or more; got {len(named)}")
    shared = [key for key in named[0][1].per_document if all(key in score.per_document for _, score in named)]
    if not shared:
        raise NotMeasurable("the adversaries have no document in common, so nothing shows how far they agree")
    values = {name: [score.per_document[key] for key in shared] for name, score in named}
    choose = min if named[0][1].higher_is_better else max
    by_document = dict(zip(shared, map(choose, zip(*values.values(), strict=True)), strict=True))
    return AdversaryComparison(
        metric=metrics.pop(),
        scores=dict(scores),
        documents=len(shared),
        worst=_average(by_document),
        pairs=tuple(_compare_pair(pair, values) for pair in combinations(values, 2)),
        kappa=_kappa(list(values.values())),
    )


def _average(values: Mapping[str, float]) -> Estimate:
    # A bootstrap cannot tell that what never happened in a few documents may happen.
    return share_of_documents(values) if set(values.values()) <= {0, 1} else mean(values)


def _privacy(score: Score, value: float) -> float:
    """More is more private, whichever way the metric counts."""
    return value if score.higher_is_better else -value


def _compare_pair(names: tuple[str, str], values: Mapping[str, Sequence[float]]) -> AdversaryPair:
    first, second = (values[name] for name in names)
    difference = sum(abs(one - other) for one, other in zip(first, second, strict=True)) / len(first)
    try:
        return AdversaryPair(*names, difference, spearman(first, second))
    except NotMeasurable as reason:
        return AdversaryPair(*names, difference, None, str(reason))


def _kappa(values: Sequence[Sequence[float]]) -> Estimate | None:
    """None where values lie between found and not found, or all agree on one of them."""
    if any(value not in (0, 1) for of_adversary in values for value in of_adversary):
        return None
    try:
        return fleiss_kappa(list(zip(*values, strict=True)))
    except NotMeasurable:
        return None


def _pair_to_json(pair: AdversaryPair) -> dict[str, Any]:
    found = pair.correlation
    spearman_rho = None if found is None else {"value": found.value, "p": found.p, "interval": list(found.interval)}
    shown: dict[str, Any] = {"between": [pair.first, pair.second], "mean_difference": pair.difference}
    return shown | {"spearman": spearman_rho} | ({"why_none": pair.why_none} if pair.why_none else {})
