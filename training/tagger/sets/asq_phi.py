"""ASQ-PHI: clinical questions with the values of their identifiers, and questions about nobody in particular."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from training.tagger.records import Mark, Record, disjoint, skeleton
from training.tagger.sets.doubt import AGE, YEAR, doubtful

_CARE = re.compile(
    r"hospital|clinic|health|medical|med\b|center|cntr|institute|university|home|care|practice|pharmacy|sinai|kettering"
    r"|hopkins|mayo|anderson|kaiser|cedars|ucsf|ucla|nyu|\bst\.",
    re.I,
)


def read(folder: Path) -> Iterator[Record]:
    with (folder / "dev.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            text = row["text"]
            phi = [mark for item in row["phi"] for mark in _located(text, item["identifier_type"], item["value"])]
            # A question about nobody may keep its ages; beside a name, an age may well be one clue too many.
            ages = doubtful(text, AGE, YEAR) if phi else _harmless(text)
            marks = disjoint(text, [*phi, *ages])
            yield Record("asq_phi", row["id"], skeleton(text, phi), text, marks)


def _located(text: str, kind: str, value: str) -> Iterator[Mark]:
    label, decision = _kind(kind, value)
    for spot in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text):
        yield Mark(spot.start(), spot.end(), label, decision)


def _kind(kind: str, value: str) -> tuple[str, str]:
    if kind == "NAME":
        return "PERSON", "direct"
    if kind == "DATE":
        return "DATETIME", "quasi"
    if kind == "GEOGRAPHIC_LOCATION":
        return ("ORG" if _CARE.search(value) and not value[0].isdigit() else "LOC"), "quasi"
    return "CODE", "direct"


def _harmless(text: str) -> Iterator[Mark]:
    for age in doubtful(text, AGE):
        yield age._replace(label="DEM", decision="none")
    for year in doubtful(text, YEAR):
        yield year._replace(label="DATETIME", decision="none")
