"""The rule-based detector: patterns with validation, context words and lexicons; no model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar

from sfumato.detectors.base import Threshold
from sfumato.detectors.rules import attributes, codes, dates, names_in_context, places
from sfumato.detectors.rules.name_parts import KnownNames, capitalised_runs
from sfumato.detectors.rules.patterns import Pattern, PatternSet, WordsNear, minimum_score
from sfumato.detectors.rules.people import NameFinder
from sfumato.detectors.structure import Structure, document_structure
from sfumato.document import Document, Span
from sfumato.errors import RecipeError, suggest
from sfumato.lexicon.folding import snap
from sfumato.lexicon.language import SCRIPT_LETTERS
from sfumato.lexicon.tables import languages_with
from sfumato.lexicon.tokens import lazy_pattern, letter_runs

# Words in a script that none of the seven languages uses are mostly names.
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f"


def _words_in_script(letters: str, least: int) -> str:
    return (
        rf"[{letters}][{letters}{_MARKS}]{{{least - 1},}}+(?:[ \u00a0·・'’.-]{{1,2}}[{letters}][{letters}{_MARKS}]*+)*+"
    )


# One or two Greek letters are a mathematical symbol or a unit.
_OTHER_SCRIPTS = "".join(letters for script, letters in SCRIPT_LETTERS.items() if script != "Greek")
_FOREIGN_SCRIPTS = (_words_in_script(_OTHER_SCRIPTS, 2), _words_in_script(SCRIPT_LETTERS["Greek"], 3))

PATTERNS = (
    *codes.PATTERNS,
    *attributes.PATTERNS,
    *places.PATTERNS,
    *(Pattern("foreign-script", "MISC", regex, "quasi", 0.6) for regex in _FOREIGN_SCRIPTS),
)
_LEXICON_KINDS = frozenset(
    {"person", "initials", "place", "organisation", "nationality", "occupation", "duration", "month"}
)
_CONTEXT_FINDERS = {
    "age": (attributes.find_ages,),
    "doubtful-age": (attributes.find_doubtful_ages,),
    "date": (dates.find_days, attributes.find_births),
    "encoded": (codes.find_encoded_text,),
    "postcode": (attributes.find_postcodes,),
    "person": (names_in_context.find_names_in_context,),
    "residence": (places.find_residences,),
}
"""Finders of single kinds that read what stands around."""
CONTEXT = "context"
_CONTEXT_KINDS = frozenset(
    "doubtful-age duration measure money month nationality occupation organisation percentage place time year".split()
)
"""Kinds that are personal only in some contexts; the tagger judges them better than a rule."""
_ALL_KINDS = tuple(
    sorted({kind for pattern in PATTERNS for kind in pattern.kinds} | _LEXICON_KINDS | _CONTEXT_FINDERS.keys())
)
_INTRODUCTIONS = PatternSet(names_in_context.PATTERNS)
_NUMBER_BEHIND_MARK = lazy_pattern(r"[,;\t|]\s*[\"']?[+(]?\d")
"""What tables and lists of numbers have; in other texts, the context of a number is the text around it."""
_SHORTEST_WORD = 3
"""Shorter ones are often initials and abbreviations."""


@lru_cache(maxsize=16)
def _patterns_of(kinds: frozenset[str]) -> PatternSet:
    """The patterns whose matches may be of one of these kinds."""
    return PatternSet(pattern for pattern in PATTERNS if kinds & pattern.kinds)


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
        self._patterns = _patterns_of(self._wanted)

    @classmethod
    def kinds(cls) -> tuple[str, ...]:
        """All kinds of personal information it knows, by name."""
        return _ALL_KINDS

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """One list of spans for each document; spans may overlap."""
        return list(map(self._detect, documents))

    def _detect(self, document: Document) -> list[Span]:
        has_marks = _NUMBER_BEHIND_MARK.search(document.text) is not None
        structure = document_structure(document) if has_marks else Structure(document.text, ())
        text, country = structure.without_commas, document.meta.get("country")
        likely = (span for span in self._candidates(text, structure.words_near) if span.score >= self.threshold)
        wanted = [span for span in likely if span.source.removeprefix("rules:") in self._wanted]
        extended = dates.extend_dates(text, codes.extend_codes(text, wanted))
        spans = [span.moved(*snap(text, span.start, span.end)) for span in extended]
        if country is not None and "phone" in self._wanted:
            spans += codes.find_numbers_of(text, country)
        return sorted(dict.fromkeys(spans), key=lambda span: (span.start, span.end, span.label, span.source))

    def _candidates(self, text: str, words_near: WordsNear) -> Iterator[Span]:
        yield from self._patterns.find(text, words_near)
        for wanted in _CONTEXT_FINDERS.keys() & self._wanted:
            for find in _CONTEXT_FINDERS[wanted]:
                yield from find(text)
        if not self._wanted & _LEXICON_KINDS:
            return
        runs = list(capitalised_runs(text))
        introduced = _INTRODUCTIONS.find(text)
        names = KnownNames(text)
        names.add_spans(introduced)
        yield from introduced
        yield from NameFinder(text, names).find(runs)
        yield from places.find_places(text, runs)
        yield from places.find_organisations(text, runs)
        triggers = attributes.trigger_words()
        for word, starts in letter_runs(text).items():
            if len(word) < _SHORTEST_WORD:
                continue
            key = word.casefold()
            if kind := triggers.get(key):
                for start in starts:
                    yield from attributes.find_at_trigger(text, start, start + len(word), kind)
            if names.is_name(key) and word.islower():
                for start in starts:
                    yield Span(start, start + len(word), "PERSON", "direct", 0.6, "rules:person")
