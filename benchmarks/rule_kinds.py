"""How often each kind of rule is right, on texts of the training side: what the default recipe leaves to the tagger.

    python -m training.tagger.prepare --data DATA --out data.jsonl.gz
    PYTHONPATH=. python benchmarks/rule_kinds.py data.jsonl.gz

Prints, for each kind and set, the share of its tokens that are personal there, and how many tokens that is. Fold-out
texts are left out, so that the choice does not rest on what the detectors are scored on.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from training.tagger.records import Record, read
from training.tagger.splits import read_foldout

from sfumato.detectors.rules.detector import RuleDetector
from sfumato.document import Document

SETS = ("tab", "asq_phi", "meddocan", "presidio", "spia", "generated_negative")
MOST = 500
_TOKEN = re.compile(r"\w+|[^\w\s]")


def judged(record: Record) -> list[str]:
    """What each character is: personal, unknown, or nothing."""
    marks = ["nothing"] * len(record.text)
    for mark in record.marks:
        known = mark.decision in ("direct", "quasi")
        what = "personal" if known else "unknown" if mark.decision is None else "nothing"
        marks[mark.start : mark.end] = [what] * (mark.end - mark.start)
    return marks


def main() -> None:
    kept_back, detector = read_foldout(), RuleDetector()
    counts: dict[str, Counter[tuple[str, bool]]] = defaultdict(Counter)
    texts: Counter[str] = Counter()
    for record in read(Path(sys.argv[1])):
        hidden = kept_back.get(record.set, frozenset())
        if record.set not in SETS or texts[record.set] >= MOST or record.id in hidden or record.group in hidden:
            continue
        texts[record.set] += 1
        marks = judged(record)
        for span in detector.detect([Document("d", record.text)])[0]:
            for token in _TOKEN.finditer(record.text, span.start, span.end):
                found = set(marks[token.start() : token.end()])
                if "unknown" not in found:
                    counts[span.source.removeprefix("rules:")][record.set, found == {"personal"}] += 1
    print("| kind |" + "".join(f" {name} ({texts[name]} texts) |" for name in SETS))
    print("| --- |" + " --- |" * len(SETS))
    for kind, own in sorted(counts.items(), key=lambda item: -item[1].total()):
        cells = []
        for name in SETS:
            right, total = own[name, True], own[name, True] + own[name, False]
            cells.append(f" {right / total:.2f} ({total:,}) |" if total else " – |")
        print(f"| {kind} |" + "".join(cells))


if __name__ == "__main__":
    main()
