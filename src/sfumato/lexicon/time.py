"""Calendar words of seven languages, and a finder of dates in text: *3 May 2003*, *2003-05-03*, *05/03/03*."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from itertools import accumulate
from typing import Literal, NamedTuple

from sfumato.annotated_text import read_once
from sfumato.lexicon.tables import languages_with, load_toml, words, words_of_all_languages
from sfumato.lexicon.tokens import first_words, lazy_pattern, parts, without_case

_FIRST_LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl")
CALENDAR_LANGUAGES = tuple(dict.fromkeys((*_FIRST_LANGUAGES, *languages_with("calendar"))))
"""Languages with names of months and weekdays. Where two share a word, the first one's calendar is used."""


def _calendar(key: str) -> dict[str, tuple[str, ...]]:
    calendars = {language: load_toml("calendar", language) for language in CALENDAR_LANGUAGES}
    return {language: calendar[key] for language, calendar in calendars.items() if key in calendar}


MONTHS = _calendar("months")
SHORT_MONTHS = _calendar("short_months")
WEEKDAYS = _calendar("weekdays")
SEASONS = _calendar("seasons")
DAY_FIRST = frozenset(CALENDAR_LANGUAGES) - {"en"}
"""Languages that write the day before the month, and times in 24 hours."""

Order = Literal["dmy", "mdy", "ymd"]
"""How 03/04/2021 is read: 3 April or March 4."""
ORDERS: tuple[Order, ...] = ("dmy", "mdy")
"""Those of dates that end with their year; whether the day or the month is first is open where years come first."""


@dataclass(frozen=True, slots=True)
class CalendarWord:
    """A month or a weekday: its index among the names of its language."""

    names: tuple[str, ...]
    index: int


def _by_word(*tables: dict[str, tuple[str, ...]]) -> dict[str, CalendarWord]:
    words: dict[str, CalendarWord] = {}
    for table in tables:
        for names in table.values():
            for index, name in enumerate(names):
                words.setdefault(name.casefold(), CalendarWord(names, index))
    return words


MONTH_WORDS = _by_word(MONTHS, _calendar("other_short_months"), SHORT_MONTHS)
WEEKDAY_WORDS = _by_word(WEEKDAYS)


_TOPIC = "days"
_TIME_WORDS = frozenset(
    (
        *MONTH_WORDS,
        *WEEKDAY_WORDS,
        *(season.casefold() for seasons in SEASONS.values() for season in seasons),
        *words_of_all_languages(_TOPIC, "weekdays"),
        *words_of_all_languages(_TOPIC, "time_words"),
    )
)
_NUMBER_WORD = lazy_pattern(
    rf"(?:{'|'.join(sorted(words_of_all_languages(_TOPIC, 'number_parts'), key=len, reverse=True))})+"
)
_LETTERS = lazy_pattern(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def mentions_time(phrase: str) -> bool:
    """Whether a phrase can be a date or a time: it has a digit, or a word for a time or a number in any language."""
    if any(map(str.isdigit, phrase)):
        return True
    parts = [
        part for match in _LETTERS.finditer(phrase.casefold()) for part in {match[0], *re.split("['’-]", match[0])}
    ]
    return any(part in _TIME_WORDS or _NUMBER_WORD.fullmatch(part) for part in parts)


def any_of(words: dict[str, CalendarWord]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?P<month>{any_of(MONTH_WORDS)})(?!\w)"
_DAY = r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|º|er|\.)?"
YEAR = r"1[5-9]\d\d|20\d\d"
_YEAR = rf"(?P<year>{YEAR})(?!\d)"

