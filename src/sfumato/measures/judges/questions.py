"""An exam: for each document the options, the right one's letter and, where it is not in the text, the question."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.corpus.json_stream import Broken, stream_pairs
from sfumato.corpus.jsonl import read_objects
from sfumato.errors import InputError, Problem

LETTERS = "ABCDEFGHIJ"
_SHAPE = 'give each document\'s id, its options ("A", "B", ... or an object "options") and "answer", the right letter'


@dataclass(frozen=True)
class Exam:
    """One multiple-choice question."""

    options: Mapping[str, str]
    """By letter, in order."""
    answer: str
    question: str = ""
    """Empty where the document asks it."""

    @property
    def listed(self) -> str:
        return "\n".join(f"{letter}. {text}" for letter, text in self.options.items())


def load_exam(given: str | Path | Mapping[str, Any]) -> dict[str, Exam]:
    """The questions by document id, from .jsonl, .csv, a .json object by id, or from such an object itself.

    A record has ``id`` (or ``doc_id``), the options under their letters or in ``options``, the letter ``answer`` and,
    if it is not in the document, ``question``. Raises InputError for the first that is not so.
    """
    if isinstance(given, Mapping):
        return {str(key): _exam(record, f"question {key}") for key, record in given.items()}
    path = Path(given)
    if not path.is_file():
        raise InputError(f"{path}: there is no such file of questions; {_SHAPE}")
    found: dict[str, Exam] = {}
    for place, key, record in _records(path):
        if key in found:
            raise InputError(f"{path}, {place}: the id {key} was there before; give each document one question")
        found[key] = _exam(record, f"{path}, {place}")
    if not found:
        raise InputError(f"{path}: holds no question; {_SHAPE}")
    return found


def _records(path: Path) -> Iterator[tuple[str, str, Any]]:
    match path.suffix.lower():
        case ".json":
            try:
                for key, record in stream_pairs(path):
                    yield f"id {key}", str(key), record
            except Broken as broken:
                raise InputError(f"{path}: {broken}") from None
        case ".jsonl" | ".ndjson":
            for number, record in read_objects(path, _refuse):
                yield f"line {number}", _id(record, f"{path}, line {number}"), record
        case ".csv":
            try:
                with path.open(encoding="utf-8-sig", newline="") as file:
                    for number, row in enumerate(csv.DictReader(file), 1):
                        yield f"record {number}", _id(row, f"{path}, record {number}"), row
            except (UnicodeDecodeError, csv.Error) as error:
                raise InputError(f"{path}: cannot be read as CSV ({type(error).__name__}); save it as UTF-8") from None
        case other:
            raise InputError(f"{path}: questions are read from .jsonl, .csv and .json, not from {other or 'this'}")


def _refuse(problem: Problem) -> None:
    raise InputError(str(problem))


def _id(record: Any, place: str) -> str:
    found = record.get("id", record.get("doc_id")) if isinstance(record, Mapping) else None
    if found in (None, ""):
        raise InputError(f"{place}: has no id; {_SHAPE}")
    return str(found)


def _exam(record: Any, place: str) -> Exam:
    if not isinstance(record, Mapping):
        raise InputError(f"{place}: is no record; {_SHAPE}")
    options = _options(record)
    if len(options) < 2:
        raise InputError(f"{place}: has {len(options)} options; two are the least; {_SHAPE}")
    answer = str(record.get("answer") or "").strip().upper()
    if answer not in options:
        raise InputError(f"{place}: the answer is not one of the letters {', '.join(options)}; {_SHAPE}")
    return Exam(options, answer, str(record.get("question") or "").strip())


def _options(record: Mapping[str, Any]) -> dict[str, str]:
    inner = record.get("options")
    written = inner if isinstance(inner, Mapping) else record
    found = {letter: str(written.get(letter) or written.get(letter.lower()) or "").strip() for letter in LETTERS}
    return {letter: text for letter, text in found.items() if text}
