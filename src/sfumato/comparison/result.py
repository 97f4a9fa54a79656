"""What a comparison found: figures by method, what attacks found, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.attacks.report import AttackReport
from sfumato.errors import Problem
from sfumato.measures.run import Measurement
from sfumato.models.chat.spent import Cost

FIELDS = ("method", "family", "metric", "value", "low", "high", "n", "higher_is_better", "settings")


@dataclass(frozen=True)
class Comparison:
    """Measurements by method; with a background, what the attacks found, too."""

    measurements: Mapping[str, Measurement]
    attacks: Mapping[str, AttackReport]
    documents: int
    problems: tuple[Problem, ...] = ()
    costs: Mapping[str, Cost] = field(default_factory=dict)
    """By method, what asking language models cost."""
    runs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By method, the names of its runs, where there are several: attacks are told of each."""

    def to_json(self) -> dict[str, Any]:
        """As ``sfumato compare --json`` prints it."""
        found: dict[str, Any] = {}
        for name, measurement in self.measurements.items():
            own = measurement.to_json()
            del own["problems"]
            told = [_told(report) for report in self._reports(name).values()]
            own |= told[0] if told else {}
            if len(told) > 1:
                own["attacks_by_run"] = told
            if name in self.costs:
                own["chat"] = self.costs[name].to_json()
            found[name] = own
        return {"methods": found, "documents": self.documents, "problems": [str(one) for one in self.problems]}

    def _reports(self, method: str) -> dict[str, AttackReport]:
        """What attacks found, by the names of the method's runs."""
        return {name: self.attacks[name] for name in self.runs.get(method, (method,)) if name in self.attacks}

    def rows(self) -> Iterator[tuple[object, ...]]:
        """A table of all figures, its columns as in ``FIELDS``; an attack's own risk stands under its name."""
        for method, measurement in self.measurements.items():
            for name, score in measurement.scores.items():
                yield (
                    method,
                    measurement.families[name],
                    name,
                    score.value,
                    *score.interval,
                    score.n,
                    str(score.higher_is_better).lower(),
                    dict(score.settings),
                )
            for run, report in self._reports(method).items():
                for name, one in report.attacks.items():
                    yield run, "attack", name, one.risk, *one.interval, one.n, "false", {"at_rank": 1}


def _told(report: AttackReport) -> dict[str, Any]:
    told = report.to_json()
    return {key: told[key] for key in ("attacks", "strongest", "any", "best_rank", "candidates", "excluded")}
