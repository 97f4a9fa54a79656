"""Preserved information content of texts: TPI and TPS; what share of terms is masked, and how alike replacements are.

Manzanares-Salor and Sánchez (2025): text preserved information. Pilán et al. (2025), INTACT: text preserved similarity.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sfumato.document import Edit, Release, Span
from sfumato.lexicon.language import CONFIDENT, identify_language
from sfumato.metrics import terms as segmentation
from sfumato.metrics.base import ALL_TYPES, BY_TYPE, figure, metric, require_edits
from sfumato.metrics.mentions import replaced_spans
from sfumato.metrics.terms import tokens
from sfumato.models.base import Embedder, Floats, Range, TokenScorer
from sfumato.statistics import Estimate, mean, ratio

Pair = tuple[str, str]
"""What was replaced, and by what."""
_AUTHORS_PIECE = 100
_NO_VALUE = "no document holds a term in a language that the scorer knows: name a scorer for it (--scorer NAME)"


@metric("tpi", family="information", cite="manzanares2025", higher_is_better=True, version=2)
def preserved_information(
    releases: Sequence[Release], scorer: TokenScorer, terms: str = "rules", authors_compat: bool = False
) -> Estimate:
    """Share of the original's information content left readable: sum IC(unmasked) / sum IC(all); mean of documents."""
    scored = _score_documents(require_edits(releases), scorer, terms, authors_compat, lost=lambda edit: True)
    values = {key: item and item.preserved_share([0.0] * len(item.edits)) for key, item in scored.items()}
    return mean(values, count_unknown_language(releases, scorer), why_none=_NO_VALUE)


@metric("tps", family="information", cite="pilan2025", higher_is_better=True, version=2)
def preserved_similarity(
    releases: Sequence[Release],
    scorer: TokenScorer,
    embedder: Embedder,
    terms: str = "rules",
    authors_compat: bool = False,
) -> Estimate:
    """Information content weighted by likeness to what replaced it: sum IC * sim / sum IC; mean of documents.

    sim is 1 for untouched terms, 0 for suppressed ones, else max(0, cosine(original span, replacement)). IC is by the
    scorer ``masked`` unless another is named; protection computes TPS with ``frequency``: compare only equal scorers.
    """
    scored = _score_documents(
        require_edits(releases), scorer, terms, authors_compat, lost=lambda edit: not edit.replacement
    )
    pairs = {pair for item in scored.values() if item for pair in item.pairs}
    alike = similarities(sorted(pairs), embedder)
    values = {key: item and item.preserved_share([alike[pair] for pair in item.pairs]) for key, item in scored.items()}
    return mean(values, count_unknown_language(releases, scorer), why_none=_NO_VALUE)


@metric("masked-terms", family="information", cite="pilan2025", higher_is_better=False)
def masked_terms(
    releases: Sequence[Release], scorer: TokenScorer, terms: str = "rules", authors_compat: bool = False
) -> Estimate:
    """Share of terms that are masked, mean of documents; with their share of the information, by type of entity."""
    scored = _score_documents(require_edits(releases), scorer, terms, authors_compat, lost=lambda edit: True)
    measured = {key: item for key, item in scored.items() if item}
    labels = {
        release.document.id: {piece.edit: piece.label for piece in replaced_spans(release)} for release in releases
    }
    settings = count_unknown_language(releases, scorer)
    by_type: dict[str, dict[str, Any]] = {}
    estimates: list[Estimate] = []
    for label in (None, *sorted({label for key in measured for label in labels[key].values()})):
        counts = {key: item.masked_by(label, labels[key]) for key, item in measured.items()}
        of_terms = {key: float(counts[key].mean()) if key in counts else None for key in scored}
        shares = {key: float(counts[key] @ item.information / item.information.sum()) for key, item in measured.items()}
        estimates.append(mean(of_terms, settings, why_none=_NO_VALUE))
        by_type[label or ALL_TYPES] = {"terms": figure(estimates[-1]), "information": figure(mean(shares))}
    estimate = estimates[0]
    masked, information = estimate.value, by_type[ALL_TYPES]["information"]["value"]
    # How much a masked term tells, on average, beside one that is not masked.
    times = (information / masked) / ((1 - information) / (1 - masked)) if 0 < masked < 1 > information else None
    return replace(estimate, settings={**estimate.settings, BY_TYPE: by_type, "times_as_informative": times})


