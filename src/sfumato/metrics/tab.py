"""Recall and precision of the Text Anonymization Benchmark (TAB), entity recall by search, and over-redaction.

Pilán et al., "The Text Anonymization Benchmark (TAB)", Computational Linguistics 48(4), 2022. Several annotators of a
document are micro-averaged: each one's entities, mentions and tokens count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sfumato.document import Identifier, Release, Span
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import Annotations, metric, require_edits
from sfumato.metrics.information import count_unknown_language, covers_language
from sfumato.metrics.mentions import (
    annotated,
    by_annotator,
    coverage,
    entities,
    is_ignorable,
    is_masked,
    masked_ranges,
    mentions_to_mask,
    words,
)
from sfumato.models.base import Floats, Range, TokenScorer
from sfumato.statistics import Estimate, ratio, share, share_of_documents

_NOTHING = "the reference marks nothing to mask in these documents"

Pairs = Sequence[tuple[Release, Sequence[Span]]]
"""Releases with their reference spans."""
Hiding = Callable[[Release], Callable[[Span], bool]]
"""Of a release: says of each mention of its original whether the release hides it."""
Count = Callable[[str, bytearray, list[Span]], tuple[float, float]]
"""From a text, the coverage of its masks and the mentions to mask: what is counted of one document, and of how many."""


@metric("tab-direct-recall", family="tab", cite="pilan2022", higher_is_better=True)
def direct_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the directly identifying entities that are masked in every mention."""
    return _entity_recall(require_edits(releases), gold, "direct", _masks)


@metric("tab-quasi-recall", family="tab", cite="pilan2022", higher_is_better=True)
def quasi_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the quasi-identifying entities that are masked in every mention."""
    return _entity_recall(require_edits(releases), gold, "quasi", _masks)


@metric("tab-mention-recall", family="tab", cite="pilan2022", higher_is_better=True)
def mention_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the mentions to mask of which no word but ignorable ones is left."""

    def count(text: str, masked: bytearray, mentions: list[Span]) -> tuple[float, float]:
        return sum(is_masked(text, mention.start, mention.end, masked) for mention in mentions), len(mentions)

    return _share(*annotated(require_edits(releases), gold), count, _NOTHING)


@metric("tab-token-recall", family="tab", cite="pilan2022", higher_is_better=True)
def token_recall(releases: Sequence[Release], gold: Annotations, authors_compat: bool = False) -> Estimate:
    """Share of the words in mentions to mask that are covered in full; ignorable words do not count.

    ``authors_compat``: they count, and count as masked, so that a text left as it was scores above 0.
    """

    def count(text: str, masked: bytearray, mentions: list[Span]) -> tuple[float, float]:
        tokens = [text_range for mention in mentions for text_range in words(text, mention.start, mention.end)]
        counted = [(start, end) for start, end in tokens if not is_ignorable(text[start:end])]
        ignored = len(tokens) - len(counted) if authors_compat else 0
        return sum(all(masked[start:end]) for start, end in counted) + ignored, len(counted) + ignored

    return _share(*annotated(require_edits(releases), gold), count, _NOTHING)


def _entity_recall(releases: Sequence[Release], gold: Annotations, wanted: Identifier, hiding: Hiding) -> Estimate:
    """Of the documents whose mentions to mask all are direct or quasi; a setting says how many are not."""
    pairs, settings = annotated(releases, gold)
    decided = [(release, spans) for release, spans in pairs if all(span.identifier for span in mentions_to_mask(spans))]
    if 2 * len(decided) <= len(pairs):
        raise NotMeasurable(
            f"of {len(pairs)} documents the reference tells direct from quasi-identifiers in {len(decided)} only: "
            "give --gold with decisions (TAB's identifier_type)"
        )
    if undecided := len(pairs) - len(decided):
        settings = {**settings, "undecided": undecided}
    hits, totals = dict[str, float](), dict[str, float]()
    for release, spans in decided:
        is_hidden = hiding(release)
        found = [
            entity
            for entity in entities(release.document.text, mentions_to_mask(spans))
            if wanted == ("direct" if any(mention.identifier == "direct" for mention in entity) else "quasi")
        ]
        hits[release.document.id] = sum(all(map(is_hidden, entity)) for entity in found)
        totals[release.document.id] = len(found)
    return share(hits, totals, settings, why_none=f"the reference marks no {wanted} identifier")


def _masks(release: Release) -> Callable[[Span], bool]:
    text = release.document.text
    masked = coverage(text, masked_ranges(release))
    return lambda mention: is_masked(text, mention.start, mention.end, masked)


def _lacks(release: Release) -> Callable[[Span], bool]:
    text, released = release.document.text, _folded(release.text)
    return lambda mention: not _stands_in(text[mention.start : mention.end], released)


