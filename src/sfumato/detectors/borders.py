"""Where a span begins and ends when several detectors found the same thing."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from sfumato.detectors.rules.name_extent import PARTICLES
from sfumato.document import Span, merge_spans
from sfumato.knowledge.heads import LEGAL_FORMS
from sfumato.knowledge.honorifics import is_title

_WORD = re.compile(r"[^\W_]+")
_SMALL_WORDS = frozenset(
    "a an the no nr of and or in on at to by for from with s t de la el los las del y e o en con der die das des dem "
    "den und von zu im am le les du et à au aux un une il lo gli i di da do dos das os as het een van".split()
)
_LOOSE_BEFORE = ' \t\r\n\u00a0>|,;:*•"“”'
_LOOSE_AFTER = ' \t\r\n\u00a0<|,;:*•"“”'
_LAST_WORD = re.compile(r"(?:^|[\s,-])([^\W\d_]{3,})\.$")
_ABBREVIATIONS = frozenset(
    {form.casefold().rstrip(".") for form in LEGAL_FORMS} | set("esq prof hons jun sen vol apt ste ave blvd".split())
)


def tidied(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans without white space and loose marks at their ends; those of only small words ("of") and titles are dropped.

    Merging cuts such pieces off, and repeated through a document they would take every "of" out of it.
    """
    kept = []
    for span in spans:
        string = text[span.start : span.end]
        if all(map(_says_nothing, _WORD.findall(string))):
            continue
        start = span.start + len(string) - len(string.lstrip(_LOOSE_BEFORE))
        end = span.end - len(string) + len(string.rstrip(_LOOSE_AFTER))
        if text[start:end].endswith(".") and _ends_a_sentence(text[start:end]):
            end -= 1
        kept.append(span.moved(start, end))
    return kept


def _says_nothing(word: str) -> bool:
    return word.lower() in _SMALL_WORDS or is_title(word)


def _ends_a_sentence(string: str) -> bool:
    """Whether the full stop at the end belongs to the sentence, not to an abbreviation: Tomás. but not Ltd. or S.A."""
    last = _LAST_WORD.search(string)
    return last is not None and last[1].casefold() not in _ABBREVIATIONS


def without_rough(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans less those of rules that readers of context (all other detectors) have covered more exactly.

    Rules join what stands together ("48080 Bilbao") and take titles and full stops along. Where other spans leave
    nothing of such a span open but marks, titles and small words, and one of them agrees on its label, their borders
    are better; nothing that tells is uncovered by that. A person's name is not cut in two at its particle ("van der").
    """
    spans = list(spans)
    readers = merge_spans(span for span in spans if not span.source.startswith("rules:"))
    if len(readers) in (0, len(spans)):
        return spans
    covered = _union(readers)
    starts = [start for start, _ in covered]
    begins, ends = [span.start for span in readers], [span.end for span in readers]

    def is_open(start: int, end: int) -> bool:
        at = bisect_right(starts, start) - 1
        return at < 0 or covered[at][1] < end

    def labels_in(span: Span) -> set[str]:
        first = bisect_right(ends, span.start)
        return {reader.label for reader in readers[first : bisect_left(begins, span.end)]}

    def is_rough(span: Span) -> bool:
        if not span.source.startswith("rules:"):
            return False
        words = list(_WORD.finditer(text, span.start, span.end))
        opened = [is_open(*match.span()) for match in words]
        if any(is_left and not _says_nothing(word[0]) for word, is_left in zip(words, opened, strict=True)):
            return False
        if span.label == "PERSON":
            inside = zip(opened, opened[1:], words[1:], strict=False)
            if any(is_left and not before and word[0] in PARTICLES for before, is_left, word in inside):
                return False
        return span.label in labels_in(span)

    return [span for span in spans if not is_rough(span)]


def _union(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Sorted spans as ranges that do not touch."""
    ranges: list[tuple[int, int]] = []
    for span in spans:
        if ranges and span.start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], span.end))
        else:
            ranges.append((span.start, span.end))
    return ranges
