"""Privacy measured on strings: is anything like the sensitive mention still there? Rewrites can be measured, too.

The metrics of paper 001 (values times 100, as published): LRa(a, b) = 1 - LD(a, b) / max(|a|, |b|), and LSI(mention)
the largest LRa of any window of the mention's length in the released sentence that is most like the mention's own. Each
is computed per note, then averaged over notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sfumato.document import Release
from sfumato.errors import RecipeError
from sfumato.intervals import Estimate, mean, share_of_documents
from sfumato.measures.base import Annotations, metric
from sfumato.measures.levenshtein.index import Similarity, Within, compared, similarities
from sfumato.measures.mentions import annotated

THRESHOLDS = (0.75, 0.80, 0.85, 0.90, 0.95)
"""The recalls are also given at these, in the settings under ``by_threshold``."""

_NOTHING = "the reference marks no {}identifier in these documents"

PerNote = Callable[[Sequence[Similarity]], float | None]


@metric("alid", family="levenshtein", paper="001", higher_is_better=True)
def dissimilarity(releases: Sequence[Release], gold: Annotations, within: Within = "sentence") -> Estimate:
    """Average Levenshtein index of dissimilarity: 100 x (1 - mean LSI); never quite 100 on real text."""
    return _mean(releases, gold, within, lambda found: 1 - sum(one.lsi for one in found) / len(found))


@metric("lr", family="levenshtein", paper="001", higher_is_better=True)
def recall(
    releases: Sequence[Release], gold: Annotations, threshold: float = 0.85, within: Within = "sentence"
) -> Estimate:
    """Levenshtein recall: share of mentions to which nothing in the release is similar (LSI below the threshold)."""
    return _at_thresholds(threshold, lambda at: _mean(releases, gold, within, lambda found: _below(found, at)))


@metric("lrqi", family="levenshtein", paper="001", higher_is_better=True)
def quasi_recall(
    releases: Sequence[Release], gold: Annotations, threshold: float = 0.85, within: Within = "sentence"
) -> Estimate:
    """Levenshtein recall over quasi-identifiers only."""

    def at(limit: float) -> Estimate:
        return _mean(
            releases, gold, within, lambda found: _below([one for one in found if not one.is_direct], limit), "quasi-"
        )

    return _at_thresholds(threshold, at)


@metric("lrdi", family="levenshtein", paper="001", higher_is_better=True)
def direct_recall(
    releases: Sequence[Release], gold: Annotations, threshold: float = 0.85, within: Within = "sentence"
) -> Estimate:
    """Share of notes in which every direct identifier is gone (all LSI below the threshold)."""

    def at(limit: float) -> Estimate:
        notes, settings = _notes(releases, gold, within)
        direct = {key: [one.lsi < limit for one in found if one.is_direct] for key, found in notes.items()}
        safe = {key: float(all(below)) for key, below in direct.items() if below}
        left_out = {"left_out": len(notes) - len(safe)} if len(safe) < len(notes) else {}
        nothing = _NOTHING.format("direct ")
        return _times_100(share_of_documents(safe, {**settings, **left_out}, why_none=nothing))

    return _at_thresholds(threshold, at)


@metric("smr", family="levenshtein", paper="001", higher_is_better=True)
def string_match_recall(releases: Sequence[Release], gold: Annotations, within: Within = "note") -> Estimate:
    """String-match recall: share of mentions that do not stand in the release character by character."""
    pairs, settings = annotated(releases, gold)
    values: dict[str, float | None] = {}
    for release, spans in pairs:
        found = compared(release, spans, within)
        hidden = sum(not one.is_readable for one in found)
        values[release.document.id] = 100 * hidden / len(found) if found else None
    return mean(values, settings, why_none=_NOTHING.format(""))


def _below(found: Sequence[Similarity], threshold: float) -> float | None:
    return sum(one.lsi < threshold for one in found) / len(found) if found else None


def _notes(
    releases: Sequence[Release], gold: Annotations, within: Within
) -> tuple[dict[str, tuple[Similarity, ...]], dict[str, int]]:
    pairs, settings = annotated(releases, gold)
    return {release.document.id: similarities(release, spans, within) for release, spans in pairs}, settings


def _mean(releases: Sequence[Release], gold: Annotations, within: Within, value: PerNote, kind: str = "") -> Estimate:
    notes, settings = _notes(releases, gold, within)
    values: Mapping[str, float | None] = {
        key: None if not found or (one := value(found)) is None else 100 * one for key, found in notes.items()
    }
    return mean(values, settings, why_none=_NOTHING.format(kind))


def _at_thresholds(threshold: float, at: Callable[[float], Estimate]) -> Estimate:
    if not 0 < threshold <= 1:
        raise RecipeError(f"'threshold' lies above 0 and is at most 1, not {threshold}")
    estimate = at(threshold)
    others = {f"{limit:.2f}": at(limit).value for limit in THRESHOLDS}
    return replace(estimate, settings={**estimate.settings, "by_threshold": others})


def _times_100(estimate: Estimate) -> Estimate:
    low, high = estimate.interval
    return replace(
        estimate,
        value=100 * estimate.value,
        interval=(100 * low, 100 * high),
        per_document={key: 100 * value for key, value in estimate.per_document.items()},
    )
