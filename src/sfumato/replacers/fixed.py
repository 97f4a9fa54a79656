"""Replacements that say nothing about what stood there."""

from __future__ import annotations

from sfumato.document import Document, Span
from sfumato.replacers.base import SpanReplacer


class Suppress(SpanReplacer):
    """Remove the span and leave nothing in its place."""

    def replacement(self, document: Document, span: Span) -> str:
        return ""


class Tag(SpanReplacer):
    """Put one fixed tag in place of every span."""

    def __init__(self, *, tag: str = "SENSITIVE") -> None:
        if not tag:
            raise ValueError("an empty tag removes the span: use 'suppress' for that")
        self._tag = tag

    def replacement(self, document: Document, span: Span) -> str:
        return self._tag


class Mask(SpanReplacer):
    """Put a mask character in place of every character but spaces; the length stays visible."""

    def __init__(self, *, character: str = "*", keep_last: int = 0) -> None:
        if len(character) != 1 or character.isalnum():
            raise ValueError(f"the mask character is one character, not a letter or digit; got {character!r}")
        if keep_last < 0:
            raise ValueError(f"keep_last is 0 or more, got {keep_last}")
        self._character = character
        self._keep_last = keep_last

    def replacement(self, document: Document, span: Span) -> str:
        text = document.text[span.start : span.end]
        hidden = max(len(text) - self._keep_last, (len(text) + 1) // 2)  # never show more than half
        masked = "".join(letter if letter.isspace() else self._character for letter in text[:hidden])
        return masked + text[hidden:]


class Keep(SpanReplacer):
    """Leave spans of this label as they are."""

    def replacement(self, document: Document, span: Span) -> None:
        return None
