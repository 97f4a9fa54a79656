"""Dates that need their context: a day and a month in digits, a day alone, and dates that are spoken.

*Signed 10/28*, *am 12.5.*, *on the 16th*, *may the ninth nineteen fifty three*. A weekday before a date and a time
behind it belong to it. The words are in ``lexicon/data/<language>/days.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from sfumato.detectors.rules.patterns import alternatives, any_of, word_list
from sfumato.document import Span
from sfumato.lexicon import time
from sfumato.lexicon.language import document_language
from sfumato.lexicon.tables import languages_with, load_toml, words
from sfumato.lexicon.tokens import (
    alternation,
    caseless_words,
    find_at,
    first_words,
    lazy_pattern,
    number_starts,
    starts_of,
)

MONTHS = sorted(
    {name.casefold() for table in (time.MONTHS, time.SHORT_MONTHS) for names in table.values() for name in names}
    | set(word_list("dates.months"))
)
ENGLISH_MONTHS = sorted(name.casefold() for table in (time.MONTHS, time.SHORT_MONTHS) for name in table["en"])
WEEKDAYS = sorted(
    {name.casefold() for names in time.WEEKDAYS.values() for name in names} | set(word_list("dates.weekdays"))
)
_TOPIC = "days"
_LANGUAGES = languages_with(_TOPIC)
_SOURCE = "rules:date"
_BEFORE, _AFTER = 24, 32

_DAY_MONTH = lazy_pattern(r"(?<![\w/.,:$€£#+-])(\d{1,2})(?P<mark>[./-])(\d{1,2})(?P<dot>\.?)(?![\w/%°]|[.,:/-]?\d)")
_RANGE = lazy_pattern(r",?[ ]?(?:-|–|to|bis|und|and|&|/|au|al|a|t/m|tot|et|en|y|e)?[ ]?")
_LINE_START = lazy_pattern(r"(?:\A|\n)[ \t]*[-*•]?[ \t]*\Z")
_HALF_DAY = r"[ap]\.?m\b\.?"
_TIME = (
    rf"(?:[01]?\d|2[0-4])(?:[:.h][0-5]\d(?:[ ]?(?:{_HALF_DAY}|uhr|uur|hs?|hrs))?"
    rf"|[ ]?(?:{_HALF_DAY}|uhr|uur|u|hs?)(?:[ ]?[0-5]\d)?)(?!\w)"
)
_TIME_AFTER = lazy_pattern(rf"[ ,]{{1,2}}{_TIME}", re.IGNORECASE)
_ORDINAL = lazy_pattern(r"(?<![\w.,/-])(?:[12]?\d|3[01])(?:st|nd|rd|th)(?!\w)")
_BEFORE_SHORT_YEAR = words(_TOPIC, "before_short_year", "en")
_FIRST_BEFORE_SHORT_YEAR = first_words(_BEFORE_SHORT_YEAR)
_SHORT_YEAR = lazy_pattern(
    rf"(?<!\w)(?:{alternation(_BEFORE_SHORT_YEAR)})[ ](?P<year>['’]\d\d)(?![\w'’])", re.IGNORECASE
)
_APOSTROPHE = lazy_pattern(r"['’]\d\d")
_CLAUSE_END = lazy_pattern(
    r"\s*(?:[.,;:!?)\"]|\Z|\n|(?:and|but|at|to|for|with|she|he|we|they|i|if|when|so|in)\b)", re.IGNORECASE
)
_WORD_AFTER = lazy_pattern(r"[ -]([^\W\d_]+)")


class _Words:
    """What stands around dates in a language; English words too, because the language of a few words is a guess."""

    def __init__(self, language: str) -> None:
        def every(key: str) -> tuple[str, ...]:
            return tuple(word for each in {language, "en"} for word in words(_TOPIC, key, each))

        def listed(key: str) -> str:
            return alternatives(every(key)) or "(?!)"

        self.language = language
        weekdays = alternatives((*WEEKDAYS, *every("weekdays")))
        self.before_day = time.before_day(language)
        self.against = lazy_pattern(rf"(?<!\w)(?:{listed('not_before_day')})[.:]?[ ]\Z", re.IGNORECASE)
        self.weekday = lazy_pattern(
            rf"(?<![\w-])(?:{weekdays})(?!\w)\.?,?[ ](?:(?:the|den|dem|le|il|el)[ ])?\Z", re.IGNORECASE
        )
        self.time_after = lazy_pattern(
            rf"(?:[ ]?[,/]?[ ]?)(?:(?:{listed('at')})\.?[ ]){{0,2}}{_TIME}(?:[ ]?(?:-|–|to|bis|à|a|tot)[ ]?{_TIME})?"
            r"(?:[ ](?:UTC|GMT|CES?T|[EMP][SD]?T|BST)\b)?",
            re.IGNORECASE,
        )
        self.day = lazy_pattern(
            rf"(?<!\w)(?:{listed('day_words')})[ ](?P<day>[12]?\d|3[01])(?![\w/.,:-]?\d|\w|[ ]de[ ])", re.IGNORECASE
        )
        self.day_words = first_words(every("day_words"))
        self.not_after_ordinal = frozenset(every("not_after_ordinal"))


@cache
def _words(language: str) -> _Words:
    return _Words(language)


def find_days(text: str) -> Iterator[Span]:
    """Dates without a year whose context says that they are dates."""
    if not _may_have_days(text):
        return
    language = document_language(text) or "en"
    known = _words(language if language in _LANGUAGES else "en")
    yield from _find_days_and_months(text, known)
    yield from _find_ordinals(text, known)
    for spoken, first in _possible_spoken_dates(text, language):
        yield from (_date(*match.span(), 0.9) for match in find_at(spoken, text, starts_of(first, text)))
    for match in find_at(known.day, text, starts_of(known.day_words, text)):
        yield _date(*match.span(), 0.6)
    for match in (
        find_at(_SHORT_YEAR, text, starts_of(_FIRST_BEFORE_SHORT_YEAR, text)) if _APOSTROPHE.search(text) else ()
    ):
        yield _date(*match.span("year"), 0.6)


def _may_have_days(text: str) -> bool:
    """Whether anything here could be such a date in any language; of most short texts no language has to be told."""
    return (
        not caseless_words(text).isdisjoint(_words_of_days())
        or _APOSTROPHE.search(text) is not None
        or any(next(find_at(pattern, text, number_starts(text)), None) for pattern in (_DAY_MONTH, _ORDINAL))
    )


@cache
def _words_of_days() -> frozenset[str]:
    """Words that a month or a word before a day begins with, in any language."""
    day_words = (word for language in _LANGUAGES for word in words(_TOPIC, "day_words", language))
    return first_words(day_words).union(*map(_month_words, time.MONTHS))


def _date(start: int, end: int, score: float) -> Span:
    return Span(start, end, "DATETIME", "quasi", score, _SOURCE)


def _find_days_and_months(text: str, known: _Words) -> Iterator[Span]:
    """Two numbers that can be a day and a month: behind a word that says so, at the start of an entry, in a range."""
    last_end = -1
    for match in find_at(_DAY_MONTH, text, number_starts(text)):
        first, second = int(match[1]), int(match[3])
        if not (0 < min(first, second) <= 12 and max(first, second) <= 31):
            continue
        has_dots = match["mark"] == "." and match["dot"] == "."
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        is_date = _has_date_around(text, match, before, known) or (
            last_end >= 0 and _RANGE.fullmatch(text[last_end : match.start()])
        )
        if is_date and match["mark"] == "." and not has_dots and not known.weekday.search(before):
            # 13.10 may be an amount or a time: only where days are written so, and not "at 13.10".
            is_date = second <= 12 < first and known.language not in ("en", "es", "pt")
        if is_date and not known.against.search(before):
            last_end = match.end() if has_dots else match.end("mark") + len(match[3])
            yield _date(match.start(), last_end, 0.9)


def _has_date_around(text: str, match: re.Match[str], before: str, known: _Words) -> bool:
    """Whether what stands around says that it is a date: a word or a weekday before it, a time of day behind it."""
    has_dots = match["mark"] == "." and match["dot"] == "."
    if known.before_day.search(before) or (match["mark"] != "-" and known.weekday.search(before)):
        return True
    if not has_dots and match["mark"] != "/":
        return False
    after = text[match.end() : match.end() + _AFTER]
    return bool(_TIME_AFTER.match(after) or (has_dots and _LINE_START.search(before)))


def _find_ordinals(text: str, known: _Words) -> Iterator[Span]:
    """*the 16th*, *on the 5th*, *from 8th*: a day of a month that is understood."""
    for match in find_at(_ORDINAL, text, number_starts(text)):
        before, after = text[max(0, match.start() - _BEFORE) : match.start()], text[match.end() : match.end() + _AFTER]
        word = _WORD_AFTER.match(after)
        if word and word[1].casefold() in known.not_after_ordinal:
            continue
        follows_day = known.before_day.search(re.sub(r"the \Z", "", before)) or known.weekday.search(before)
        if follows_day and _CLAUSE_END.match(after):
            yield _date(*match.span(), 0.6)


def _possible_spoken_dates(text: str, language: str) -> Iterator[tuple[re.Pattern[str], frozenset[str]]]:
    """The patterns of spoken dates whose words are in a text: the name of a month, in English also a number.

    Each with the words that its matches begin with.
    """
    words_of_text = caseless_words(text)
    if not words_of_text.isdisjoint(_month_words("en")) and not words_of_text.isdisjoint(_spoken_english_numbers()):
        yield _spoken_english_date(), _month_words("en") | _spoken_english_numbers() | {"the"}
    if language in _LANGUAGES and not words_of_text.isdisjoint(_month_words(language)):
        # The number of a day may have an ending.
        numbers = tuple(_spoken_numbers(language))
        if days := [word for word in words_of_text if word.startswith(numbers)]:
            yield _spoken_date(language), frozenset((*days, *_ARTICLES))


@cache
def _month_words(language: str) -> frozenset[str]:
    return first_words(time.MONTHS[language])


@cache
def _spoken_numbers(language: str) -> frozenset[str]:
    forms = load_toml("age_forms", language)
    return first_words((*forms["numbers"][1:], *forms["variants"], *words(_TOPIC, "first", language)))


@cache
def _spoken_english_numbers() -> frozenset[str]:
    """First words of days and of years."""
    return first_words((*load_toml("dates", "en")["words"]["days"], "nineteen", "twenty", "eighteen", "two"))


_ARTICLES = ("el", "le", "il", "o")


@cache
def _spoken_date(language: str) -> re.Pattern[str]:
    """*dieciocho de febrero del noventa y siete*, *vingt-neuf septembre deux mille vingt-quatre*, *achten Mai*."""
    forms = load_toml("age_forms", language)
    numbers = (*forms["numbers"][1:], *forms["variants"])
    number = alternatives(name.replace("-", mark) for name in numbers for mark in "- ")
    first = alternatives(words(_TOPIC, "first", language)) or "(?!)"
    joiner = rf"(?:[ ](?:{alternatives(words(_TOPIC, 'joiners', language)) or '(?!)'}))?[ ]"
    thousands = alternatives(words(_TOPIC, "thousands", language))
    year = rf"(?:(?:{thousands})(?:[ ]?(?:e[ ]|y[ ]|et[ ]|und)?(?:{number}))?|{number})"
    month = alternatives(name.casefold() for name in time.MONTHS[language])
    day = rf"(?:(?:{'|'.join(_ARTICLES)})[ ])?(?:{first}|(?:{number})(?:s?te[rn]?|en)?)"
    return lazy_pattern(
        rf"(?<![\w-]){day}{joiner}(?:{month})(?!\w)(?:,?{joiner}{year})?(?![\w-])",
        re.IGNORECASE,
    )


@cache
def _spoken_english_date() -> re.Pattern[str]:
    """*may the ninth nineteen fifty three*, *first april two thousand and nineteen*, *january twenty twenty four*."""
    number = alternatives(
        name.replace("-", mark) for name in load_toml("age_forms", "en")["numbers"][1:] for mark in "- "
    )
    ordinal = alternatives(
        name.replace("-", mark) for name in load_toml("dates", "en")["words"]["days"] for mark in "- "
    )
    year = (
        rf"(?:(?:nineteen|twenty|eighteen)[ ](?:hundred(?:[ ]and)?[ ])?(?:oh[ ])?(?:{number})"
        rf"|two[ ]thousand(?:[ ](?:and[ ])?(?:{number}))?)"
    )
    month = "|".join(name for name in time.MONTHS["en"])
    return lazy_pattern(
        rf"(?<![\w-])(?:(?:{month})[ ](?:the[ ])?(?:{ordinal})(?:,?[ ]{year})?"
        rf"|(?:{month})[ ](?:(?:{number})[ ],?)?{year}"
        rf"|(?:the[ ])?(?:{ordinal})[ ](?:of[ ])?(?:{month})(?:,?[ ](?:of[ ])?{year})?)(?![\w-])",
        re.IGNORECASE,
    )


_FIRST_DAY = lazy_pattern(r"(?<![\w.,/:-])(?:[12]?\d|3[01])\.?[ ]?(?:-|–|a|to|bis|au|al|et|und|e|y|en|and|&)[ ]?\Z")
"""The first day of a range whose last has the month: *12 a* 15/05."""


def extend_dates(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans, with dates extended over a weekday before them and a time of day behind them."""
    if all(span.source != _SOURCE for span in spans):
        return list(spans)
    known = _words(language if (language := document_language(text) or "en") in _LANGUAGES else "en")

    def extend(span: Span) -> Span:
        if span.source != _SOURCE or span.score < 0.6:
            return span
        start, end = span.start, span.end
        if first := _FIRST_DAY.search(text[max(0, start - _BEFORE) : start]):
            start -= len(first.group())
        if weekday := known.weekday.search(text[max(0, start - _BEFORE) : start]):
            start -= len(weekday.group())
        if clock := known.time_after.match(text, end):
            end = clock.end()
        return span.moved(start, end)

    return [extend(span) for span in spans]