@metric("replacement-similarity", family="information", cite="pilan2025", higher_is_better=True)
def replacement_similarity(releases: Sequence[Release], embedder: Embedder) -> Estimate:
    """Mean of max(0, cosine) of replacements and what they replaced; suppressions apart."""
    pairs = {
        release.document.id: [
            (piece.label, (piece.original, piece.edit.replacement)) for piece in replaced_spans(release)
        ]
        for release in require_edits(releases)
    }
    worded = {key: [pair for pair in of_text if any(map(str.isalnum, pair[1][1]))] for key, of_text in pairs.items()}
    alike = similarities(sorted({pair for of_text in worded.values() for _, pair in of_text}), embedder)
    counted = Counter(label for rows in worded.values() for label, _ in rows)
    estimates = {label: _mean_similarity(worded, alike, label) for label in (ALL_TYPES, *sorted(counted))}
    by_type = {
        label: {"similarity": {**figure(estimate), "n": counted[label] or counted.total()}}
        for label, estimate in estimates.items()
    }
    suppressed = sum(map(len, pairs.values())) - counted.total()
    settings = {"replacements": counted.total(), "suppressed": suppressed, BY_TYPE: by_type}
    return replace(estimates[ALL_TYPES], settings={**estimates[ALL_TYPES].settings, **settings})


def _mean_similarity(
    pairs: Mapping[str, Sequence[tuple[str, Pair]]], alike: Mapping[Pair, float], label: str
) -> Estimate:
    """The mean over all replacements of a type, bootstrapped over documents."""
    values = {key: [alike[pair] for name, pair in rows if label in (ALL_TYPES, name)] for key, rows in pairs.items()}
    return ratio(
        {key: sum(of_text) for key, of_text in values.items()},
        {key: float(len(of_text)) for key, of_text in values.items()},
        why_none="no span was replaced by words, so there is nothing to compare",
    )


def similarities(pairs: Sequence[Pair], embedder: Embedder) -> dict[Pair, float]:
    """max(0, cosine) of each original and its replacement; 0 where the replacement has no letter and no digit."""
    worded = [pair for pair in pairs if any(map(str.isalnum, pair[1]))]
    texts = sorted({text for pair in worded for text in pair})
    row = {text: number for number, text in enumerate(texts)}
    vectors = embedder.embed(texts).astype(np.float64) if texts else np.zeros((0, 1))
    cosines = {pair: float(np.clip(vectors[row[pair[0]]] @ vectors[row[pair[1]]], 0.0, 1.0)) for pair in worded}
    return {pair: cosines.get(pair, 0.0) for pair in pairs}


class _ScoredDocument(NamedTuple):
    """A document's terms with their information, and the edits that changed something."""

    text: str
    terms: Sequence[Range]
    information: Floats
    edits: Sequence[Edit]
    authors_compat: bool

    @property
    def pairs(self) -> list[Pair]:
        """Each edit's original and replacement."""
        return [(self.text[edit.span.start : edit.span.end], edit.replacement) for edit in self.edits]

    def masked_by(self, label: str | None, labels: Mapping[Edit, str]) -> Floats:
        """By term: 0 where it is not masked, else the share of its masked characters under edits of this label."""
        masked = self._likeness([0.0] * len(self.edits)) == 0
        if label is None:
            return np.where(masked, 1.0, 0.0)
        of_label = [float(labels.get(edit) == label) for edit in self.edits]
        shares: Floats = np.where(masked, self._likeness(of_label), 0.0)
        return shares

    def preserved_share(self, similarity: Sequence[float]) -> float:
        """sum IC * sim / sum IC, where sim of an edit is given."""
        return float(np.clip(self.information @ self._likeness(similarity) / self.information.sum(), 0.0, 1.0))

    def _likeness(self, similarity: Sequence[float]) -> Floats:
        return term_similarities(self.text, self.terms, self.edits, similarity, authors_compat=self.authors_compat)


