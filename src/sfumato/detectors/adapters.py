"""Microsoft Presidio's findings as spans."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.detectors.base import Threshold, resolve_threshold
from sfumato.document import Document, Identifier, Span
from sfumato.errors import MissingExtra
from sfumato.models.spacy_pipeline import load_pipeline, max_characters, split_texts

PRESIDIO_LABELS = {"PERSON": "PERSON", "LOCATION": "LOC", "NRP": "DEM", "DATE_TIME": "DATETIME", "ORGANIZATION": "ORG"}
"""Presidio's types in ours; the rest are numbers, addresses on the net and the like: CODE."""

STOPS = {"precise": 0.6, "balanced": 0.35, "leave-nothing": 0.0}
"""The dial. Its weak patterns score under .35 unless a telling word stands nearby; 0 is Presidio's own default."""

_FROM_SPACY = {
    "PER": "PERSON",
    "PERSON": "PERSON",
    "NORP": "NRP",
    "FAC": "LOCATION",
    "LOC": "LOCATION",
    "GPE": "LOCATION",
    "ORG": "ORGANIZATION",
    "DATE": "DATE_TIME",
    "TIME": "DATE_TIME",
}
_IGNORED = ("CARDINAL", "EVENT", "LANGUAGE", "LAW", "MONEY", "ORDINAL", "PERCENT", "PRODUCT", "QUANTITY", "WORK_OF_ART")
"""As Presidio's own configuration has it, but for organisations, which it leaves out: we have a type for them."""


class PresidioDetector:
    """Finds personal information with Microsoft Presidio on a spaCy pipeline that you have installed."""

    cite: ClassVar[str | None] = "mendels2018"
    extra: ClassVar[str | None] = "presidio"
    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def __init__(self, *, model: str = "en_core_web_sm", threshold: Threshold = "balanced") -> None:
        """``model``: an installed spaCy package, or the folder of one; ``threshold``: the least score of a span."""
        self._least_score = resolve_threshold(threshold, STOPS)
        self._nlp, self._analyzer = _analyzer(model)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in documents]
        places = split_texts([document.text for document in documents], max_characters(self._nlp))
        texts = (documents[number].text[start:end] for number, start, end in places)
        read = self._analyzer.analyze_iterator(texts, language="en", score_threshold=self._least_score)
        for (number, start, _), results in zip(places, read, strict=True):
            found[number] += [_presidio_span(result, start) for result in results]
        return found


def _presidio_span(result: Any, start: int) -> Span:
    label = PRESIDIO_LABELS.get(result.entity_type, "CODE")
    identifier: Identifier = "direct" if label in ("PERSON", "CODE") else "quasi"
    score = min(1.0, max(0.0, float(result.score)))
    return Span(start + result.start, start + result.end, label, identifier, score, f"presidio:{result.entity_type}")


def _analyzer(model: str) -> tuple[Any, Any]:
    """The pipeline, and Presidio's analyzer on top of it. We load the model: Presidio would download a missing one."""
    try:
        import tldextract  # type: ignore[import-not-found, unused-ignore]
        from presidio_analyzer import (  # type: ignore[import-not-found, unused-ignore]
            AnalyzerEngine,
            BatchAnalyzerEngine,
        )
        from presidio_analyzer.nlp_engine import (  # type: ignore[import-not-found, unused-ignore]
            NerModelConfiguration,
            SpacyNlpEngine,
        )
    except ImportError:
        raise MissingExtra("the Presidio detector", "presidio") from None
    # It checks e-mail addresses against a list of domains that it would fetch; the copy it carries will do.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    # Otherwise every recogniser for another language is a line on the terminal.
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    engine = SpacyNlpEngine(
        ner_model_configuration=NerModelConfiguration(
            model_to_presidio_entity_mapping=_FROM_SPACY, labels_to_ignore=list(_IGNORED)
        )
    )
    engine.nlp = {"en": load_pipeline(model)}
    return engine.nlp["en"], BatchAnalyzerEngine(AnalyzerEngine(nlp_engine=engine, supported_languages=["en"]))


# -- spaCy's named entities as spans.


SPACY_LABELS = {
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

    cite: ClassVar[str | None] = "honnibal2020"
    extra: ClassVar[str | None] = "spacy"
    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def __init__(self, *, model: str = "en_core_web_sm") -> None:
        """``model``: an installed spaCy package, or the folder of one."""
        self._nlp = load_pipeline(model, without=_NOT_NEEDED)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in documents]
        places = split_texts([document.text for document in documents], max_characters(self._nlp))
        texts = (documents[number].text[start:end] for number, start, end in places)
        read = self._nlp.pipe(texts, batch_size=_TOGETHER)
        for (number, start, _), parsed in zip(places, read, strict=True):
            found[number] += [_spacy_span(entity, start) for entity in parsed.ents]
        return found


def _spacy_span(entity: Any, start: int) -> Span:
    label = SPACY_LABELS.get(entity.label_, "MISC")
    identifier: Identifier = "direct" if label == "PERSON" else "quasi"
    return Span(start + entity.start_char, start + entity.end_char, label, identifier, _SCORE, f"spacy:{entity.label_}")
