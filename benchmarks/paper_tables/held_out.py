"""Annotated documents that our tagger was not trained on, so that rows of our recipes stand beside others fairly."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from benchmarks.detect_scores import Mention
from benchmarks.detect_sets import foldout

from sfumato.document import LABELS, Document, Identifier, Span


def annotated_documents(data: Path, name: str) -> list[Document]:
    """The fold-out texts of a set of ``benchmarks.detect`` in which something must be masked, with what that is."""
    return [
        Document(text.id, text.text, annotations=tuple(_span(mention) for mention in text.mentions))
        for text in sorted(foldout(data, name, None), key=lambda text: text.id)
        if text.mentions
    ]


def _span(mention: Mention) -> Span:
    # Where nobody linked mentions, the entity begins with the label.
    label = mention.entity.partition(":")[0]
    identifier = cast(Identifier, mention.decision)
    known = label if label in LABELS else "MISC"
    return Span(mention.start, mention.end, known, identifier, source="gold", entity=mention.entity)
