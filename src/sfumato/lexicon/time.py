"""Calendar words of seven languages, and a finder of dates in text: *3 May 2003*, *2003-05-03*, *05/03/03*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

from sfumato.lexicon.tables import load_toml

LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl")
"""Languages with names of months and weekdays. Where two share a word, the first one's calendar is used."""


def _calendar(key: str, languages: tuple[str, ...] = LANGUAGES) -> dict[str, tuple[str, ...]]:
    return {language: load_toml("calendar", language)[key] for language in languages}


MONTHS = _calendar("months")
SHORT_MONTHS = _calendar("short_months")
WEEKDAYS = _calendar("weekdays")
SEASONS = _calendar("seasons", ("en", "es"))

Order = Literal["dmy", "mdy"]
"""How 03/04/2021 is read: 3 April or March 4."""


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


MONTH_WORDS = _by_word(MONTHS, SHORT_MONTHS)
WEEKDAY_WORDS = _by_word(WEEKDAYS)


def any_of(words: dict[str, CalendarWord]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?P<month>{any_of(MONTH_WORDS)})(?!\w)"
_DAY = r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|º|er|\.)?"
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d)(?!\d)"

_FORMS = {
    name: re.compile(pattern, re.IGNORECASE)
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


def infer_order(text: str) -> Order:
    """How a text writes its numeric dates: month first only when one of its dates can be read in no other way."""
    for match in _FORMS["numeric"].finditer(text):
        if int(match["second"]) > 12 >= int(match["first"]):
            return "mdy"
        if int(match["first"]) > 12:
            return "dmy"
    return "dmy"


def find_dates(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The dates written in a text, from left to right, each with the name of its form; the longest reading wins."""
    offset = 0
    while offset < len(text):
        matches = [(name, match) for name, form in _FORMS.items() if (match := form.search(text, offset))]
        if not matches:
            return
        name, match = min(matches, key=lambda item: (item[1].start(), -item[1].end()))
        yield name, match
        offset = match.end()


def month_number(match: re.Match[str]) -> int:
    """The month that a date names in words, 1 to 12."""
    return MONTH_WORDS[match["month"].casefold()].index + 1


def numeric_date(match: re.Match[str], order: Order) -> date:
    """What a numeric date means; ``order`` is used only where both readings are dates."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if len(match["year"]) == 2:
        year += 2000 if year < 50 else 1900
    day_first = first > 12 or (second <= 12 and order == "dmy")
    return date(year, second if day_first else first, first if day_first else second)


class PartialDate(NamedTuple):
    """A date of which some parts may be unknown."""

    year: int | None
    month: int | None
    day: int | None


def read_dates(text: str, order: Order = "dmy") -> tuple[PartialDate, ...]:
    """The dates in the text, in order; "from 3 to 5 May" and weekdays without a date are left out.

    ``read_dates("3 May 2003") == read_dates("2003-05-03") == ((2003, 5, 3),)``.
    """
    dates = (_read(form, match, order) for form, match in find_dates(text))
    return tuple(date for date in dates if date is not None)


def _read(form: str, match: re.Match[str], order: Order) -> PartialDate | None:
    match form:
        case "weekday" | "days":
            return None
        case "numeric":
            try:
                day = numeric_date(match, order)
            except ValueError:
                return None
            return PartialDate(day.year, day.month, day.day)
        case "iso":
            return PartialDate(int(match["year"]), int(match["month"]), int(match["day"]))
    groups = match.groupdict()
    year, day_of_month = (int(groups[name]) if groups.get(name) else None for name in ("year", "day"))
    return PartialDate(year, month_number(match) if groups.get("month") else None, day_of_month)


class Holiday(NamedTuple):
    """Its kind ("Christian", "national", ... or "") and the days of a year, (month, day), that it can fall on."""

    kind: str
    first: tuple[int, int]
    last: tuple[int, int]


HOLIDAYS: dict[str, Holiday] = {
    name: Holiday(entry["kind"], *entry["days"])
    for language in SEASONS
    for name, entry in load_toml("holidays", language).items()
}
