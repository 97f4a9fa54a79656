"""What each pass behind the detectors changes: every pass left out in turn, on documents with marks.

    python -m training.everyday_corpus test /tmp/everyday.jsonl
    python -m benchmarks.passes /tmp/everyday.jsonl [TAB.jsonl ...] [--documents 100]

A file holds one document a line, as ``training.everyday_corpus`` writes them, or as the Text Anonymization Benchmark
does (gold spans to mask must go, the others must stay). Detectors run once; then the passes run with all of them, and
without each. Printed: in how many documents the spans change, and by how much what leaks and what is destroyed changes,
in counts of benchmarks/everyday.py. A pass that changes nothing for the better on data it was not written for has no
reason to be there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.everyday import Counts, count

from sfumato import registry
from sfumato.detectors.base import DEFAULT_DETECTORS
from sfumato.detectors.detection import Detection
from sfumato.detectors.passes.order import NAMES, PASSES, Context, run_passes
from sfumato.document import Document, Span

_KIND_OF_MASK = {"DIRECT": "N", "QUASI": "L"}
SHOWN = ("leaked", "direct_leaked", "needless", "destroyed", "kept")


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Documents with marks, in the form of the everyday corpus."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        if "metadata" in row:
            spans = [
                [mark["start_offset"], mark["end_offset"], _KIND_OF_MASK.get(mark["identifier_type"], "X")]
                for mark in row["entities"]
            ]
            row = {"id": f"{path.stem}-{number}", "language": "en", "text": row["text"], "spans": spans}
        yield row


class RecordingDetection(Detection):
    """Keeps what the passes get."""

    def __init__(self) -> None:
        super().__init__([registry.create("detector", name, options) for name, options in DEFAULT_DETECTORS.items()])
        self.given: list[tuple[Document, list[Span]]] = []

    def _merge(self, document: Document, spans: Iterable[Span]) -> list[Span]:
        self.given.append((document, list(spans)))
        return super()._merge(document, self.given[-1][1])


def spans_without(document: Document, spans: list[Span], left_out: str) -> list[tuple[int, int, str]]:
    """Where the spans are after all passes but one, and their labels."""
    after = run_passes(PASSES, Context.of(document, left_out={left_out}), spans)
    return [(span.start, span.end, span.label) for span in after]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, nargs="+")
    parser.add_argument("--documents", type=int, dest="most", help="so many of each file")
    options = parser.parse_args()
    for path in options.documents:
        rows = list(read_rows(path))[: options.most]
        detection = RecordingDetection()
        list(detection.spans(Document(row["id"], row["text"]) for row in rows))
        # Where a text is folded its offsets are others; such documents are few, and left out.
        given = [(row, *pair) for row, pair in zip(rows, detection.given, strict=True) if pair[0].text == row["text"]]
        print(f"\n{path.name}: {len(given)} documents of {len(rows)}\n")
        print(f"| without | documents changed | {' | '.join(SHOWN)} |\n| --- |{' --- |' * (len(SHOWN) + 1)}")
        results = {
            name: [spans_without(document, spans, name) for _, document, spans in given] for name in ("", *NAMES)
        }
        totals = {
            name: sum(
                (count(row, [each[:2] for each in after]) for (row, _, _), after in zip(given, edits, strict=True)),
                Counts(),
            )
            for name, edits in results.items()
        }
        print(f"| nothing | – | {' | '.join(str(getattr(totals[''], field)) for field in SHOWN)} |")
        for name in NAMES:
            changed = sum(before != after for before, after in zip(results[""], results[name], strict=True))
            changes = (getattr(totals[name], field) - getattr(totals[""], field) for field in SHOWN)
            print(f"| {name} | {changed} | {' | '.join(f'{change:+d}' for change in changes)} |")


if __name__ == "__main__":
    main()
