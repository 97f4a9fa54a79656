"""What a recipe adds by hand: patterns, terms that are always personal, terms that never are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sfumato.detectors.rules.patterns import Pattern, PatternSet
from sfumato.document import Span
from sfumato.knowledge.honorifics import is_title
from sfumato.phrases import PhraseIndex


class UserTerms:
    """A recipe's patterns, deny-list and allow-list, over whatever the detectors found."""

    def __init__(
        self,
        patterns: Sequence[Pattern],
        allow: Iterable[str],
        deny: Mapping[str, Iterable[str]],
        least_score: float,
    ) -> None:
        self._least_score = least_score
        self._patterns = PatternSet(patterns) if patterns else None
        self._allowed: PhraseIndex[str] = PhraseIndex(match_case=False)
        for term in allow:
            self._allowed.add(term, term)
        self._denied: PhraseIndex[str] = PhraseIndex(match_case=False)
        for label, terms in deny.items():
            for term in terms:
                self._denied.add(term, label)

    def added(self, text: str) -> list[Span]:
        """Spans of the patterns and of the denied terms."""
        spans = [Span(hit.start, hit.end, hit.value, "direct", 1.0, "recipe:deny") for hit in self._denied.find(text)]
        if self._patterns:
            spans += [
                replace(span, source=span.source.replace("rules:", "recipe:", 1))
                for span in self._patterns.find(text)
                if span.score >= self._least_score
            ]
        return spans

    def without_allowed(self, text: str, spans: Iterable[Span]) -> list[Span]:
        """The spans less those that lie within an allowed term, or add only a title to one."""
        if not len(self._allowed):
            return list(spans)
        allowed = [(hit.start, hit.end) for hit in self._allowed.find(text)]
        starts = [start for start, _ in allowed]

        def is_allowed(span: Span) -> bool:
            start = span.start
            while len(words := text[start : span.end].split(maxsplit=1)) == 2 and is_title(words[0]):
                start = span.end - len(words[1])
            at = bisect_right(starts, start) - 1
            return at >= 0 and span.end <= allowed[at][1]

        return [span for span in spans if not is_allowed(span)]
