"""The detector that needs no model: patterns with validation, context words and lexicons."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.detectors.base import Threshold
from sfumato.detectors.language import SCRIPTS
from sfumato.detectors.rules import attributes, contact, national_ids, organisations, people, places, record_numbers
from sfumato.detectors.rules.name_boundaries import Established, plain_words, runs
from sfumato.detectors.rules.patterns import Pattern, PatternSet, minimum_score
from sfumato.document import Document, Span
from sfumato.errors import RecipeError, suggest

# -- Text without the characters that no reader sees, and where each of its characters came from.


# Soft hyphens, zero-width spaces and joiners, word joiners and marks of order or direction.
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
# Full-width and mathematical letters and ligatures: the same letters in another dress.
_DRESSED = "\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
_UNSEEN = re.compile(f"[{_INVISIBLE}]")
_FOLDS = re.compile(f"[{_INVISIBLE}{_DRESSED}]")


@dataclass(frozen=True)
class Folded:
    """A folded text with, for each of its characters, the offset of the original one."""

    text: str
    offsets: list[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original that a range of the folded text stands for."""
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str) -> Folded | None:
    """The text as it is read, or None where that is how it is written."""
    if text.isascii() or not _FOLDS.search(text):
        return None
    letters: list[str] = []
    offsets: list[int] = []
    for at, character in enumerate(text):
        if not _FOLDS.match(character):
            letters.append(character)
            offsets.append(at)
        elif not _UNSEEN.match(character):
            plain = unicodedata.normalize("NFKC", character)
            letters.append(plain)
            offsets.extend([at] * len(plain))
    return Folded("".join(letters), offsets)


# -- Keep spans on the boundaries of what a reader sees as one character.


_JOINER = "\u200d"


def _continues(character: str) -> bool:
    """Combining marks, joiners, variation selectors, emoji modifiers and tags belong to what stands before them."""
    return (
        character == _JOINER
        or "\ufe00" <= character <= "\ufe0f"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or unicodedata.category(character) in ("Mn", "Mc", "Me")
    )


def snap(text: str, start: int, end: int) -> tuple[int, int]:
    """The smallest range around ``[start, end)`` that cuts no character, CRLF included."""
    while 0 < start < len(text) and (
        _continues(text[start]) or text[start - 1] == _JOINER or text[start - 1 : start + 1] == "\r\n"
    ):
        start -= 1
    while 0 < end < len(text) and (
        _continues(text[end]) or text[end - 1] == _JOINER or text[end - 1 : end + 1] == "\r\n"
    ):
        end += 1
    return start, end


# -- Words in a script that none of the seven languages uses: names, most often, and nothing a reader would miss.


_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f"


def _words(letters: str, least: int) -> str:
    return (
        rf"[{letters}][{letters}{_MARKS}]{{{least - 1},}}+(?:[ \u00a0·・'’.-]{{1,2}}[{letters}][{letters}{_MARKS}]*+)*+"
    )


# One or two Greek letters are a symbol of mathematics or a unit.
_OTHERS = "".join(letters for script, letters in SCRIPTS.items() if script != "Greek")

PATTERNS = (
    Pattern(
        "foreign-script", "MISC", rf"{_words(_OTHERS, 2)}|{_words(SCRIPTS['Greek'], 3)}", "quasi", 0.6, scope="script"
    ),
)


# -- The detector that needs no model: patterns with validation, context words and lexicons.


_PATTERNS = (
    *contact.CONTACT_PATTERNS,
    *contact.PHONE_PATTERNS,
    *national_ids.PATTERNS,
    *record_numbers.FINANCE_PATTERNS,
    *contact.CREDENTIAL_PATTERNS,
    *record_numbers.FIELD_PATTERNS,
    *record_numbers.RECORD_PATTERNS,
    *attributes.DATETIME_PATTERNS,
    *attributes.QUANTITY_PATTERNS,
    *places.PATTERNS,
    *attributes.DEMOGRAPHIC_PATTERNS,
    *PATTERNS,
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

    uses: ClassVar[tuple[str, ...]] = ("threshold",)

    languages: ClassVar[frozenset[str] | None] = frozenset({"en", "es", "de", "fr", "it", "pt", "nl"})

    def __init__(
        self, *, threshold: Threshold = "balanced", kinds: Sequence[str] | None = None, without: Sequence[str] = ()
    ) -> None:
        known = self.kinds()
        for kind in (*(kinds or ()), *without):
            if kind not in known and kind != CONTEXT:
                raise RecipeError(f"rules: kind {kind!r} is unknown; {suggest(kind, known)}")
        self.threshold = minimum_score(threshold)
        self._wanted = frozenset(known if kinds is None else kinds) - frozenset(without)
        if CONTEXT in without:
            self._wanted -= _BY_CONTEXT
        self._patterns = PatternSet(p for p in _PATTERNS if self._wanted & p.kinds)
        self._introductions = PatternSet(people.PATTERNS)

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
        return record_numbers.extend_codes(text, [span for span in self._candidates(text) if self._is_wanted(span)])

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
        triggers = attributes.trigger_words()
        for word in plain_words(text):
            key = word.group().casefold()
            if kind := triggers.get(key):
                yield from attributes.find_at_trigger(text, word, kind)
            if word.group().islower() and names.is_name(key):
                yield Span(*word.span(), "PERSON", "direct", 0.6, "rules:person")
