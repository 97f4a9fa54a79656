"""A sheet to read blind: repairs of the protection loop, in their sentence before and after.

    python -m benchmarks.protect_sheet --data DATA --sheet SHEET.tsv [--each 40] [--first 60] [--seed 1] [--other]
    python -m benchmarks.protect_sheet --count SHEET.tsv

The first command protects the first documents of TAB dev, WikiActors-50 and db_bio by the loop's own attacks, prints
how many of the repairs are marks of omission, and draws others, shuffled, without the set or the kind of repair. The
reader fills two columns: ``false`` (y where the new words say something untrue of the original) and ``broken`` (y where
the sentence is no acceptable English, though it was before). The second command counts them, with Wilson intervals. The
sheet holds passages of the data sets; what is published are the last five columns (``--marks FILE``).
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `benchmarks`, which is not installed

from benchmarks.protect_sets import SECRET, SETS, Corpus

from sfumato.attacks.ground_truth import match_subjects
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.protection.attackers import majority_stemmer
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.corpus import CorpusProtector, LoopConfig
from sfumato.protection.records import ProtectedDocument
from sfumato.protection.target import Options, Target
from sfumato.statistics import wilson

COLUMNS = ("number", "original", "released", "place", "replacement", "false", "broken")
AROUND = 150
MARKS = 5
"""The last columns, which hold nothing of the data sets but offsets."""


def protect(corpus: Corpus) -> list[ProtectedDocument]:
    """The corpus after one round of the loop."""
    options = Options(secret=SECRET)
    starts = [start for start in corpus.starts if start.text.strip()]
    people = match_subjects([start.document for start in starts], corpus.background).people
    subjects = {key: sorted(several) for key, several in people.items()}
    starts = [start for start in starts if start.document.id in subjects]
    stems = majority_stemmer(start.document.text for start in starts)
    config = LoopConfig(stems, options.token_scorer, options.text_embedder, SECRET, Checkpoints())
    protector = CorpusProtector(corpus.background.people, starts, subjects, config)
    return [document for document in protector.protect(starts, Target()) if document.withheld is None]


def repairs(document: ProtectedDocument) -> Iterator[tuple[str, str, str, str]]:
    """Every repair that a reader sees: the original and the release around it, its place, and its words."""
    release, initial = document.release, set(document.initial.edits)  # type: ignore[union-attr]
    text, released = release.document.text, release.text
    for segment in release.segments:
        edit = segment.edit
        if edit is None or edit in initial:
            continue
        start, end = edit.span.start, edit.span.end
        before = f"{text[max(0, start - AROUND) : start]}[[{text[start:end]}]]{text[end : end + AROUND]}"
        first, last = segment.released_start, segment.released_end
        after = f"{released[max(0, first - AROUND) : first]}[[{edit.replacement}]]{released[last : last + AROUND]}"
        yield before, after, f"{document.id}:{start}-{end}", edit.replacement


def write(given: argparse.Namespace) -> None:
    drawn = []
    generator = random.Random(given.seed)
    for name in SETS:
        corpus = SETS[name](given.data, other=given.other and name != "wikiactors", first=given.first)
        documents = protect(corpus)
        every = [row for document in documents for row in repairs(document)]
        others = [row for row in every if row[3] != SUPPRESSED]
        kinds = sum((Counter({repair.kind: repair.places}) for d in documents for repair in d.repairs), Counter[str]())
        share = 1 - len(others) / max(1, len(every))
        print(
            f"{corpus.name}: {len(documents)} documents, {len(every)} repairs, {share:.1%} {SUPPRESSED}; {dict(kinds)}"
        )
        drawn += generator.sample(others, min(given.each, len(others)))
    generator.shuffle(drawn)
    with given.sheet.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file, delimiter="\t")
        sheet.writerow(COLUMNS)
        sheet.writerows((str(number), *row, "", "") for number, row in enumerate(drawn, 1))


def count(given: argparse.Namespace) -> None:
    with given.count.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file, delimiter="\t"))
    for column in ("false", "broken"):
        hits = sum(row[column].strip().lower() == "y" for row in read)
        low, high = wilson(hits, len(read))
        print(f"{column}: {hits} of {len(read)} ({hits / len(read):.1%} [{low:.1%}–{high:.1%}])")
    if given.marks:
        with given.marks.open("w", encoding="utf-8", newline="") as file:
            marks = csv.writer(file, delimiter="\t")
            names = ("number", *COLUMNS[-MARKS + 1 :])
            marks.writerow(names)
            marks.writerows([row[name] for name in names] for row in read)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--each", type=int, default=40, help="repairs of each set")
    parser.add_argument("--first", type=int, default=60, help="documents of each set")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--other", action="store_true", help="documents to develop on")
    parser.add_argument("--count", type=Path, metavar="SHEET.tsv")
    parser.add_argument("--marks", type=Path, help="with --count: what may be published of the sheet")
    given = parser.parse_args()
    if given.count:
        count(given)
    elif given.data and given.sheet:
        write(given)
    else:
        parser.error("give --data and --sheet, or --count")


if __name__ == "__main__":
    main()
