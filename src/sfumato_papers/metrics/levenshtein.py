"""Levenshtein privacy metrics: is anything similar to a sensitive mention in the release? Rewrites included.

The metrics of Pissarra et al. (2024), values times 100, as published: LRa(a, b) = 1 - LD(a, b) / max(|a|, |b|) without
regard to case, and LSI(mention) is the largest LRa of any window of the mention's length in the sentence of the release
that is most similar to the mention's own. Each is computed per note, then averaged over notes.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.process import cdist

from sfumato.document import Release, Span
from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import enclosing_sentences, sentence_ranges
from sfumato.lexicon.tables import word_set
from sfumato.metrics.base import Annotations, metric
from sfumato.metrics.mentions import annotated, coverage, masked_ranges, mentions_to_mask
from sfumato.statistics import Estimate, left_out, mean, share_of_documents
from sfumato_papers.metrics import PACKAGE

# The window of a text that is most similar to a string: sliding a window by one character deletes its first and appends
# one, so its distance changes by at most 2: between windows at a < b with distances d and e none is nearer than
# (d + e) / 2 - (b - a). That excludes most of a text after a few comparisons, with the same result as comparing all.

_CHARACTERS_AT_ONCE = 4_000_000
_FEW = 200
"""Up to this number, all windows are compared."""


class Window(NamedTuple):
    """The range of the best window, and ``1 - distance / length of the longer``."""

    start: int
    end: int
    similarity: float


def best_window(wanted: str, text: str) -> Window:
    """The first of the most similar windows of ``len(wanted)``; a text no longer than that is compared whole."""
    if not wanted:
        raise ValueError("there is nothing to look for")
    length = len(wanted)
    if len(text) <= length:
        return Window(0, len(text), 1 - Levenshtein.distance(wanted, text) / length)
    if (position := text.find(wanted)) >= 0:
        return Window(position, position + length, 1.0)
    start, distance = _nearest(wanted, text, length)
    return Window(start, start + length, 1 - distance / length)


def _nearest(wanted: str, text: str, limit: int) -> tuple[int, int]:
    """The place of the first of the nearest windows and its distance, exact where that is at most ``limit``."""
    last = len(text) - len(wanted)
    step = 1 if last < _FEW else max(1, len(wanted) // 4)
    places = np.append(np.arange(0, last, step), last)
    distances = _distances(wanted, text, places)
    while True:
        width = np.diff(places)
        nearest_between = (distances[:-1] + distances[1:] + 1) // 2 - width
        # As good as the best is of interest only before it.
        allowed = np.where(places[:-1] < places[distances.argmin()], distances.min(), distances.min() - 1)
        open_gaps = np.flatnonzero((width > 1) & (nearest_between <= np.minimum(allowed, limit)))
        if not len(open_gaps):
            break
        middles = (places[open_gaps] + places[open_gaps + 1]) // 2
        distances = np.insert(distances, open_gaps + 1, _distances(wanted, text, middles))
        places = np.insert(places, open_gaps + 1, middles)
    first = int(distances.argmin())
    return int(places[first]), int(distances[first])


def _distances(wanted: str, text: str, places: NDArray[np.int64]) -> NDArray[np.int64]:
    length = len(wanted)
    size = max(1, _CHARACTERS_AT_ONCE // length)
    batches = (places[first : first + size].tolist() for first in range(0, len(places), size))
    windows = ([text[place : place + length] for place in batch] for batch in batches)
    return np.concatenate([cdist([wanted], batch, scorer=Levenshtein.distance, dtype=np.int64)[0] for batch in windows])


def most_similar(wanted: str, texts: Sequence[str]) -> int:
    """The index of the text with the best window; the first of equals."""
    # A window shares no longer subsequence with the wanted string than the whole text does, so this is its least
    # distance. It rules out most texts without a comparison of windows.
    least = len(wanted) - cdist([wanted], texts, scorer=LCSseq.similarity, dtype=np.int64)[0]
    best, best_distance = 0, len(wanted) + 1
    for index in np.argsort(least, kind="stable").tolist():
        if least[index] > best_distance:
            break
        if len(texts[index]) <= len(wanted):
            distance = Levenshtein.distance(wanted, texts[index])
        else:
            distance = _nearest(wanted, texts[index], best_distance)[1]
        if (distance, index) < (best_distance, best):
            best, best_distance = index, distance
    return best


Within = Literal["sentence", "note"]

QUASI_LABELS = word_set("entity_types", "quasi", package=PACKAGE)
"""Quasi-identifiers where the annotation does not say; any other label is direct."""


class ComparedMention(NamedTuple):
    """A mention, and the part of the release to search for it."""

    mention: str
    text: str
    is_direct: bool


class Similarity(NamedTuple):
    """The Levenshtein Similarity Index of a mention: 1 - LD / length of the most similar window (0 to 1)."""

    lsi: float
    is_direct: bool


def compare_mentions(release: Release, spans: Iterable[Span], within: Within) -> tuple[ComparedMention, ...]:
    """One per mention to mask; a range marked by several annotators counts once, as direct if one says so.

    ``within="sentence"``: the sentence of the release that is most similar to the sentence of the mention. A mention
    that no edit touches stands in clear: it is looked for in the sentence at its own place, whichever is most similar.
    """
    if within not in get_args(Within):
        raise RecipeError(f"'within' is {' or '.join(map(repr, get_args(Within)))}, not {within!r}")
    original = release.document.text
    direct: dict[tuple[int, int], bool] = {}
    for span in mentions_to_mask(spans):
        key = span.start, span.end
        direct[key] = direct.get(key, False) or is_direct(span)
    find = (lambda start, end: release.text) if within == "note" else _SentenceFinder(release).find
    return tuple(
        ComparedMention(original[start:end].strip() or original[start:end], find(start, end), mention_is_direct)
        for (start, end), mention_is_direct in direct.items()
    )


class _SentenceFinder:
    """Finds the sentence of the release that belongs to a mention. One that spans several has as many to find."""

    def __init__(self, release: Release) -> None:
        self._release = release
        self._original = sentence_ranges(release.document.text)
        self._released = sentence_ranges(release.text)
        edits = [] if release.rewrite is not None else masked_ranges(release)
        self._changed = coverage(release.document.text, edits)
        self._nearest: dict[tuple[int, int], str] = {}
        self._runs: dict[int, tuple[list[str], list[str]]] = {}

    def find(self, start: int, end: int) -> str:
        if self._release.rewrite is None and not any(self._changed[start:end]):
            place = self._release.to_released(start, end)
            return self._release.text[slice(*enclosing_sentences(self._released, *place))]
        sentence = enclosing_sentences(self._original, start, end)
        if sentence not in self._nearest:
            count = sum(begin < end and start < stop for begin, stop in self._original)
            texts, folded = self._runs_of(max(1, count))
            wanted = self._release.document.text[slice(*sentence)].casefold()
            self._nearest[sentence] = texts[most_similar(wanted, folded)]
        return self._nearest[sentence]

    def _runs_of(self, count: int) -> tuple[list[str], list[str]]:
        """Every run of so many sentences of the release, as it is and case-folded; the whole text if it has fewer."""
        if count not in self._runs:
            text, ranges = self._release.text, self._released
            runs = zip(ranges, ranges[count - 1 :], strict=False)
            texts = [text[first[0] : last[1]] for first, last in runs] or [text]
            self._runs[count] = texts, [one.casefold() for one in texts]
        return self._runs[count]


def similarities(release: Release, spans: Sequence[Span], within: Within) -> tuple[Similarity, ...]:
    """The index of each mention, cached while the release exists, because the metrics of the family share it."""
    if id(release) not in _similarities:
        _similarities[id(release)] = {}
        weakref.finalize(release, _similarities.pop, id(release), None)
    cached = _similarities[id(release)]
    key = (within, tuple(spans))
    if key not in cached:
        cached[key] = tuple(
            Similarity(best_window(mention.casefold(), text.casefold()).similarity, is_direct)
            for mention, text, is_direct in compare_mentions(release, spans, within)
        )
    return cached[key]


# By id, because a release cannot be hashed.
_similarities: dict[int, dict[object, tuple[Similarity, ...]]] = {}


def is_direct(span: Span) -> bool:
    """By the annotation, else by the label: in doubt direct."""
    return span.identifier == "direct" if span.identifier else span.label.upper() not in QUASI_LABELS


THRESHOLDS = (0.75, 0.80, 0.85, 0.90, 0.95)
"""Recall is also given at these, in the settings under ``by_threshold``."""

_NOTHING = "the reference marks no {}identifier in these documents"

PerNote = Callable[[Sequence[Similarity]], float | None]


@metric("alid", family="levenshtein", cite="pissarra2024", higher_is_better=True, version=2)
def dissimilarity(releases: Sequence[Release], gold: Annotations, within: Within = "sentence") -> Estimate:
    """Average Levenshtein index of dissimilarity: 100 x (1 - mean LSI); never quite 100 on real text."""
    return _mean(releases, gold, within, lambda mentions: 1 - sum(mention.lsi for mention in mentions) / len(mentions))


@metric("lr", family="levenshtein", cite="pissarra2024", higher_is_better=True, version=2)
def recall(
    releases: Sequence[Release], gold: Annotations, threshold: float = 0.85, within: Within = "sentence"
) -> Estimate:
    """Levenshtein recall: share of mentions to which nothing in the release is similar (LSI below the threshold)."""
    return _at_thresholds(
        threshold, lambda limit: _mean(releases, gold, within, lambda mentions: _share_below(mentions, limit))
    )


@metric("lrqi", family="levenshtein", cite="pissarra2024", higher_is_better=True, version=2)
def quasi_recall(
    releases: Sequence[Release], gold: Annotations, threshold: float = 0.85, within: Within = "sentence"
) -> Estimate:
    """Levenshtein recall over quasi-identifiers only."""

    def share_below(mentions: Sequence[Similarity], limit: float) -> float | None:
        return _share_below([mention for mention in mentions if not mention.is_direct], limit)

    return _at_thresholds(
        threshold, lambda limit: _mean(releases, gold, within, lambda mentions: share_below(mentions, limit), "quasi-")
    )


@metric("lrdi", family="levenshtein", cite="pissarra2024", higher_is_better=True, version=2)
def direct_recall(
    releases: Sequence[Release], gold: Annotations, threshold: float = 0.85, within: Within = "sentence"
) -> Estimate:
    """Share of notes in which every direct identifier is gone (all LSI below the threshold)."""

    notes, settings = _notes(releases, gold, within)
    direct = {key: [mention for mention in mentions if mention.is_direct] for key, mentions in notes.items()}

    def share_of_safe_notes(limit: float) -> Estimate:
        safe = {key: float(_share_below(mentions, limit) == 1) for key, mentions in direct.items() if mentions}
        settings_used = {**settings, **left_out(len(notes), len(safe))}
        return _times_100(share_of_documents(safe, settings_used, why_none=_NOTHING.format("direct ")))

    return _at_thresholds(threshold, share_of_safe_notes)


@metric("smr", family="levenshtein", cite="pissarra2024", higher_is_better=True, version=2)
def string_match_recall(releases: Sequence[Release], gold: Annotations, within: Within = "note") -> Estimate:
    """String-match recall: share of mentions that do not stand in the release character by character, case included."""
    pairs, settings = annotated(releases, gold)
    values: dict[str, float | None] = {}
    for release, spans in pairs:
        mentions = compare_mentions(release, spans, within)
        hidden = sum(compared.mention not in compared.text for compared in mentions)
        values[release.document.id] = 100 * hidden / len(mentions) if mentions else None
    return mean(values, settings, why_none=_NOTHING.format(""))


def _share_below(mentions: Sequence[Similarity], threshold: float) -> float | None:
    return sum(mention.lsi < threshold for mention in mentions) / len(mentions) if mentions else None


def _notes(
    releases: Sequence[Release], gold: Annotations, within: Within
) -> tuple[dict[str, tuple[Similarity, ...]], dict[str, int]]:
    pairs, settings = annotated(releases, gold)
    return {release.document.id: similarities(release, spans, within) for release, spans in pairs}, settings


def _mean(releases: Sequence[Release], gold: Annotations, within: Within, value: PerNote, kind: str = "") -> Estimate:
    notes, settings = _notes(releases, gold, within)
    values: Mapping[str, float | None] = {
        key: None if not mentions or (mean_value := value(mentions)) is None else 100 * mean_value
        for key, mentions in notes.items()
    }
    return mean(values, settings, why_none=_NOTHING.format(kind))


def _at_thresholds(threshold: float, measure: Callable[[float], Estimate]) -> Estimate:
    if not 0 < threshold <= 1:
        raise RecipeError(f"'threshold' lies above 0 and is at most 1, not {threshold}")
    estimate = measure(threshold)
    others = {f"{limit:.2f}": measure(limit).value for limit in THRESHOLDS}
    return replace(estimate, settings={**estimate.settings, "by_threshold": others})


def _times_100(estimate: Estimate) -> Estimate:
    low, high = estimate.interval
    return replace(
        estimate,
        value=100 * estimate.value,
        interval=(100 * low, 100 * high),
        per_document={key: 100 * value for key, value in estimate.per_document.items()},
    )
