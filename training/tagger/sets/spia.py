"""SPIA's synthetic posts (PANORAMA): attributes per subject, each with the words that give it away.

The set's rulings are TAB's and say nothing new about masking, so they are not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from training.tagger.records import Mark, Record, disjoint, skeleton
from training.tagger.sets.doubt import CONTACT, NUMERIC, doubtful

KIND = {
    "NAME": ("PERSON", "direct"),
    "IDENTIFICATION_NUMBER": ("CODE", "direct"),
    "DRIVER_LICENSE_NUMBER": ("CODE", "direct"),
    "PASSPORT_NUMBER": ("CODE", "direct"),
    "PHONE_NUMBER": ("CODE", "direct"),
    "EMAIL_ADDRESS": ("CODE", "direct"),
    "AGE": ("DEM", "quasi"),
    "SEX": ("DEM", "quasi"),
    "NATIONALITY": ("DEM", "quasi"),
    "EDUCATION": ("DEM", "quasi"),
    "RELATIONSHIP": ("DEM", "quasi"),
    "OCCUPATION": ("DEM", "quasi"),
    "POSITION": ("DEM", "quasi"),
    "LOCATION": ("LOC", "quasi"),
    "AFFILIATION": ("ORG", "quasi"),
}
_NAME_PART = 4
"""Shorter parts of a name turn up inside other words too often."""


def read(folder: Path) -> Iterator[Record]:
    with (folder / "panorama_380.jsonl").open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            text, name = row["text"], row["metadata"]["data_id"]
            clues = [clue for subject in row["subjects"] for clue in subject["PIIs"] if clue["keyword"]]
            found = [mark for clue in clues for mark in _located(text, clue["tag"], clue["keyword"])]
            marks = disjoint(text, [*found, *doubtful(text, CONTACT, NUMERIC)])
            yield Record("spia", name, skeleton(text), text, marks)


def _located(text: str, tag: str, keyword: str) -> Iterator[Mark]:
    """Where the keyword stands; most are inferences ("Male") and stand nowhere."""
    label, decision = KIND[tag]
    for value in keyword.split(" / "):
        spots = list(re.finditer(rf"(?<!\w){re.escape(value.strip())}(?!\w)", text, re.IGNORECASE))
        for spot in spots:
            yield Mark(spot.start(), spot.end(), label, decision)
        if tag == "NAME" and not spots:
            yield from _handles(text, value)


def _handles(text: str, name: str) -> Iterator[Mark]:
    """A name spelled inside a user name: "C. Whitney" in "@cwhitney"."""
    for part in (part for part in re.findall(r"\w+", name) if len(part) >= _NAME_PART):
        for spot in re.finditer(rf"@?\w*{re.escape(part)}\w*", text, re.IGNORECASE):
            yield Mark(spot.start(), spot.end(), "PERSON", "direct")
