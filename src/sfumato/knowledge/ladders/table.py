"""A ladder from a user's own table: one line a term, with what is true of it from most specific to most generic.

A CSV file with the columns ``term``, ``rungs`` (separated by semicolons) and, if wanted, ``label``:
``Northgate Clinic,a private clinic in the north;a private clinic;a medical institution,ORG``.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sfumato.document import LABELS
from sfumato.errors import InputError, suggest
from sfumato.knowledge.ladders.base import Article, Mention, Rung
from sfumato.phrases import folded

_COLUMNS = ("term", "rungs")


class UserTable:
    """What a user says about their own terms. It goes before our tables."""

    def __init__(self, path: str | Path) -> None:
        self._rungs: dict[tuple[str, str], list[Rung]] = {}
        self._name = Path(path).name
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file)
                if missing := [name for name in _COLUMNS if name not in (rows.fieldnames or ())]:
                    raise InputError(f"{path}: no column {missing[0]!r}: a table has the columns term, rungs and label")
                for row in rows:
                    self._add(row, f"{path}, line {rows.line_num}")
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path}: cannot be read as a CSV table in UTF-8: {type(error).__name__}") from None

    def _add(self, row: dict[str, str | None], where: str) -> None:
        term, label = (row["term"] or "").strip(), (row.get("label") or "").strip()
        phrases = [phrase.strip() for phrase in (row["rungs"] or "").split(";") if phrase.strip()]
        if not term or not phrases:
            raise InputError(f"{where}: a term and at least one rung are needed")
        if label and label not in LABELS:
            raise InputError(f"{where}: no label {label!r}: {suggest(label.upper(), LABELS)}")
        key = (folded(term), label)
        if key in self._rungs:
            raise InputError(f"{where}: the term stands in the table twice; put its rungs on one line")
        self._rungs[key] = [self._rung(phrase, place) for place, phrase in enumerate(phrases, 1)]

    def _rung(self, phrase: str, place: int) -> Rung:
        article, text = article_of(phrase)
        return Rung(text, float(10**place), article, source=f"table {self._name}")

    def rungs(self, mention: Mention) -> list[Rung]:
        key = folded(article_of(mention.said.strip())[1])
        for form in (folded(mention.said.strip()), key):
            for label in (mention.label, ""):
                if (form, label) in self._rungs:
                    return self._rungs[form, label]
        return []


def article_of(phrase: str) -> tuple[Article, str]:
    """The article, as a ladder gives it, and the phrase without it."""
    first, _, rest = phrase.partition(" ")
    match first.lower():
        case "a" | "an" if rest:
            return "a", rest
        case "the" if rest:
            return "the", rest
    return "", phrase
