"""A sheet to read blind: every edit of some everyday documents, in its sentence before and after.

    python -m benchmarks.everyday_sheet DOCUMENTS.jsonl --sheet SHEET.tsv [--recipe default] [--documents 60] [--seed 1]
    python -m benchmarks.everyday_sheet --count SHEET.tsv [SHEET.tsv ...]

DOCUMENTS: see benchmarks/everyday.py. The reader sees the text before and after, knows nothing of where it comes from,
and fills two columns: ``false`` (y where the new words say something untrue of the original) and ``broken`` (y
where grammar or form breaks: a doubled article, a unit lost, a word or bracket cut). The second command counts, with
Wilson intervals: false ones among the edits that are more than a label, broken ones among all.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sfumato.document import LABELS, Document, Release
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.statistics import wilson

COLUMNS = ("document", "number", "before", "original", "after", "released", "replacement", "kind", "false", "broken")
AROUND = 90
_LABEL = re.compile(rf"\W*(?:(?:{'|'.join(LABELS)})_\d+\W*)+")


def rows(release: Release) -> Iterator[tuple[str, ...]]:
    """Every edit: the original with what stands around it, and the same part of the release."""
    text, moved = release.document.text, 0
    released = release.text
    for number, edit in enumerate(release.edits, 1):
        start, end = edit.span.start, edit.span.end
        place = start + moved
        moved += len(edit.replacement) - (end - start)
        around = released[max(0, place - AROUND) : place + len(edit.replacement) + AROUND]
        kind = "label" if _LABEL.fullmatch(edit.replacement) else "generalization"
        before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        yield str(number), before, text[start:end], after, around, edit.replacement, kind, "", ""


def write(given: argparse.Namespace) -> None:
    documents = [json.loads(line) for line in given.documents_file.read_text(encoding="utf-8").splitlines()]
    chosen = random.Random(given.seed).sample(documents, min(given.documents, len(documents)))
    outcomes = Pipeline(load(given.recipe)).anonymize([Document(id=row["id"], text=row["text"]) for row in chosen])
    with given.sheet.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file, delimiter="\t")
        sheet.writerow(COLUMNS)
        for number, outcome in enumerate(outcomes, 1):
            if isinstance(outcome, Release):
                sheet.writerows((f"d{number:02d}", *row) for row in rows(outcome))


def count(paths: Sequence[Path]) -> str:
    """Shares of false and broken edits with their intervals."""
    read = []
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            read += list(csv.DictReader(file, delimiter="\t"))
    if unread := [row for row in read if row["false"] not in ("y", "n") or row["broken"] not in ("y", "n")]:
        raise SystemExit(f"{len(unread)} of {len(read)} edits have no y or n in false and broken: read them first")
    told = [row for row in read if row["kind"] == "generalization"]
    lines = [f"{len({row['document'] for row in read})} documents, {len(read)} edits, {len(told)} generalizations"]
    for name, part in (("false", told), ("broken", read)):
        bad = sum(row[name] == "y" for row in part)
        low, high = wilson(bad, len(part))
        lines.append(f"{name}: {bad} of {len(part)} = {bad / max(1, len(part)):.1%} ({low:.1%}–{high:.1%})")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents_file", type=Path, nargs="?", metavar="DOCUMENTS")
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=Path, nargs="+")
    given = parser.parse_args()
    if given.count:
        print(count(given.count))
    elif given.documents_file and given.sheet:
        write(given)
    else:
        parser.error("give DOCUMENTS and --sheet, or --count")


if __name__ == "__main__":
    main()
