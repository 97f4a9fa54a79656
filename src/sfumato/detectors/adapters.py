"""Adapters: Microsoft Presidio and spaCy as detectors."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar

from sfumato.detectors.base import Threshold, resolve_threshold
from sfumato.document import Document, Identifier, Span
from sfumato.errors import MissingExtra
from sfumato.models.spacy_pipeline import load_pipeline, max_characters, split_texts

PRESIDIO_LABELS = {"PERSON": "PERSON", "LOCATION": "LOC", "NRP": "DEM", "DATE_TIME": "DATETIME", "ORGANIZATION": "ORG"}
"""Our labels of Presidio's entity types; all others are numbers, web addresses and the like: CODE."""
PRESIDIO_THRESHOLDS = {"precise": 0.6, "balanced": 0.35, "leave-nothing": 0.0}
"""Presidio's weak patterns score below 0.35 without a context word; 0 is its own default."""
SPACY_LABELS = {
    **dict.fromkeys(("PERSON", "PER"), "PERSON"),
    **dict.fromkeys(("NORP", "LANGUAGE"), "DEM"),
    **dict.fromkeys(("FAC", "GPE", "LOC"), "LOC"),
    **dict.fromkeys(("DATE", "TIME"), "DATETIME"),
    **dict.fromkeys(("MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL"), "QUANTITY"),
    "ORG": "ORG",
}
"""Our labels of spaCy's; all others (EVENT, LAW, PRODUCT, WORK_OF_ART and those of other models) are MISC."""

_SPACY_TO_PRESIDIO = {
    **dict.fromkeys(("PER", "PERSON"), "PERSON"),
    **dict.fromkeys(("FAC", "LOC", "GPE"), "LOCATION"),
    **dict.fromkeys(("DATE", "TIME"), "DATE_TIME"),
    "NORP": "NRP",
    "ORG": "ORGANIZATION",
}
_IGNORED = ("CARDINAL", "EVENT", "LANGUAGE", "LAW", "MONEY", "ORDINAL", "PERCENT", "PRODUCT", "QUANTITY", "WORK_OF_ART")
"""As in Presidio's own configuration, except that it also ignores organisations, for which we have a label."""
_SPACY_SCORE = 0.85
"""spaCy gives no score; Presidio uses this one for its entities."""
_NOT_NEEDED = ("tagger", "morphologizer", "parser", "senter", "attribute_ruler", "lemmatizer", "textcat")
_SPACY_BATCH = 8
"""Texts in one batch: more take memory (over a gigabyte at spaCy's own 256) and save no time."""


class PresidioDetector:
    """Finds personal information with Microsoft Presidio on a spaCy pipeline that you have installed."""

    cite: ClassVar[str | None] = "mendels2018"
    extra: ClassVar[str | None] = "presidio"
    uses: ClassVar[tuple[str, ...]] = ("threshold",)
    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def __init__(
        self, *, model: str = "en_core_web_sm", threshold: Threshold = "balanced", organizations: bool = True
    ) -> None:
        """``model``: an installed spaCy package, or the folder of one; ``threshold``: the least score of a span.

        ``organizations``: whether spaCy's organisations count, which Presidio by itself leaves out.
        """
        self._ignored = frozenset[str]() if organizations else frozenset({"ORGANIZATION"})
        self._min_score = resolve_threshold(threshold, PRESIDIO_THRESHOLDS)
        self._nlp, self._analyzer = _analyzer(model)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        spans: list[list[Span]] = [[] for _ in documents]
        parts = split_texts([document.text for document in documents], max_characters(self._nlp))
        texts = (documents[number].text[start:end] for number, start, end in parts)
        analyzed = self._analyzer.analyze_iterator(texts, language="en", score_threshold=self._min_score)
        for (number, start, _), results in zip(parts, analyzed, strict=True):
            spans[number] += [
                _presidio_span(result, start) for result in results if result.entity_type not in self._ignored
            ]
        return spans


def _presidio_span(result: Any, start: int) -> Span:
    label = PRESIDIO_LABELS.get(result.entity_type, "CODE")
    identifier: Identifier = "direct" if label in ("PERSON", "CODE") else "quasi"
    score = min(1.0, max(0.0, float(result.score)))
    return Span(start + result.start, start + result.end, label, identifier, score, f"presidio:{result.entity_type}")


def _analyzer(model: str) -> tuple[Any, Any]:
    """The spaCy pipeline and Presidio's analyzer on it; Presidio itself would download a missing model."""
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
    # Presidio checks e-mail addresses against a list of domains that it would download; use the copy it ships.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    # Otherwise it logs a line for every recognizer of another language.
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    engine = SpacyNlpEngine(
        ner_model_configuration=NerModelConfiguration(
            model_to_presidio_entity_mapping=_SPACY_TO_PRESIDIO, labels_to_ignore=list(_IGNORED)
        )
    )
    engine.nlp = {"en": load_pipeline(model)}
    return engine.nlp["en"], BatchAnalyzerEngine(AnalyzerEngine(nlp_engine=engine, supported_languages=["en"]))


class SpacyDetector:
    """Finds named entities with a spaCy pipeline that you have installed."""

    cite: ClassVar[str | None] = "honnibal2020"
    extra: ClassVar[str | None] = "spacy"
    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def __init__(self, *, model: str = "en_core_web_sm") -> None:
        """``model``: an installed spaCy package, or the folder of one."""
        self._nlp = load_pipeline(model, without=_NOT_NEEDED)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        spans: list[list[Span]] = [[] for _ in documents]
        parts = split_texts([document.text for document in documents], max_characters(self._nlp))
        texts = (documents[number].text[start:end] for number, start, end in parts)
        parsed_texts = self._nlp.pipe(texts, batch_size=_SPACY_BATCH)
        for (number, start, _), parsed in zip(parts, parsed_texts, strict=True):
            spans[number] += [_spacy_span(entity, start) for entity in parsed.ents]
        return spans


def _spacy_span(entity: Any, start: int) -> Span:
    label = SPACY_LABELS.get(entity.label_, "MISC")
    identifier: Identifier = "direct" if label == "PERSON" else "quasi"
    return Span(
        start + entity.start_char, start + entity.end_char, label, identifier, _SPACY_SCORE, f"spacy:{entity.label_}"
    )
