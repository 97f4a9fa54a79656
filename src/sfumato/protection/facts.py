"""What the attack ``record-linkage`` reads of a release: times and countries in the loop, and the form after it.

Times and countries are repaired as everything else is, by the next true generalization. What the recipe left as it is,
such as the state in "the Polish Government", becomes an edit that changes nothing yet. A document that goes on
elsewhere, or was typeset by the same hand, can be found by its form, whatever its words say: apostrophes and quotation
marks are made uniform, and some paragraphs are joined.
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.linking.cleaning import Ints
from sfumato.attacks.linking.facts import CountryMention, Time, find_countries, read_times_and_countries
from sfumato.attacks.linking.records import COUNTRY, LAST_YEAR, REFERENCE, WORDS, RecordScorer
from sfumato.document import Document, Edit, Release, Span, allowed_ranges, outside
from sfumato.lexicon.time import find_dates
from sfumato.models.base import Floats, Range
from sfumato.protection.incremental import (
    IncrementalSparseAttack,
    MarginalGain,
    SubjectRank,
    rank_subject,
    rivals_to_pass,
)
from sfumato.protection.text import WORD_LABEL
from sfumato.replacers.generalize import Generalize
from sfumato.vault.ledger import Ledger

FOLLOWED = (REFERENCE, LAST_YEAR, COUNTRY, WORDS)
"""The fields that the loop follows; typography and paragraphs are hidden afterwards (``form``)."""
_LEAST_GAIN = 0.05
"""Nats by which any time or country may tell a subject, where none does by itself."""
_NATS = 0.6
"""About so much a deviation of shared words tells; it decides what is tried first, and nothing else."""
_IN_CLEAR = "stands in clear"
Item = TypeVar("Item")


def add_fact_edits(release: Release) -> Release:
    """The release with an edit for each date and country that stands in clear, by which the loop can widen it."""
    document = release.document
    if release.rewrite is not None:
        return release
    is_free = _free_ranges(release)
    spans = [span for span in _fact_spans(document) if is_free(span.start, span.end)]
    ledger = Ledger(secret=bytes(32))  # numbered labels are left out, so nothing depends on it
    widened = Generalize(ledger=ledger, choose="most-specific").replace(document, spans) if spans else []
    added = []
    for edit in widened:
        levels = tuple(each for each in (edit, *edit.alternatives) if each.level is not None)
        levels = tuple(each for each in levels if is_free(each.span.start, each.span.end))
        if levels:
            span = levels[0].span
            original = document.text[span.start : span.end]
            added.append(Edit(span, original, (_IN_CLEAR,), alternatives=levels))
    return replace(release, edits=tuple(sorted((*release.edits, *added), key=_start)))


def add_citation_edits(release: Release) -> Release:
    """The release with an edit for each citation that its recipe keeps, by which the loop can hide it whole.

    Nothing but a mark of omission stands for a citation: it is never made vaguer, in whole or in part.
    """
    citations, document = release.document.meta.get("citations", ()), release.document
    if not citations or release.rewrite is not None:
        return release
    text = document.text
    edits = [
        Edit(Span(*part, "MISC", source="protect"), text[slice(*part)], (_IN_CLEAR,))
        for citation in citations
        for part in outside(text, document.meta.get("allowed", ()), *citation)
    ]
    open_document = replace(document, meta={**document.meta, "citations": ()})
    return replace(release, document=open_document, edits=tuple(sorted((*release.edits, *edits), key=_start)))


def _start(edit: Edit) -> int:
    return edit.span.start


def _free_ranges(release: Release) -> Callable[[int, int], bool]:
    """Whether a range touches no edit, and nothing that is allowed."""
    taken = [*((edit.span.start, edit.span.end) for edit in release.edits), *allowed_ranges(release.document)]
    starts, ends = ([item[side] for item in sorted(taken)] for side in (0, 1))

    def is_free(start: int, end: int) -> bool:
        index = bisect_right(starts, start)
        return (index == 0 or ends[index - 1] <= start) and (index == len(starts) or end <= starts[index])

    return is_free


def drop_unchanged(release: Release) -> Release:
    """The release without edits that change nothing; of the others it is no longer true that they stand in clear."""
    changed = (edit for edit in release.edits if edit.reasons != (_IN_CLEAR,))
    return replace(
        release,
        edits=tuple(
            replace(edit, reasons=tuple(reason for reason in edit.reasons if reason != _IN_CLEAR)) for edit in changed
        ),
    )


def _fact_spans(document: Document) -> list[Span]:
    """Dates with a year, and mentions of one country, in the order of the text."""
    text = document.text
    spans = [
        Span(*match.span(), "DATETIME", source="protect")
        for _, match in find_dates(text)
        if match.groupdict().get("year")
    ]
    spans += [
        Span(mention.start, mention.end, "DEM" if mention.is_adjective else "LOC", source="protect")
        for mention in find_countries(text)
        if len(mention.codes) == 1
    ]
    spans.sort(key=lambda span: (span.start, -span.end))
    return [span for number, span in enumerate(spans) if all(other.end <= span.start for other in spans[:number])]


class IncrementalRecordLinkage:
    """Record linkage on one document, with the weights that it learned from the releases it saw last."""

    def __init__(self, name: str, scorer: RecordScorer, subjects: Sequence[int], rank: int) -> None:
        self.name = name
        self._scorer, self._attack = scorer, scorer.attack
        self._subjects, self._rank = tuple(subjects), rank
        self._shared_words = IncrementalSparseAttack(name, self._attack.words, subjects, rank)
        self._text: str | None = None
        self._times: tuple[Time, ...] = ()
        self._countries: tuple[CountryMention, ...] = ()
        self._by_words: Floats = np.zeros(0)
        self._words: Floats = np.zeros(0)
        self._evidence: dict[int, Floats] = {}
        self._scores: Floats = np.zeros(0)
        self._is_other: NDArray[np.bool_] = np.ones(self._attack.words.people, bool)
        self._is_other[list(self._subjects)] = False

    def update(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        self._times, self._countries = read_times_and_countries(text)
        self._by_words = self._attack.country_words.shares(text)
        self._shared_words.update(text)
        levels, self._words = self._attack.compare_words(self._shared_words.scores)
        self._evidence = {
            **self._evidence_of_times(self._times),
            COUNTRY: self._evidence_of_countries(self._countries),
            WORDS: self._scorer.evidence(WORDS, levels),
        }
        self._scores = self._scored({})

    def _evidence_of_times(self, times: Sequence[Time]) -> dict[int, Floats]:
        levels = zip((REFERENCE, LAST_YEAR), self._attack.compare_times(times), strict=True)
        return {field: self._scorer.evidence(field, each) for field, each in levels}

    def _evidence_of_countries(self, mentions: Sequence[CountryMention]) -> Floats:
        return self._scorer.evidence(COUNTRY, self._attack.compare_countries(mentions, self._by_words))

    def _scored(self, changed: Mapping[int, Floats]) -> Floats:
        """Everyone's scores, where some fields are as stated in place of as they are."""
        evidence = {**self._evidence, **changed}
        return self._scorer.score((evidence[field] for field in FOLLOWED), self._words)

    def ranks(self) -> list[SubjectRank]:
        return [self._rank_among(row, self._scores) for row in self._subjects]

    def _rank_among(self, row: int, scores: Floats) -> SubjectRank:
        if not np.ptp(scores) > 0:
            return SubjectRank(row, None, 0.0, 0.0)
        positive = scores - scores.min() + 1  # evidence may be against everyone
        return rank_subject(row, float(positive[row]), positive[self._is_other], self._rank)

    def marginal_gain(self, row: int, places: Ints, count: int) -> MarginalGain:
        gap = self._rank_among(row, self._scores).gap
        units = [(ranges, max(0.0, gap - self._rank_among(row, scores).gap)) for ranges, scores in self._without_each()]
        others = np.flatnonzero(self._is_other)
        rivals = others[rivals_to_pass(self._scores[others], float(self._scores[row]), self._rank)]
        columns = [column for rival in rivals if (column := self._attack.country_column(int(rival))) >= 0]
        shared = self._shared_words.gain(row, 1.0, rivals, np.ones(len(rivals)), places, count)
        return self._by_place(units, self._country_gains(row, columns), shared, places, count)

    def own_contribution(self, row: int, places: Ints, count: int) -> MarginalGain:
        units = [
            (ranges, max(_LEAST_GAIN, float(self._scores[row] - scores[row])))
            for ranges, scores in self._without_each()
        ]
        shared = self._shared_words.own_contribution(row, places, count)
        countries = self._country_gains(row, range(len(self._by_words)))
        return self._by_place(units, countries, shared, places, count)

    def _without_each(self) -> list[tuple[list[Range], Floats]]:
        """Times and countries that say the same, and everyone's scores without them."""
        scored = list[tuple[list[Range], Floats]]()
        for times in _by_value(self._times, lambda time: time[:2]):
            kept = [time for time in self._times if time[:2] != times[0][:2]]
            scores = self._scored(self._evidence_of_times(kept))
            scored.append(([(time.start, time.end) for time in times], scores))
        for mentions in _by_value(self._countries, lambda mention: mention.codes):
            others = [mention for mention in self._countries if mention.codes != mentions[0].codes]
            scores = self._scored({COUNTRY: self._evidence_of_countries(others)})
            scored.append(([(mention.start, mention.end) for mention in mentions], scores))
        return scored

    def _country_gains(self, row: int, columns: Iterable[int]) -> tuple[Ints, Floats]:
        """Where words stand, and what each tells of the subject's country beyond those of others."""
        parts = self._attack.country_words.contributions(self._text or "")
        column, others = self._attack.country_column(row), list(columns)
        if column < 0 or not others:
            return parts.starts, np.zeros(len(parts.starts))
        gains: Floats = parts.logits[:, column] - parts.logits[:, others].mean(axis=1)
        return parts.starts, gains

    def _by_place(
        self,
        units: Sequence[tuple[list[Range], float]],
        countries: tuple[Ints, Floats],
        shared: MarginalGain,
        places: Ints,
        count: int,
    ) -> MarginalGain:
        total = np.zeros(count + 1)
        for ranges, gain in units:
            touched = np.unique(np.concatenate([places[start:end] for start, end in ranges]))
            touched = touched[touched < count]
            total[touched] += gain / max(1, len(touched))
        starts, gains = countries
        if len(starts):
            total += np.bincount(places[starts], gains, count + 1)
        a_deviation = _NATS / (float(self._shared_words.scores.std()) or 1.0)
        return MarginalGain(*(total[:count] + a_deviation * part for part in shared))


