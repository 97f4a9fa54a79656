"""What a recipe adds by hand: patterns, terms that are always personal, terms that never are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sfumato.detectors.rules.patterns import Pattern, PatternSet
from sfumato.document import Span
from sfumato.knowledge import lexicon
from sfumato.knowledge.honorifics import is_title
from sfumato.phrases import Hit, PhraseIndex, spaced

_SHORTEST_NAME = 4


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
            while start < span.end and is_title(text[start : span.end].split(maxsplit=1)[0]):
                rest = text[start : span.end].split(maxsplit=1)
                if len(rest) < 2:
                    break
                start = span.end - len(rest[1])
            at = bisect_right(starts, start) - 1
            return at >= 0 and span.end <= allowed[at][1]

        return [span for span in spans if not is_allowed(span)]


def repeated(text: str, spans: Sequence[Span]) -> list[Span]:
    """The other places where a found string stands: what is personal once is personal everywhere in the document.

    The spans are disjoint and sorted. Always as whole words; names in any case unless they are also common words
    (Will), everything else as written. Of a full name, the first and the last word alone are found too.
    """
    starts = [span.start for span in spans]
    index: PhraseIndex[tuple[Span, str | None]] = PhraseIndex(match_case=False)
    strings = {text[span.start : span.end]: span for span in spans}
    for string, span in strings.items():
        any_case = span.label == "PERSON" and not _is_common(string)
        index.add(string, (span, None if any_case else spaced(string)))
        if span.label == "PERSON":
            for word in _parts_of_a_name(string):
                if word not in strings:
                    index.add(word, (span, word))

    def is_as_written(hit: Hit[tuple[Span, str | None]]) -> bool:
        as_written = hit.value[1]
        return as_written is None or spaced(text[hit.start : hit.end]) == as_written

    def is_covered(hit: Hit[tuple[Span, str | None]]) -> bool:
        at = bisect_right(starts, hit.start) - 1
        return at >= 0 and hit.end <= spans[at].end

    return [
        replace(hit.value[0], start=hit.start, end=hit.end, entity=None, source=f"{hit.value[0].source}+repeated")
        for hit in index.find(text, is_as_written)
        if not is_covered(hit)
    ]


def _parts_of_a_name(name: str) -> list[str]:
    """The words of a full name that stand for the person also alone, as written: Anna and Quorvex."""
    words = [word for word in name.split() if not is_title(word)]
    if len(words) < 2:
        return []
    return [word for word in (words[0], words[-1]) if word.isalpha() and word[0].isupper() and not _is_common(word)]


def _is_common(name: str) -> bool:
    key = lexicon.key(name)
    return len(key) < _SHORTEST_NAME or (key.isalpha() and key in lexicon.common_words())
