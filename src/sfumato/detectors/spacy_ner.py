"""spaCy's named entities as spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.document import Document, Identifier, Span
from sfumato.models.spacy_pipeline import load_pipeline, places_in, room

LABEL = {
    "PERSON": "PERSON",
    "PER": "PERSON",
    "NORP": "DEM",
    "LANGUAGE": "DEM",
    "FAC": "LOC",
    "GPE": "LOC",
    "LOC": "LOC",
    "ORG": "ORG",
    "DATE": "DATETIME",
    "TIME": "DATETIME",
    "MONEY": "QUANTITY",
    "PERCENT": "QUANTITY",
    "QUANTITY": "QUANTITY",
    "CARDINAL": "QUANTITY",
    "ORDINAL": "QUANTITY",
}
"""spaCy's labels in ours; the rest (EVENT, LAW, PRODUCT, WORK_OF_ART and what other models have) is MISC."""

_SCORE = 0.85
"""spaCy gives none; this is what Presidio puts in its place."""
_NOT_NEEDED = ("tagger", "morphologizer", "parser", "senter", "attribute_ruler", "lemmatizer", "textcat")
_TOGETHER = 8
"""Texts in one batch: more take memory (over a gigabyte at spaCy's own 256) and gain no time."""


class SpacyDetector:
    """Finds named entities with a spaCy pipeline that you have installed."""

    paper: ClassVar[str | None] = "000"
    extra: ClassVar[str | None] = "spacy"
    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def __init__(self, *, model: str = "en_core_web_sm") -> None:
        """``model``: an installed spaCy package, or the folder of one."""
        self._nlp = load_pipeline(model, without=_NOT_NEEDED)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in documents]
        places = places_in([document.text for document in documents], room(self._nlp))
        texts = (documents[number].text[start:end] for number, start, end in places)
        read = self._nlp.pipe(texts, batch_size=_TOGETHER)
        for (number, start, _), parsed in zip(places, read, strict=True):
            found[number] += [_span(entity, start) for entity in parsed.ents]
        return found


def _span(entity: Any, start: int) -> Span:
    label = LABEL.get(entity.label_, "MISC")
    identifier: Identifier = "direct" if label == "PERSON" else "quasi"
    return Span(start + entity.start_char, start + entity.end_char, label, identifier, _SCORE, f"spacy:{entity.label_}")
