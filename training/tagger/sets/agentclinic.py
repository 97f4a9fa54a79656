"""AgentClinic: cases of patients without names. Symptoms, drugs, findings and scores that are nobody's identifiers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from training.tagger.records import Record, disjoint
from training.tagger.sets.doubt import AGE, YEAR, doubtful

_WHO = re.compile(r"^(?:Demographics|Social History): .*$", re.M)
_WHERE = re.compile(r"\b(?:from|in|to|near|of) [A-Z]\w+(?: [A-Z]\w+)*")


def read(folder: Path) -> Iterator[Record]:
    """The cases; ages, places and what a person does may be personal, so nothing is learned there."""
    with (folder / "agentclinic_medqa_extended.jsonl").open(encoding="utf-8") as file:
        for number, line in enumerate(file):
            text = "\n".join(_lines(json.loads(line)["OSCE_Examination"]))
            name = f"agentclinic-{number}"
            yield Record("agentclinic", name, name, text, disjoint(text, doubtful(text, AGE, YEAR, _WHO, _WHERE)))


def _lines(part: Mapping[str, Any]) -> Iterator[str]:
    for name, value in part.items():
        head = name.replace("_", " ")
        if isinstance(value, dict):
            yield f"{head}:"
            yield from _lines(value)
        else:
            yield f"{head}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
