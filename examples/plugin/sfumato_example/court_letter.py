"""People and places as courts publish them: A.____, B.____, ..."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from string import ascii_uppercase

from sfumato.document import Document, Span
from sfumato.replacers.base import SpanReplacer, assign_absent, entity_of
from sfumato.vault.ledger import Ledger


class CourtLetter(SpanReplacer):
    """Put a letter and a blank, as Swiss courts do: the same person is always A.____."""

    uses = ("ledger",)

    def __init__(self, *, ledger: Ledger, blank: str = ".____") -> None:
        """``blank``: what follows the letter."""
        if not blank.strip():
            raise ValueError("a letter alone reads like a word: give a blank to follow it")
        self._ledger, self._blank = ledger, blank

    def replacement(self, document: Document, span: Span) -> str:
        entity = f"{span.label} {entity_of(document, span)}"
        return assign_absent(self._ledger, document, "court-letter", entity, span.label, self._letters)

    def _letters(self) -> Iterator[str]:
        for length in count(1):
            yield from ("".join(letters) + self._blank for letters in product(ascii_uppercase, repeat=length))
