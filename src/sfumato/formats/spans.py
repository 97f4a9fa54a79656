"""What ``detect`` writes and ``--spans`` reads: one line a document, ``{"id", "spans": [...]}``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from sfumato.document import Document, Edit, Span, merge_spans
from sfumato.errors import Problem, listed
from sfumato.formats.base import OnProblem, Unreadable
from sfumato.formats.files import DiskIndex
from sfumato.formats.json_array import Broken, first_character, stream_pairs
from sfumato.formats.jsonl import read_objects
from sfumato.formats.records import BadRecord, as_id

# -- Mask files as other evaluators write them: ``{id: [[start, end, replacement?], ...]}``.


_FORM = "{id: [[start, end, replacement], ...]}"
MASK_LABEL = "MISC"
"""A mask file does not say what kind of thing it hides."""


def read_masks(path: Path, on_problem: OnProblem = lambda problem: None) -> Iterator[tuple[str, list[Edit]]]:
    """Each document's id and edits, in file order; a missing replacement means suppressed.

    Edits come out disjoint: masks that overlap, as some published ones do, are merged by ``merge_spans``. Where that
    cuts a replacement's place, or drops one, it is reported.
    """
    if first_character(path) != "{":
        raise Unreadable(path, f"is not a mask file; it should be one object {_FORM}")
    number = 0
    cut: list[str] = []
    try:
        for identifier, masks in stream_pairs(path):
            number += 1
            if not isinstance(masks, list):
                raise Unreadable(path, f"document {identifier}: its masks are not a list; a mask file is {_FORM}")
            edits = [_edit(path, identifier, at, mask) for at, mask in enumerate(masks, 1)]
            if _clash(edits):
                cut.append(identifier)
            yield identifier, _disjoint(edits)
    except Broken as broken:
        raise Unreadable(path, f"after record {number}: {broken}") from None
    if cut:
        why = "where masks overlap the longest counts, and what others cover beyond it gets their replacements"
        on_problem(Problem(path, f"{len(cut)} documents have masks that overlap ({listed(cut)}): {why}"))


def _edit(path: Path, identifier: str, number: int, mask: object) -> Edit:
    try:
        start, end, replacement = _parts(mask)
        return Edit(Span(start, end, MASK_LABEL, source="mask"), replacement)
    except ValueError as wrong:
        raise Unreadable(path, f"document {identifier}: mask {number} {wrong}") from None


def _parts(mask: object) -> tuple[int, int, str]:
    if not isinstance(mask, list) or not 2 <= len(mask) <= 3:
        raise ValueError("is not [start, end] or [start, end, replacement]")
    start, end, replacement = mask if len(mask) == 3 else (*mask, None)
    for offset in (start, end):
        if not isinstance(offset, int) or isinstance(offset, bool):
            raise ValueError("has an offset that is not a whole number")
    if start < 0:
        raise ValueError(f"starts ({start}) before the text")
    if start > end:
        raise ValueError(f"starts ({start}) after it ends ({end})")
    if replacement is not None and not isinstance(replacement, str):
        raise ValueError("has a replacement that is neither text nor null")
    return start, end, replacement or ""


def _clash(edits: list[Edit]) -> bool:
    """Whether one mask lies in another's place, and it matters which of them counts."""
    distinct = sorted({(edit.span.start, edit.span.end, edit.replacement) for edit in edits if len(edit.span)})
    end, replaced = 0, False
    for start, stop, replacement in distinct:
        if start < end and (replaced or replacement):
            return True
        replaced = bool(replacement) or (replaced and start < end)
        end = max(end, stop)
    return False


def _disjoint(edits: list[Edit]) -> list[Edit]:
    insertions = [edit for edit in edits if not len(edit.span)]
    # merge_spans cuts and drops spans, so each carries the number of the edit it came from.
    numbered = [
        Span(edit.span.start, edit.span.end, MASK_LABEL, source=str(number))
        for number, edit in enumerate(edits)
        if len(edit.span)
    ]
    merged = [
        Edit(edits[int(span.source)].span.moved(span.start, span.end), edits[int(span.source)].replacement)
        for span in merge_spans(numbered)
    ]
    return sorted(merged + insertions, key=lambda edit: (edit.span.start, edit.span.end))


# -- What ``detect`` writes and ``--spans`` reads: one line a document, ``{"id", "spans": [...]}``.


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


# -- Edits as the audit and the journal write them.


_AUDIT = {"id", "released_id", "edits"}


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """An edit as the audit shows it."""
    return {
        "start": edit.span.start,
        "end": edit.span.end,
        "label": edit.span.label,
        "replacement": edit.replacement,
        "reasons": list(edit.reasons),
    }


def edit_from_json(data: dict[str, Any]) -> Edit:
    """The edit that was written; what it could have been, and whose it is, is not."""
    return Edit(Span(data["start"], data["end"], data["label"]), data["replacement"], tuple(data["reasons"]))


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
