"""Move the dates in a piece of text by a number of days, each in the form it was written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from sfumato.knowledge.calendar import MONTHS, SHORT_MONTHS, WEEKDAYS

Order = Literal["dmy", "mdy"]
"""How 03/04/2021 is read: 3 April or March 4."""

_REFERENCE_YEAR = 2001  # for dates without a year; not a leap year, so 29 February without a year stays unreadable


@dataclass(frozen=True, slots=True)
class _Word:
    names: tuple[str, ...]
    index: int


def _words(*tables: dict[str, tuple[str, ...]]) -> dict[str, _Word]:
    # The first language that has a word wins; languages that share it mostly share the month too.
    found: dict[str, _Word] = {}
    for table in tables:
        for names in table.values():
            for index, name in enumerate(names):
                found.setdefault(name.casefold(), _Word(names, index))
    return found


_MONTH_WORDS = _words(MONTHS, SHORT_MONTHS)
_WEEKDAY_WORDS = _words(WEEKDAYS)


def _alternatives(words: dict[str, _Word]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?P<month>{_alternatives(_MONTH_WORDS)})(?!\w)"
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
        "weekday": rf"(?<!\w)(?P<weekday>{_alternatives(_WEEKDAY_WORDS)})(?!\w)",
        "year": rf"(?<![\d.,]){_YEAR}(?![.,]?\d)(?!s)",
        "month": rf"(?<!\w){_MONTH}",
    }.items()
}
_TIME = re.compile(
    r"\d{1,2}(?::\d{2}){1,2}(?:[.,]\d+)?\s*(?:z|utc|[+-]\d\d:?\d\d)?|\d{1,2}h\d{0,2}|\d{1,2}\s*(?:am|pm|a\.m\.|p\.m\.)",
    re.IGNORECASE,
)
_DURATION = re.compile(
    r"\d+(?:[.,]\d+)?[\s-]*(?:second|minute|hour|day|week|fortnight|month|year|decade|hora|minuto|día|semana|mes|año|"
    r"stunde|minute|tag|woche|monat|jahr|heure|jour|semaine|mois|an|ora|giorno|settimana|mese|anno|dia|ano|uur|dag|"
    r"maand|jaar)\w{0,3}",
    re.IGNORECASE,
)
_LEFT_OVER = re.compile(rf"\d|(?<!\w)(?:{_alternatives(_MONTH_WORDS)})(?!\w)", re.IGNORECASE)


def order_in(text: str) -> Order:
    """How a text writes its numeric dates: month first only when one of its dates can be read in no other way."""
    for match in _FORMS["numeric"].finditer(text):
        if int(match["second"]) > 12 >= int(match["first"]):
            return "mdy"
        if int(match["first"]) > 12:
            return "dmy"
    return "dmy"


def shift_dates(text: str, days: int, order: Order = "dmy") -> str | None:
    """The text with every date in it moved, or None where something in it cannot be read as a date.

    ``shift_dates("on 3 March 2003", 10) == "on 13 March 2003"``. Times of day and durations stay: moving all dates
    alike does not change them.
    """
    done: list[str] = []
    at = 0
    for form, match in forms_in(text):
        if not _nothing_left(text[at : match.start()]):
            return None
        try:
            done += [text[at : match.start()], _SHIFTERS[form](match, days, order)]
        except (ValueError, OverflowError):
            return None
        at = match.end()
    if not _nothing_left(text[at:]):
        return None
    return "".join(done) + text[at:]


def forms_in(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The dates written in a text, from left to right, each with the name of its form; the longest reading wins."""
    at = 0
    while at < len(text):
        found = [
            (match.start(), -match.end(), name, match)
            for name, form in _FORMS.items()
            if (match := form.search(text, at))
        ]
        if not found:
            return
        _, _, name, match = min(found, key=lambda item: item[:2])
        yield name, match
        at = match.end()


def _nothing_left(text: str) -> bool:
    return _LEFT_OVER.search(_DURATION.sub("", _TIME.sub("", text))) is None


def _moved(year: int, month: int, day: int, days: int) -> date:
    return date(year, month, day) + timedelta(days)


def _number(value: int, *like: str) -> str:
    """Padded with a zero where the original was: one of its numbers began with 0, or none of several was short."""
    padded = any(part.startswith("0") for part in like) or (len(like) > 1 and all(len(part) > 1 for part in like))
    return f"{value:02}" if padded else str(value)


