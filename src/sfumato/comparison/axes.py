"""Which two figures the picture shows, and the points that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.attacks.risk import STRONG
from sfumato.comparison.result import Comparison
from sfumato.document import Score
from sfumato.errors import NotMeasurable, UnknownName, suggest
from sfumato.measures.run import Measurement
from sfumato.report import Axis, Line, Point, scatter

_PRIVACY = ("risk", "risk-any", "tab-direct-recall", "tab-mention-recall", "lr", "smr", "alid")
_UTILITY = ("tps", "tpi", "rouge-l", "bleu", "nmi", "task-utility", "nsdcg", "jsc", "length")
"""What is shown where nobody chose: the first that was measured."""
_TITLES = {
    "risk": "re-identification risk (strongest attack)",
    "risk-any": "linked by any attack",
    "tps": "information preserved (TPS)",
    "tpi": "information left readable (TPI)",
    "rouge-l": "words in common (ROUGE-L)",
}


def picture(found: Comparison, privacy: str | None = None, utility: str | None = None) -> tuple[str, Sequence[str]]:
    """The scatter of the methods that have both figures, and the names of those, in the order of their colours.

    Raises NotMeasurable where no method has both.
    """
    up, across = (
        _chosen(found.measurements, privacy, _PRIVACY, "--privacy"),
        _chosen(found.measurements, utility, _UTILITY, "--utility"),
    )
    points = [
        Point(name, x.value, x.interval, y.value, y.interval)
        for name, one in found.measurements.items()
        if (x := one.scores.get(across)) is not None and (y := one.scores.get(up)) is not None
    ]
    if not points:
        raise NotMeasurable(f"no method has both {up} and {across}; choose other axes with --privacy and --utility")
    scores = [score for one in found.measurements.values() for score in one.scores.values()]
    higher = {score.metric: score.higher_is_better for score in scores}
    line = Line(STRONG, "9 %: 1 in 11, what regulators call strong") if up == "risk" else None
    svg = scatter(
        points,
        Axis(_TITLES.get(across, across), "more useful →" if higher[across] else "← more useful"),
        Axis(_TITLES.get(up, up), "↑ more private" if higher[up] else "↓ more private"),
        line,
    )
    return svg, [point.name for point in points]


def _chosen(measurements: Mapping[str, Measurement], asked: str | None, usual: Sequence[str], option: str) -> str:
    known: dict[str, Score] = {name: score for one in measurements.values() for name, score in one.scores.items()}
    if asked is not None:
        if asked not in known:
            raise UnknownName(
                f"{option} {asked}: was not measured; {suggest(asked, known) if known else 'nothing was'}"
            )
        return asked
    found = next((name for name in usual if name in known), None)
    if found is None:
        raise NotMeasurable(f"nothing that was measured serves as an axis of the picture; choose one with {option}")
    return found
