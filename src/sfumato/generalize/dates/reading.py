"""Read what a mention says about time: the days of each date in it, how they are joined, weekdays, times of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import IntEnum
from typing import Any, Literal

from sfumato.generalize.dates.tokens import (
    ANY_YEAR,
    EARLY,
    LATE,
    MIDDLE,
    DateConventions,
    Days,
    Token,
    tokenize,
    whole_month,
    whole_years,
)
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.time import Holiday, calendar_day


class Granularity(IntEnum):
    """How exact a date is, the most exact first."""

    DAY = 0
    PART_OF_MONTH = 1
    MONTH = 2
    SEASON = 3
    HALF = 4
    YEAR = 5
    PART_OF_DECADE = 6
    DECADE = 7
    PART_OF_CENTURY = 8
    CENTURY = 9
    ERA = 10


Part = tuple[float, float]
Minutes = tuple[int, int]
"""From and to a time of day, in minutes since midnight."""


@dataclass(frozen=True, slots=True)
class SingleDate:
    """One date: the days it may be, and its parts as far as they are said."""

    granularity: Granularity
    days: Days | None
    year: int | None = None
    month: int | None = None
    day: int | None = None
    dated: bool = True
    """Whether its year is known."""
    month_first: bool = False
    season: int | None = None
    part: Part | None = None
    """Which part of its month."""


Joint = Literal["one", "range", "list", "mixed"]


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a mention says. Without dates it is a weekday or a time of day."""

    dates: tuple[SingleDate, ...]
    joint: Joint
    weekdays: tuple[int, ...] = ()
    clock: tuple[Minutes, ...] = ()
    season: int | None = None
    """A season without a year."""
    holiday: str | None = None
    """The kind of a holiday without a year."""
    plural: bool = False
    between: bool = False

    @property
    def dated(self) -> bool:
        return all(single.dated for single in self.dates)


# A letter stands for a kind of token, see ``tokens``: D a day, M a month, Y a year, P a part, W a weekday, T a time.
_DATE = (
    "i|u|m|DM,?[Yn]|MD,?Y|DM|MD|P?M,?[Yn]|P?M|P?S,?[Ys]|S|H,?Y|H|"
    "P?dY|P?[da]n|aY|P?d?E|P?Dc|P?c[rD]|P?rc|s|P?Y|D,Y|D|P?r"
)
_ITEM = re.compile(
    rf"(?:(?P<t1>P?N|[Tt]N?),?)?(?:(?P<w1>[Ww]),?)?(?P<date>{_DATE})?(?:,?(?P<w2>W)(?![,&-]?(?:D|i|u)))?"
    r"(?:,?(?P<t2>P?N|[Tt]N?))?"
)
_JOINER = re.compile(r",?&|,-?|-")


class _AsksText(Exception):
    """A phrase can be read only by what the document around it says."""


class _WithoutText(DateConventions):
    """Of a phrase without its document: ends the reading where the document would be asked."""

    def __init__(self) -> None:
        """There is nothing to read."""

    def __getattribute__(self, name: str) -> Any:
        raise _AsksText


def read(text: str, conventions: DateConventions, language: str) -> Reading | None:
    """What the text says, or None where any part of it cannot be read."""
    is_alone, reading = _read_alone(text, language)
    return reading if is_alone else _read(text, conventions, language)


@remember_in_run(4096)
def _read_alone(text: str, language: str) -> tuple[bool, Reading | None]:
    """Whether the text can be read without its document, as nearly all dates can, and what it says then."""
    try:
        return True, _read(text, _WithoutText(), language)
    except _AsksText:
        return False, None


def _read(text: str, conventions: DateConventions, language: str) -> Reading | None:
    tokens = tokenize(text, conventions, language)
    if not tokens:
        return None
    between = tokens[0].kind == "<"
    tokens = tokens[1:] if between else tokens
    kinds = "".join(token.kind for token in tokens).rstrip(",")
    if kinds == "DN" and tokens[0].value <= 12:
        tokens, kinds = tokens[1:], "N"  # "9 in the morning"
    if "r" in kinds and "c" not in kinds:
        return None
    items: list[re.Match[str]] = []
    joiners: list[str] = []
    offset = len(kinds) - len(kinds.lstrip(","))
    while True:
        item = _ITEM.match(kinds, offset)
        if item is None or item.end() == offset:
            return None
        items.append(item)
        if item.end() == len(kinds):
            return _reading(items, joiners, tokens, between)
        joiner = _JOINER.match(kinds, item.end())
        if joiner is None or joiner.end() == len(kinds):
            return None
        joiners.append(joiner.group())
        offset = joiner.end()


