"""Pass: spans without white space, loose marks and small words at their ends."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sfumato.detectors.rules.name_parts import UPPER
from sfumato.detectors.rules.patterns import word_list
from sfumato.document import Range, Span
from sfumato.lexicon.name_lists import LEGAL_FORMS, is_title
from sfumato.lexicon.tokens import ALPHANUMERIC, lazy_pattern

_SMALL_WORDS = frozenset(word_list("spans.small_words"))


_LOOSE_BEFORE = ' \t\r\n\u00a0>|,;:*•"“”)]'


_LOOSE_AFTER = ' \t\r\n\u00a0<|,;:*•"“”([–—'


_LAST_WORD = lazy_pattern(r"(?:^|[\s,-])([^\W\d_]{3,})\.$")


_ABBREVIATIONS = frozenset(
    {form.casefold().rstrip(".") for form in LEGAL_FORMS} | set(word_list("spans.abbreviations"))
)


def ends_sentence(string: str) -> bool:
    """Whether the full stop at the end belongs to the sentence, not to an abbreviation: Tomás. but not Ltd. or S.A."""
    last = _LAST_WORD.search(string)
    return last is not None and last[1].casefold() not in _ABBREVIATIONS and not is_title(last[1])


_BRACKETS = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«", "“": "„"}


_BRACKETS_AND_QUOTES = frozenset((*_BRACKETS, *_BRACKETS.values(), '"'))


def balance(text: str, start: int, end: int) -> Range:
    """The range with the bracket or quotation mark beside it whose counterpart is inside: (270) 555-0143.

    A bracket at its end whose counterpart is outside is left off, and so is a single quotation mark before it.
    """
    if text.startswith("'", start) and text.startswith("'", end) and "'" not in text[start + 1 : end]:
        start += 1
    if _BRACKETS_AND_QUOTES.isdisjoint(text[start:end]):
        return start, end
    for closing, opening in _BRACKETS.items():
        inside = text.count(opening, start, end) - text.count(closing, start, end)
        if inside < 0 and text[end - 1] == closing:
            end -= 1
        elif inside < 0 and text.endswith(opening, 0, start):
            start -= 1
        elif inside > 0 and text[start] == opening:
            start += 1
        elif inside > 0 and text.startswith(closing, end):
            end += 1
    if text.count('"', start, end) % 2 and text.startswith('"', end):
        end += 1
    return start, end


_LONGEST_TITLE = 16


_INITIALS = lazy_pattern(rf"(?<!\w)[{UPPER}]\.[ \u00a0-]?[{UPPER}]\.|(?:^|(?<=\n))[{UPPER}]\.?(?=\s|$)", re.MULTILINE)
"""Initials of two names, or one initial as a signature."""


def trim_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans without white space and loose marks at their ends; those of only small words ("of") and titles are dropped.

    Merging cuts such pieces off, and repeated through a document they would take every "of" out of it.
    """
    trimmed = []
    for span in spans:
        string = text[span.start : span.end]
        if not _is_short_name(text, span) and all(map(is_small_word, ALPHANUMERIC.findall(string))):
            continue
        start = span.start + len(string) - len(string.lstrip(_LOOSE_BEFORE))
        end = span.end - len(string) + len(string.rstrip(_LOOSE_AFTER))
        if text[start:end].endswith(".") and ends_sentence(text[start:end]):
            end -= 1
        trimmed.append(span.moved(*balance(text, start, end)))
    return trimmed


def _is_short_name(text: str, span: Span) -> bool:
    """Whether a person's name is initials, or a small word after a title: Dr Au."""
    words = text[span.start : span.end].split()
    if span.label != "PERSON" or not words:  # merging may leave the blank between two other spans
        return False
    before = text[max(0, span.start - _LONGEST_TITLE) : span.start].split()
    is_after_title = any(map(is_title, (*before[-1:], *words[:-1]))) and not is_title(words[-1])
    has_capital = words[-1][:1].isupper()
    return (is_after_title and has_capital) or _INITIALS.search(text, max(0, span.start - 1), span.end + 2) is not None


def is_small_word(word: str) -> bool:
    return word.lower() in _SMALL_WORDS or is_title(word)
