"""Everyday documents: what leaks, and what is destroyed that should have stayed, by recipe and by peer.

    python -m benchmarks.everyday DOCUMENTS.jsonl [--by default labels presidio-sm presidio-md] [--only en] [--json]

DOCUMENTS is a file that ``python -m training.everyday_corpus PART FILE`` wrote, or any other of its form: one document
a line with ``id``, ``language``, ``text`` and ``spans`` of ``[start, end, kind]`` (corpora/everyday/README.md). A name
after ``--by`` is a recipe, a recipe's file, or a detector of benchmarks/detect.py (English only). Counts:

- leaked: marks that must go of which a word that tells something is left; generic words (Dr, the, Street) do not count;
- direct: the same for names, handles, ids, contacts, addresses, secrets, devices and coordinates;
- needless edits: edits that touch no mark but X, or take in more letters and digits outside marks than inside;
- needless text: letters and digits outside marks, and inside X, that were replaced, as a share of all such;
- kept: X passages left exactly as they were.

A document withheld although its language is covered counts with all its marks leaked and all its text destroyed.
Intervals: 95 %, 1,000 resamples of the documents.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.detect_run import detector

from sfumato.document import Document, Release
from sfumato.errors import SfumatoError
from sfumato.lexicon.grammar import merge_ranges
from sfumato.pipeline import Pipeline
from sfumato.recipe import load

MUST_GO = frozenset("NUICALODGKVP")
DIRECT = frozenset("NUICAKVP")
COVERED = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})
GENERIC = frozenset(
    "mr mrs ms miss dr prof sir sister fr the de la of and in on a an coach sgt det née apartment flat unit surgery "
    "road street lane avenue house hospital clinic school college yrs years year old aged age".split()
)
RESAMPLES = 1000
_WORD = re.compile(r"\w+")

Edit = tuple[int, int]
Edits = list[Edit] | None
"""The ranges that were replaced in a document; None where it was withheld."""


@dataclass
class Counts:
    """What was counted in one document, or in several."""

    leaked: int = 0
    marks: int = 0
    direct_leaked: int = 0
    direct: int = 0
    needless: int = 0
    edits: int = 0
    destroyed: int = 0
    outside: int = 0
    kept: int = 0
    must_stay: int = 0
    withheld: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


RATES = {
    "leaked": ("leaked", "marks"),
    "direct leaked": ("direct_leaked", "direct"),
    "needless edits": ("needless", "edits"),
    "needless text": ("destroyed", "outside"),
    "must-stay kept": ("kept", "must_stay"),
}


def count(row: dict[str, Any], edits: Edits) -> Counts:
    """The counts of one document."""
    text, spans = row["text"], row["spans"]
    ranges = [(0, len(text))] if edits is None else edits
    touched, marked = bytearray(len(text)), bytearray(len(text))
    for start, end in ranges:
        touched[start:end] = b"\1" * (end - start)
    for start, end, kind in spans:
        if kind != "X":
            marked[start:end] = b"\1" * (end - start)
    counts = Counts(withheld=int(edits is None))
    for start, end, kind in spans:
        if kind == "X":
            counts.must_stay += 1
            counts.kept += not any(touched[start:end])
        elif kind in MUST_GO:
            words = [word for word in _WORD.finditer(text, start, end) if word.group().lower() not in GENERIC]
            is_left = edits is None or any(not all(touched[word.start() : word.end()]) for word in words)
            counts.marks += 1
            counts.leaked += is_left
            counts.direct += kind in DIRECT
            counts.direct_leaked += is_left and kind in DIRECT
    outside = [place for place, sign in enumerate(text) if sign.isalnum() and not marked[place]]
    counts.outside, counts.destroyed = len(outside), sum(touched[place] for place in outside)
    for start, end in edits or ():
        letters = [place for place in range(start, end) if text[place].isalnum()]
        counts.edits += 1
        counts.needless += not letters or 2 * sum(marked[place] for place in letters) < len(letters)
    return counts


def rates(documents: Sequence[Counts], seed: int = 1) -> dict[str, tuple[float, float, float]]:
    """Each rate with its 95 % interval."""
    rng = random.Random(seed)
    samples = [sum(rng.choices(documents, k=len(documents)), Counts()) for _ in range(RESAMPLES)]
    total = sum(documents, Counts())
    result = {}
    for name, (part, whole) in RATES.items():
        values = sorted(getattr(sample, part) / max(1, getattr(sample, whole)) for sample in samples)
        value = getattr(total, part) / max(1, getattr(total, whole))
        result[name] = value, values[int(0.025 * RESAMPLES)], values[int(0.975 * RESAMPLES)]
    return result


def by_recipe(name: str) -> Callable[[Iterable[Document]], list[Edits]]:
    pipeline = Pipeline(load(name))

    def run(documents: Iterable[Document]) -> list[Edits]:
        return [
            [(edit.span.start, edit.span.end) for edit in outcome.edits] if isinstance(outcome, Release) else None
            for outcome in pipeline.anonymize(documents)
        ]

    return run


def by_detector(name: str) -> Callable[[Iterable[Document]], list[Edits]]:
    detect = detector(name)
    return lambda documents: [merge_ranges((span.start, span.end) for span in spans) for spans in detect(documents)]


def score(name: str, rows: Sequence[dict[str, Any]]) -> list[Counts]:
    """The counts of each document whose language is covered, or that was released all the same."""
    documents = [Document(id=row["id"], text=row["text"]) for row in rows]
    try:
        run = by_recipe(name)
    except SfumatoError:
        run = by_detector(name)
    return [
        count(row, edits)
        for row, edits in zip(rows, run(documents), strict=True)
        if edits is not None or row["language"] in COVERED
    ]


def table(results: dict[str, list[Counts]]) -> str:
    lines = ["| by | " + " | ".join(RATES) + " | withheld |", "| --- |" + " --- |" * (len(RATES) + 1)]
    for name, documents in results.items():
        cells = [f"{value:.1%} ({low:.1%}–{high:.1%})" for value, low, high in rates(documents).values()]
        lines.append(f"| {name} | {' | '.join(cells)} | {sum(counts.withheld for counts in documents)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--by", nargs="+", default=["default"])
    parser.add_argument("--only", help="languages, such as en or en,de")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.documents.read_text(encoding="utf-8").splitlines()]
    if options.only:
        rows = [row for row in rows if row["language"] in options.only.split(",")]
    results = {name: score(name, rows) for name in options.by}
    if options.json:
        totals = {name: sum(documents, Counts()) for name, documents in results.items()}
        print(
            json.dumps(
                {name: {f.name: getattr(total, f.name) for f in fields(total)} for name, total in totals.items()}
            )
        )
        return
    total = sum(next(iter(results.values())), Counts())
    print(f"{len(rows)} documents, {total.marks} marks that must go, {total.must_stay} passages that must stay\n")
    print(table(results))


if __name__ == "__main__":
    main()
