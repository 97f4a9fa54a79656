"""The forms in which dates are written in a text, and what numeric ones mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from sfumato.knowledge.dates.calendar import MONTHS, SHORT_MONTHS, WEEKDAYS

Order = Literal["dmy", "mdy"]
"""How 03/04/2021 is read: 3 April or March 4."""


@dataclass(frozen=True, slots=True)
class Word:
    """A month or a weekday: its place among the names of its language."""

    names: tuple[str, ...]
    index: int


def _words(*tables: dict[str, tuple[str, ...]]) -> dict[str, Word]:
    # The first language that has a word wins; languages that share it mostly share the month too.
    found: dict[str, Word] = {}
    for table in tables:
        for names in table.values():
            for index, name in enumerate(names):
                found.setdefault(name.casefold(), Word(names, index))
    return found


MONTH_WORDS = _words(MONTHS, SHORT_MONTHS)
WEEKDAY_WORDS = _words(WEEKDAYS)


def alternatives(words: dict[str, Word]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?P<month>{alternatives(MONTH_WORDS)})(?!\w)"
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
        "weekday": rf"(?<!\w)(?P<weekday>{alternatives(WEEKDAY_WORDS)})(?!\w)",
        "year": rf"(?<![\d.,]){_YEAR}(?![.,]?\d)(?!s)",
        "month": rf"(?<!\w){_MONTH}",
    }.items()
}


def order_in(text: str) -> Order:
    """How a text writes its numeric dates: month first only when one of its dates can be read in no other way."""
    for match in _FORMS["numeric"].finditer(text):
        if int(match["second"]) > 12 >= int(match["first"]):
            return "mdy"
        if int(match["first"]) > 12:
            return "dmy"
    return "dmy"


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


def month_number(match: re.Match[str]) -> int:
    """The month that a date names in words, 1 to 12."""
    return MONTH_WORDS[match["month"].casefold()].index + 1


def numeric_date(match: re.Match[str], order: Order) -> date:
    """What a numeric date means; ``order`` settles it only where both readings are dates."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if len(match["year"]) == 2:
        year += 2000 if year < 50 else 1900
    day_first = first > 12 or (second <= 12 and order == "dmy")
    return date(year, second if day_first else first, first if day_first else second)
