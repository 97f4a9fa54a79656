"""Documents in batches: large ones where one process reads them, small ones where several share the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sfumato.detectors.detection import Detection, batches
from sfumato.document import Document, Span


def test_a_batch_ends_with_the_document_that_reaches_its_size() -> None:
    documents = [Document(str(number), "a" * 700) for number in range(5)]
    assert [len(batch) for batch in batches(documents, 1_000)] == [2, 2, 1]
    assert [len(batch) for batch in batches(documents)] == [5]


class _WorksAhead:
    """Finds the first word of a text, and remembers what it was to read ahead."""

    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})
    reads = "folded"

    def __init__(self) -> None:
        self.begun: list[list[str]] = []

    def read_ahead(self, documents: Sequence[Document]) -> bool:
        self.begun.append([document.id for document in documents])
        return True

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [[Span(0, len(document.text.split()[0]), "PERSON", "direct")] for document in documents]


def test_a_detector_reads_ahead_once_of_documents_that_are_read_in_parts() -> None:
    detector = _WorksAhead()
    detection = Detection([detector])
    documents = [Document(str(number), f"Quorvex{number} called.") for number in range(4)]
    detection.read_ahead(documents)
    parts = [detection.detect(part).spans for part in (documents[:1], documents[1:3])]
    beside = detection.detect([Document("other", "Belnikov called.")]).spans
    parts.append(detection.detect(documents[3:]).spans)
    spans_of_each = [spans for part in (*parts, beside) for spans in part]
    assert [isinstance(spans, list) and len(spans) for spans in spans_of_each] == [1, 1, 1, 1, 1]
    assert detector.begun == [["0", "1", "2", "3"]]
    detection.detect(documents[:2])
    assert detector.begun[1:] == [["0", "1"]]
