"""The type of what stood there, with a number that tells people and things apart."""

from __future__ import annotations

from sfumato.document import Document, Span
from sfumato.replacers.base import SpanReplacer, number
from sfumato.vault.ledger import Ledger


class NumberedLabel(SpanReplacer):
    """Put the label with a running number per entity: the same person is always PERSON_1."""

    def __init__(self, *, ledger: Ledger) -> None:
        self._ledger = ledger

    def replacement(self, document: Document, span: Span) -> str:
        return number(self._ledger, document, span)


class EntityType(SpanReplacer):
    """Put the bare label, the same for all entities of a type: a baseline of paper 002."""

    paper = "002"

    def replacement(self, document: Document, span: Span) -> str:
        return span.label