def _share(pairs: Pairs, settings: Mapping[str, Any], count: Count, why_none: str) -> Estimate:
    hits, totals = dict[str, float](), dict[str, float]()
    for release, spans in pairs:
        document = release.document
        masked = coverage(document.text, masked_ranges(release))
        hits[document.id], totals[document.id] = count(document.text, masked, mentions_to_mask(spans))
    return share(hits, totals, settings, why_none=why_none)


@metric("entity-recall-direct", family="entity-recall", cite="oh2026", higher_is_better=True)
def searched_direct_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the directly identifying entities of which no mention stands in the release; rewrites included."""
    return _entity_recall(releases, gold, "direct", _lacks)


@metric("entity-recall-quasi", family="entity-recall", cite="oh2026", higher_is_better=True)
def searched_quasi_recall(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the quasi-identifying entities of which no mention stands in the release; rewrites included."""
    return _entity_recall(releases, gold, "quasi", _lacks)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _stands_in(mention: str, folded: str) -> bool:
    """Whether a mention stands in a folded text as whole words."""
    return re.search(rf"(?<!\w){re.escape(_folded(mention))}(?!\w)", folded) is not None


@metric("tab-precision", family="tab", cite="pilan2022", higher_is_better=True)
def token_precision(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the masked words that annotators mask too, averaged over the annotators of a document."""
    return _precision(releases, gold, None)


@metric("tab-weighted-precision", family="tab", cite="pilan2022", higher_is_better=True)
def weighted_precision(releases: Sequence[Release], gold: Annotations, scorer: TokenScorer) -> Estimate:
    """Precision in which a masked word counts by its information content: a needless "the" costs little."""
    return _precision(releases, gold, scorer)


def _precision(releases: Sequence[Release], gold: Annotations, scorer: TokenScorer | None) -> Estimate:
    """Sum of weight x annotators who mask the word too, over sum of weight x annotators."""
    pairs, settings = annotated(require_edits(releases), gold)
    if scorer is not None:
        settings |= count_unknown_language([release for release, _ in pairs], scorer)
        pairs = [(release, spans) for release, spans in pairs if covers_language(scorer, release.document.text)]
    right, masked = dict[str, float](), dict[str, float]()
    for release, spans in pairs:
        document = release.document
        # All words are scored, though only masked ones are needed: so ten releases cost one pass over the original.
        tokens = list(words(document.text))
        weights = np.ones(len(tokens)) if scorer is None else scorer.information(document.text, tokens)
        annotators = by_annotator(spans) or {None: []}
        marks = [
            coverage(document.text, ((span.start, span.end) for span in mentions_to_mask(annotator_spans)))
            for annotator_spans in annotators.values()
        ]
        right[document.id], masked[document.id] = _sums(
            tokens, weights, coverage(document.text, masked_ranges(release)), marks
        )
    which = "" if scorer is None else " (of those in a language that the scorer knows)"
    nothing = f"no word is masked in these documents{which}, so there is no precision"
    return ratio(right, masked, settings, why_none=nothing)


def _sums(
    tokens: Sequence[Range], weights: Floats, covered: bytearray, marks: Sequence[bytearray]
) -> tuple[float, float]:
    right = masked = 0.0
    for (start, end), weight in zip(tokens, weights, strict=True):
        hidden = [offset for offset in range(start, end) if covered[offset]]
        if hidden:
            masked += weight
            # A word half masked is judged by its masked half.
            right += weight * sum(all(mark[offset] for offset in hidden) for mark in marks) / len(marks)
    return float(right), float(masked)


@metric("over-redaction", family="redaction", higher_is_better=False)
def over_redaction(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the words outside every reference mention that are masked, in whole or in part."""

    def count(text: str, masked: bytearray, mentions: list[Span]) -> tuple[float, float]:
        marked = coverage(text, ((span.start, span.end) for span in mentions))
        harmless = [(start, end) for start, end in words(text) if not any(marked[start:end])]
        return sum(any(masked[start:end]) for start, end in harmless), len(harmless)

    nothing = "the reference covers every word of these documents, so nothing can be masked needlessly"
    return _share(*annotated(require_edits(releases), gold), count, nothing)


@metric("over-redaction-documents", family="redaction", higher_is_better=False)
def touched_documents(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the documents without personal information that were changed all the same."""
    pairs, settings = annotated(releases, gold)
    hits = {
        release.document.id: float(release.text != release.document.text)
        for release, spans in pairs
        if not mentions_to_mask(spans)
    }
    nothing = "every document holds something to mask: give --gold with documents that hold nothing"
    return share_of_documents(hits, settings, why_none=nothing)
