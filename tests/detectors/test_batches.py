"""Documents in batches: large ones where one process reads them, small ones where several share the work."""

from __future__ import annotations

from sfumato.detectors.detection import batches
from sfumato.document import Document


def test_a_batch_ends_with_the_document_that_reaches_its_size() -> None:
    documents = [Document(str(number), "a" * 700) for number in range(5)]
    assert [len(batch) for batch in batches(documents, 1_000)] == [2, 2, 1]
    assert [len(batch) for batch in batches(documents)] == [5]
