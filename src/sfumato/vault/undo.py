"""The exact way back from one release, by its offsets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from sfumato.document import Document, Edit, Release, Span
from sfumato.phrases import folded
from sfumato.vault.mentions import Mention


class Piece(NamedTuple):
    """One edit seen from the release: ``released[start:end]`` stands for ``original``."""

    start: int
    end: int
    original: str
    label: str
    entity: str | None


@dataclass(frozen=True)
class Undo:
    """All it takes to turn one release back."""

    original_id: str
    pieces: tuple[Piece, ...]
    replacements: tuple[str, ...]
    floor: Undo | None = None
    """Of a text that was rewritten: the way back from what it was before, whose replacements may stand in it."""

    @classmethod
    def of(cls, release: Release) -> Undo:
        text = release.document.text
        if release.rewrite is not None:
            floor = None if release.floor is None else cls.of(release.floor)
            return cls(release.document.id, (Piece(0, len(release.text), text, "MISC", None),), ("",), floor)
        edited = [(piece, piece.edit) for piece in release.segments if piece.edit is not None]
        return cls(
            release.document.id,
            tuple(
                Piece(
                    piece.released_start,
                    piece.released_end,
                    text[piece.start : piece.end],
                    edit.span.label,
                    edit.span.entity,
                )
                for piece, edit in edited
            ),
            # "In August 1961" stands for no one thing: only the exact way back undoes a generalization.
            tuple("" if edit.rung else edit.replacement for _, edit in edited),
        )

    def to_json(self) -> dict[str, Any]:
        own = {"id": self.original_id, "pieces": self.pieces, "replacements": self.replacements}
        return own if self.floor is None else {**own, "floor": self.floor.to_json()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Undo:
        pieces = tuple(Piece(*piece) for piece in data["pieces"])
        floor = cls.from_json(data["floor"]) if "floor" in data else None
        return cls(data["id"], pieces, tuple(data["replacements"]), floor)

    def mentions(self) -> Iterator[Mention]:
        """What each replacement stands for, also those of the text before it was rewritten."""
        for undo in (self, self.floor):
            if undo is not None:
                for piece, replacement in zip(undo.pieces, undo.replacements, strict=True):
                    yield Mention(replacement, piece.label, piece.entity or folded(piece.original), piece.original)

    def apply(self, released: Document) -> Release:
        """The exact way back; ``released`` holds the very text that was released."""
        edits = tuple(
            Edit(Span(piece.start, piece.end, piece.label, entity=piece.entity), piece.original, ("vault",))
            for piece in self.pieces
        )
        return Release(released, edits)
