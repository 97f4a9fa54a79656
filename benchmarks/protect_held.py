"""Where attacks joined the loop: the corpus is protected again without them, and they attack the result."""

from __future__ import annotations

from benchmarks.protect_figures import (
    FOREIGN,
    Attackers,
    Figures,
    Information,
    ProtectedDocument,
    difference,
    protected,
    risks,
    strongest_of,
    value,
)
from benchmarks.protect_tables import share, signed, table

from sfumato.protection.attackers import VERIFYING


def held_out(made: ProtectedDocument, information: Information) -> list[Figures]:
    """Runs that know nothing of one attack with other features, and of any; none where the first run proves enough."""
    if made.joined.isdisjoint(FOREIGN):
        return []
    attackers = Attackers(made.corpus.background, FOREIGN)
    start = information.kept("tps", made.corpus.starts, "frequency")
    found = []
    for hidden in [*((name,) for name in FOREIGN), FOREIGN]:
        again = protected(made.corpus, made.result.target.k, [name for name in VERIFYING if name not in hidden])
        linked = {name: one for name, one in attackers.found(again.releases).items() if name in hidden}
        price = difference(start, information.kept("tps", again.releases, "frequency")) if again.releases else None
        found.append(
            {
                "hidden": list(hidden),
                "joined": sorted(again.joined),
                "released": len(again.releases),
                "withheld": len(again.result.withheld),
                "after": risks(linked),
                "verified": strongest_of(linked),
                "tps_frequency": price and value(price),
                "seconds": again.seconds,
            }
        )
    _print(found)
    return found


def _print(found: list[Figures]) -> None:
    lines = []
    for one in found:
        line = [" and ".join(one["hidden"]), ", ".join(one["joined"]) or "–"]
        for rank in ("best", "learned"):
            own = one["verified"].get(rank)
            line.append(f"{own['attack']} {share(own, ranked=True)}" if own else "–")
        line += [signed(one["tps_frequency"]), str(one["released"]), str(one["withheld"]), f"{one['seconds']:.1f}"]
        lines.append(line)
    print("Held out: the loop and its verification never ran these attacks. Found by the strongest of them, % [95 %]:")
    head = ["held out", "joined the loop", "best rank", "learned rank", "TPS minus start, points (frequency)"]
    table([*head, "n", "withheld", "s"], lines)