def _reading(items: list[re.Match[str]], joiners: list[str], tokens: Sequence[Token], between: bool) -> Reading | None:
    written = [item for item in items if item["date"]]
    singles = [_read_date(item["date"], tokens[item.start("date") : item.end("date")]) for item in written]
    is_range = between or any("-" in joiner for joiner in joiners)
    dates = _complete([single for single in singles if single is not None], is_range)
    if None in singles or dates is None or len({single.dated for single in dates}) > 1:
        return None
    weekday_tokens = (tokens[item.start(group)] for item in items for group in ("w1", "w2") if item[group])
    clock = _clock(items, tokens)
    if clock is None or (singles and len(singles) < len(items)) or (between and len(items) < 2):
        return None
    joint: Joint = "one" if len(items) == 1 else "list" if not is_range else "range" if len(items) == 2 else "mixed"
    if joint == "range" and len(dates) == 2 and _is_backwards(*dates):
        return None
    alone = tokens[items[0].start("date")] if dates and len(items) == 1 and not dates[0].dated else None
    return Reading(
        dates=tuple(dates),
        joint=joint,
        weekdays=tuple(token.value for token in weekday_tokens),
        clock=clock,
        season=dates[0].season if alone is not None else None,
        holiday=alone.value.kind if alone and items[0]["date"] == "H" else None,
        plural=any(item["w1"] == "w" for item in items),
        between=between,
    )


def _is_backwards(first: SingleDate, last: SingleDate) -> bool:
    return bool(first.dated and first.days and last.days and first.days[0] > last.days[1])


def _clock(items: list[re.Match[str]], tokens: Sequence[Token]) -> tuple[Minutes, ...] | None:
    """The times of day; None where one may be in the morning or in the evening."""
    times: list[Minutes] = []
    for item in items:
        for group in ("t1", "t2"):
            if item[group]:
                values = {token.kind: token.value for token in tokens[item.start(group) : item.end(group)]}
                if "N" in values:
                    times.append(_time_in_part(values["N"], values.get("T")))
                elif "T" in values:
                    times.append(values["T"])
                elif item["date"] is None:
                    return None
    return tuple(times)


def _time_in_part(hours: tuple[int, int], time: Minutes | None) -> Minutes:
    """The time in the part of the day that is said with it, of twelve hours or of 24; else that part."""
    first, last = hours[0] * 60, hours[1] * 60 - 1
    if time is not None:
        minute = time[0]
        for candidate in (minute, minute + 720):
            if first <= candidate <= last:
                return candidate, candidate
    return first, last


# One date from its tokens.

_WINTER = 3
_FIRST_CENTURY, _LAST_CENTURY = 11, 22


def _read_date(kinds: str, tokens: Sequence[Token]) -> SingleDate | None:
    values = {token.kind: token.value for token in tokens}
    part = values.get("P")
    year, month, day = (values.get(kind) for kind in "YMD")
    kind = kinds.replace("P", "").replace(",", "").replace("-", "")
    match kind:
        case "i" | "u":
            return SingleDate(Granularity.DAY, values[kind], dated=kind == "i")
        case "m":
            return SingleDate(Granularity.MONTH, values["m"])
        case "s" | "Ss":
            days = values["s"]
            return SingleDate(Granularity.YEAR if days[0].year != days[1].year else Granularity.MONTH, days)
        case "DMn" | "Mn":
            year = values["n"][1]
            single = SingleDate(Granularity.DAY if day else Granularity.MONTH, None, year, month, day)
            # A year that is said, but may be of either century, is not that of the next date.
            return single if year is not None else _on_calendar(single)
        case "DMY" | "MDY" | "DM" | "MD" | "MY" | "M" | "DY" | "D":
            granularity = Granularity.DAY if day else Granularity.PART_OF_MONTH if part else Granularity.MONTH
            dated, month_first = year is not None, kind.startswith("MD")
            return SingleDate(granularity, None, year, month, day, dated, month_first, part=part)
        case "SY" | "S":
            season = values["S"]
            return SingleDate(Granularity.SEASON, None, year, season=season, dated=year is not None)
        case "HY" | "H":
            holiday: Holiday = values["H"]
            undated = date(ANY_YEAR, *holiday.first), date(ANY_YEAR, *holiday.last)
            return SingleDate(Granularity.DAY, holiday.days(year) if year else undated, dated=year is not None)
        case "Y" | "aY":
            return _part_of_year(values["Y"], part)
        case "dY" | "E" | "dE" | "dn" | "an":
            return _decade(values, part)
        case "Dc" | "cD" | "cr" | "rc" | "r":
            return _century(day or values["r"], part)
    return None


def _season(season: int, year: int) -> Days:
    # The winter of 2003 is called after either of its years; the speaker's own year is kept.
    if season == _WINTER:
        return whole_years(year, year)
    return date(year, 3 * season + 3, 1), whole_month(year, 3 * season + 5)[1]


