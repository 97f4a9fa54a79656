"""Spans that people marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.document import Document, Span
from sfumato.errors import InputError


class GoldDetector:
    """Take the annotations that come with a document (TAB format) in place of detecting."""

    paper: ClassVar[str | None] = "TAB"
    languages: ClassVar[frozenset[str] | None] = None

    def __init__(self, *, annotator: str | None = None) -> None:
        """``annotator``: take this one's annotations; without it, the union of all annotators'."""
        self._annotator = annotator

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [self._spans(document) for document in documents]

    def _spans(self, document: Document) -> list[Span]:
        if document.annotations is None:
            raise InputError(
                "the gold detector needs annotated documents (TAB format); use the rules detector for plain text"
            )
        return [span for span in document.annotations if self._annotator is None or span.annotator == self._annotator]
