"""The figures of risk-bounded release as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.protect_figures import OTHER_FEATURES, Figures

from sfumato.protection.attackers import VERIFYING

_RANKS = ("first", "best", "learned")


def share(found: Figures | None, *, ranked: bool = False) -> str:
    """A risk in per cent with its interval and, where asked, its rank."""
    if not found:
        return "–"
    low, high = found["interval"]
    at = f", rank {found['rank']}" if ranked else ""
    return f"{100 * found['risk']:.1f} [{100 * low:.1f}–{100 * high:.1f}]{at}"


def signed(found: Figures | None) -> str:
    """A difference in points."""
    if not found:
        return "–"
    low, high = found["interval"]
    return f"{100 * found['value']:+.2f} [{100 * low:+.2f} to {100 * high:+.2f}]"


def number(found: Figures) -> str:
    low, high = found["interval"]
    return f"{found['value']:.3f} [{low:.3f}–{high:.3f}]"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def print_summary(found: Figures) -> None:
    """Markdown: what happened in a sentence, who is found by which attack, and what was repaired."""
    took = found["seconds"]
    reasons = "; ".join(f"{count}: {why}" for why, count in found["withheld"].items())
    withheld = f"{sum(found['withheld'].values())} withheld" + (f" ({reasons})" if reasons else "")
    print(
        f"{found['documents']} documents ({found['start']}), {found['people']:,} people, k = {found['k']}: "
        f"{found['released']} released, {withheld}; "
        f"{found['rounds']} rounds. protect_releases took {took['protect']:.1f} s ({took['processor']:.1f} s of "
        f"processor time), the recipe {took['start']:.1f} s; peak {found['peak_mb']:,.0f} MB."
    )
    print_risks(found["before"], found["after"], found["joined"])
    for when in ("before", "after"):
        own = found["verified"][when]
        said = "; ".join(f"{own[rank]['attack']} {share(own[rank], ranked=True)} ({rank})" for rank in own)
        print(f"Strongest verified attack {when}: {said or 'none (all joined the loop, or nothing was released)'}.\n")
    repairs = ", ".join(f"{kind} {count}" for kind, count in found["repairs"].most_common())
    print(
        f"Places repaired: {found['changes']['places']} ({repairs or 'none'}); {found['changes']['mean']:.1f} repairs "
        f"a document; the loop's own loss (scorer frequency) {100 * found['loss']:.2f} points.\n"
    )


def print_risks(before: Mapping[str, Figures], after: Mapping[str, Figures], joined: Sequence[str] = ()) -> None:
    """Who is found by each attack. Those that joined the loop prove nothing any more."""
    rows = []
    for name, one in before.items():
        then = after.get(name, {})
        cells = [share(part.get(rank), ranked=rank != "first") for part in (one, then) for rank in _RANKS]
        rows.append([name, _role(name, joined), *cells[:3], str(one["n"]), *cells[3:], str(then.get("n", 0))])
    head = [f"{when}, {rank}" for when in ("before", "after") for rank in (*_RANKS, "n")]
    print("\nFound, % [95 %]: at rank 1, at the best rank, at the rank that the other releases teach.")
    table(["attack", "is", *head], rows)


def _role(name: str, joined: Sequence[str]) -> str:
    if name in joined:
        return "joined the loop"
    if name in OTHER_FEATURES:
        return "other features"
    return "same words, weighed differently" if name in VERIFYING else "the loop's"


def print_information(rows: Sequence[Figures]) -> None:
    """What each version keeps, by every metric and scorer."""
    lines = []
    for row in rows:
        said = [row["metric"].upper(), short(row["scorer"]), row["version"], number(row), str(row["n"])]
        lines.append([*said, signed(row.get("difference"))])
    table(["metric", "scorer", "version", "value [95 %]", "n", "minus the first version, points"], lines)
    print(f"Scorers: {', '.join(dict.fromkeys(row['scorer'] for row in rows))}.\n", flush=True)


def short(scorer: str) -> str:
    """A scorer's name without its settings."""
    return scorer.partition(":")[0]