def _score_documents(
    releases: Sequence[Release],
    scorer: TokenScorer,
    segmenter: str,
    authors_compat: bool,
    lost: Callable[[Edit], bool],
) -> dict[str, _ScoredDocument | None]:
    """``lost``: which edits the authors' code overlooks at the end of a text."""
    scored: dict[str, _ScoredDocument | None] = {}
    for release in releases:
        text = release.document.text
        scored[release.document.id] = None
        terms = segmentation.terms(text, segmenter, stop_words=authors_compat) if covers_language(scorer, text) else ()
        if not terms:
            continue
        information = _information_in_pieces(scorer, text, terms) if authors_compat else scorer.information(text, terms)
        if information.sum() > 0:
            edits = _effective_edits(release)
            if authors_compat:
                at_the_end = _edits_at_the_end(edits, len(text))
                edits = [edit for edit in edits if not (edit in at_the_end and lost(edit))]
            scored[release.document.id] = _ScoredDocument(text, terms, information, edits, authors_compat)
    return scored


def covers_language(scorer: TokenScorer, text: str) -> bool:
    """Whether the scorer covers the text's language; a text that may be in any language is taken as covered."""
    if scorer.languages is None:
        return True
    code = identify_language(text, CONFIDENT).code
    return code is None or code in scorer.languages


def count_unknown_language(releases: Sequence[Release], scorer: TokenScorer) -> dict[str, int]:
    """The setting that says how many documents were left out for their language."""
    count = sum(not covers_language(scorer, release.document.text) for release in releases)
    return {"unknown_language": count} if count else {}


def _effective_edits(release: Release) -> list[Edit]:
    """The edits that changed something."""
    text = release.document.text
    return [
        edit for edit in release.edits if len(edit.span) and edit.replacement != text[edit.span.start : edit.span.end]
    ]


def _edits_at_the_end(edits: Sequence[Edit], length: int) -> list[Edit]:
    """The last edits that follow each other without a gap up to the end of the text.

    The authors' code ends a mask at the first character after it that is not masked, so it never ends these. For TPI
    they are lost. For TPS the suppressed ones are; replacements are counted by their spans.
    """
    found: list[Edit] = []
    for edit in reversed(edits):
        if edit.span.end < length:
            break
        found.append(edit)
        length = edit.span.start
    return found


def term_similarities(
    text: str,
    terms: Sequence[Range],
    edits: Sequence[Edit],
    similarity: Sequence[float],
    *,
    authors_compat: bool = False,
) -> Floats:
    """Per term 1 where no content character of it was masked, else the similarity of the edit that masked it.

    A term under several edits takes their mean, weighted by how many of its content characters each covers. What of a
    masked term still stands earns nothing, so that TPS of a suppressed text is its TPI.
    """
    similarities = np.ones(len(terms))
    first = 0
    for number, (start, end) in enumerate(terms):
        while first < len(edits) and edits[first].span.end <= start:
            first += 1
        overlapping = []
        for index in range(first, len(edits)):
            span = edits[index].span
            if span.start >= end:
                break
            # The authors' code finds a mask by its ends, so a term strictly inside a longer mask counts as unmasked.
            if not (authors_compat and span.start < start and end < span.end):
                overlapping.append(index)
        if not overlapping:
            continue
        parts = segmentation.content_ranges(text, (start, end))
        covered = [_overlap_length(parts, edits[index].span) for index in overlapping]
        if any(covered):
            similarities[number] = np.average([similarity[index] for index in overlapping], weights=covered)
    return similarities


def _overlap_length(parts: Sequence[Range], span: Span) -> int:
    """How many characters of sorted, disjoint parts lie in a span."""
    common, index = 0, bisect_right(parts, span.start, key=lambda part: part[1])
    while index < len(parts) and parts[index][0] < span.end:
        common += min(parts[index][1], span.end) - max(parts[index][0], span.start)
        index += 1
    return common


def _information_in_pieces(scorer: TokenScorer, text: str, terms: Sequence[Range]) -> Floats:
    """The authors' contexts: pieces of 100 tokens, a term always whole. Theirs are a model's, these words and signs."""
    parts: list[Floats] = []
    words = tokens(text)
    borders = [*(word.start for word in words[_AUTHORS_PIECE::_AUTHORS_PIECE]), len(text)]
    start = first = 0
    for border in borders:
        stop = first
        while stop < len(terms) and terms[stop][0] < border:
            stop += 1
        end = max([start, border, *(term[1] for term in terms[first:stop][-1:])])
        if stop > first:
            parts.append(
                scorer.information(text[start:end], [(low - start, high - start) for low, high in terms[first:stop]])
            )
        start, first = end, stop
    return np.concatenate(parts)
