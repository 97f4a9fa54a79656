"""Entity numbers: does a person keep one number through a document, is a name cut up, do two people share a number?

    python -m training.everyday_corpus validation documents.jsonl
    sfumato anonymize documents.jsonl --out released.jsonl --audit audit.jsonl
    python -m benchmarks.entity_numbers documents.jsonl audit.jsonl [--list] [--json]

Counted are the names (marks N) with an entity id that an edit touches; a name that was left alone is a leak, and
counted as that elsewhere. Intervals are bootstrapped over documents.

- repeats: mentions after the first of a person whose edits all carry the number of the first mention.
- tied: those of them that share a word with the first mention, or with one that does; a given name and a surname that
  never stand together, or a nickname of another sound, only a reader who understands the text can link.
- cut: names that more than one edit touches.
- shared: pairs of different people of one document that have a number in common.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from sfumato.errors import NotMeasurable
from sfumato.lexicon.tables import to_ascii_letters
from sfumato.statistics import Estimate, ratio

NAME = "N"
MEASURES = {
    "repeats": "repeat mentions that keep the number",
    "tied": "those that share a word with the first",
    "cut": "names cut into several edits",
    "shared": "pairs of people that share a number",
}


KEPT = ("repeats", "tied")
"""Measures of which a hit is no fault."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def words_of(mention: str) -> set[str]:
    """The words of a mention without case and accents; one letter is no word."""
    return set(_WORD.findall(to_ascii_letters(mention.casefold())))


@dataclass
class Counts:
    """What was counted in one document: hits and totals by measure, and the cases that are faults."""

    hits: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MEASURES, 0))
    totals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MEASURES, 0))
    untouched: int = 0
    faults: list[tuple[str, str]] = field(default_factory=list)

    def add(self, measure: str, *, is_hit: bool, fault: str) -> None:
        self.totals[measure] += 1
        self.hits[measure] += is_hit
        if is_hit != (measure in KEPT):
            self.faults.append((measure, fault))


_NUMBERED_LABEL = re.compile(r"[A-Z]+_\d+")


def _label(replacement: str) -> str:
    """The numbered label of a replacement, without the signs that were replaced with it."""
    match = _NUMBERED_LABEL.search(replacement)
    return match[0] if match else replacement


def count(document: Mapping[str, Any], edits: Iterable[Mapping[str, Any]]) -> Counts:
    """The counts of a document of the everyday corpus and the edits of its audit record."""
    counts = Counts()
    ordered = sorted(edits, key=lambda edit: int(edit["start"]))
    numbers: dict[int, set[str]] = defaultdict(set)
    words: dict[int, set[str]] = defaultdict(set)
    first: dict[int, tuple[str, str]] = {}
    for (start, end, kind), entity in zip(document["spans"], document["entities"], strict=True):
        if kind != NAME or entity is None:
            continue
        touching = [_label(edit["replacement"]) for edit in ordered if edit["start"] < end and start < edit["end"]]
        mention = document["text"][start:end]
        if not touching:
            counts.untouched += 1
            continue
        counts.add("cut", is_hit=len(touching) > 1, fault=f"{mention!r} -> {touching}")
        if entity in first:
            name, number = first[entity]
            fault = f"{name!r} -> {number}, {mention!r} -> {touching}"
            is_tied = bool(words[entity] & words_of(mention))
            words[entity] |= words_of(mention) if is_tied else set()
            for measure in KEPT if is_tied else KEPT[:1]:
                counts.add(measure, is_hit=set(touching) == {number}, fault=fault)
        else:
            first[entity] = mention, touching[0]
            words[entity] = words_of(mention)
        numbers[entity].update(touching)
    for one, other in combinations(first, 2):
        shared = numbers[one] & numbers[other]
        fault = f"{first[one][0]!r} and {first[other][0]!r}: {sorted(shared)}"
        counts.add("shared", is_hit=bool(shared), fault=fault)
    return counts


def estimates(counts: Mapping[str, Counts]) -> dict[str, Estimate | None]:
    """Each measure over all documents, None where there was nothing to count."""
    result: dict[str, Estimate | None] = {}
    for measure in MEASURES:
        try:
            result[measure] = ratio(
                {key: item.hits[measure] for key, item in counts.items()},
                {key: item.totals[measure] for key, item in counts.items()},
            )
        except NotMeasurable:
            result[measure] = None
    return result


def read_counts(documents: Path, audit: Path) -> dict[str, Counts]:
    """Counts by document id; withheld documents are left out."""
    records = [json.loads(line) for line in audit.read_text(encoding="utf-8").splitlines()]
    edits = {record["id"]: record["edits"] for record in records if "edits" in record and not record.get("withheld")}
    rows = [json.loads(line) for line in documents.read_text(encoding="utf-8").splitlines()]
    return {row["id"]: count(row, edits[row["id"]]) for row in rows if row["id"] in edits and "entities" in row}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("documents", type=Path, help="documents with marks and entity ids, JSON lines")
    parser.add_argument("audit", type=Path, help="the audit file of a run over them")
    parser.add_argument("--list", action="store_true", help="print every fault")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    counts = read_counts(arguments.documents, arguments.audit)
    totals = {measure: sum(item.totals[measure] for item in counts.values()) for measure in MEASURES}
    results = estimates(counts)
    if arguments.json:
        rows = {
            measure: {"value": result.value, "interval": result.interval, "n": totals[measure]}
            for measure, result in results.items()
            if result
        }
        print(json.dumps({"documents": len(counts), **rows}))
        return
    untouched = sum(item.untouched for item in counts.values())
    print(f"{len(counts)} documents, {totals['cut']} names with an edit, {untouched} without")
    for measure, result in results.items():
        if result:
            low, high = result.interval
            print(f"  {MEASURES[measure]:44} {result.value:6.1%}  [{low:.1%}, {high:.1%}]  of {totals[measure]}")
    if arguments.list:
        for key, item in counts.items():
            for measure, fault in item.faults:
                print(measure, key, fault)


if __name__ == "__main__":
    main()
