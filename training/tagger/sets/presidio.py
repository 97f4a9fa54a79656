"""presidio_research: sentences from templates, filled with a fake-name generator's people; split by template."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from training.tagger.records import Mark, Record, disjoint
from training.tagger.sets.doubt import AGE, doubtful

KIND = {
    "PERSON": ("PERSON", "direct"),
    "PREFIX": ("PERSON", "direct"),
    "ADDRESS": ("LOC", "quasi"),
    "LOCATION": ("LOC", "quasi"),
    "ORGANIZATION": ("ORG", "quasi"),
    "TITLE": ("DEM", "quasi"),
    "DATE_TIME": ("DATETIME", "quasi"),
}
"""Everything else is a number, a mail address or a link: CODE, direct."""


def read(folder: Path) -> Iterator[Record]:
    for name in ("generated_small", "generated_large"):
        rows = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for number, row in enumerate(rows):
            text = row["full_text"]
            found = [
                Mark(span["start_position"], span["end_position"], *KIND.get(span["entity_type"], ("CODE", "direct")))
                for span in row["spans"]
            ]
            marks = disjoint(text, [*_joined(text, sorted(found)), *doubtful(text, AGE)])
            yield Record("presidio", f"{name}-{number}", f"template-{row['template_id']}", text, marks)


def _joined(text: str, marks: list[Mark]) -> list[Mark]:
    """An address comes in slots (number, street, flat) and a name as title and name: TAB marks each as one span."""
    joined = marks[:1]
    for before, after in pairwise(marks):
        between = text[before.end : after.start]
        if before.label == after.label and before.label in ("LOC", "PERSON") and between.strip() == "" and between:
            joined[-1] = joined[-1]._replace(end=after.end)
        else:
            joined.append(after)
    return joined
