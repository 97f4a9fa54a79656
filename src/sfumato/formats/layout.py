"""How edits of a document's text reach the many small strings that a structured file keeps it in.

A structured file holds its text in *slots* (a run of a paragraph, an attribute, a comment). Slots that read
as one are a *group*; the document's text is its groups, one a line. A group of white space only is layout
and no part of the text. A group that a release leaves blank must still count as an (empty) line, or reading
the file again would give another text; it then begins with an invisible ``HOLDER``, which reading takes
away again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sfumato.document import Release

PLACEHOLDER = "\u200b"
"""Zero width space: shown as nothing, allowed everywhere, and no white space to ``str.strip``."""

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
    """A slot at its place in the document's text, or (``group`` None) the line break between two groups."""

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
    at = 0
    for change in changes:
        parts += [text[at : change.start], change.replacement]
        at = change.end
    return "".join([*parts, text[at:]])


def text_of(groups: Sequence[Group]) -> str:
    """The document's text."""
    return "".join(piece.text for piece in _pieces(groups))


def group_starts(groups: Sequence[Group]) -> dict[int, int]:
    """Where the text of each group that counts begins in the document's text."""
    starts: dict[int, int] = {}
    for piece in _pieces(groups):
        if piece.group is not None:
            starts.setdefault(piece.group, piece.start)
    return starts


def _pieces(groups: Sequence[Group]) -> Iterator[_Piece]:
    at = 0
    first = True
    for number, slots in enumerate(groups):
        joined = "".join(slots)
        if not joined.strip():
            continue
        if not first:
            yield _Piece(at, at + 1)
            at += 1
        first = False
        held = joined.startswith(PLACEHOLDER)
        for index, raw in enumerate(slots):
            lead = 1 if held and raw else 0
            held = held and not lead
            end = at + len(raw) - lead
            yield _Piece(at, end, number, index, raw, lead)
            at = end


def changes_by_slot(groups: Sequence[Group], release: Release) -> Changes:
    """The changes to each slot after which ``text_of`` gives ``release.text``.

    An edit that takes away the line break between groups moves what is left of the later ones into the first.
    """
    pieces = list(_pieces(groups))
    if not pieces:
        if release.text:
            raise ValueError("there is no place for text in a document without any")
        return {}
    _distribute(pieces, release)
    for merged in _merged_groups(pieces):
        _merge_run(merged)
    return {(piece.group, piece.slot): piece.changes for piece in pieces if piece.group is not None and piece.changes}


def _distribute(pieces: list[_Piece], release: Release) -> None:
    ends = [piece.end for piece in pieces]
    for edit in release.edits:
        start, end, replacement = edit.span.start, edit.span.end, edit.replacement
        if start == end:
            at = bisect_left(ends, start)
            if pieces[at].group is None:  # the line break before: what is put in belongs to the line after it
                at += 1
            _change(pieces[at], start, end, replacement)
            continue
        at = bisect_right(ends, start)
        while at < len(pieces) and pieces[at].start < end:
            piece = pieces[at]
            if piece.start < piece.end:
                _change(piece, max(start, piece.start), min(end, piece.end), replacement)
                replacement = ""
            at += 1


def _change(piece: _Piece, start: int, end: int, replacement: str) -> None:
    offset = piece.lead - piece.start
    piece.changes.append(Change(start + offset, end + offset, replacement))


def _merged_groups(pieces: list[_Piece]) -> Iterator[list[_Piece]]:
    """Pieces in runs that will read as one line."""
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
    """Put in the holder where the group would not count without, and take it out where it did its work."""
    lead = next((piece for piece in group if piece.lead), None)
    needed = _needs_placeholder("".join(piece.changed_text for piece in group))
    if lead is not None and any(piece.changed_text for piece in group[: group.index(lead)]):
        lead.changes.insert(0, Change(0, 1, ""))  # no longer the first character, so it would be read as text
        lead = None
    if needed and lead is None:
        group[0].changes.insert(0, Change(0, 0, PLACEHOLDER))
    elif not needed and lead is not None and _needs_placeholder("".join(piece.text for piece in group)):
        lead.changes.insert(0, Change(0, 1, ""))


def _needs_placeholder(text: str) -> bool:
    return not text.strip() or text.startswith(PLACEHOLDER)
