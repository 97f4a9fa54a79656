"""TAB's precision: of what was masked, how much do the annotators mask too?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.document import Release
from sfumato.intervals import Estimate, ratio
from sfumato.measures.base import Annotations, edited, metric
from sfumato.measures.information import foreign, knows
from sfumato.measures.mentions import annotated, by_annotator, coverage, masked_ranges, must_go, words
from sfumato.models.base import Floats, Range, TokenScorer


@metric("tab-precision", family="tab", paper="TAB", higher_is_better=True)
def token_precision(releases: Sequence[Release], gold: Annotations) -> Estimate:
    """Share of the masked words that annotators mask too, averaged over the annotators of a document."""
    return _precision(releases, gold, None)


@metric("tab-weighted-precision", family="tab", paper="TAB", higher_is_better=True)
def weighted_precision(releases: Sequence[Release], gold: Annotations, scorer: TokenScorer) -> Estimate:
    """Precision in which a masked word counts by its information content: a needless "the" costs little."""
    return _precision(releases, gold, scorer)


def _precision(releases: Sequence[Release], gold: Annotations, scorer: TokenScorer | None) -> Estimate:
    """Sum of weight x annotators who mask the word too, over sum of weight x annotators."""
    pairs, settings = annotated(edited(releases), gold)
    if scorer is not None:
        settings |= foreign([release for release, _ in pairs], scorer)
        pairs = [(release, spans) for release, spans in pairs if knows(scorer, release.document.text)]
    right, masked = dict[str, float](), dict[str, float]()
    for release, spans in pairs:
        document = release.document
        # All words are scored, though only masked ones are needed: so ten releases cost one pass over the original.
        tokens = list(words(document.text))
        weights = np.ones(len(tokens)) if scorer is None else scorer.information(document.text, tokens)
        annotators = by_annotator(spans) or {None: []}
        marks = [
            coverage(document.text, ((span.start, span.end) for span in must_go(own))) for own in annotators.values()
        ]
        right[document.id], masked[document.id] = _sums(
            tokens, weights, coverage(document.text, masked_ranges(release)), marks
        )
    known = "" if scorer is None else " (of those in a language that the scorer knows)"
    nothing = f"no word is masked in these documents{known}, so there is no precision"
    return ratio(right, masked, settings, why_none=nothing)


def _sums(tokens: Sequence[Range], weights: Floats, said: bytearray, marks: Sequence[bytearray]) -> tuple[float, float]:
    right = masked = 0.0
    for (start, end), weight in zip(tokens, weights, strict=True):
        hidden = [at for at in range(start, end) if said[at]]
        if hidden:
            masked += weight
            # A word half masked is judged by its masked half.
            right += weight * sum(all(mark[at] for at in hidden) for mark in marks) / len(marks)
    return float(right), float(masked)