def _by_value(items: Sequence[Item], value: Callable[[Item], Hashable]) -> list[list[Item]]:
    """Items of the same value together."""
    groups: defaultdict[Hashable, list[Item]] = defaultdict(list)
    for item in items:
        groups[value(item)].append(item)
    return list(groups.values())


# The form: typography, and how many paragraphs there are.

FORM = "form"
"""The kind of repair."""
FORM_IN_WORDS = "typography and paragraph breaks", "uniform signs, fewer paragraphs"
"""What stands for the passage before and after such a repair, which has no words."""
_SIGNS = str.maketrans({"’": "'", "‘": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‑": "-", "\u00a0": " "})
_SIGN = re.compile("[’‘‛“”„‑\u00a0]")
_BREAK = re.compile(r"(?<=[.!?”’\"'])[ \t]*\n[ \t]*\n\s*(?=[^\W\d_a-z][^\n]{60})")
"""Between two paragraphs of prose: not before a heading, a list or a number."""
_FEWEST_JOINED, _MOST_JOINED = 0.2, 0.6
"""The share of breaks that are joined is drawn for each document between these, so that nobody can count back."""


def hide_form(release: Release, secret: bytes) -> Release:
    """The release with uniform signs and fewer paragraphs; which are joined depends on the secret.

    Paragraphs of a Word file or a page, which have borders that no edit may cross, stay as they are.
    """
    if release.rewrite is not None:
        return release
    document = release.document
    drawn = random.Random(secret + document.id.encode("utf-8", "surrogatepass"))
    share = drawn.uniform(_FEWEST_JOINED, _MOST_JOINED)
    changes = {match.span(): match[0].translate(_SIGNS) for match in _SIGN.finditer(document.text)}
    if not document.meta.get("borders"):
        changes |= {match.span(): " " for match in _BREAK.finditer(document.text) if drawn.random() < share}
    is_free = _free_ranges(release)
    new, last_end = list[Edit](), 0
    for (start, end), replacement in sorted(changes.items()):
        if start >= last_end and is_free(start, end):
            new.append(Edit(Span(start, end, WORD_LABEL, source="protect"), replacement, (FORM,)))
            last_end = end
    return Release(document, (*release.edits, *new), reasons=release.reasons)
