"""Pass: spans of models end where a field, a cell, a line, a sentence or a paragraph ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sfumato.detectors.everyday import EverydayWords, everyday_words, may_name
from sfumato.detectors.passes.edges import ends_sentence
from sfumato.detectors.rules.name_parts import UPPER
from sfumato.document import Range, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import is_title, lookup_key
from sfumato.lexicon.tokens import LETTERS, lazy_pattern

_CELL = lazy_pattern(r"[ \t]*(?:\t|\||[ \u00a0]{3})[|\s]*")


_LINE = lazy_pattern(r"[ \t\r]*\n[ \t]*")


_SENTENCE = lazy_pattern(rf"[.!?…][\"'”’»)\]]*\s+(?=[\"'“‘«(¿¡]?[{UPPER}])")


_KEY = lazy_pattern(r":\s+")


_BETWEEN_PEOPLE = lazy_pattern(r"\s+[/→>]+\s+")


_FIELD = lazy_pattern(r"[^\n:>]{1,30}[:>](?:\s|$)|[-*•>|#]")


_NAMED_BY_WORDS = frozenset({"LOC", "CODE"})
"""Kinds that everyday words may name: Station Road, a password."""


_WITHOUT_KEYS = frozenset({"DATETIME", "CODE", "QUANTITY"})


_LONGEST_ABBREVIATION = 4


_SHORT_LINE = 20


_WRAPPED_LINE = 40
"""A line of at least so many characters may go on in the next one; a shorter one is a line of a form or a list."""


def cut_at_borders(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans of models, cut where a field, a cell, a line, a sentence or a paragraph ends; those of rules as given.

    A line may go on in the next one where the text is wrapped; an address has several lines. Of a span that is cut,
    pieces of only everyday words are left out: the name of a field, the beginning of the next sentence.
    """
    everyday = everyday_words(text)
    for span in spans:
        if span.source.startswith(("rules:", "recipe:")):
            yield span
            continue
        borders = _borders(text, span, everyday)
        starts, ends = [span.start, *(end for _, end in borders)], [*(start for start, _ in borders), span.end]
        is_cut = any(text[start] != '"' for start, _ in borders)
        for start, end in zip(starts, ends, strict=True):
            if start < end and not (is_cut and _has_only_everyday_words(text[start:end], span.label, everyday)):
                yield span.moved(start, end)


def _has_only_everyday_words(piece: str, label: str, everyday: EverydayWords) -> bool:
    if label in _NAMED_BY_WORDS or any(map(str.isdigit, piece)):
        return not piece.strip()
    if lookup_key(piece.strip()) in name_lists.places():
        return False

    def is_everyday(word: str) -> bool:
        if is_title(word):
            return True
        is_name = label == "PERSON" and word[0].isupper() and may_name(word)
        return not is_name and everyday.includes(word, label)

    return all(map(is_everyday, LETTERS.findall(piece)))


def _borders(text: str, span: Span, everyday: EverydayWords) -> list[Range]:
    string = text[span.start : span.end]
    borders = [match.span() for match in _CELL.finditer(string)]
    if "\n" in string:
        borders += [
            match.span()
            for match in _LINE.finditer(string)
            if not goes_on(text, span.start + match.start(), span.start + match.end(), span.label)
        ]
    borders += [
        (match.start() + 1, match.end())
        for match in _SENTENCE.finditer(string)
        if match[0][0] != "." or _ends_sentence_surely(string[: match.start() + 1], everyday)
    ]
    if span.label not in _WITHOUT_KEYS:
        borders += [match.span() for match in _KEY.finditer(string)]
    if span.label == "PERSON":
        borders += [match.span() for match in _BETWEEN_PEOPLE.finditer(string)]
    if span.label == "PERSON" and string.count('"') % 2:
        quotation = string.index('"')
        borders.append((quotation, quotation + 1))
    return [(span.start + start, span.start + end) for start, end in sorted(borders)]


def _ends_sentence_surely(string: str, everyday: EverydayWords) -> bool:
    """Whether a full stop within a span ends a sentence: an abbreviation is short, and neither a word nor a name."""
    if not ends_sentence(string):
        return False
    word = LETTERS.findall(string)[-1]
    return len(word) > _LONGEST_ABBREVIATION or may_name(word) or everyday.includes(word)


def goes_on(text: str, line_end: int, next_start: int, label: str) -> bool:
    """Whether what stands before a line break goes on after it: a wrapped line, or a further line of an address."""
    if "\n" in text[text.find("\n", line_end) + 1 : next_start] or _FIELD.match(text, next_start):
        return False
    if label == "LOC":
        return True
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end]
    next_line = text[next_start : next_start + _SHORT_LINE].partition("\n")[0]
    is_heading = len(next_line) < _SHORT_LINE and not next_line.endswith((".", ",", "!", "?"))
    return len(line) >= _WRAPPED_LINE and not line.endswith((".", ":", ";", "!", "?")) and not is_heading
