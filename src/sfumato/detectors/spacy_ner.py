"""spaCy's named entities as spans."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar

from sfumato.document import Document, Identifier, Span
from sfumato.errors import InputError, MissingExtra

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
_AT_ONCE = 100_000
"""spaCy asks for about a gigabyte of memory per 100,000 characters, far below its own limit of a million."""
_TOGETHER = 8
"""Texts in one batch: more take memory (over a gigabyte at spaCy's own 256) and gain no time."""
_BORDERS = ("\n\n", "\n", ". ", "! ", "? ", "; ", " ")


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
        places = list(places_of(documents, room(self._nlp)))
        texts = (documents[number].text[start:end] for number, start, end in places)
        read = self._nlp.pipe(texts, batch_size=_TOGETHER)
        for (number, start, _), parsed in zip(places, read, strict=True):
            found[number] += [_span(entity, start) for entity in parsed.ents]
        return found


def _span(entity: Any, start: int) -> Span:
    label = LABEL.get(entity.label_, "MISC")
    identifier: Identifier = "direct" if label == "PERSON" else "quasi"
    return Span(start + entity.start_char, start + entity.end_char, label, identifier, _SCORE, f"spacy:{entity.label_}")


def load_pipeline(model: str, without: Collection[str] = ()) -> Any:
    """A spaCy pipeline by package or folder, less the components named. Nothing is ever downloaded."""
    try:
        import spacy  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra("the spaCy detector", "spacy") from None
    try:
        return spacy.load(model, exclude=list(without))
    except (OSError, ValueError):
        package = model if model.isidentifier() else "en_core_web_sm"
        raise InputError(
            f"no spaCy model {model!r}: name the folder of a model, or install one with: "
            f"python -m spacy download {package}"
        ) from None


def room(nlp: Any) -> int:
    """How many characters the pipeline is given at once."""
    return min(int(nlp.max_length), _AT_ONCE)


def places_of(documents: Sequence[Document], limit: int) -> Iterator[tuple[int, int, int]]:
    """The number of each document with the start and end of each of its pieces."""
    return chain.from_iterable(
        ((number, start, end) for start, end in pieces(document.text, limit))
        for number, document in enumerate(documents)
    )


def pieces(text: str, limit: int) -> Iterator[tuple[int, int]]:
    """The text in ranges of at most ``limit`` characters that end after a paragraph, else a line, a sentence, a word.

    A piece is at least half as long as it may be; only where that half has no border at all is a word cut.
    """
    start = 0
    while len(text) - start > limit:
        end = _border(text, start + limit // 2, start + limit)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _border(text: str, low: int, high: int) -> int:
    for mark in _BORDERS:
        at = text.rfind(mark, low, high)
        if at >= 0:
            return at + len(mark)
    return high
