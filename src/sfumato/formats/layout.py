"""Map edits of a document's text to the many small strings in which a structured file (Word, HTML) stores it.

A structured file holds its text in *slots* (a run of a paragraph, an attribute, a comment). Slots that read as one
text are a *group*; the document's text is its groups, one per line. A group of white space only is not part of the
text. A group that a release leaves blank must still count as an (empty) line, or reading the file again would give
another text; it then begins with an invisible ``PLACEHOLDER``, which reading removes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sfumato.document import Release

PLACEHOLDER = "\u200b"
"""Zero width space: invisible, allowed everywhere, and not white space for ``str.strip``."""

Group = Sequence[str]


class Change(NamedTuple):
    """``slot[start:end]`` becomes ``replacement``."""

    start: int
    end: int
    replacement: str


Changes = dict[tuple[int, int], list[Change]]
"""Changes by group and slot number, from left to right, never overlapping."""


@dataclass(slots=True)
class _Piece:
    """A slot with its offsets in the document's text, or (``group`` None) the line break between two groups."""

    start: int
    end: int
    group: int | None = None
    slot: int = 0
    raw: str = "\n"
    lead: int = 0
    changes: list[Change] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self.raw[self.lead :]

    @property
    def changed_text(self) -> str:
        return apply_changes(
            self.text, [Change(c.start - self.lead, c.end - self.lead, c.replacement) for c in self.changes]
        )


def apply_changes(text: str, changes: Sequence[Change]) -> str:
    """A slot's text after its changes."""
    parts = []
    end = 0
    for change in changes:
        parts += [text[end : change.start], change.replacement]
        end = change.end
    return "".join([*parts, text[end:]])


def text_of(groups: Sequence[Group]) -> str:
    """The document's text."""
    return "".join(piece.text for piece in _pieces(groups))


def group_starts(groups: Sequence[Group]) -> dict[int, int]:
    """The offset of each group's text in the document's text; groups of white space have none."""
    starts: dict[int, int] = {}
    for piece in _pieces(groups):
        if piece.group is not None:
            starts.setdefault(piece.group, piece.start)
    return starts


def _pieces(groups: Sequence[Group]) -> Iterator[_Piece]:
    start = 0
    is_first = True
    for number, slots in enumerate(groups):
        joined = "".join(slots)
        if not joined.strip():
            continue
        if not is_first:
            yield _Piece(start, start + 1)
            start += 1
        is_first = False
        has_placeholder = joined.startswith(PLACEHOLDER)
        for index, raw in enumerate(slots):
            lead = 1 if has_placeholder and raw else 0
            has_placeholder = has_placeholder and not lead
            end = start + len(raw) - lead
            yield _Piece(start, end, number, index, raw, lead)
            start = end


def changes_by_slot(groups: Sequence[Group], release: Release) -> Changes:
    """The changes to each slot after which ``text_of`` gives ``release.text``.

    An edit that removes the line break between groups moves the rest of the later groups into the first.
    """
    pieces = list(_pieces(groups))
    if not pieces:
        if release.text:
            raise ValueError("there is no place for text in a document without any")
        return {}
    _distribute(pieces, release)
    for run in _runs(pieces):
        _merge_run(run)
    return {(piece.group, piece.slot): piece.changes for piece in pieces if piece.group is not None and piece.changes}


def _distribute(pieces: list[_Piece], release: Release) -> None:
    ends = [piece.end for piece in pieces]
    for edit in release.edits:
        start, end, replacement = edit.span.start, edit.span.end, edit.replacement
        if start == end:
            index = bisect_left(ends, start)
            if pieces[index].group is None:  # a line break: the inserted text belongs to the line after it
                index += 1
            _change(pieces[index], start, end, replacement)
            continue
        for index in range(bisect_right(ends, start), len(pieces)):
            piece = pieces[index]
            if piece.start >= end:
                break
            if piece.start < piece.end:
                _change(piece, max(start, piece.start), min(end, piece.end), replacement)
                replacement = ""


def _change(piece: _Piece, start: int, end: int, replacement: str) -> None:
    offset = piece.lead - piece.start
    piece.changes.append(Change(start + offset, end + offset, replacement))


def _runs(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """The pieces of each line of the release."""
    run: list[_Piece] = []
    for piece in pieces:
        if piece.group is None and not piece.changes:
            yield run
            run = []
        else:
            run.append(piece)
    yield run


def _merge_run(run: list[_Piece]) -> None:
    if not any(piece.changes for piece in run):
        return
    size = next((index for index, piece in enumerate(run) if piece.group is None), len(run))
    first, absorbed = run[:size], run[size:]
    if absorbed:
        tail = "".join(piece.changed_text for piece in absorbed)
        last = first[-1]
        last.changes.append(Change(len(last.raw), len(last.raw), tail))
        for piece in absorbed:
            piece.changes = [Change(0, len(piece.raw), "")] if piece.raw else []
    _update_placeholder(first)


def _update_placeholder(group: list[_Piece]) -> None:
    """Insert the placeholder where the group would not count as a line without it; remove it where it is not needed."""
    lead = next((piece for piece in group if piece.lead), None)
    needed = _needs_placeholder("".join(piece.changed_text for piece in group))
    if lead is not None and any(piece.changed_text for piece in group[: group.index(lead)]):
        lead.changes.insert(0, Change(0, 1, ""))  # not the first character any more, so it would be read as text
        lead = None
    if needed and lead is None:
        group[0].changes.insert(0, Change(0, 0, PLACEHOLDER))
    elif not needed and lead is not None and _needs_placeholder("".join(piece.text for piece in group)):
        lead.changes.insert(0, Change(0, 1, ""))


def _needs_placeholder(text: str) -> bool:
    return not text.strip() or text.startswith(PLACEHOLDER)
