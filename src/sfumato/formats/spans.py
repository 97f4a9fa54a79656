"""Files of spans and edits: mask files, the spans files of ``detect``, and audits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.document import LABELS, Document, Edit, Span, merge_spans
from sfumato.errors import Problem, listed
from sfumato.formats.base import OnProblem, Unreadable
from sfumato.formats.files import DiskIndex
from sfumato.formats.json_array import Broken, first_character, stream_pairs
from sfumato.formats.jsonl import read_objects
from sfumato.formats.records import BadRecord, as_id

_MASK_FORMAT = "{id: [[start, end, replacement], ...]}"
MASK_LABEL = "MISC"
"""A mask file does not say what type of entity it hides."""
_PLACEHOLDER = re.compile(rf"\W*({'|'.join(LABELS)})(?:_\d+)?\W*")
_LINE_SUFFIXES = (".jsonl", ".ndjson")


def placeholder_label(replacement: str) -> str | None:
    """The label that a replacement consists of: ``PERSON``, ``[PERSON]``, ``PERSON_1``; None for any other text."""
    match = _PLACEHOLDER.fullmatch(replacement)
    return match[1] if match else None


def read_masks(path: Path, on_problem: OnProblem = lambda problem: None) -> Iterator[tuple[str, list[Edit]]]:
    """Each document's id and edits in a mask file, in file order; a missing replacement means suppressed.

    Edits come out disjoint: masks that overlap, as some published ones do, are merged by ``merge_spans``. A warning
    names the documents where that cuts the range of a replacement, or drops one.
    """
    if first_character(path) != "{":
        raise Unreadable(path, f"is not a mask file; it should be one object {_MASK_FORMAT}")
    number = 0
    overlapping: list[str] = []
    try:
        for identifier, masks in stream_pairs(path):
            number += 1
            if not isinstance(masks, list):
                message = f"document {identifier}: its masks are not a list; a mask file is {_MASK_FORMAT}"
                raise Unreadable(path, message)
            edits = [_edit(path, identifier, position, mask) for position, mask in enumerate(masks, 1)]
            if _overlap_matters(edits):
                overlapping.append(identifier)
            yield identifier, _merge_edits(edits)
    except Broken as broken:
        raise Unreadable(path, f"after record {number}: {broken}") from None
    if overlapping:
        rule = "where masks overlap the longest counts, and what others cover beyond it gets their replacements"
        message = f"{len(overlapping)} documents have masks that overlap ({listed(overlapping)}): {rule}"
        on_problem(Problem(path, message, is_warning=True))


def _edit(path: Path, identifier: str, number: int, mask: object) -> Edit:
    try:
        start, end, replacement = _parse_mask(mask)
        return Edit(Span(start, end, MASK_LABEL, source="mask"), replacement)
    except ValueError as wrong:
        raise Unreadable(path, f"document {identifier}: mask {number} {wrong}") from None


def _parse_mask(mask: object) -> tuple[int, int, str]:
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


def _overlap_matters(edits: list[Edit]) -> bool:
    """Whether two different masks overlap and at least one of them has a replacement, so that one replacement loses."""
    distinct = sorted({(edit.span.start, edit.span.end, edit.replacement) for edit in edits if len(edit.span)})
    covered_until, is_replaced = 0, False
    for start, end, replacement in distinct:
        if start < covered_until and (is_replaced or replacement):
            return True
        is_replaced = bool(replacement) or (is_replaced and start < covered_until)
        covered_until = max(covered_until, end)
    return False


def _merge_edits(edits: list[Edit]) -> list[Edit]:
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


def spans_record(document: Document, spans: Iterable[Span]) -> dict[str, Any]:
    """One document's spans as a line of the file that ``detect`` writes and ``--spans`` reads."""
    keys = ("start", "end", "label", "identifier", "score", "entity")
    return {"id": document.id, "spans": [{key: getattr(span, key) for key in keys} for span in spans]}


def read_spans(path: Path, on_problem: OnProblem) -> Iterator[tuple[str, list[Span]]]:
    """Each document's id and spans: from a spans file (``.jsonl``) or from a mask file (anything else).

    A mask whose replacement is a label (``placeholder_label``) gives a span of that label.
    """
    if path.suffix.lower() not in _LINE_SUFFIXES:
        for identifier, edits in read_masks(path, on_problem):
            yield (
                identifier,
                [replace(edit.span, label=placeholder_label(edit.replacement) or MASK_LABEL) for edit in edits],
            )
        return
    for number, record in read_objects(path, on_problem):
        try:
            if not isinstance(record, dict) or not isinstance(record.get("spans"), list):
                raise BadRecord('the line is not {"id": ..., "spans": [...]}; write the file with sfumato detect')
            pair = as_id(record.get("id")), [_span(fields) for fields in record["spans"]]
        except BadRecord as bad:
            on_problem(Problem(path, str(bad), number))
        else:
            yield pair


def spans_on_disk(path: Path, on_problem: OnProblem) -> Callable[[Document], list[Span] | None]:
    """A function that looks up a document's spans in such a file; None for a document that is not in it."""
    index = DiskIndex()
    for identifier, spans in read_spans(path, on_problem):
        rows = [
            (span.start, span.end, span.label, span.identifier, span.score, span.source, span.entity) for span in spans
        ]
        if not index.add(identifier, rows):
            on_problem(Problem(path, "an id occurs twice; the first one counts"))

    def lookup(document: Document) -> list[Span] | None:
        rows = index.get(document.id)
        return None if rows is None else [Span(*row) for row in rows]

    return lookup


def _span(fields: Any) -> Span:
    try:
        return Span(
            start=int(fields["start"]),
            end=int(fields["end"]),
            label=str(fields.get("label") or MASK_LABEL),
            identifier=_identifier(fields.get("identifier")),
            score=float(fields.get("score", 1.0)),
            source=str(fields.get("source") or "spans"),
            entity=None if fields.get("entity") is None else str(fields["entity"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadRecord(
            "a span lacks start or end, or its start, end or score is no number, or its identifier is neither direct, "
            "quasi nor left out; correct it"
        ) from None


def _identifier(value: object) -> Any:
    """TAB writes it in capitals."""
    identifier = value.lower() if isinstance(value, str) else value
    if identifier not in ("direct", "quasi", None):
        raise ValueError(value)
    return identifier


_AUDIT = {"id", "released_id", "edits"}


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """An edit as the audit and the journal write it."""
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
                message = f"line {number}: was rewritten as a whole, and an audit does not hold the new text"
                raise Unreadable(path, f"{message}; give the mask file instead (--audit FILE.masks.json)")
            if record.get("withheld") is None:
                yield record["id"], [edit_from_json(edit) for edit in record["edits"]]
        except (KeyError, TypeError, ValueError):
            raise Unreadable(path, f"line {number}: is not a line of an audit; run anonymize again") from None
