"""Published methods that decide term by term against a background: their candidate terms, and what they share.

The detector ``terms`` marks every term of a text. A replacer decides which of them stay, knowing whom each document is
about and what the background says of people.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import ClassVar

from sfumato import registry
from sfumato.attacks.background import Background
from sfumato.attacks.ground_truth import match_subjects
from sfumato.detectors.base import Detector, Reading
from sfumato.detectors.rules.detector import RuleDetector
from sfumato.detectors.tagger import TaggerDetector
from sfumato.document import Document, Edit, Span
from sfumato.errors import InputError, listed
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.grammar_en import DETERMINERS, PRONOUNS
from sfumato.lexicon.language import CONFIDENT, identify_language
from sfumato.metrics.terms import add_disjoint, entities, noun_chunks, tokens
from sfumato.models.base import Range

MASK = "SENSITIVE"
"""What Manzanares-Salor and Sánchez (2025) put in the place of every masked term."""
_OPENING = DETERMINERS | PRONOUNS


def find_terms(text: str, *, words: bool) -> list[Range]:
    """Named entities, dates, numbers and noun phrases without their determiners; with ``words`` the other words, too.

    A noun phrase that holds an entity is cut around it. Terms of stop words alone are left out.
    """
    found, language = tokens(text), identify_language(text, CONFIDENT).code
    ranges = entities(text, found)
    if language in ("en", None):
        chunks = [piece for chunk in noun_chunks(text, found) for piece in _outside(chunk, ranges)]
        ranges = add_disjoint(ranges, chunks)
    if words:
        ranges = add_disjoint(ranges, ((word.start, word.end) for word in found))
    stop_words = STOP_WORDS.get(language or "en", STOP_WORDS["en"])
    trimmed = [_trim(text, term) for term in ranges]
    return [
        term for term in trimmed if term is not None and not set(term_key(text[slice(*term)]).split()) <= stop_words
    ]


def _outside(chunk: Range, taken: Sequence[Range]) -> Iterator[Range]:
    """The parts of a range that lie in none of the sorted, disjoint ranges."""
    position, end = chunk
    for start, stop in taken[bisect_right(taken, chunk[0], key=lambda item: item[1]) :]:
        if start >= end:
            break
        yield position, start
        position = stop
    yield position, end


def _trim(text: str, term: Range) -> Range | None:
    """The term from its first word that is no determiner to its last word; None where there is no word."""
    start, end = term
    found = [word for word in tokens(text[start:end]) if word.text[0].isalnum()]
    while len(found) > 1 and found[0].key in _OPENING:
        del found[0]
    return (start + found[0].start, start + found[-1].end) if found else None


def term_key(term: str) -> str:
    """A term as it is compared: its words in small letters."""
    return " ".join(word.key for word in tokens(term) if word.text[0].isalnum())


class TermDetector:
    """Mark every term of a text (entities, dates, numbers, noun phrases, other words) for a method that chooses."""

    languages: ClassVar[frozenset[str] | None] = None
    reads: ClassVar[Reading] = "written"
    is_final: ClassVar[bool] = True

    def __init__(self, *, words: bool = True) -> None:
        """``words``: whether words outside of entities and noun phrases are terms, too, but for stop words."""
        self._words = words

    @cached_property
    def _labelling(self) -> tuple[Detector, ...]:
        return RuleDetector(), TaggerDetector()

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        by_detector = [detector.detect(documents) for detector in self._labelling]
        return [
            _labelled(find_terms(document.text, words=self._words), [span for spans in several for span in spans])
            for document, *several in zip(documents, *by_detector, strict=True)
        ]


def _labelled(ranges: Sequence[Range], found: Sequence[Span]) -> list[Span]:
    """The terms as spans; a term that a detector's span covers for the most part has its label, others are MISC."""
    spans = []
    ordered = sorted(found, key=lambda span: span.start)
    starts = [span.start for span in ordered]
    longest = max((len(span) for span in found), default=0)
    for start, end in ranges:
        near = ordered[bisect_right(starts, start - longest) : bisect_right(starts, end)]
        shared = [(min(end, span.end) - max(start, span.start), span) for span in near]
        best, span = max(shared, key=lambda pair: (pair[0], pair[1].score), default=(0, None))
        label = span.label if span is not None and 2 * best > end - start else "MISC"
        spans.append(Span(start, end, label, "quasi", 1.0, "terms"))
    return spans


class BackgroundReplacer(ABC):
    """A replacer that decides by what the background says of the people whom documents are about."""

    uses: ClassVar[tuple[str, ...]] = ("background",)
    reads_corpus: ClassVar[bool] = True
    name: ClassVar[str]

    def __init__(self, background: Background | None) -> None:
        self._given, self._has_read = background, False

    @property
    def background(self) -> Background:
        if self._given is None:
            raise registry.no_background(f"replacer {self.name!r}")
        return self._given

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read the corpus and the background. Raises where a document is about nobody in the background."""
        read = [document for document in documents() if document.text.strip()]
        self._check_subjects(read)
        if read:
            self.read_corpus(read)
            self._has_read = True

    def _check_subjects(self, documents: Sequence[Document]) -> None:
        without = match_subjects(documents, self.background).without_background if documents else ()
        if without:
            raise InputError(
                f"{len(without)} of {len(documents)} documents are about nobody in the background ({listed(without)}), "
                f"and {self.name!r} protects people of the background: add what is known of them, say whom the "
                "documents are about with --subject-table FILE, or leave them out"
            )

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        """Edits of the terms that must not stay."""
        if not spans:
            return []
        if not self._has_read:
            self.learn(lambda: [document])
        self._check_subjects([document])
        return self.replace_terms(document, spans)

    @abstractmethod
    def read_corpus(self, documents: Sequence[Document]) -> None:
        """Prepare for these documents; each is about someone in the background."""

    @abstractmethod
    def replace_terms(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        """Edits of a document about someone in the background, after the corpus was read."""

    def subjects(self, document: Document) -> list[str]:
        """The people of the background whom a document is about."""
        return sorted(self.background.ids.intersection(document.subject_ids))

    def check_k(self, k: int) -> None:
        """Raises where nobody can hide among so many."""
        if k > len(self.background):
            raise InputError(
                f"{self.name!r} is to hide each person among k = {k}, and the background holds {len(self.background)} "
                "people: choose a smaller k, or give a larger background"
            )


def checked_k(k: object) -> int:
    """Raises ValueError where k is no whole number of 2 or more."""
    if not isinstance(k, int) or isinstance(k, bool) or k < 2:
        raise ValueError(f"k is a whole number of 2 or more (1 protects nobody), got {k!r}")
    return k
