"""What a release put in another's place, and what kind of thing that seems to be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sfumato.corpus.align import ALIGNED
from sfumato.document import LABELS, Edit, Release
from sfumato.knowledge.dates.read import read_dates
from sfumato.knowledge.subsumption.pairs import UNKNOWN
from sfumato.models.base import Range

_UNLABELLED = ("mask", ALIGNED)
"""Sources of edits whose labels nobody recorded: mask files, and the comparison of texts."""
_PLACEHOLDER = re.compile(rf"\W*({'|'.join(LABELS)})(?:_\d+)?\W*")


class Replaced(NamedTuple):
    """A change that hides something: what stood there and where, and where its replacement stands in the release."""

    original: str
    edit: Edit
    place: Range
    released: Range

    @property
    def label_seen(self) -> str:
        """What kind of thing a reader takes it for: what the placeholder says, else the label, if there is one."""
        placeholder = _PLACEHOLDER.fullmatch(self.edit.replacement)
        if placeholder:
            return placeholder[1]
        return UNKNOWN if self.edit.span.source in _UNLABELLED else self.edit.span.label

    @property
    def label(self) -> str:
        """By which a guess or a replacement is judged. Where none was recorded, a date is known by its form."""
        return "DATETIME" if self.label_seen == UNKNOWN and read_dates(self.original) else self.label_seen


def replaced(release: Release) -> Iterator[Replaced]:
    """The changes of a release, in order, but for those that put back what stood there."""
    for piece in release.segments:
        original = release.document.text[piece.start : piece.end]
        if piece.edit and original.strip() not in ("", piece.edit.replacement.strip()):
            place, released = (piece.start, piece.end), (piece.released_start, piece.released_end)
            yield Replaced(original, piece.edit, place, released)