def _part_of_year(year: int, part: Part | None) -> SingleDate:
    if part is None:
        return SingleDate(Granularity.YEAR, whole_years(year, year), year)
    first, last = {EARLY: (0.0, 0.25), LATE: (0.75, 1.0)}.get(part, part)
    granularity = Granularity.HALF if last - first == 0.5 else Granularity.SEASON
    months = (int(first * 12) + 1, min(12, max(1, round(last * 12))))
    return SingleDate(granularity, (date(year, months[0], 1), whole_month(year, months[1])[1]))


def _decade(values: dict[str, Any], part: Part | None) -> SingleDate | None:
    first = values.get("Y") or values.get("E") or 0
    first = first or 1900 + values["n"][0]
    if first % 10 or ("n" in values and first < 1950):
        return None
    if part is not None:
        start, end = first + int(part[0] * 10 + 0.5), first + int(part[1] * 10 + 0.5) - 1
        return SingleDate(Granularity.PART_OF_DECADE, whole_years(start, max(start, end)))
    # "The 1900s" are ten years or a hundred.
    last = first + (99 if first % 100 == 0 and first != 2000 else 9)
    return SingleDate(Granularity.DECADE, whole_years(first, last))


def _century(number: int, part: Part | None) -> SingleDate | None:
    if not _FIRST_CENTURY <= number <= _LAST_CENTURY:
        return None
    first = 100 * (number - 1)
    if part is None:
        return SingleDate(Granularity.CENTURY, whole_years(first, first + 99))
    years = whole_years(first + int(part[0] * 100 + 0.5), first + int(part[1] * 100 + 0.5) - 1)
    return SingleDate(Granularity.PART_OF_CENTURY, years)


# Dates that complete each other.


def _complete(singles: list[SingleDate], is_range: bool) -> list[SingleDate] | None:
    """Each date with the month and the year that the others say for it: "8 and 22 April 1991"."""
    dates = _with_later_parts(singles)
    if dates is None:
        return None
    month_before: int | None = None
    for index, single in enumerate(dates):
        if single.days is not None:
            continue
        if single.season is not None:
            days = _season(single.season, single.year or ANY_YEAR)
            dates[index] = replace(single, days=days, dated=single.year is not None)
            continue
        month = single.month or month_before
        if month is None:
            return None
        dates[index] = _on_calendar(replace(single, month=month))
        month_before = month
    if _is_ascending(dates, singles):
        return dates
    if is_range and len(dates) == 2 and dates[0].month and dates[0].year:
        # "From December to March 2000" begins the year before.
        return [_on_calendar(replace(dates[0], year=dates[0].year - 1)), dates[1]]
    return None


def _with_later_parts(singles: list[SingleDate]) -> list[SingleDate] | None:
    """Each date with the month, the year or the century that a later one says."""
    dates: list[SingleDate] = []
    month = year = None
    in_centuries = False
    for single in reversed(singles):
        if single.days is not None:
            in_centuries = single.granularity in (Granularity.CENTURY, Granularity.PART_OF_CENTURY)
            month = None
            year = single.days[0].year if single.dated and single.granularity <= Granularity.MONTH else None
            dates.append(single)
        elif in_centuries and single.month is None and single.day is not None:
            century = _century(single.day, None)
            if century is None:
                return None
            dates.append(century)
        else:
            month, year = single.month or month, single.year or year
            dates.append(replace(single, month=single.month or month, year=year))
    return dates[::-1]


def _on_calendar(single: SingleDate) -> SingleDate:
    assert single.month is not None
    year, month = single.year or ANY_YEAR, single.month
    days: Days
    if single.day is None:
        days = _part_of_month(whole_month(year, month), single.part)
    else:
        day = calendar_day(year, month, single.day)
        # No such day: the month may be wrong as well as the day, so the year is all that is believed.
        days = (day, day) if day else whole_years(year, year)
    return replace(single, days=days, dated=single.year is not None)


def _part_of_month(days: Days, part: Part | None) -> Days:
    first, last = days
    if part is None:
        return days
    if part not in (EARLY, MIDDLE, LATE):
        return (first, first.replace(day=15)) if part[0] == 0 else (first.replace(day=15), last)
    third = min(2, int(part[0] * 3 + 0.1))
    return first.replace(day=10 * third + 1), last if part == LATE else first.replace(day=10 * third + 10)


def _is_ascending(dates: list[SingleDate], singles: list[SingleDate]) -> bool:
    """Whether a year that was lent to a date is surely its year: "3 December and 4 January 2000" is not all 2000."""
    for first, second, single in zip(dates, dates[1:], singles, strict=False):
        is_lent = single.days is None and single.year is None and first.year is not None
        if is_lent and first.days and second.days and first.days[0] > second.days[0]:
            return False
    return True
