"""What a recipe adds by hand: patterns, terms that are always personal, terms that never are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sfumato.detect.patterns import Pattern, PatternSet
from sfumato.document import Span
from sfumato.phrases import PhraseIndex, folded


class UserTerms:
    """A recipe's patterns, deny-list and allow-list, over whatever the detectors found."""

    def __init__(
        self, patterns: Sequence[Pattern], allow: Iterable[str], deny: Mapping[str, Iterable[str]]
    ) -> None:
        self._patterns = PatternSet(patterns) if patterns else None
        self._allowed = frozenset(map(folded, allow))
        self._denied: PhraseIndex[str] = PhraseIndex(match_case=False)
        for label, terms in deny.items():
            for term in terms:
                self._denied.add(term, label)

    def added(self, text: str) -> list[Span]:
        """Spans of the patterns and of the denied terms."""
        spans = [
            Span(hit.start, hit.end, hit.value, "direct", 1.0, "recipe:deny")
            for hit in self._denied.find(text)
        ]
        if self._patterns:
            spans += [
                replace(span, source=span.source.replace("rules:", "recipe:", 1))
                for span in self._patterns.find(text)
            ]
        return spans

    def without_allowed(self, text: str, spans: Iterable[Span]) -> list[Span]:
        """The spans less those that are, as a whole, an allowed term."""
        if not self._allowed:
            return list(spans)
        return [span for span in spans if folded(text[span.start : span.end]).strip() not in self._allowed]


def repeated(text: str, spans: Sequence[Span], allowed: UserTerms) -> list[Span]:
    """The other places where a found string stands: what is personal once is personal everywhere in the document.

    Names are found in any case, everything else only as written, always as whole words.
    """
    found: list[Span] = []
    for match_case in (False, True):
        index: PhraseIndex[Span] = PhraseIndex(match_case=match_case)
        seen: set[str] = set()
        for span in spans:
            string = text[span.start : span.end]
            if (span.label == "PERSON" and len(string) > 3) != match_case and string not in seen:
                seen.add(string)
                index.add(string, span)
        for hit in index.find(text):
            found.append(
                replace(
                    hit.value,
                    start=hit.start,
                    end=hit.end,
                    entity=None,
                    source=f"{hit.value.source}+repeated",
                )
            )
    return allowed.without_allowed(text, found)
