"""A sheet to read blind: replacements of two mask files for the same kinds of spans, shuffled, their source kept apart.

    python -m benchmarks.generalize_sheet --data DATA --masks OURS.json --sheet SHEET.tsv --key KEY.tsv [--each 100]
    python -m benchmarks.generalize_sheet --count SHEET.tsv --key KEY.tsv

The reader fills the columns ``truthful`` and ``abstract`` of the sheet with y or n and does not see the key; the second
command counts. Bare labels are left out: nobody needs to read whether LOC_1 is true. Labels are drawn in the same
numbers for both, from spans chosen independently for each.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import defaultdict
from pathlib import Path

from benchmarks.generalize import documents, mentions, published, says_nothing

from sfumato.document import Release
from sfumato.formats.spans import read_masks
from sfumato.statistics import wilson

COLUMNS = ("number", "before", "original", "after", "replacement", "truthful", "abstract")
AROUND = 120


def rows(releases: list[Release], labels: dict[str, dict[tuple[int, int], str]]) -> dict[str, list[tuple[str, ...]]]:
    """By label: what stood before, the original, what stands after, the replacement."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for release in releases:
        text = release.document.text
        for edit in release.edits:
            start, end = edit.span.start, edit.span.end
            inside = [label for place, label in labels[release.document.id].items() if start <= place[0] < end]
            if inside and inside[0] not in ("PERSON", "CODE") and not says_nothing(edit.replacement):
                before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
                found[inside[0]].append((before, text[start:end], after, edit.replacement))
    return found


def write(given: argparse.Namespace) -> None:
    texts = documents(given.data)
    spans = mentions(given.data, texts)
    labels = {key: {(span.start, span.end): span.label for span in own} for key, own in spans.items()}
    masks = dict(read_masks(given.masks))
    ours = [Release(document, tuple(masks[document.id])) for document in texts]
    both = {"ours": rows(ours, labels), "INTACT": rows(published("Manual_INTACT", given.data, texts, spans), labels)}
    chance = random.Random(given.seed)
    total = sum(len(own) for own in both["ours"].values())
    shares = {label: max(1, round(given.each * len(own) / total)) for label, own in both["ours"].items()}
    drawn = [
        (source, label, row)
        for source, by_label in both.items()
        for label, count in sorted(shares.items())
        for row in chance.sample(by_label[label], min(count, len(by_label[label])))
    ]
    chance.shuffle(drawn)
    with given.sheet.open("w", encoding="utf-8", newline="") as sheet, given.key.open("w", encoding="utf-8") as key:
        writer = csv.writer(sheet, delimiter="\t")
        writer.writerow(COLUMNS)
        for number, (source, label, row) in enumerate(drawn, 1):
            writer.writerow([number, *(" ".join(cell.split()) for cell in row), "", ""])
            key.write(f"{number}\t{source}\t{label}\n")
    print(f"{len(drawn)} rows")


def count(given: argparse.Namespace) -> None:
    key = dict(line.split("\t")[:2] for line in given.key.read_text(encoding="utf-8").splitlines())
    with given.count.open(encoding="utf-8", newline="") as sheet:
        read = list(csv.DictReader(sheet, delimiter="\t"))
    print("| source | truthful | more abstract | n |\n| --- | --- | --- | --- |")
    for source in sorted(set(key.values())):
        own = [row for row in read if key[row["number"]] == source]
        cells = []
        for column in ("truthful", "abstract"):
            yes = sum(row[column].strip().lower().startswith("y") for row in own)
            low, high = wilson(yes, len(own))
            cells.append(f"{yes / len(own):.3f} [{low:.3f}–{high:.3f}]")
        print(f"| {source} | {' | '.join(cells)} | {len(own)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--data", "--masks", "--sheet", "--count"):
        parser.add_argument(option, type=Path)
    parser.add_argument("--key", type=Path, required=True)
    parser.add_argument("--each", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    count(given) if given.count else write(given)


if __name__ == "__main__":
    main()
