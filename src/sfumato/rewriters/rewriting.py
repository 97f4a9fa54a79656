"""From replaced spans to a text written anew: what a rewriter is given, and which of its texts leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from sfumato.document import LABELS, Document, Outcome, Release, Withheld
from sfumato.rewriters.base import Rewriter
from sfumato.rewriters.check import mended

_OF_OFFSETS = ("marked", "identifiers")
"""What is known of a document by its offsets, which mean nothing in another text."""


class Rewriting:
    """A rewriter behind the floor: what detectors and replacers made of each document before."""

    def __init__(
        self,
        rewriter: Rewriter,
        reads: Literal["release", "original"],
        fallen: Callable[[Release, str], Outcome],
        foreign: Callable[[str], str | None],
    ) -> None:
        """``fallen``: what becomes of a document whose rewrite cannot be used, by the floor's release and the reason.

        ``foreign``: a text's language, where nobody could say what stands in it.
        """
        self._rewriter, self._reads, self._fallen, self._foreign = rewriter, reads, fallen, foreign

    def outcomes(self, given: Sequence[Outcome]) -> list[Outcome]:
        """The releases rewritten, in order; what is withheld stays so."""
        floors = [outcome for outcome in given if isinstance(outcome, Release)]
        if not floors:
            return list(given)
        made = self._rewriter.rewrite([self._shown(floor) for floor in floors])
        accepted = iter([self._accepted(floor, one) for floor, one in zip(floors, made, strict=True)])
        return [next(accepted) if isinstance(outcome, Release) else outcome for outcome in given]

    def _shown(self, floor: Release) -> Document:
        document = floor.document
        if self._reads == "original":
            return document
        meta = {key: value for key, value in document.meta.items() if key not in _OF_OFFSETS}
        return replace(document, text=floor.text, annotations=None, meta=meta)

    def _accepted(self, floor: Release, made: Outcome) -> Outcome:
        """A rewrite in which nothing that the floor hid stands again; else the floor's release, or none."""
        if isinstance(made, Withheld):
            return self._fallen(floor, made.reason)
        # A rewriter that has read the original has seen everything that the floor hides.
        every = LABELS if self._reads == "original" else ()
        checked = mended(floor.document, floor, made.text, every=every)
        if checked.left:
            return self._fallen(floor, f"the rewritten text still holds {checked.left} of what had to go")
        language = self._foreign(checked.text)
        if language is not None and self._foreign(floor.text) is None:
            return self._fallen(floor, f"the rewritten text is in a language no active detector covers ({language})")
        because = (*made.because, *([f"{checked.survivors} survivors replaced"] if checked.survivors else ()))
        written = Release.rewritten(floor.document, checked.text, because, floor)
        return replace(written, fell_back=floor.fell_back)
