"""Mask files as other evaluators write them: ``{id: [[start, end, replacement?], ...]}``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sfumato.corpus.base import OnProblem, Unreadable
from sfumato.corpus.json_stream import Broken, first_character, stream_pairs
from sfumato.document import Edit, Span, merge_spans
from sfumato.errors import Problem, listed

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
