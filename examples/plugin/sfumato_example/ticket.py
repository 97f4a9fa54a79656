"""Ticket numbers of a help desk: a prefix and digits, the last of which checks the others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stdnum import luhn

from sfumato.document import Document, Span


class TicketDetector:
    """Find ticket numbers however they are typed (HD 553 0019, hd-5530019), by their check digit."""

    languages = frozenset[str]()  # it vouches for no text: names in it are for others to find

    def __init__(self, *, prefix: str = "HD", digits: int = 7) -> None:
        """``digits``: how many a number has, with the check digit."""
        if not prefix.isalnum() or digits < 4:
            raise ValueError(f"a ticket is letters and at least 4 digits; got prefix {prefix!r}, digits {digits}")
        self._pattern = re.compile(rf"\b{prefix}[ #:-]*(\d(?:[ -]?\d){{{digits - 1}}})\b", re.IGNORECASE)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [self._found(document.text) for document in documents]

    def _found(self, text: str) -> list[Span]:
        return [
            Span(match.start(), match.end(), "CODE", "direct", score=0.99, source="ticket:luhn")
            for match in self._pattern.finditer(text)
            if luhn.is_valid(re.sub(r"\D", "", match[1]))
        ]
