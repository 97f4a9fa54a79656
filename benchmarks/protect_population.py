"""Without a background the documents are the population. What comes out is attacked with the background, too."""

from __future__ import annotations

import time
from collections.abc import Sequence

from benchmarks.protect_figures import Attackers, Figures, Information, peak, risks, strongest_of
from benchmarks.protect_quarter import print_by_knowledge
from benchmarks.protect_sets import SECRET, Corpus

from sfumato.document import Release
from sfumato.protection.attackers import majority_stemmer
from sfumato.protection.protect import protect_releases
from sfumato.protection.target import Options, Target

FACTORS = (1, 1.5, 2)


def population(corpus: Corpus, target: Target, information: Information, factors: Sequence[float]) -> Figures:
    """The loop knows nobody's background; the attacks do."""
    print(f"\n## {corpus.name}: without a background, the attacks with it\n", flush=True)
    attackers = Attackers(corpus.background, stems=majority_stemmer(corpus.texts.values()))
    before = attackers.found(corpus.starts)
    found: dict[str, Figures] = {"start": {"after": risks(before), "verified": strongest_of(before)}}
    versions: dict[str, Sequence[Release]] = {"start": corpus.starts}
    for factor in factors:
        began, used = time.perf_counter(), time.process_time()
        made = protect_releases(corpus.starts, None, target, Options(attacker_knowledge=factor, secret=SECRET))
        took = {"seconds": time.perf_counter() - began, "processor": time.process_time() - used}
        name = f"attacker knowledge {factor:g}"
        versions[name] = out = [one.release for one in made.released]
        after = attackers.found(out)
        withheld = {"withheld": len(made.withheld), "peak_mb": peak()}
        found[name] = {"after": risks(after), "verified": strongest_of(after), **took, **withheld}
    rows = information.rows(versions, ["tps"])
    print_by_knowledge(found, rows)
    return {"attacker_knowledge": found, "information": rows}
