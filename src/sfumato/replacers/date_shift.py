"""Shift dates by a secret number of days: when things happened is hidden, the intervals between them stay."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal

from sfumato.document import Document, Span
from sfumato.lexicon.named_days import names_a_day
from sfumato.lexicon.numbers import ordinal_ending
from sfumato.lexicon.tables import words_of_all_languages
from sfumato.lexicon.time import (
    MONTH_WORDS,
    MONTHS,
    SHORT_MONTHS,
    WEEKDAY_WORDS,
    WEEKDAYS,
    CalendarWord,
    Order,
    any_of,
    find_dates,
    likely_year,
    month_number,
    possible_days,
)
from sfumato.replacers.base import SpanReplacer, date_order, language_of, numbered_label
from sfumato.vault.ledger import Ledger


class DateShift(SpanReplacer):
    """Shift dates by one secret offset per subject, keeping intervals and the way they are written.

    Durations and times of day stay. A feast or a public day by its name, the season of a year (which would tell by how
    much all dates were shifted), a date that cannot be read, or in two ways (3/4/2021 where nothing tells whether
    the day or the month is first), and any span that is not a date, gets a numbered label.
    """

    uses = ("ledger",)
    hides_named_days = "beside dates"

    def __init__(self, *, ledger: Ledger, max_days: int = 365, order: Literal["auto", "dmy", "mdy"] = "auto") -> None:
        if max_days < 1:
            raise ValueError(f"max_days is 1 or more, got {max_days}")
        if order not in ("auto", "dmy", "mdy"):
            raise ValueError(f"order is 'auto', 'dmy' or 'mdy', got {order!r}")
        self._ledger = ledger
        self._max_days = max_days
        self._order = order

    def replacement(self, document: Document, span: Span) -> str | None:
        original = document.text[span.start : span.end]
        if span.label != "DATETIME" or names_a_day(original):
            return numbered_label(self._ledger, document, span)
        order = date_order(document) if self._order == "auto" else self._order
        shifted = shift_dates(original, self.offset(document), order, language_of(document))
        if shifted is None:
            return numbered_label(self._ledger, document, span)
        return None if shifted == original else shifted

    def offset(self, document: Document) -> int:
        """The days for the document's (first) subject: the same in every document about them, never 0."""
        secret = self._ledger.corpus_bytes("date-shift", document.subject_ids[0])
        # Whole weeks, so that a weekday beside a date stays true.
        unit = 7 if self._max_days >= 7 else 1
        days = unit * (1 + int.from_bytes(secret[:8], "big") % (self._max_days // unit))
        return days if secret[8] % 2 else -days


_REFERENCE_YEAR = 2001  # for dates without a year; not a leap year, so 29 February without a year stays unreadable
_TIME = re.compile(
    r"\d{1,2}(?::\d{2}){1,2}(?:[.,]\d+)?\s*(?:z|utc|[+-]\d\d:?\d\d)?|\d{1,2}h\d{0,2}|\d{1,2}\s*(?:am|pm|a\.m\.|p\.m\.)",
    re.IGNORECASE,
)
_UNITS = "|".join(words_of_all_languages("calendar", "units"))
_DURATION = re.compile(rf"(?<!\d)\d++(?:[.,]\d++)?[\s-]*+(?:{_UNITS})\w{{0,3}}", re.IGNORECASE)
_UNREAD = re.compile(rf"\d|(?<!\w)(?:{any_of(MONTH_WORDS)})(?!\w)", re.IGNORECASE)


def shift_dates(text: str, days: int, order: Order | None = "dmy", language: str = "en") -> str | None:
    """The text with every date in it shifted, or None where something in it cannot be read as a date, or in two ways.

    ``shift_dates("on 3 March 2003", 10) == "on 13 March 2003"``. Times of day and durations stay: shifting all dates
    alike does not change them.
    """
    parts: list[str] = []
    offset = 0
    for form, match in find_dates(text):
        between = text[offset : match.start()]
        if has_unread_date(between):
            return None
        try:
            parts += [between, _shift_date(form, match, days, order, language)]
        except (ValueError, OverflowError):
            return None
        offset = match.end()
    if has_unread_date(text[offset:]):
        return None
    return "".join(parts) + text[offset:]


def without_times(text: str) -> str:
    """The text without times of day and durations, which shifting does not change."""
    return _DURATION.sub("", _TIME.sub("", text))


def has_unread_date(text: str) -> bool:
    """Whether a number or a month is left that is no time of day and no duration: 10/28."""
    return _UNREAD.search(without_times(text)) is not None


def _shift(match: re.Match[str], day: int, days: int) -> date:
    """A date that names its month in words, shifted."""
    return date(int(match["year"] or _REFERENCE_YEAR), month_number(match), day) + timedelta(days)


def _padded(value: int, *originals: str) -> str:
    """Padded with a zero as the original was: one of its numbers began with 0, or none of several was short."""
    is_padded = any(part.startswith("0") for part in originals)
    is_padded = is_padded or (len(originals) > 1 and all(len(part) > 1 for part in originals))
    return f"{value:02}" if is_padded else str(value)


def _named(words: dict[str, CalendarWord], original: str, index: int, language: str) -> str:
    """Another month or weekday in the language and the case of the original; in that of the text where it has it."""
    tables = (MONTHS, SHORT_MONTHS, WEEKDAYS)
    of_text = (table[language] for table in tables if language in table)
    calendar = next((names for names in of_text if original.casefold() in map(str.casefold, names)), None)
    name = (calendar or words[original.casefold()].names)[index]
    if original.isupper() and len(original) > 1:
        return name.upper()
    return name.lower() if original.islower() else name[:1].upper() + name[1:]


def _month_name(match: re.Match[str], shifted: date, language: str) -> str:
    return _named(MONTH_WORDS, match["month"], shifted.month - 1, language)


def _day_number(match: re.Match[str], day: int) -> str:
    """The day with its ordinal ending, if the original had one."""
    mark = match["ordinal"] or ""
    if mark.lower() in ("st", "nd", "rd", "th"):
        mark = ordinal_ending(day)
    elif mark == "er" and day != 1:
        mark = ""
    return _padded(day, match["day"]) + mark


def _shift_iso(match: re.Match[str], days: int) -> str:
    shifted = date(int(match["year"]), int(match["month"]), int(match["day"])) + timedelta(days)
    month, day = (_padded(part, match["month"], match["day"]) for part in (shifted.month, shifted.day))
    return f"{shifted.year:04}{match['a']}{month}{match['a']}{day}"


def _shift_numeric(match: re.Match[str], days: int, order: Order | None) -> str:
    # Both centuries give the same shifted date, but around the leap day that 1900 did not have.
    possible = possible_days(int(match["first"]), int(match["second"]), likely_year(match["year"]), order)
    if len(set(possible)) != 1 or (order == "ymd" and len(match["year"]) == 2):
        raise ValueError("a date with no reading, or with two")
    day = possible[0]
    shifted = day + timedelta(days)
    is_day_first = (day.day, day.month) == (int(match["first"]), int(match["second"]))
    parts = (shifted.day, shifted.month) if is_day_first else (shifted.month, shifted.day)
    shown = [_padded(part, match["first"], match["second"]) for part in parts]
    return match["a"].join([*shown, f"{shifted.year:04}"[-len(match["year"]) :]])


def _shift_with_month_name(form: str, match: re.Match[str], days: int, language: str) -> str:
    if form == "month":
        return _month_name(match, date(_REFERENCE_YEAR, month_number(match), 15) + timedelta(days), language)
    shifted = _shift(match, 15 if form == "month_year" else int(match["day"]), days)
    month = _month_name(match, shifted, language)
    if form == "month_year":
        return f"{month}{match['a']}{shifted.year}"
    day, year = _day_number(match, shifted.day), f"{match['b']}{shifted.year}" if match["year"] else ""
    if form == "month_day":
        return f"{month}{match['a']}{day}{year}"
    return f"{_shifted_start(match, days, shifted, language) if form == 'days' else ''}{day}{match['a']}{month}{year}"


def _shifted_start(match: re.Match[str], days: int, end: date, language: str) -> str:
    """The first day of a range and the sign behind it; with its month and year where they are no longer the last's."""
    start = _shift(match, int(match["from"]), days)
    text = _padded(start.day, match["from"])
    if (start.year, start.month) != (end.year, end.month):
        text += match["a"] + _month_name(match, start, language)
        text += match["b"] + str(start.year) if start.year != end.year else ""
    return text + match["to"]


def _shift_date(form: str, match: re.Match[str], days: int, order: Order | None, language: str) -> str:
    """What was found as a date of the form, shifted and written as it was."""
    match form:
        case "iso":
            return _shift_iso(match, days)
        case "numeric":
            return _shift_numeric(match, days, order)
        case "weekday":
            index = WEEKDAY_WORDS[match["weekday"].casefold()].index
            return _named(WEEKDAY_WORDS, match["weekday"], (index + days) % 7, language)
        case "year":
            return str((date(int(match["year"]), 7, 2) + timedelta(days)).year)
    return _shift_with_month_name(form, match, days, language)
