"""Edits as the audit and the journal write them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sfumato.corpus.base import OnProblem, Unreadable
from sfumato.corpus.jsonl import read_objects
from sfumato.document import Edit, Span

_AUDIT = {"id", "released_id", "edits"}


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """An edit as the audit shows it."""
    return {
        "start": edit.span.start,
        "end": edit.span.end,
        "label": edit.span.label,
        "replacement": edit.replacement,
        "because": list(edit.because),
    }


def edit_from_json(data: dict[str, Any]) -> Edit:
    """The edit that was written; what it could have been, and whose it is, is not."""
    return Edit(Span(data["start"], data["end"], data["label"]), data["replacement"], tuple(data["because"]))


def is_audit_file(path: Path) -> bool:
    """Whether a file is an audit that ``sfumato anonymize`` wrote, by its first line."""
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    first = next((record for _, record in read_objects(path, lambda problem: None)), None)
    return isinstance(first, dict) and first.keys() >= _AUDIT


def read_audit(path: Path, on_problem: OnProblem) -> Iterator[tuple[str, list[Edit]]]:
    """The original's id and the edits of each document that was released, in file order.

    Raises where a text was rewritten as a whole: what it says now is not in the audit.
    """
    for number, record in read_objects(path, on_problem):
        try:
            if record.get("rewritten") is not None:
                said = f"line {number}: was rewritten as a whole, and an audit does not hold the new text"
                raise Unreadable(path, f"{said}; give the mask file instead (--audit FILE.masks.json)")
            if record.get("withheld") is None:
                yield record["id"], [edit_from_json(edit) for edit in record["edits"]]
        except (KeyError, TypeError, ValueError):
            raise Unreadable(path, f"line {number}: is not a line of an audit; run anonymize again") from None
