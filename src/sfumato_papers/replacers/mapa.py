"""Values drawn from a masked language model, as the MAPA toolkit does (Arranz et al., 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar

import numpy as np

from sfumato.detectors.tagger import TaggerDetector
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import RecipeError
from sfumato.lexicon.tokens import ALPHANUMERIC, fold_phrase, in_case_of
from sfumato.models.masked import Choices, MaskFiller
from sfumato.replacers.base import PendingDocument, assign_absent, detection_reason
from sfumato.vault.ledger import Ledger

_Value = tuple[str, str]
"""The label and the folded text of spans that get the same value."""


class Mapa:
    """Put words drawn from a masked language model: as many sub-words as there were, of the span's type, never its own.

    All spans are masked at once, so that no value depends on what was replaced.
    """

    cite: ClassVar[str | None] = "arranz2022"
    uses: ClassVar[tuple[str, ...]] = ("ledger",)

    def __init__(
        self, *, ledger: Ledger, model: str | None = None, top: int = 50, tries: int = 4, device: str = "cpu"
    ) -> None:
        """``model``: a masked language model with sub-words like BERT's (else the shipped one); ``top``: of how many
        likely sub-words one is drawn; ``tries``: how many values are drawn until our tagger reads one as the type."""
        for name, value in (("top", top), ("tries", tries)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise RecipeError(f"{name} is a whole number from 1 on, got {value!r}")
        self._ledger, self._top, self._tries = ledger, top, tries
        self._filler = MaskFiller(model=model, device=device)
        self._tagger = TaggerDetector(threshold="leave-nothing")
        self._drafts: dict[tuple[str, str], dict[_Value, ValueDrafts]] = {}

    def prepare(self, batch: Sequence[PendingDocument]) -> None:
        """Draw the values of several documents, for ``replace``."""
        self._drafts = {_key(document): self._draw(document, spans, hidden) for document, spans, hidden in batch}

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        wanted = {_value(document, span) for span in spans}
        if wanted - self._drafts.get(_key(document), {}).keys():
            self.prepare([PendingDocument(document, spans, spans)])
        drafts = self._drafts.get(_key(document), {})
        return [self._edit(document, span, drafts[_value(document, span)]) for span in spans]

    def _edit(self, document: Document, span: Span, drafts: ValueDrafts) -> Edit:
        label, surface = value = _value(document, span)
        original = frozenset(ALPHANUMERIC.findall(surface))

        def fits(drawn: str) -> bool:
            return not original & frozenset(ALPHANUMERIC.findall(fold_phrase(drawn))) and bool(
                ALPHANUMERIC.search(drawn)
            )

        def proposals() -> Iterator[str]:
            return self._proposals(document, value, drafts)

        replacement = assign_absent(self._ledger, document, f"mapa/{label}", surface, label, proposals, fits)
        read = "" if replacement in drafts.read_as_type else ", not read as its type by the tagger"
        return Edit(span, replacement, (detection_reason(span), type(self).__name__, f"{self._filler.name}{read}"))

    def _proposals(self, document: Document, value: _Value, drafts: ValueDrafts) -> Iterator[str]:
        yield from drafts.read_as_type
        for number in count():
            yield drafts.draw(self._seed(document, value, number))

    def _draw(self, document: Document, spans: Sequence[Span], hidden: Sequence[Span]) -> dict[_Value, ValueDrafts]:
        """For each value, its choices at its first mention, and which draws the tagger reads as its type."""
        masked = sorted({(span.start, span.end) for span in (*hidden, *spans)})
        choices = dict(zip(masked, self._filler.choices(document.text, masked, self._top), strict=True))
        drafts: dict[_Value, ValueDrafts] = {}
        for span in spans:
            text = document.text[span.start : span.end]
            drafts.setdefault(_value(document, span), ValueDrafts(text, span.start, choices[span.start, span.end]))
        for number in range(self._tries):
            drawn = {value: draft.draw(self._seed(document, value, number)) for value, draft in drafts.items()}
            open_ones = {value for value, draft in drafts.items() if not draft.read_as_type}
            for value in self._read_as_type(document, spans, drawn) & open_ones:
                drafts[value].read_as_type.append(drawn[value])
        return drafts

    def _read_as_type(self, document: Document, spans: Sequence[Span], drawn: Mapping[_Value, str]) -> set[_Value]:
        """The values that the tagger reads as their type where they stand in the text."""
        release = Release(document, tuple(Edit(span, drawn[_value(document, span)]) for span in spans))
        (found,) = self._tagger.detect([Document(document.id, release.text)])
        read = set()
        for piece in release.segments:
            if piece.edit is not None and any(
                span.label == piece.edit.span.label
                and span.start < piece.released_end
                and piece.released_start < span.end
                for span in found
            ):
                read.add(_value(document, piece.edit.span))
        return read

    def _seed(self, document: Document, value: _Value, number: int) -> int:
        return int.from_bytes(self._ledger.random_bytes(document, "mapa", *value, str(number)), "big")


@dataclass
class ValueDrafts:
    """What may stand in place of a text: choices for each of its sub-tokens."""

    text: str
    offset: int
    choices: Sequence[Choices]
    read_as_type: list[str] = field(default_factory=list)
    """The first draw that the tagger reads as the type, if any."""

    def draw(self, seed: int) -> str:
        """The text with each sub-token drawn anew, independently of the others; separators and capitals stay."""
        chance = np.random.default_rng(seed)
        parts, done = list[str](), 0
        for start, end, pieces, probabilities in self.choices:
            uniform = chance.random()  # drawn for marks, too, so that the others do not depend on them
            first, last = max(start - self.offset, done), min(end - self.offset, len(self.text))
            if not pieces or first >= last:
                continue
            number = int(np.searchsorted(np.cumsum(probabilities), uniform, side="right"))
            parts += [self.text[done:first], in_case_of(self.text[first:last], pieces[min(number, len(pieces) - 1)])]
            done = last
        return "".join([*parts, self.text[done:]])


def _key(document: Document) -> tuple[str, str]:
    return document.id, document.text


def _value(document: Document, span: Span) -> _Value:
    return span.label, fold_phrase(document.text[span.start : span.end])
