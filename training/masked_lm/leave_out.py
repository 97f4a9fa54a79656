"""What the language model never reads, because it will be scored on it: whole cases and people, not only files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from training.masked_lm.texts import SEED, Text
from training.tagger.splits import position

RULINGS = ("tab", "tab_typed", "tab_background")
PEOPLE = ("wikibio", "db_bio")
PROFILES = ("synthpai", "personalreddit")
LATER = 0.5
"""Share of the people, by hash, whom attacks and inferences are measured on."""
_APPLICATION = re.compile(r"(?<![\d/])\d{2,5}/\d\d(?![\d/])")
_HEAD = 500
"""Characters of a ruling in which its own application numbers stand; further down it cites others."""
_OPENING = 100


@dataclass(frozen=True)
class LeaveOut:
    """Ids by set, TAB's case ids and application numbers, and the names of people described in scored texts."""

    ids: Mapping[str, frozenset[str]]
    cases: frozenset[str]
    applications: frozenset[str]
    people: frozenset[str]

    def reason(self, text: Text) -> str | None:
        """Why this text is left out, or None."""
        names = self.ids.get(text.set, frozenset())
        if text.id in names or text.group in names:
            return "the tagger's fold-out"
        if text.set in RULINGS and text.group in self.cases:
            return "a case of the benchmark"
        if text.set in RULINGS and applications(text.text) & self.applications:
            return "another ruling on a case of the benchmark"
        if text.set in (*PEOPLE, *PROFILES) and position(SEED, f"kept for later {text.group}") < LATER:
            return "kept for later benchmarks"
        if text.set in PEOPLE:
            opening = f" {words(text.text[:_OPENING])} "
            if any(f" {name} " in opening for name in self.people):
                return "a person of the benchmark"
        return None


def applications(ruling: str) -> frozenset[str]:
    """The numbers of the applications a ruling is about."""
    return frozenset(_APPLICATION.findall(ruling[:_HEAD]))


def words(name: str) -> str:
    """Letters a to z only; the ids of one set replace all others by a hyphen, so names must be compared this way."""
    return " ".join(re.findall("[a-z]+", name.lower()))


def gather(data: Path, foldout: Mapping[str, frozenset[str]], texts: Iterable[Text]) -> LeaveOut:
    """All of dev.jsonl and the rulings of the fold-out with their background; actors; the generalized biographies."""
    with (data / "tab/dev.jsonl").open(encoding="utf-8") as file:
        cases = {json.loads(line)["doc_id"] for line in file}
    cases |= foldout.get("tab", frozenset()) | foldout.get("tab_typed", frozenset())
    numbers = [applications(text.text) for text in texts if text.set in RULINGS and text.group in cases]
    actors = json.loads((data / "wikiactors/WikiActors_50_eval.json").read_text(encoding="utf-8"))
    people = {words(row["name"].split(" (")[0]) for row in actors}
    people |= {words(row["doc_id"]) for row in json.loads((data / "wiki_replace/dev50.json").read_text("utf-8"))}
    return LeaveOut(foldout, frozenset(cases), frozenset().union(*numbers), frozenset(people))
