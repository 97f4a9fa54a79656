"""The detector that needs no model: patterns with validation, context words and lexicons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from sfumato.detectors.base import Threshold
from sfumato.detectors.rules import (
    addresses,
    codes,
    contact,
    credentials,
    datetimes,
    demographics,
    finance,
    introductions,
    labelled,
    national_ids,
    organisations,
    people,
    phones,
    places,
    quantities,
    records,
    scripts,
)
from sfumato.detectors.rules.folding import fold
from sfumato.detectors.rules.graphemes import snap
from sfumato.detectors.rules.name_again import Established
from sfumato.detectors.rules.patterns import PatternSet, least_score
from sfumato.detectors.rules.words import plain_words, runs
from sfumato.document import Document, Span
from sfumato.errors import RecipeError, suggest

_PATTERNS = (
    *contact.PATTERNS,
    *phones.PATTERNS,
    *national_ids.PATTERNS,
    *finance.PATTERNS,
    *credentials.PATTERNS,
    *labelled.PATTERNS,
    *records.PATTERNS,
    *datetimes.PATTERNS,
    *quantities.PATTERNS,
    *addresses.PATTERNS,
    *demographics.PATTERNS,
    *scripts.PATTERNS,
)
_LEXICON_KINDS = frozenset({"person", "place", "organisation", "nationality", "occupation", "duration", "month"})
CONTEXT = "context"
_BY_CONTEXT = frozenset(
    "age duration measure month nationality occupation organisation percentage place time year".split()
)
"""Kinds that are personal in one text and not in another, which a rule cannot tell and the tagger judges better."""


class RuleDetector:
    """Finds personal information by patterns with checksums, context words and name lists; needs no model.

    Spans that score below ``threshold`` are left out. ``kinds`` keeps only those kinds (see ``RuleDetector.kinds()``),
    ``without`` leaves some out; among these "context" stands for all kinds better left to the tagger.
    """

    languages: ClassVar[frozenset[str] | None] = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})

    def __init__(
        self, *, threshold: Threshold = "balanced", kinds: Sequence[str] | None = None, without: Sequence[str] = ()
    ) -> None:
        known = self.kinds()
        for kind in (*(kinds or ()), *without):
            if kind not in known and kind != CONTEXT:
                raise RecipeError(f"rules: kind {kind!r} is unknown; {suggest(kind, known)}")
        self.threshold = least_score(threshold)
        self._wanted = frozenset(known if kinds is None else kinds) - frozenset(without)
        if CONTEXT in without:
            self._wanted -= _BY_CONTEXT
        self._patterns = PatternSet(p for p in _PATTERNS if self._wanted & p.kinds)
        self._introductions = PatternSet(introductions.PATTERNS)

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """All kinds of personal information it knows, by name."""
        return tuple(sorted({kind for pattern in _PATTERNS for kind in pattern.kinds} | _LEXICON_KINDS))

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """One list of spans for each document; spans may overlap."""
        return [self._detect(document.text) for document in documents]

    def _detect(self, text: str) -> list[Span]:
        found = [span.moved(*snap(text, span.start, span.end)) for span in self._read(text)]
        # As written too: a zero-width space may well stand between two words.
        if folded := fold(text):
            for span in self._read(folded.text):
                found.append(span.moved(*snap(text, *folded.original(span.start, span.end))))
        return sorted(dict.fromkeys(found), key=lambda span: (span.start, span.end, span.label, span.source))

    def _read(self, text: str) -> list[Span]:
        return codes.completed(text, [span for span in self._candidates(text) if self._is_wanted(span)])

    def _is_wanted(self, span: Span) -> bool:
        return span.score >= self.threshold and span.source.removeprefix("rules:") in self._wanted

    def _candidates(self, text: str) -> Iterator[Span]:
        yield from self._patterns.find(text)
        if not self._wanted & _LEXICON_KINDS:
            return
        words = list(runs(text))
        introduced = self._introductions.find(text)
        names = Established(text)
        names.add_spans(introduced)
        yield from introduced
        yield from people.NameFinder(text, names).find(words)
        yield from places.find(text, words)
        yield from organisations.find(text, words)
        watched = demographics.watched()
        for word in plain_words(text):
            key = word.group().casefold()
            if purpose := watched.get(key):
                yield from demographics.find(text, word, purpose)
            if word.group().islower() and names.is_name(key):
                yield Span(*word.span(), "PERSON", "direct", 0.6, "rules:person")
