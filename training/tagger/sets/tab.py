"""Text Anonymization Benchmark: rulings with one annotator's decisions, and rulings with types only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.tagger.records import Mark, Record, disjoint

DECISION = {"DIRECT": "direct", "QUASI": "quasi", "NO_MASK": "none"}
_HONORIFIC = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Dr|Sir)\.?\s+")


def read(folder: Path) -> Iterator[Record]:
    """Set ``tab``: decisions known; set ``tab_typed``: the rulings of dev.jsonl that are not among them."""
    decided = set()
    for line in _lines(folder / "gold_train_dev.jsonl"):
        ruling = line["metadata"]["provenance"]["doc_id"]
        decided.add(ruling)
        marks = [
            Mark(
                entity["start_offset"], entity["end_offset"], entity["entity_type"], DECISION[entity["identifier_type"]]
            )
            for entity in line["entities"]
        ]
        yield Record("tab", ruling, ruling, line["text"], disjoint(line["text"], marks))
    for line in _lines(folder / "dev.jsonl"):
        if line["doc_id"] not in decided:
            yield _typed(line)


def _typed(line: dict[str, Any]) -> Record:
    """No decision was kept for these, but the guidelines leave none open for the applicant and the case number."""
    text = line["text"]
    applicant = line["meta"].get("applicant", "").casefold()
    marks = []
    for entity in line["entities"]:
        mark = Mark(entity["start"], entity["end"], entity["type"], DECISION.get(entity.get("identifier_type", "")))
        if mark.decision is None and (_names(applicant, text, mark) or _numbers_the_case(text, mark)):
            mark = mark._replace(decision="direct")
        marks.append(mark)
    return Record("tab_typed", line["doc_id"], line["doc_id"], text, disjoint(text, marks))


def _names(applicant: str, text: str, mark: Mark) -> bool:
    return mark.label == "PERSON" and _HONORIFIC.sub("", text[mark.start : mark.end]).casefold() == applicant != ""


def _numbers_the_case(text: str, mark: Mark) -> bool:
    before = text[max(0, mark.start - 20) : mark.start]
    return mark.label == "CODE" and re.search(r"application \(nos?\. $", before) is not None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