_FORMS = {
    name: lazy_pattern(pattern, re.IGNORECASE)
    for name, pattern in {
        "iso": r"(?<!\d)(?P<year>\d{4})(?P<a>[-/.])(?P<month>\d{1,2})(?P=a)(?P<day>\d{1,2})(?!\d)",
        "numeric": r"(?<!\d)(?P<first>\d{1,2})(?P<a>[-/.])(?P<second>\d{1,2})(?P=a)(?P<year>\d{4}|\d{2})(?!\d)",
        "days": rf"(?<!\d)(?P<from>\d{{1,2}})(?P<to>\s*[-–]\s*){_DAY}(?P<a>\s+){_MONTH}(?P<b>,?\s+){_YEAR}",
        "day_month": rf"(?<!\d){_DAY}(?P<a>\s+(?:of\s+|de\s+)?|-){_MONTH}"
        rf"(?:(?P<b>\.?,?\s+(?:del?\s+)?|-){_YEAR})?",
        "month_day": rf"(?<!\w){_MONTH}(?P<a>\.?\s+){_DAY}(?![\d:])(?:(?P<b>,?\s+){_YEAR})?",
        "month_year": rf"(?<!\w){_MONTH}(?P<a>\.?,?\s+(?:del?\s+|of\s+)?){_YEAR}",
        "weekday": rf"(?<!\w)(?P<weekday>{any_of(WEEKDAY_WORDS)})(?!\w)",
        "year": rf"(?<![\d.,]){_YEAR}(?![.,]?\d)(?!s)",
        "month": rf"(?<!\w){_MONTH}",
    }.items()
}


_FORMS_BEGINNING_WITH_NUMBERS = ("iso", "numeric", "days", "day_month", "year")
_FORMS_BEGINNING_WITH_WORDS = ("month_day", "month_year", "weekday", "month")
_CALENDAR_WORDS = first_words((*MONTH_WORDS, *WEEKDAY_WORDS))
_NUMBER_OR_LETTERS = re.compile(r"(\d+|[^\W\d_]+)")


