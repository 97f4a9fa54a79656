"""Mask files as other evaluators write them: ``{id: [[start, end, replacement?], ...]}``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sfumato.corpus.base import Unreadable
from sfumato.corpus.json_stream import Broken, first_character, stream_pairs
from sfumato.document import Edit, Span, merge_spans

MASK_LABEL = "MISC"
"""A mask file does not say what kind of thing it hides."""


def read_masks(path: Path) -> Iterator[tuple[str, list[Edit]]]:
    """Each document's id and edits, in file order; a missing replacement means suppressed.

    Edits come out disjoint: masks that overlap, as some published ones do, are merged by ``merge_spans``.
    """
    if first_character(path) != "{":
        raise Unreadable(path, "is not a mask file; it should be one object {id: [[start, end, replacement], ...]}")
    number = 0
    try:
        for identifier, masks in stream_pairs(path):
            number += 1
            try:
                edits = _disjoint([_edit(mask) for mask in masks])
            except (TypeError, ValueError):
                raise Unreadable(path, f"record {number}: a mask is not [start, end] or [start, end, text]") from None
            yield identifier, edits
    except Broken as broken:
        raise Unreadable(path, f"after record {number}: {broken}") from None


def _edit(mask: list[object]) -> Edit:
    start, end, *rest = mask
    replacement = rest[0] if rest else None
    if not isinstance(start, int) or not isinstance(end, int) or len(rest) > 1:
        raise ValueError("not a mask")
    if replacement is not None and not isinstance(replacement, str):
        raise ValueError("not a replacement")
    return Edit(Span(start, end, MASK_LABEL, source="mask"), replacement or "")


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
