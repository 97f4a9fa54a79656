"""What ``detect`` writes and ``--spans`` reads: one line a document, ``{"id", "spans": [...]}``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from sfumato.corpus.base import OnProblem
from sfumato.corpus.disk import DiskIndex
from sfumato.corpus.jsonl import read_objects
from sfumato.corpus.masks import MASK_LABEL, read_masks
from sfumato.corpus.records import BadRecord, as_id
from sfumato.document import Document, Span
from sfumato.errors import Problem

_LINE_SUFFIXES = (".jsonl", ".ndjson")


def spans_record(document: Document, spans: Iterable[Span]) -> dict[str, Any]:
    """One document's spans as a line of the file holds them."""
    return {
        "id": document.id,
        "spans": [
            {
                "start": span.start,
                "end": span.end,
                "label": span.label,
                "identifier": span.identifier,
                "score": span.score,
                "entity": span.entity,
            }
            for span in spans
        ],
    }


def read_spans(path: Path, on_problem: OnProblem) -> Iterator[tuple[str, list[Span]]]:
    """Each document's id and spans: from a spans file (``.jsonl``) or from a mask file (anything else)."""
    if path.suffix.lower() not in _LINE_SUFFIXES:
        for identifier, edits in read_masks(path, on_problem):
            yield identifier, [edit.span for edit in edits]
        return
    for number, record in read_objects(path, on_problem):
        try:
            if not isinstance(record, dict) or not isinstance(record.get("spans"), list):
                raise BadRecord('the line is not {"id": ..., "spans": [...]}; write the file with sfumato detect')
            pair = as_id(record.get("id")), [_span(given) for given in record["spans"]]
        except BadRecord as bad:
            on_problem(Problem(path, str(bad), number))
        else:
            yield pair


def spans_on_disk(path: Path, on_problem: OnProblem) -> Callable[[Document], list[Span] | None]:
    """What looks up a document's spans of such a file; None for a document that is not there."""
    index = DiskIndex()
    for identifier, spans in read_spans(path, on_problem):
        fields = [
            (span.start, span.end, span.label, span.identifier, span.score, span.source, span.entity) for span in spans
        ]
        if not index.add(identifier, fields):
            on_problem(Problem(path, "an id stands there twice; the first one counts"))

    def lookup(document: Document) -> list[Span] | None:
        found = index.get(document.id)
        return None if found is None else [Span(*fields) for fields in found]

    return lookup


def _span(given: Any) -> Span:
    try:
        return Span(
            start=int(given["start"]),
            end=int(given["end"]),
            label=str(given.get("label") or MASK_LABEL),
            identifier=_identifier(given.get("identifier")),
            score=float(given.get("score", 1.0)),
            source=str(given.get("source") or "spans"),
            entity=None if given.get("entity") is None else str(given["entity"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadRecord(
            "a span lacks start or end, or its start, end or score is no number, or its identifier is neither direct, "
            "quasi nor left out; correct it"
        ) from None


def _identifier(value: object) -> Any:
    """In capitals, as TAB writes it, it says the same."""
    said = value.lower() if isinstance(value, str) else value
    if said not in ("direct", "quasi", None):
        raise ValueError(value)
    return said
