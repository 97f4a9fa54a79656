"""Places of Word files, pages and texts where a name stands encoded or packed: how many survive a release in silence.

    python -m benchmarks.containers [--kind docx|page|text] [--recipe fast] [--in-text] [--seed 1]

Each place gets a name of its own, and the files are anonymized as a user does it. A name survives in silence when the
search of ``planted_containers.surviving``, which decodes and unpacks on its own, finds it in what was released, and the
run neither refused the file nor reported that part of it as unchecked.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.formats import planted_containers as planted
from tests.formats.planted_files import DOCX_PLACES, Person, planted_docx

from sfumato.document import Document, Release
from sfumato.errors import SfumatoError
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.summary import Summary
from sfumato.statistics import wilson

GIVEN = ("Anna", "Tobias", "Rosalba", "Ignatius", "Margaret", "Desmond")


class Outcome(NamedTuple):
    """What became of a place: ``gone``, ``refused``, ``reported`` or ``kept`` in silence."""

    place: str
    result: str


def person(draw: random.Random) -> Person:
    return draw.choice(GIVEN), "Quor" + "".join(draw.choices("bdfgklmnprstvz", k=4))


def docx_outcomes(
    recipe: str, draw: random.Random, places: Sequence[str], *, in_text: bool = False
) -> Iterator[Outcome]:
    """``in_text``: the name stands also in a sentence, as it always does with the places of ``planted_files``."""
    for place in places:
        with tempfile.TemporaryDirectory() as name:
            folder, who = Path(name), person(draw)
            path = folder / "letter.docx"
            if place in DOCX_PLACES:
                planted_docx(path, [(who, place)], draw)
            else:
                planted.write_docx_place(path, who, place, in_text=in_text)
            yield _released(path, who, place, recipe)


def page_outcomes(recipe: str, draw: random.Random, places: Sequence[str]) -> Iterator[Outcome]:
    for place in places:
        with tempfile.TemporaryDirectory() as name:
            who, path = person(draw), Path(name, "page.html")
            path.write_bytes(planted.page_place(who, place))
            yield _released(path, who, place, recipe)


def text_outcomes(recipe: str, draw: random.Random) -> Iterator[Outcome]:
    """All encodings in all surroundings."""
    people: dict[str, Person] = {}
    documents = []
    for encoding in planted.ENCODINGS:
        for surrounding in planted.SURROUNDINGS:
            place = f"{encoding} in {surrounding}"
            people[place] = person(draw)
            documents.append(Document(place, planted.text_place(people[place], encoding, surrounding)))
    for document, outcome in zip(documents, Pipeline(load(recipe)).anonymize(documents), strict=True):
        if not isinstance(outcome, Release):
            yield Outcome(document.id, "refused")
            continue
        is_left = planted.surviving(outcome.text.encode(), people[document.id])
        yield Outcome(document.id, "kept" if is_left else "gone")


def _released(path: Path, who: Person, place: str, recipe: str) -> Outcome:
    assert planted.surviving(path.read_bytes(), who), f"{place}: the name is planted"
    out = path.parent / f"out{path.suffix}"
    try:
        summary = anonymize_files([path], out, load(recipe))
    except SfumatoError:
        return Outcome(place, "refused")
    if summary.withheld or not out.is_file():
        return Outcome(place, "refused")
    if not planted.surviving(out.read_bytes(), who):
        return Outcome(place, "gone")
    return Outcome(place, "reported" if _is_reported(place, summary) else "kept")


def _is_reported(place: str, summary: Summary) -> bool:
    """Whether the run says that it could not look into that kind of part."""
    return planted.REPORTED_AS.get(place) in summary.unchecked_parts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--kind", choices=["docx", "page", "text"])
    parser.add_argument("--recipe", default="fast")
    parser.add_argument("--in-text", action="store_true", help="the names stand in a sentence of the file, too (docx)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    draw, places = random.Random(arguments.seed), [*DOCX_PLACES, *planted.DOCX_PLACES]
    kinds: dict[str, Callable[[], Iterator[Outcome]]] = {
        "docx": lambda: docx_outcomes(arguments.recipe, draw, places, in_text=arguments.in_text),
        "page": lambda: page_outcomes(arguments.recipe, draw, list(planted.PAGE_PLACES)),
        "text": lambda: text_outcomes(arguments.recipe, draw),
    }
    for kind, outcomes in kinds.items():
        if arguments.kind in (None, kind):
            results = list(outcomes())
            kept = [outcome.place for outcome in results if outcome.result == "kept"]
            counts = {name: sum(each.result == name for each in results) for name in ("gone", "refused", "reported")}
            low, high = wilson(len(kept), len(results))
            print(f"{kind}, {arguments.recipe}: n {len(results)}, {counts}, kept in silence {len(kept)}", end=" ")
            print(f"({100 * low:.1f} to {100 * high:.1f} %)", *kept, sep="\n  ")


if __name__ == "__main__":
    main()
