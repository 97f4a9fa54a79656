"""The rule-based detector: patterns with validation, context words and lexicons; no model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.detectors.base import Threshold
from sfumato.detectors.rules import attributes, codes, people, places
from sfumato.detectors.rules.patterns import Pattern, PatternSet, minimum_score
from sfumato.document import Document, Span
from sfumato.errors import RecipeError, suggest
from sfumato.lexicon.language import SCRIPT_LETTERS
from sfumato.lexicon.tables import languages_with
from sfumato.lexicon.tokens import LONG_WORD

# Characters that no reader sees: soft hyphens, zero-width spaces, joiners, marks of direction.
_INVISIBLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
# Full-width and mathematical letters and ligatures, which are read as ordinary letters.
_COMPATIBILITY = "\ufb00-\ufb06\uff01-\uff5e\U0001d400-\U0001d7ff"
_INVISIBLE_CHARACTER = re.compile(f"[{_INVISIBLE}]")
_FOLDED_CHARACTER = re.compile(f"[{_INVISIBLE}{_COMPATIBILITY}]")
_JOINER = "\u200d"
_CONTINUES = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")


@dataclass(frozen=True)
class FoldedText:
    """Text as a reader sees it, with the original offset of each character."""

    text: str
    offsets: list[int]

    def original(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original text behind a range of the folded text."""
        return self.offsets[start], self.offsets[end - 1] + 1


def fold(text: str) -> FoldedText | None:
    """The text without invisible characters and with ordinary letters; None where that changes nothing."""
    if text.isascii() or not _FOLDED_CHARACTER.search(text):
        return None
    letters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        if not _FOLDED_CHARACTER.match(character):
            letters.append(character)
            offsets.append(offset)
        elif not _INVISIBLE_CHARACTER.match(character):
            plain = unicodedata.normalize("NFKC", character)
            letters.append(plain)
            offsets.extend([offset] * len(plain))
    return FoldedText("".join(letters), offsets)


def _cuts_character(text: str, offset: int) -> bool:
    """Whether an offset lies between a character and its mark, joiner, variation selector, modifier or tag."""
    if not 0 < offset < len(text):
        return False
    before, character = text[offset - 1], text[offset]
    return (
        _JOINER in (before, character)
        or before + character == "\r\n"
        or _CONTINUES.match(character) is not None
        or unicodedata.category(character) in ("Mn", "Mc", "Me")
    )


def snap(text: str, start: int, end: int) -> tuple[int, int]:
    """The smallest range around ``[start, end)`` that cuts no character, CRLF included."""
    while _cuts_character(text, start):
        start -= 1
    while _cuts_character(text, end):
        end += 1
    return start, end


# Words in a script that none of the seven languages uses are mostly names.
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f"


def _words_in_script(letters: str, least: int) -> str:
    return (
        rf"[{letters}][{letters}{_MARKS}]{{{least - 1},}}+(?:[ \u00a0·・'’.-]{{1,2}}[{letters}][{letters}{_MARKS}]*+)*+"
    )


# One or two Greek letters are a mathematical symbol or a unit.
_OTHER_SCRIPTS = "".join(letters for script, letters in SCRIPT_LETTERS.items() if script != "Greek")
_FOREIGN_SCRIPT = rf"{_words_in_script(_OTHER_SCRIPTS, 2)}|{_words_in_script(SCRIPT_LETTERS['Greek'], 3)}"

_PATTERNS = (
    *codes.PATTERNS,
    *attributes.PATTERNS,
    *places.PATTERNS,
    Pattern("foreign-script", "MISC", _FOREIGN_SCRIPT, "quasi", 0.6, scope="script"),
)
_LEXICON_KINDS = frozenset({"person", "place", "organisation", "nationality", "occupation", "duration", "month"})
CONTEXT = "context"
_CONTEXT_KINDS = frozenset(
    "age duration measure month nationality occupation organisation percentage place time year".split()
)
"""Kinds that are personal only in some contexts; the tagger judges them better than a rule."""


class RuleDetector:
    """Finds personal information by patterns with checksums, context words and name lists; needs no model.

    Spans that score below ``threshold`` are left out. ``kinds`` keeps only those kinds (see ``RuleDetector.kinds()``),
    ``without`` leaves some out; among these "context" stands for all kinds better left to the tagger.
    """

    uses: ClassVar[tuple[str, ...]] = ("threshold",)

    languages: ClassVar[frozenset[str] | None] = frozenset(languages_with("detection"))

    def __init__(
        self, *, threshold: Threshold = "balanced", kinds: Sequence[str] | None = None, without: Sequence[str] = ()
    ) -> None:
        all_kinds = self.kinds()
        for kind in (*(kinds or ()), *without):
            if kind not in all_kinds and kind != CONTEXT:
                raise RecipeError(f"rules: kind {kind!r} is unknown; {suggest(kind, all_kinds)}")
        self.threshold = minimum_score(threshold)
        self._wanted = frozenset(all_kinds if kinds is None else kinds) - frozenset(without)
        if CONTEXT in without:
            self._wanted -= _CONTEXT_KINDS
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
        spans = [span.moved(*snap(text, span.start, span.end)) for span in self._find(text)]
        # Both as written and folded: a zero-width space may stand between two words.
        if folded := fold(text):
            for span in self._find(folded.text):
                spans.append(span.moved(*snap(text, *folded.original(span.start, span.end))))
        return sorted(dict.fromkeys(spans), key=lambda span: (span.start, span.end, span.label, span.source))

    def _find(self, text: str) -> list[Span]:
        spans = (span for span in self._candidates(text) if span.score >= self.threshold)
        return codes.extend_codes(text, [span for span in spans if span.source.removeprefix("rules:") in self._wanted])

    def _candidates(self, text: str) -> Iterator[Span]:
        yield from self._patterns.find(text)
        if not self._wanted & _LEXICON_KINDS:
            return
        runs = list(people.capitalised_runs(text))
        introduced = self._introductions.find(text)
        names = people.KnownNames(text)
        names.add_spans(introduced)
        yield from introduced
        yield from people.NameFinder(text, names).find(runs)
        yield from places.find_places(text, runs)
        yield from places.find_organisations(text, runs)
        triggers = attributes.trigger_words()
        for word in LONG_WORD.finditer(text):
            key = word.group().casefold()
            if kind := triggers.get(key):
                yield from attributes.find_at_trigger(text, word, kind)
            if word.group().islower() and names.is_name(key):
                yield Span(*word.span(), "PERSON", "direct", 0.6, "rules:person")
