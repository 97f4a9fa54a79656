"""A loop that has read a part of the background against attackers who have read all of it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks.protect_figures import Attackers, Figures, Information, peak, risks, strongest_of
from benchmarks.protect_sets import SECRET, Corpus
from benchmarks.protect_tables import share, short, signed, table

from sfumato.document import Release
from sfumato.models.base import load_embedder, load_scorer
from sfumato.protection.attackers import majority_stemmer
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.corpus import CorpusProtector, LoopConfig
from sfumato.protection.protect import background_part
from sfumato.protection.target import SCORER, Target

PART = 0.25
FACTORS = (1, 2, 3, 4, 5)


def quarter(corpus: Corpus, target: Target, information: Information, factors: Sequence[float] = FACTORS) -> Figures:
    """The loop with each factor of attacker knowledge on a quarter of the background, attacked with all of it."""
    print(f"\n## {corpus.name}: the loop reads the first {PART:.0%} of each text, the attacks all\n", flush=True)
    stems = majority_stemmer(corpus.texts.values())
    config = LoopConfig(stems, load_scorer(SCORER), load_embedder("default"), SECRET, Checkpoints())
    known = background_part(corpus.background.people, PART)
    subjects = {key: [key] for key in corpus.texts}
    attackers = Attackers(corpus.background, stems=stems)
    before = attackers.found(corpus.starts)
    found: dict[str, Figures] = {"start": {"after": risks(before), "verified": strongest_of(before)}}
    versions: dict[str, Sequence[Release]] = {"start": corpus.starts}
    for factor in factors:
        began, used = time.perf_counter(), time.process_time()
        made = list(CorpusProtector(known, corpus.starts, subjects, config, factor).protect(corpus.starts, target, 1))
        took = {"seconds": time.perf_counter() - began, "processor": time.process_time() - used}
        name = f"attacker knowledge {factor:g}"
        versions[name] = out = [one.release for one in made if one.withheld is None]
        after = attackers.found(out)
        withheld = {"withheld": len(made) - len(out), "peak_mb": peak()}
        found[name] = {"after": risks(after), "verified": strongest_of(after), **took, **withheld}
    rows = information.rows(versions, ["tps"])
    print_by_knowledge(found, rows)
    return {"attacker_knowledge": found, "information": rows}


def print_by_knowledge(found: dict[str, Figures], rows: Sequence[Figures]) -> None:
    attacks = list(found["start"]["after"])
    print("Found at the best rank, % [95 %], by attackers who have read all:")
    lines = []
    for name, one in found.items():
        cells = [share(one["after"].get(attack, {}).get("best"), ranked=True) for attack in attacks]
        n = one["after"][attacks[0]]["n"] if one["after"] else 0
        took = f"{one['seconds']:.1f} ({one['processor']:.1f})" if "seconds" in one else "–"
        lines.append([name, *cells, str(n), str(one.get("withheld", 0)), took])
    table(["loop", *attacks, "n", "withheld", "s (processor s)"], lines)
    lines = []
    for name, one in found.items():
        prices = [signed(row.get("difference")) for row in rows if row["version"] == name]
        lines.append([name, *(_strongest(one["verified"], rank) for rank in ("best", "learned")), *prices])
    scorers = dict.fromkeys(f"TPS minus start, points ({short(row['scorer'])})" for row in rows)
    table(["loop", "strongest verified, best rank", "strongest verified, learned rank", *scorers], lines)


def _strongest(verified: Figures, rank: str) -> str:
    return f"{verified[rank]['attack']} {share(verified[rank], ranked=True)}" if verified else "–"
