"""Quantities, dates, times and ages by pattern; nationality, ethnic group, religion and occupation by lexicon.

The patterns are in ``detectors/data/all/``: ``quantities.toml`` and ``dates.toml``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache

from sfumato.detectors.rules.codes import is_counting
from sfumato.detectors.rules.dates import ENGLISH_MONTHS, MONTHS, WEEKDAYS
from sfumato.detectors.rules.patterns import alternatives, any_of, load_patterns, word_list
from sfumato.document import Span
from sfumato.generalize import old_age
from sfumato.lexicon import ages, name_lists
from sfumato.lexicon.fields import find_fields
from sfumato.lexicon.grammar import merge_ranges
from sfumato.lexicon.tokens import lazy_pattern

UNITS = word_list("dates.units")


def is_calendar_date(text: str) -> bool:
    """Whether it has three numbers of which the first two, or the last two behind a year, can be a day and a month."""
    parts = re.findall(r"\d+", text)[:3]
    if len(parts) < 3:
        return False
    small = [int(part) for part in (parts[1:] if len(parts[0]) == 4 else parts[:2])]
    return all(1 <= number <= 31 for number in small) and min(small) <= 12


PATTERNS = (
    *load_patterns(
        "dates",
        is_calendar_date,
        months=alternatives(MONTHS),
        english_months=alternatives(ENGLISH_MONTHS),
        weekdays=alternatives(WEEKDAYS),
    ),
    *load_patterns("quantities"),
)

_NUMBER_WORDS = alternatives(word_list("dates.number_words"))
_ROLE_CUE = lazy_pattern(
    rf"(?i)(?<!\w){any_of(word_list('occupations.cues'))}[:]?(?: (?!of |the )[\w-]{{3,14}}){{0,2}} $"
)
_COUNT_BEFORE = lazy_pattern(rf"(?i)(?<!\w)(?:(?:{_NUMBER_WORDS})(?:[ -](?:{_NUMBER_WORDS})| and a half)?)[ -]$")
_SINCE_BEFORE = lazy_pattern(rf"(?i)(?<!\w){any_of(word_list('dates.before_month'))}[ -]$")


@cache
def trigger_words() -> dict[str, str]:
    """First words of the phrases that ``find_at_trigger`` looks for, with the kind of phrase."""
    triggers = {phrase.split()[0]: "occupation" for phrase in name_lists.occupations()}
    triggers |= {f"{word}s": "occupation" for word in triggers if len(word) > 3}
    triggers |= dict.fromkeys(UNITS, "duration")
    triggers |= dict.fromkeys(
        (word for word in (*MONTHS, *WEEKDAYS) if len(word) > 3 or word in {"mai", "mei"}), "month"
    )
    for table in (name_lists.demonyms(), name_lists.groups()):
        triggers |= {name_lists.lookup_key(phrase.split()[0]): "group" for phrase in table}
    return triggers


@cache
def _longest_occupation() -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in name_lists.occupations():
        words = phrase.split()
        longest[words[0]] = max(longest.get(words[0], 1), len(words))
    return longest


@cache
def _groups() -> frozenset[str]:
    """Demonyms and groups, with their plural forms and the capitalised forms that are not names of places."""
    written = name_lists.demonyms() | name_lists.groups()
    capital = {w[:1].upper() + w[1:] for w in written if name_lists.lookup_key(w) not in name_lists.places()}
    plural = {f"{w}s" for w in written if w[:1].isupper() and not w.endswith(("s", "sh", "ch", "e"))}
    return written | capital | plural


_MONTHS, _LONGEST_MONTH = 12, 31
_AGGREGATED_ABOVE = 89
"""Older ages always go; for others the tagger says whether somebody is meant (a case in a textbook has an age, too)."""


def find_ages(text: str) -> Iterator[Span]:
    """Ages and birthdays of somebody, and what tells that somebody is over 89."""
    for age in ages.find_ages(text):
        yield Span(age.start, age.end, "DEM", "quasi", 0.95 if age.years > _AGGREGATED_ABOVE else 0.8, "rules:age")
    for birthday in ages.find_birthdays(text):
        yield Span(birthday.start, birthday.end, "DEM", "quasi", 0.7, "rules:age")
    for told in old_age.find_old_ages(text):
        if told.kind != "birth":
            yield Span(told.start, told.end, "DEM", "quasi", 0.95, "rules:age")


def find_doubtful_ages(text: str) -> Iterator[Span]:
    """What may tell that somebody is over 89."""
    for told in old_age.find_old_ages(text, in_doubt=True):
        if told.kind in ("age", "event"):
            label = "DATETIME" if re.fullmatch(r"\d{4}", text[told.start : told.end]) else "DEM"
            yield Span(told.start, told.end, label, "quasi", 0.9, "rules:age")


def find_births(text: str) -> Iterator[Span]:
    """Dates and years of birth, by the words beside them or the field that they stand in."""
    for birth in old_age.find_births(text):
        yield Span(birth.start, birth.end, "DATETIME", "quasi", 0.95, "rules:date")


def find_postcodes(text: str) -> Iterator[Span]:
    """Postal codes in fields for them."""
    for field in find_fields(text):
        if field.concept in ("zip", "postcode") and (value := _CODE_VALUE.match(text, field.start, field.end)):
            yield Span(*value.span(), "LOC", "quasi", 0.95, "rules:postcode")


_CODE_VALUE = lazy_pattern(
    r"(?:\d ){4}\d(?!\w)|(?:[A-Z]{1,2}-)?\d{3,9}(?:[ -]\d{2,4})?(?:[ ]?[A-Z]{2})?(?!\w)"
    r"|[A-Z]\w{1,3}[ ]?\d[A-Z]{2}(?!\w)"
)

_WEAK, _LIKELY, _STRONG = 0.5, 0.6, 0.9
_GUESSED = frozenset({"DEM", "DATETIME", "QUANTITY"})
_BARE_NUMBER = lazy_pattern(r"(?!(?:1[5-9]|20)\d\d$)[+-]?\d{1,4}(?:[.,]\d{1,2})?\.?")


def drop_weak_numbers(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without counting, without scores that can be no date ("14/14"), and without bare numbers (a page, a
    tooth), what may be a score ("6/10") and age limits that are a guess.

    A rule that reads what stands around an age or a date is no guess, and neither is a detector that is sure.
    """
    spans = list(spans)
    known = merge_ranges((span.start, span.end) for span in spans if span.source.startswith("rules:"))
    ends = [end for _, end in known]

    def is_known(span: Span) -> bool:
        index = bisect_right(ends, span.start)
        return index < len(known) and known[index][0] < span.end

    def is_weak(span: Span) -> bool:
        if span.source.startswith("tagger") and is_counting(text[span.start : span.end]):
            return True
        if span.source.startswith("tagger") and span.label == "DATETIME" and _is_no_day(text[span.start : span.end]):
            return True
        if span.label not in _GUESSED or span.identifier == "direct" or span.score >= _STRONG:
            return False
        if not span.source.startswith("tagger") or is_known(span):
            return False
        string = text[span.start : span.end].strip()
        is_bare = _BARE_NUMBER.fullmatch(string) is not None
        if (is_bare and span.score < _WEAK) or (_may_be_score(string) and span.score < _LIKELY):
            return True
        return ages.is_age_limit(text, span.start, span.end)

    return [span for span in spans if not is_weak(span)]