def _word_like(words: dict[str, _Word], found: str, index: int) -> str:
    name = words[found.casefold()].names[index]
    if found.isupper() and len(found) > 1:
        return name.upper()
    return name.lower() if found.islower() else name[:1].upper() + name[1:]


def month_number(match: re.Match[str]) -> int:
    return _MONTH_WORDS[match["month"].casefold()].index + 1


def _month_name(match: re.Match[str], moved: date) -> str:
    return _word_like(_MONTH_WORDS, match["month"], moved.month - 1)


def _ordinal(match: re.Match[str], day: int) -> str:
    mark = match["ordinal"] or ""
    if mark.lower() not in ("st", "nd", "rd", "th"):
        return mark if mark != "er" or day == 1 else ""
    if 11 <= day % 100 <= 13:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _iso(match: re.Match[str], days: int, order: Order) -> str:
    moved = _moved(int(match["year"]), int(match["month"]), int(match["day"]), days)
    month, day = (_number(part, match["month"], match["day"]) for part in (moved.month, moved.day))
    return f"{moved.year:04}{match['a']}{month}{match['a']}{day}"


def _numeric(match: re.Match[str], days: int, order: Order) -> str:
    read = numeric_date(match, order)
    moved = read + timedelta(days)
    day_first = (read.day, read.month) == (int(match["first"]), int(match["second"]))
    parts = (moved.day, moved.month) if day_first else (moved.month, moved.day)
    shown = f"{moved.year:04}"[-len(match["year"]) :]
    shown_parts = [_number(part, match["first"], match["second"]) for part in parts]
    return match["a"].join([*shown_parts, shown])


def numeric_date(match: re.Match[str], order: Order) -> date:
    """What a numeric date means; ``order`` settles it only where both readings are dates."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if len(match["year"]) == 2:
        year += 2000 if year < 50 else 1900
    day_first = first > 12 or (second <= 12 and order == "dmy")
    return date(year, second if day_first else first, first if day_first else second)


def _days(match: re.Match[str], days: int, order: Order) -> str:
    year, month = int(match["year"]), month_number(match)
    start = _moved(year, month, int(match["from"]), days)
    end = _moved(year, month, int(match["day"]), days)
    begin = _number(start.day, match["from"])
    if (start.year, start.month) != (end.year, end.month):
        begin += match["a"] + _month_name(match, start)
        begin += match["b"] + str(start.year) if start.year != end.year else ""
    return f"{begin}{match['to']}{_number(end.day, match['day'])}{_ordinal(match, end.day)}{_tail(match, end)}"


def _tail(match: re.Match[str], moved: date) -> str:
    year = f"{match['b']}{moved.year}" if match["year"] else ""
    return f"{match['a']}{_month_name(match, moved)}{year}"


def _day_month(match: re.Match[str], days: int, order: Order) -> str:
    moved = _moved(int(match["year"] or _REFERENCE_YEAR), month_number(match), int(match["day"]), days)
    return f"{_number(moved.day, match['day'])}{_ordinal(match, moved.day)}{_tail(match, moved)}"


def _month_day(match: re.Match[str], days: int, order: Order) -> str:
    moved = _moved(int(match["year"] or _REFERENCE_YEAR), month_number(match), int(match["day"]), days)
    year = f"{match['b']}{moved.year}" if match["year"] else ""
    day = _number(moved.day, match["day"]) + _ordinal(match, moved.day)
    return f"{_month_name(match, moved)}{match['a']}{day}{year}"


def _month_year(match: re.Match[str], days: int, order: Order) -> str:
    moved = _moved(int(match["year"]), month_number(match), 15, days)
    return f"{_month_name(match, moved)}{match['a']}{moved.year}"


def _month_alone(match: re.Match[str], days: int, order: Order) -> str:
    return _month_name(match, _moved(_REFERENCE_YEAR, month_number(match), 15, days))


def _year(match: re.Match[str], days: int, order: Order) -> str:
    return str(_moved(int(match["year"]), 7, 2, days).year)


def _weekday(match: re.Match[str], days: int, order: Order) -> str:
    index = _WEEKDAY_WORDS[match["weekday"].casefold()].index
    return _word_like(_WEEKDAY_WORDS, match["weekday"], (index + days) % 7)


_SHIFTERS: dict[str, Callable[[re.Match[str], int, Order], str]] = {
    "iso": _iso,
    "numeric": _numeric,
    "days": _days,
    "day_month": _day_month,
    "month_day": _month_day,
    "month_year": _month_year,
    "weekday": _weekday,
    "year": _year,
    "month": _month_alone,
}
