"""What each target costs: a corpus released with one after the other, as points of a curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.protect_figures import FOREIGN, Information, Protected, protected, verified
from benchmarks.protect_sets import Corpus
from benchmarks.protect_tables import share, table

from sfumato.attacks.risk import Linked
from sfumato.document import Release
from sfumato.protection.frontier_page import FrontierPoint

KS = (2, 3, 5, 8, 11, 20, 40)
SCORER = "frequency"


def frontier(corpus: Corpus, information: Information, ks: Sequence[int] = KS) -> list[FrontierPoint]:
    """The start, and the corpus released with each target. Where nothing could be released there is no point."""
    points: list[FrontierPoint] = []
    for k in ks:
        made: Protected = protected(corpus, k, FOREIGN)
        result = made.result
        if not points:
            points.append(_point("start", None, result.before, corpus.starts, 0, information))
        if made.releases:
            points.append(_point(f"k = {k}", k, result.after, made.releases, len(result.withheld), information))
    return points


def _point(
    name: str,
    k: int | None,
    found: Mapping[str, Linked],
    releases: Sequence[Release],
    withheld: int,
    information: Information,
) -> FrontierPoint:
    attack, best = verified(found)
    kept = information.kept("tps", releases, SCORER)
    return FrontierPoint(name, k, best.risk, best.interval, kept.value, kept.interval, withheld, len(releases), attack)


def print_frontier(points: Sequence[FrontierPoint]) -> None:
    """The points in figures."""
    lines = []
    for point in points:
        found = share({"risk": point.risk, "interval": point.risk_interval})
        low, high = point.kept_interval
        kept = f"{point.kept:.3f} [{low:.3f}–{high:.3f}]"
        lines.append([point.name, point.attack, found, kept, str(point.withheld), str(point.n)])
    table(
        ["target", "strongest verified", "found at the best rank, % [95 %]", "TPS (frequency)", "withheld", "n"], lines
    )
