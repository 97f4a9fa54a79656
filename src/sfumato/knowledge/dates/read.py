"""What the dates in a piece of text say: year, month and day, as far as they are given."""

from __future__ import annotations

import re
from typing import NamedTuple

from sfumato.knowledge.dates.forms import Order, forms_in, month_number, numeric_date


class PartialDate(NamedTuple):
    """A date of which some parts may not be said."""

    year: int | None
    month: int | None
    day: int | None


def read_dates(text: str, order: Order = "dmy") -> tuple[PartialDate, ...]:
    """The dates in the text, in order; "from 3 to 5 May" and weekdays without a date are left out.

    ``read_dates("3 May 2003") == read_dates("2003-05-03") == ((2003, 5, 3),)``.
    """
    found = (_read(form, match, order) for form, match in forms_in(text))
    return tuple(date for date in found if date is not None)


def _read(form: str, match: re.Match[str], order: Order) -> PartialDate | None:
    match form:
        case "weekday" | "days":
            return None
        case "numeric":
            try:
                read = numeric_date(match, order)
            except ValueError:
                return None
            return PartialDate(read.year, read.month, read.day)
        case "iso":
            return PartialDate(int(match["year"]), int(match["month"]), int(match["day"]))
    said = match.groupdict()
    month = month_number(match) if said.get("month") else None
    return PartialDate(_number(said.get("year")), month, _number(said.get("day")))


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