_RANGE_BETWEEN = lazy_pattern(rf"[ ]?(?:[-–—]|{any_of(word_list('dates.range_links'))})[ ]?", re.IGNORECASE)
_BOTH_ENDS = lazy_pattern(rf"[ ]{any_of(word_list('dates.range_conjunctions'))}[ ]")
_BETWEEN = lazy_pattern(rf"(?<!\w){any_of(word_list('dates.before_both_ends'))}[ ]\Z", re.IGNORECASE)
_OPENS_RANGE = lazy_pattern(any_of(word_list("dates.range_openers")), re.IGNORECASE)


def join_ranges(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans (disjoint, sorted), with two dates that are the ends of one range as one span.

    Apart they would be made vague each on its own: from the early 1980s to the 20th century.
    """
    joined: list[Span] = []
    for span in spans:
        first = joined[-1] if joined else span
        gap = text[first.end : span.start]
        is_range = first.label == span.label == "DATETIME" and (
            (gap == " " and _OPENS_RANGE.fullmatch(text, first.start, first.end))
            or _RANGE_BETWEEN.fullmatch(gap)
            or (_BOTH_ENDS.fullmatch(gap) and _BETWEEN.search(text[max(0, first.start - _BEFORE) : first.start]))
        )
        if is_range and first is not span:
            joined[-1] = replace(first, end=span.end, score=max(first.score, span.score))
        else:
            joined.append(span)
    return joined