_NUMBER_OF_NUMBER = lazy_pattern(r"(\d{1,3})/(\d{1,3})")


def _may_be_score(string: str) -> bool:
    """Whether it is written as so many of so many: 6/10, but not 06/10 or 10/6."""
    match = _NUMBER_OF_NUMBER.fullmatch(string)
    return match is not None and not string.startswith("0") and "/0" not in string and int(match[1]) <= int(match[2])


def _is_no_day(string: str) -> bool:
    """Whether two numbers with a slash between them are no day and month in either order: 14/14, 38/40."""
    match = _NUMBER_OF_NUMBER.fullmatch(string)
    if match is None:
        return False
    smaller, larger = sorted((int(match[1]), int(match[2])))
    return not (1 <= smaller <= _MONTHS and larger <= _LONGEST_MONTH)


def find_at_trigger(text: str, start: int, end: int, kind: str) -> Iterator[Span]:
    """Spans of the phrase that a trigger word begins or ends."""
    if kind == "group":
        yield from _find_group(text, start, end)
    elif kind == "occupation":
        yield from _find_occupation(text, start, end)
    elif kind == "duration":
        if count := _COUNT_BEFORE.search(text[max(0, start - 24) : start]):
            yield Span(start - len(count.group()), end, "DATETIME", "quasi", 0.6, "rules:duration")
    else:
        has_preposition = _SINCE_BEFORE.search(text[max(0, start - 12) : start]) is not None
        if has_preposition or text[start].isupper():
            yield Span(start, end, "DATETIME", "quasi", 0.6 if has_preposition else 0.4, "rules:month")


def _find_group(text: str, start: int, end: int) -> Iterator[Span]:
    for phrase_end in (text.find(" ", end + 1, end + 20), end):
        phrase = text[start:phrase_end].rstrip(".,;:)") if phrase_end > 0 else ""
        if phrase in _groups():
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6, "rules:nationality")
            return


def _find_occupation(text: str, start: int, end: int) -> Iterator[Span]:
    occupations = name_lists.occupations()
    first = name_lists.lookup_key(text[start:end])
    words = re.findall(r"[\w-]+", text[start : end + 40])[: _longest_occupation().get(first, 1)]
    for count in range(len(words), 0, -1):
        phrase = " ".join(words[:count])
        if not text.startswith(phrase, start):
            continue
        key = name_lists.lookup_key(phrase)
        if key in occupations or key.removesuffix("s") in occupations:
            has_cue = _ROLE_CUE.search(text[max(0, start - 45) : start])
            yield Span(start, start + len(phrase), "DEM", "quasi", 0.6 if has_cue else 0.35, "rules:occupation")
            return
