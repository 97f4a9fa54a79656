"""What each target costs: a corpus released with one after the other, as points of a curve."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.protect_figures import ALIKE, FOREIGN, Attackers, Information, protected
from benchmarks.protect_sets import Corpus
from benchmarks.protect_tables import share, table

from sfumato.attacks.risk import find_strongest
from sfumato.document import Release
from sfumato.protection.records import FrontierPoint

KS = (2, 5, 11, 20, 40)
SCORER = "frequency"


def frontier(corpus: Corpus, information: Information, ks: Sequence[int] = KS) -> list[FrontierPoint]:
    """The start, and the corpus released with each target. Where nothing could be released there is no point.

    The attacks that find people here are held out: neither the loop nor its verification runs them.
    """
    attackers = Attackers(corpus.background, FOREIGN)

    def point(name: str, k: int | None, releases: Sequence[Release]) -> FrontierPoint:
        attack, best = find_strongest(attackers.found(releases), "best")
        kept = information.kept("tps", releases, SCORER)
        withheld, n = len(corpus.starts) - len(releases), len(releases)
        return FrontierPoint(name, k, best.risk, best.interval, kept.value, kept.interval, withheld, n, attack)

    points = [point("start", None, corpus.starts)]
    for k in ks:
        releases = protected(corpus, k, ALIKE).releases
        if releases:
            points.append(point(f"k = {k}", k, releases))
    return points


def print_frontier(points: Sequence[FrontierPoint]) -> None:
    """The points in figures."""
    lines = []
    for point in points:
        found = share({"risk": point.risk, "interval": point.risk_interval})
        low, high = point.kept_interval
        kept = f"{point.kept:.3f} [{low:.3f}–{high:.3f}]"
        lines.append([point.name, point.attack, found, kept, str(point.withheld), str(point.n)])
    head = ["target", "strongest held out", "found at the best rank, % [95 %]", "TPS (frequency)", "withheld", "n"]
    table(head, lines)
