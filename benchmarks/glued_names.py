"""Replaced names glued to themselves in identifiers, beside their plain form: how many texts still tell the surname.

python -m benchmarks.glued_names [--n 5000] [--seed 5]
"""

from __future__ import annotations

import argparse
import random

from tests.residuals.test_glued_names import FORMS, GLUED, release_of

from sfumato.residuals.values import hide_repeats
from sfumato.statistics import wilson


def still_tells(rng: random.Random) -> bool:
    """Whether the surname stands in the release of a random text; an error counts as well."""
    first = rng.choice(["Anna", "Tobias", "Rosalba", "Ignatius"])
    last = "Quor" + "".join(rng.choice("bdfgklmnprtvz") for _ in range(rng.randint(3, 5)))
    identifiers = []
    for _ in range(rng.randint(1, 4)):
        pairs = [rng.choice([[first, last], [last, first]]) for _ in range(rng.randint(1, 4))]
        words = [word for pair in pairs for word in pair]
        identifiers.append(GLUED[rng.choice(sorted(GLUED))](words[rng.randint(0, len(words) > 2) :]))
    release = release_of(first, last, "\n".join(map(rng.choice(FORMS).format, identifiers)))
    try:
        return last.casefold() in hide_repeats(release).text.casefold()
    except ValueError:
        return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    failures = sum(still_tells(rng) for _ in range(arguments.n))
    low, high = wilson(failures, arguments.n)
    print(f"{arguments.n} texts: {failures} still tell the surname ({low:.2%} to {high:.2%})")


if __name__ == "__main__":
    main()
