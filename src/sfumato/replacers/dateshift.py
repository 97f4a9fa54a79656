"""Dates moved by a secret number of days: what happened when is hidden, what lay between stays."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from sfumato.document import Document, Span
from sfumato.knowledge.dates.forms import Order, order_in
from sfumato.knowledge.dates.shift import shift_dates
from sfumato.replacers.base import SpanReplacer, number
from sfumato.vault.ledger import Ledger


class DateShift(SpanReplacer):
    """Move dates by one secret offset per subject, keeping intervals and the way they are written.

    Durations and times of day stay. A date that cannot be read, and any span that is not a date, gets a numbered label.
    """

    def __init__(self, *, ledger: Ledger, max_days: int = 365, order: Literal["auto", "dmy", "mdy"] = "auto") -> None:
        if max_days < 1:
            raise ValueError(f"max_days is 1 or more, got {max_days}")
        if order not in ("auto", "dmy", "mdy"):
            raise ValueError(f"order is 'auto', 'dmy' or 'mdy', got {order!r}")
        self._ledger = ledger
        self._max_days = max_days
        self._order = order

    def replacement(self, document: Document, span: Span) -> str | None:
        original = document.text[span.start : span.end]
        if span.label != "DATETIME":
            return number(self._ledger, document, span)
        order: Order = _order_in(document.text) if self._order == "auto" else self._order
        shifted = shift_dates(original, self.offset(document), order)
        if shifted is None:
            return number(self._ledger, document, span)
        return None if shifted == original else shifted

    def offset(self, document: Document) -> int:
        """The days for the document's (first) subject: the same in every document about them, never 0."""
        secret = self._ledger.corpus_bytes("date-shift", document.subject_ids[0])
        # Whole weeks, so that a weekday beside a date stays true.
        unit = 7 if self._max_days >= 7 else 1
        days = unit * (1 + int.from_bytes(secret[:8], "big") % (self._max_days // unit))
        return days if secret[8] % 2 else -days


@lru_cache(maxsize=4)
def _order_in(text: str) -> Order:
    return order_in(text)
