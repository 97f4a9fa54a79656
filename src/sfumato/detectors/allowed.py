"""Terms that the user allows: where they stand in a text, and spans cut around them.

``Pipeline`` reads them once per document and keeps their ranges in ``meta["allowed"]``. Whatever makes spans or edits
later is cut around these ranges: spans here, edits by ``document.keep_allowed``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from sfumato.document import Document, Range, Span, allowed_ranges, outside
from sfumato.lexicon.folding import fold
from sfumato.lexicon.grammar import STOP_WORDS, merge_ranges
from sfumato.lexicon.name_lists import is_title
from sfumato.lexicon.tokens import ALPHANUMERIC, PhraseIndex

_FUNCTION_WORDS = frozenset().union(*STOP_WORDS.values())


class AllowedTerms:
    """Finds allowed terms: whole words, in any case, with any white space between them."""

    def __init__(self, terms: Iterable[str]) -> None:
        self.terms = tuple(dict.fromkeys(terms))
        self._index: PhraseIndex[str] = PhraseIndex(match_case=False)
        for term in self.terms:
            self._index.add(term, term)

    def __bool__(self) -> bool:
        return bool(self.terms)

    def ranges(self, text: str) -> tuple[Range, ...]:
        """The ranges of a text that are allowed, as written or as a reader sees them; sorted and disjoint."""
        return tuple(merge_ranges((start, end) for start, end, _ in self._matches(text)))

    def used(self, text: str) -> set[str]:
        """The terms that stand in a text."""
        return {term for _, _, term in self._matches(text)}

    def _matches(self, text: str) -> list[tuple[int, int, str]]:
        if not self.terms:
            return []
        matches = list(self._overlapping(text))
        if (folded := fold(text)) is not None:
            matches += [(*folded.original(start, end), term) for start, end, term in self._overlapping(folded.text)]
        return matches

    def _overlapping(self, text: str) -> Iterable[tuple[int, int, str]]:
        """All matches. A search gives those that do not overlap; the others come when it is told to pass these over."""
        seen: set[tuple[int, int]] = set()
        while matches := [
            (match.start, match.end, match.value)
            for match in self._index.find(text, lambda match: (match.start, match.end) not in seen)
        ]:
            seen.update((start, end) for start, end, _ in matches)
            yield from matches


NOTHING_ALLOWED = AllowedTerms(())


def with_allowed(document: Document, terms: AllowedTerms) -> Document:
    """The document, with the ranges of allowed terms in its metadata."""
    ranges = terms.ranges(document.text)
    return replace(document, meta={**document.meta, "allowed": ranges}) if ranges else document


def allowed_again(document: Document, text: str) -> tuple[Range, ...]:
    """Where what is allowed in a document stands in another text: what was made of the document."""
    return AllowedTerms(document.text[start:end] for start, end in allowed_ranges(document)).ranges(text)


def cut_around_allowed(document: Document, spans: Iterable[Span]) -> list[Span]:
    """The spans without what is allowed. Of a span that is cut, a title or function words alone are no span."""
    ranges, text = allowed_ranges(document), document.text
    return [part for span in spans for part in _parts(text, ranges, span)] if ranges else list(spans)


def _parts(text: str, ranges: Sequence[Range], span: Span) -> Iterable[Span]:
    for part in outside(text, ranges, span.start, span.end):
        if part == (span.start, span.end) or _says_something(text[slice(*part)]):
            yield span.moved(*part)


@lru_cache(maxsize=1024)
def _says_something(rest: str) -> bool:
    return any(not is_title(word) and word.casefold() not in _FUNCTION_WORDS for word in ALPHANUMERIC.findall(rest))
