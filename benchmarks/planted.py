"""Names planted in every kind of place of Word files and web pages: how many survive the release without a word?

python -m benchmarks.planted --places 5000
    python -m benchmarks.planted --places 300 --not-in-text    # Word files; names that only the detectors can find
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.names import LOCALES
from faker import Faker
from tests.formats.planted_files import (
    DOCX_PLACES,
    PAGE_PLACES,
    planted_docx,
    planted_page,
    released_bytes,
    surviving,
)

from sfumato.document import Withheld
from sfumato.errors import SfumatoError
from sfumato.formats.base import file_format, format_for
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.residuals.final_check import FinalCheck
from sfumato.residuals.identifiers import hide_identifiers
from sfumato.residuals.values import hide_repeats
from sfumato.runs.ids import id_checker
from sfumato.statistics import wilson

PER_FILE = 20
GIVEN = ("Anna", "Tobias", "Mireille", "Ignatius", "Rosalba", "Joost", "Beatriz", "Kerstin")
SYLLABLES = ("quor", "vex", "pen", "wist", "lund", "bram", "tosk", "veld", "marr", "ois", "zeck", "fenn")


def person(draw: random.Random) -> tuple[str, str]:
    return draw.choice(GIVEN), "".join(draw.sample(SYLLABLES, 3)).capitalize()


def only_in_fields(places: int, seed: int) -> None:
    """Names that stand in one place of a Word file and nowhere in its text: how many the detectors find."""
    draw = random.Random(seed)
    faker = Faker(LOCALES)
    faker.seed_instance(seed)
    recipe = load("default")
    pipeline, check = Pipeline(recipe), FinalCheck(id_checker(recipe).detect)
    hidden = total = 0
    with tempfile.TemporaryDirectory() as folder:
        while total < places:
            someone = (faker.first_name().split()[0], faker.last_name().split()[-1])
            if not all(name.isascii() and name.isalpha() for name in someone):
                continue
            path = planted_docx(Path(folder, "a.docx"), [(someone, draw.choice(DOCX_PLACES))], draw, in_text=False)
            form = file_format(format_for(path))
            assert form is not None
            (outcome,) = pipeline.anonymize([form.read(path, "document-1")])
            if isinstance(outcome, Withheld):
                continue
            total += 1
            release = hide_identifiers(hide_repeats(outcome))
            hidden += not surviving(check.clean(path, form, form.render(path, release), release), [someone])
    low, high = wilson(hidden, total)
    print(f"names that are not in the text: {hidden} of {total} hidden, {hidden / total:.1%} ({low:.1%} to {high:.1%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--places", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--not-in-text", action="store_true")
    arguments = parser.parse_args()
    if arguments.not_in_text:
        only_in_fields(arguments.places, arguments.seed)
        return
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
