"""Stretches of days: a month, some years, and how long they are."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta

Days = tuple[date, date]
"""A first and a last day."""
ANY_YEAR = 2000
"""Stands for the year of a date without one; a leap year, so that 29 February is a day of it."""


def whole_month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def whole_years(first: int, last: int) -> Days:
    return date(first, 1, 1), date(last, 12, 31)


def length(days: Days) -> int:
    """How many days, both ends counted."""
    return (days[1] - days[0] + timedelta(1)).days
