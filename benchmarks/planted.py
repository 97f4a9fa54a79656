"""Names planted in every kind of place of Word files and web pages: how many survive the release without a word?

python -m benchmarks.planted --places 5000
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from tests.formats.planted_files import (
    DOCX_PLACES,
    PAGE_PLACES,
    planted_docx,
    planted_page,
    released_bytes,
    surviving,
)

from sfumato.errors import SfumatoError
from sfumato.formats.final_check import FinalCheck
from sfumato.recipe import load
from sfumato.runs.ids import id_checker
from sfumato.statistics import wilson

PER_FILE = 20
GIVEN = ("Anna", "Tobias", "Mireille", "Ignatius", "Rosalba", "Joost", "Beatriz", "Kerstin")
SYLLABLES = ("quor", "vex", "pen", "wist", "lund", "bram", "tosk", "veld", "marr", "ois", "zeck", "fenn")


def person(draw: random.Random) -> tuple[str, str]:
    return draw.choice(GIVEN), "".join(draw.sample(SYLLABLES, 3)).capitalize()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--places", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=2026)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    check = FinalCheck(id_checker(load("default")).detect)
    total, survived, refused = 0, Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        while total < arguments.places:
            docx = draw.random() < 0.6
            places = list(DOCX_PLACES if docx else PAGE_PLACES)
            people = list({person(draw): None for _ in range(PER_FILE)})
            planted = [(someone, draw.choice(places)) for someone in people]
            path = Path(folder, "planted.docx" if docx else "planted.html")
            (planted_docx if docx else planted_page)(path, planted, draw)
            total += len(planted)
            try:
                data = released_bytes(path, people, check.clean)
            except SfumatoError as error:
                refused[str(error).partition(": ")[2][:100]] += 1
                continue
            left = set(surviving(data, people))
            survived.update(place for someone, place in planted if someone in left)
    low, high = wilson(survived.total(), total)
    print(f"{total:,} places, {survived.total()} survived in silence (95 % interval {low:.2%} to {high:.2%})")
    print(f"files refused with the place named: {refused.total()}")
    for title, counts in (("survived", survived), ("refused", refused)):
        for what, count in counts.most_common(20):
            print(f"    {title}: {what}: {count}")


if __name__ == "__main__":
    main()
