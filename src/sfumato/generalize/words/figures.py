"""Finds exact figures and quotations, and generalizes figures: to a range that holds the number, to a wider time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from sfumato.generalize.clauses import may_widen
from sfumato.generalize.context import word_after, word_before, word_class
from sfumato.generalize.durations.reading import read_duration
from sfumato.generalize.hierarchy import Mention, generalize
from sfumato.generalize.quantities.reading import MONTH_NAMES, read_quantity
from sfumato.generalize.sentence import is_grammatical, render_level
from sfumato.generalize.words.base import DEFINITE_DETERMINERS, RANKING_MODIFIERS, WordGeneralization
from sfumato.lexicon.grammar import TextRange, split_words
from sfumato.lexicon.grammar_en import is_plural
from sfumato.lexicon.numbers import HUNDREDS, SCALES, SMALL, TENS, number_at
from sfumato.lexicon.tables import words_of_all_languages
from sfumato.lexicon.wordnet import lookup_form

_MOST_OPTIONS = 4


def _pattern(key: str) -> str:
    return "|".join(words_of_all_languages("word_generalization", key))


_MONTH = "|".join(sorted((re.escape(name) for name in MONTH_NAMES if len(name) > 2), key=len, reverse=True))
_DATE = re.compile(
    rf"(?<!\w)(?:\d{{1,2}}(?:st|nd|rd|th|º)?\s(?:of\s|de\s)?(?:{_MONTH})\.?(?:,?\s(?:de\s)?\d{{4}})?"
    rf"|(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?|(?:{_MONTH})\.?,?\s(?:de\s)?\d{{4}}"
    r"|\d{4}-\d\d-\d\d|\d{1,2}([./-])\d{1,2}\1(?:\d{4}|\d\d))(?![\w/])"
)
_TIME = re.compile(
    r"(?<![\w.:])(?:[01]?\d|2[0-3])(?:[:.][0-5]\d(?:\s?[ap]\.?m\b\.?|\s?hours\b|\s?h\b)|:[0-5]\d|\s?[ap]\.?m\b\.?)(?![\w:])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,’'\u00a0\u202f]\d+)*|(?<![\w.,])\d{1,3}(?: \d{3})+(?!\d)")
_CURRENCY_SIGN = r"[$€£¥₤₺₽₴zł]|US\$|[A-Z]{3}"
_CURRENCY_BEFORE = re.compile(rf"(?<!\w)(?:{_CURRENCY_SIGN})\s?\Z")
_FIGURE = re.compile(
    rf"(?:(?<!\w)(?:{_CURRENCY_SIGN})\s?)?(?<![\w.,/])\d+(?:[.,:’'\u00a0]\d+)*(?:\s(?:{_pattern('figure_scales')}))?"
    rf"(?:\s?%|\sper\s?cent\b|\s(?:{_pattern('figure_units')})\b)?"
)
_NUMBERED_PART = re.compile(
    rf"(?:^|\n)\s*[(\[]?\Z|(?:§+|\b(?:{_pattern('numbered_parts')}))\s?(?:[\d\s§().,/–-]|and|or|to|of|y)*\Z",
    re.IGNORECASE,
)
"""What precedes the number of a paragraph, an article or a page: these are names, not figures."""
_NEXT_WORD = re.compile(r"(?:[\s-][^\W\d_]+\.?|\s?%)")
_WINDOW = 40


def find_figures(text: str) -> list[TextRange]:
    """Exact figures in digits, from left to right: dates, times, amounts, shares, decimals, numbers from 10 on."""
    ranges: list[TextRange] = []
    for pattern in (_DATE, _TIME, _FIGURE):
        for match in pattern.finditer(text):
            start, end = match.span()
            if pattern is _FIGURE and not _is_exact(text, start, end):
                continue
            if not any(start < other_end and other_start < end for other_start, other_end in ranges):
                ranges.append((start, end))
    return sorted(ranges)


def _is_exact(text: str, start: int, end: int) -> bool:
    figure = text[start:end]
    if text[end : end + 1].isalpha() or _NUMBERED_PART.search(text, max(0, start - 60), start):
        return False
    return sum(map(str.isdigit, figure)) > 1 or not figure.isdigit()


def generalize_figure(text: str, start: int, end: int, language: str, limits: TextRange) -> list[WordGeneralization]:
    """What is true of the figure that the word belongs to, the narrowest first; empty where it is no figure."""
    word = text[start:end]
    if not any(map(str.isdecimal, word)) and word.lower() not in _number_words(language):
        return []
    if not may_widen(text, start, end, language) or _NUMBERED_PART.search(text, max(0, start - 60), start):
        return []
    for first, last, label in _extents(text, start, end, language):
        if first < limits[0] or last > limits[1]:
            continue
        mention = Mention(text, first, last, label, language)
        options = []
        for level in generalize(mention):
            if is_grammatical(level, mention, limits):
                rendered = render_level(level, mention, limits)
                reason = f"{level.source}: {level.text}"
                options.append(WordGeneralization("figure", rendered.start, rendered.end, rendered.text, reason))
        if options:
            return options[:_MOST_OPTIONS]
    return []


@cache
def _number_words(language: str) -> frozenset[str]:
    number_words = (word for table in (SMALL, TENS, HUNDREDS, SCALES) for word in table.get(language, ()))
    return frozenset(number_words) - set(words_of_all_languages("word_generalization", "not_figures"))


def _extents(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int, str]]:
    """The ranges that the figure may be read in, the whole of it first, each with the label of its hierarchy."""
    for pattern in (_DATE, _TIME):
        for match in pattern.finditer(text, max(0, start - _WINDOW), min(len(text), end + _WINDOW)):
            if match.start() <= start and end <= match.end():
                yield (*match.span(), "DATETIME")
                return
    number_start, number_end = _whole_number(text, start, end, language)
    if number_end <= number_start:
        return
    sign = _CURRENCY_BEFORE.search(text, max(0, number_start - 4), number_start)
    first = sign.start() if sign else number_start
    ends = [number_end]
    while len(ends) < 4 and (following := _NEXT_WORD.match(text, ends[-1])):
        ends.append(following.end())
    for last in reversed(ends[1:]):
        phrase = text[first:last]
        quantity = read_quantity(phrase, language)
        if quantity is not None and quantity.kind in ("money", "measure", "percent"):
            yield first, last, "QUANTITY"
        elif quantity is None and read_duration(phrase, language) is not None:
            yield first, last, "DATETIME"
    if _counts_things(text, first, number_end):
        yield first, number_end, "QUANTITY"
    if re.fullmatch(r"1[5-9]\d\d|20\d\d", text[number_start:number_end]):
        yield number_start, number_end, "DATETIME"


def _counts_things(text: str, start: int, end: int) -> bool:
    """Whether a number says how many: not after "the" or "the next", nor as the name of the noun before it."""
    previous, following = word_before(text, start)[0].lower(), word_after(text, end)[0]
    if previous in DEFINITE_DETERMINERS or previous in RANKING_MODIFIERS:
        return False  # "the two" are not "the one to five"
    is_between_nouns = lookup_form(previous) != "" and word_class(previous) == "noun" and lookup_form(following) != ""
    return not (is_between_nouns and not is_plural(following))  # "his board three performance"


def _whole_number(text: str, start: int, end: int, language: str) -> TextRange:
    """The number that the word is a part of: *140* of 1,140, *two* of twenty-two; empty where there is none."""
    window_start = max(0, start - _WINDOW)
    if any(map(str.isdecimal, text[start:end])):
        for match in _NUMBER.finditer(text, window_start, min(len(text), end + _WINDOW)):
            if match.start() <= start and end <= match.end():
                number = number_at(text, match.start(), language)
                return match.start(), max(match.end(), number.end if number else 0)
        return start, start
    word_starts = [window_start + match.start() for match in re.finditer(r"(?<!\w)\w", text[window_start:start])]
    for first in (*word_starts[-4:], start):
        number = number_at(text, first, language)
        if number is not None and not number.ordinal and first <= start and end <= number.end:
            return first, number.end
    return start, start


# Quotations, which can be searched for word by word.

_FEWEST_WORDS = 4
"""A shorter quotation is a term or a title."""
_CLOSING_MARKS = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "’", "'": "'", "``": "''"}
_LONGEST_QUOTATION = 4000
_OPENING_MARK = re.compile(r"``|[\"“„«]|(?<![\w])[‘'](?=\w)")


def find_quotations(text: str) -> list[TextRange]:
    """Quoted passages of four words or more, without their marks, from left to right; none inside another."""
    quotations = []
    offset = 0
    while opening := _OPENING_MARK.search(text, offset):
        inside = opening.end()
        closing = _find_closing_mark(text, inside, opening.group())
        if closing is None:
            offset = inside
            continue
        passage = text[inside:closing]
        start = inside + len(passage) - len(passage.lstrip())
        end = max(inside, closing - (len(passage) - len(passage.rstrip())))
        if len(split_words(text[start:end])) >= _FEWEST_WORDS:
            quotations.append((start, end))
        offset = closing + 1
    return quotations


def _find_closing_mark(text: str, start: int, opening: str) -> int | None:
    """Where the quotation that begins here ends: before an empty line, and not at an apostrophe."""
    marks = _CLOSING_MARKS[opening]
    limit = text.find("\n\n", start, start + _LONGEST_QUOTATION)
    limit = min(len(text), start + _LONGEST_QUOTATION) if limit < 0 else limit
    if opening == "``":
        end = text.find(marks, start, limit)
        return None if end < 0 else end
    for offset in range(start, limit):
        if text[offset] in marks and not (text[offset] in "'’" and _is_apostrophe(text, offset)):
            return offset
    return None


def _is_apostrophe(text: str, offset: int) -> bool:
    """Inside a word, or after an s where a word follows: "the courts’ view"."""
    if text[offset + 1 : offset + 2].isalnum():
        return True
    return text[offset - 1 : offset] in "sS" and re.match(r" [^\W\d_]", text[offset + 1 : offset + 3]) is not None
