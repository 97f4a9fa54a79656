"""Dates moved by a secret number of days: what happened when is hidden, what lay between stays."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from sfumato.document import Document, Span
from sfumato.lexicon.numbers import ordinal_ending
from sfumato.lexicon.time import (
    MONTH_WORDS,
    WEEKDAY_WORDS,
    CalendarWord,
    Order,
    any_of,
    find_dates,
    infer_order,
    likely_year,
    month_number,
    numeric_day,
)
from sfumato.replacers.base import SpanReplacer, numbered_label
from sfumato.vault.ledger import Ledger

# -- Move the dates in a piece of text by a number of days, each in the form it was written in.


_REFERENCE_YEAR = 2001  # for dates without a year; not a leap year, so 29 February without a year stays unreadable
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
_LEFT_OVER = re.compile(rf"\d|(?<!\w)(?:{any_of(MONTH_WORDS)})(?!\w)", re.IGNORECASE)


def shift_dates(text: str, days: int, order: Order = "dmy") -> str | None:
    """The text with every date in it moved, or None where something in it cannot be read as a date.

    ``shift_dates("on 3 March 2003", 10) == "on 13 March 2003"``. Times of day and durations stay: moving all dates
    alike does not change them.
    """
    done: list[str] = []
    at = 0
    for form, match in find_dates(text):
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


def _nothing_left(text: str) -> bool:
    return _LEFT_OVER.search(_DURATION.sub("", _TIME.sub("", text))) is None


def _moved(year: int, month: int, day: int, days: int) -> date:
    return date(year, month, day) + timedelta(days)


def _number(value: int, *like: str) -> str:
    """Padded with a zero where the original was: one of its numbers began with 0, or none of several was short."""
    padded = any(part.startswith("0") for part in like) or (len(like) > 1 and all(len(part) > 1 for part in like))
    return f"{value:02}" if padded else str(value)


def _word_like(words: dict[str, CalendarWord], found: str, index: int) -> str:
    name = words[found.casefold()].names[index]
    if found.isupper() and len(found) > 1:
        return name.upper()
    return name.lower() if found.islower() else name[:1].upper() + name[1:]


def _month_name(match: re.Match[str], moved: date) -> str:
    return _word_like(MONTH_WORDS, match["month"], moved.month - 1)


def _ordinal(match: re.Match[str], day: int) -> str:
    mark = match["ordinal"] or ""
    if mark.lower() not in ("st", "nd", "rd", "th"):
        return mark if mark != "er" or day == 1 else ""
    return ordinal_ending(day)


def _iso(match: re.Match[str], days: int, order: Order) -> str:
    moved = _moved(int(match["year"]), int(match["month"]), int(match["day"]), days)
    month, day = (_number(part, match["month"], match["day"]) for part in (moved.month, moved.day))
    return f"{moved.year:04}{match['a']}{month}{match['a']}{day}"


def _numeric(match: re.Match[str], days: int, order: Order) -> str:
    # Both centuries give the same shifted date, but around the leap day that 1900 did not have.
    read = numeric_day(match, order, likely_year(match["year"]))
    moved = read + timedelta(days)
    day_first = (read.day, read.month) == (int(match["first"]), int(match["second"]))
    parts = (moved.day, moved.month) if day_first else (moved.month, moved.day)
    shown = f"{moved.year:04}"[-len(match["year"]) :]
    shown_parts = [_number(part, match["first"], match["second"]) for part in parts]
    return match["a"].join([*shown_parts, shown])


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
    index = WEEKDAY_WORDS[match["weekday"].casefold()].index
    return _word_like(WEEKDAY_WORDS, match["weekday"], (index + days) % 7)


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


# -- Dates moved by a secret number of days: what happened when is hidden, what lay between stays.


class DateShift(SpanReplacer):
    """Move dates by one secret offset per subject, keeping intervals and the way they are written.

    Durations and times of day stay. A date that cannot be read, and any span that is not a date, gets a numbered label.
    """

    uses = ("ledger",)

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
        if span.label != "DATETIME":
            return numbered_label(self._ledger, document, span)
        order: Order = _order_in(document.text) if self._order == "auto" else self._order
        shifted = shift_dates(original, self.offset(document), order)
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


@lru_cache(maxsize=4)
def _order_in(text: str) -> Order:
    return infer_order(text) or "dmy"