def find_dates(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The dates written in a text, from left to right, each with the name of its form; the longest reading wins."""
    # A date begins with a number or with the name of a month or a day: no form is tried anywhere else.
    end = 0
    for part in parts(text):
        pieces = _NUMBER_OR_LETTERS.split(part[0])
        known = {word: without_case(word) in _CALENDAR_WORDS for word in {*pieces[1::2]} if not word[0].isdecimal()}
        starts = list(accumulate(map(len, pieces), initial=part.start()))[1::2]
        for start, word in zip(starts, pieces[1::2], strict=False):
            if start < end or not known.get(word, True):
                continue
            names = _FORMS_BEGINNING_WITH_WORDS if word in known else _FORMS_BEGINNING_WITH_NUMBERS
            matches = [(name, match) for name in names if (match := _FORMS[name].match(text, start))]
            if matches:
                name, match = max(matches, key=lambda item: item[1].end())
                yield name, match
                end = match.end()


@cache
def before_day(language: str) -> re.Pattern[str]:
    """A word right before two numbers that are a day and a month, in English or another language: *signed* 10/28."""
    languages = {language if language in languages_with("days") else "en", "en"}
    listed = sorted((word for each in languages for word in words("days", "before_day", each)), key=len, reverse=True)
    return lazy_pattern(rf"(?<!\w)(?:{'|'.join(map(re.escape, listed))})[.:]?[ ]{{1,2}}(?:ca\.? )?\Z", re.IGNORECASE)


def month_number(match: re.Match[str]) -> int:
    """The month that a date names in words, 1 to 12."""
    return MONTH_WORDS[match["month"].casefold()].index + 1


# Numeric dates: the order of day and month, and the century of a year of two digits.

YearContext = Literal["birth", "event", "unknown"]
"""What a date is the date of, as far as the words before it say for certain."""
_LAST_YEAR_OF_TEXTS = 2035
"""No text that this version reads was written later, so nobody in it was born later."""
_FAR_FUTURE = _LAST_YEAR_OF_TEXTS + 30
"""No date of two digits lies later, not even the last day of a loan."""
_RECENT = 1950
"""A text with an earlier year tells of the past, so 12/05/19 in it may be of 1919."""
_ENGLISH_MONTH = "|".join(MONTHS["en"])
_DAY_FIRST = lazy_pattern(rf"\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_ENGLISH_MONTH})\b")
_MONTH_FIRST = lazy_pattern(rf"\b(?:{_ENGLISH_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d)")


_REGIONS: dict[Order, re.Pattern[str]] = {
    order: lazy_pattern("|".join(f"(?:{pattern})" for pattern in load_toml("date_order")[order])) for order in ORDERS
}
"""What a text has that is written where dates have this order: ZIP codes and telephone numbers, postcodes, words."""


_SHORT_NUMERIC = lazy_pattern(r"(?<![\w/.,-])(?!24/7)(\d{1,2})/(\d{1,2})(?![\w/%]|[.,]\d)")
"""A day and a month without a year, or something else: it tells only where nothing else does."""


@read_once
def infer_order(text: str, language: str = "en") -> Order | None:
    """How a text writes its numeric dates; None where nothing tells, or some dates tell one thing and some another.

    The dates themselves tell first (3/14/2021, 3 May), then the language, then what else belongs to a country.
    """
    orders: set[Order] = set()
    for match in _FORMS["numeric"].finditer(text):
        first, second = int(match["first"]), int(match["second"])
        if first > 12 >= second or (match["a"] == "." and second <= 12):
            orders.add("dmy")
        elif second > 12 >= first:
            orders.add("mdy")
    if not orders:
        # No numeric date tells; whoever writes "3 May" out does not write 5/3 for it.
        orders |= {"dmy"} if _DAY_FIRST.search(text) else set()
        orders |= {"mdy"} if _MONTH_FIRST.search(text) else set()
    if not orders and language in DAY_FIRST:
        return "dmy"
    if not orders:
        orders = {order for order, region in _REGIONS.items() if region.search(text)}
    if not orders:
        for match in _SHORT_NUMERIC.finditer(text):
            first, second = int(match[1]), int(match[2])
            if first <= 12 < second <= 31:
                orders.add("mdy")
            elif second <= 12 < first <= 31:
                orders.add("dmy")
    return orders.pop() if len(orders) == 1 else None


def present_year() -> int:
    """The year of the run: a text without a date is read as one of this year, and nobody in it was born later."""
    return max(2026, date.today().year)


def full_year(
    digits: str,
    years: Collection[int] = (),
    context: YearContext = "unknown",
    latest_birth: int = _LAST_YEAR_OF_TEXTS,
) -> int | None:
    """The year that ``digits`` mean; None where two digits may be of either century.

    ``years`` are the years that the text writes in full. 13/04/40 is of 1940 only if it is a birth, 13/04/29 may be of
    1929 or 2029, 13/04/89 is of 1989; 12/05/19 is of 2019 if it is an event in a text of years around 2019.
    """
    if len(digits) == 4:
        return int(digits)
    earlier, later = 1900 + int(digits), 2000 + int(digits)
    if years and max(years) < 1900:
        return None
    if later > (latest_birth if context == "birth" else _FAR_FUTURE):
        return earlier
    is_of_today = any(abs(later - year) <= 1 for year in years) and min(years) >= _RECENT
    return later if context == "event" and is_of_today else None


def likely_year(digits: str) -> int:
    """The year that ``digits`` most likely mean, for uses in which a wrong century does no harm."""
    century = 2000 if 2000 + int(digits) <= _LAST_YEAR_OF_TEXTS else 1900
    return full_year(digits) or century + int(digits)


def possible_days(first: int, second: int, year: int, order: Order | None) -> list[date]:
    """The days that 3/4 of a year may mean: one where ``order`` decides or only one reading is a date, two, or none."""
    days = [day for day in (calendar_day(year, second, first), calendar_day(year, first, second)) if day is not None]
    return [days[order == "mdy"]] if order in ORDERS and len(days) == 2 else days


def calendar_day(year: int, month: int, day: int) -> date | None:
    """The day, or None where the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


class PartialDate(NamedTuple):
    """A date of which some parts may be unknown."""

    year: int | None
    month: int | None
    day: int | None


def read_dates(text: str, order: Order = "dmy", century: int | None = None) -> tuple[PartialDate, ...]:
    """The dates in the text, in order; "from 3 to 5 May" and weekdays without a date are left out.

    ``read_dates("3 May 2003") == read_dates("2003-05-03") == ((2003, 5, 3),)``. A year of two digits that may be of
    either century is read in the given one (1900, 2000), and otherwise left out.
    """
    return read_dates_each_way(text, [(order, century)])[0]


def read_dates_each_way(text: str, ways: Sequence[tuple[Order, int | None]]) -> list[tuple[PartialDate, ...]]:
    """``read_dates`` for several orders and centuries; the text is searched once."""
    readings: list[list[PartialDate]] = [[] for _ in ways]
    for form, match in find_dates(text):
        is_same_each_way = form != "numeric"
        read = [_read(form, match, *way) for way in (ways[:1] if is_same_each_way else ways)]
        for dates, found in zip(readings, read * len(ways) if is_same_each_way else read, strict=True):
            dates += [found] if found is not None else []
    return list(map(tuple, readings))


def _read(form: str, match: re.Match[str], order: Order, century: int | None) -> PartialDate | None:
    match form:
        case "weekday" | "days":
            return None
        case "numeric":
            year = full_year(match["year"])
            if year is None and century is not None:
                year = century + int(match["year"])
            in_year = likely_year(match["year"]) if year is None else year
            days = possible_days(int(match["first"]), int(match["second"]), in_year, order)
            return PartialDate(year, days[0].month, days[0].day) if days else None
        case "iso":
            return PartialDate(int(match["year"]), int(match["month"]), int(match["day"]))
    groups = match.groupdict()
    written_year, day_of_month = (int(groups[name]) if groups.get(name) else None for name in ("year", "day"))
    return PartialDate(written_year, month_number(match) if groups.get("month") else None, day_of_month)


class Holiday(NamedTuple):
    """Its kind ("Christian", "national", ... or "") and the days of any year, (month, day), that it can fall on."""

    kind: str
    first: tuple[int, int]
    last: tuple[int, int]
    easter: tuple[int, int] | None = None
    """Its first and last day counted from Easter Sunday, if it moves with it."""
    western: bool = False
    """Whether only the Western Easter counts."""

    def days(self, year: int) -> tuple[date, date]:
        """The first and the last day that it can be in a year, by the Western and the Eastern Easter."""
        if self.easter is None or year < _ALL_GREGORIAN:
            return date(year, *self.first), date(year, *self.last)
        sundays = [western_easter(year)] if self.western else [western_easter(year), eastern_easter(year)]
        return min(sundays) + timedelta(self.easter[0]), max(sundays) + timedelta(self.easter[1])


_ALL_GREGORIAN = 1924
"""Since then no country writes its dates in the Julian calendar."""
HOLIDAYS: dict[str, Holiday] = {
    name: Holiday(entry["kind"], entry["days"][0], entry["days"][1], entry.get("easter"), "western" in entry)
    for language in CALENDAR_LANGUAGES
    if language in languages_with("holidays")
    for name, entry in load_toml("holidays", language).items()
}


def western_easter(year: int) -> date:
    """Easter Sunday of the Western churches (the anonymous Gregorian algorithm)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def eastern_easter(year: int) -> date:
    """Easter Sunday of the Eastern churches (the Julian algorithm of Meeus), in the Gregorian calendar."""
    epact = (19 * (year % 19) + 15) % 30
    weekday = (2 * (year % 4) + 4 * (year % 7) - epact + 34) % 7
    month, day = divmod(epact + weekday + 114, 31)
    return date(year, month, day + 1) + timedelta(year // 100 - year // 400 - 2)
