"""Measure what ``protection.attackers`` reckons with: how often a term of a document is told elsewhere, too.

Run it from the repository root: ``python training/measure_hits.py DATA``, where DATA holds tab/. For the 92 rulings on
which nothing is reported, with a sixteenth, a quarter and all of each person's background, it prints the share of the
ruling's terms that stand in its own person's background, by how many others have a term (down) and by how often the
ruling says it (across). The last table is ``PRIOR``; how rare classes grow from the second to the last, ``GROWTH``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `benchmarks`, which is not installed

from benchmarks.generalize import documents, mentions, ours, people

from sfumato.attacks.linking.sparse import TfIdfAttack
from sfumato.protection.attackers import model_attacker_knowledge
from sfumato.protection.protect import background_part

SHARES = (1 / 16, 1 / 4, 1.0)


def main() -> None:
    data = Path(sys.argv[1])
    texts = documents(data, other=True)
    starts = ours("generalize", texts, mentions(data, texts))
    released = {start.document.id: start.text for start in starts}
    subjects = {key: [key] for key in released}
    for share in SHARES:
        (found,) = model_attacker_knowledge(
            [TfIdfAttack(longest=3)], background_part(people(data), share), released, subjects, 1.0
        )
        print(f"{share:g} of the background, {len(released)} rulings")
        print(np.round(found.hit_rates.reshape(-1, 3), 4))


if __name__ == "__main__":
    main()
