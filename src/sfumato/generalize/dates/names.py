"""Name the month, season, year, decade or century that some days lie in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sfumato.generalize.dates.reading import Granularity
from sfumato.generalize.dates.tokens import Days, length, whole_month, whole_years
from sfumato.generalize.hierarchy import Article
from sfumato.lexicon.numbers import ordinal_ending
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import MONTHS

_EARLY, _MIDDLE, _LATE = range(3)
_WINTER = 3
_ROMAN = {10: "X", 9: "IX", 5: "V", 4: "IV", 1: "I"}


@dataclass(frozen=True, slots=True)
class Name:
    """What some days lie in, as a level says it."""

    text: str
    days: Days
    article: Article = ""
    preposition: str = "in"
    modifier: str | None = None
    tail: str = ""
    """What names of the same year, decade or century share: "April and June" + " 1991"."""

    @property
    def members(self) -> int:
        return length(self.days)

    @property
    def full(self) -> str:
        return f"{self.article} {self.text}" if self.article else self.text


def name(granularity: Granularity, days: Days, language: str, southern: bool, dated: bool) -> Name | None:
    """The one month, season, year ... that holds all the days; None where none does."""
    first, last = days
    if granularity <= Granularity.YEAR and first.year != last.year:
        return None
    if granularity >= Granularity.YEAR and not dated:
        return None
    if granularity == Granularity.SEASON and southern:
        return _quarter(days, first.year if dated else None, language)
    namer = _NAMERS.get(granularity)
    return namer(days, first.year if dated else None, language) if namer else None


def _data(language: str) -> Any:
    return load_toml("dates", language)["names"]


def _worded(key: str, days: Days, language: str, year: int | None = None, **values: object) -> Name:
    """The name by its templates in the data file."""
    templates = _data(language)[key]
    text = templates["text"] if year is not None or "undated" not in templates else templates["undated"]
    text = text.format(year=year, **values)
    modifier = templates.get("undated_modifier") if year is None else None
    modifier = modifier or templates.get("modifier")
    has_tail = year is not None or "undated" not in templates
    return Name(
        text,
        days,
        templates.get("article", ""),
        templates["preposition"],
        modifier.format(year=year, text=text, **values) if modifier else None,
        templates["tail"].format(year=year, **values) if has_tail and "tail" in templates else "",
    )


def _part_of_month(days: Days, year: int | None, language: str) -> Name | None:
    parts = {min((day.day - 1) // 10, _LATE) for day in days}
    month = _month(days, year, language)
    if len(parts) > 1 or month is None:
        return None
    part = parts.pop()
    begin, end = month.days
    whole = begin.replace(day=10 * part + 1), end if part == _LATE else begin.replace(day=10 * part + 10)
    return _worded("part_of_month", whole, language, part=_data(language)["parts"][part], month=month.text)


def _month(days: Days, year: int | None, language: str) -> Name | None:
    first, last = days
    if first.month != last.month:
        return None
    return _worded(
        "month", whole_month(first.year, first.month), language, year, month=MONTHS[language][first.month - 1]
    )


def _season(days: Days, year: int | None, language: str) -> Name | None:
    seasons = {(day.month - 3) % 12 // 3 for day in days}
    if len(seasons) > 1 or days[1].month - days[0].month > 2:
        return None
    season = seasons.pop()
    if season == _WINTER and year is not None:
        # A winter has two years and is called after either; "late 2003" instead would tell December from the autumn.
        return None
    whole = _months(days, 1, 3) if season == _WINTER else _months(days, 3 * season + 3, 3 * season + 5)
    return _worded("season", whole, language, year, season=_data(language)["seasons"][season])


def _months(days: Days, first: int, last: int) -> Days:
    year = days[0].year
    return whole_month(year, first)[0], whole_month(year, last)[1]


def _quarter(days: Days, year: int | None, language: str) -> Name | None:
    quarters = {(day.month - 1) // 3 for day in days}
    if len(quarters) > 1:
        return None
    quarter = quarters.pop()
    whole = _months(days, 3 * quarter + 1, 3 * quarter + 3)
    return _worded("quarter", whole, language, year, quarter=_data(language)["quarters"][quarter])


def _half(days: Days, year: int | None, language: str) -> Name | None:
    halves = {(day.month - 1) // 6 for day in days}
    if len(halves) > 1:
        return None
    half = halves.pop()
    whole = _months(days, 6 * half + 1, 6 * half + 6)
    return _worded("half", whole, language, year, half=_data(language)["halves"][half])


def _year(days: Days, year: int | None, language: str) -> Name | None:
    return _worded("year", whole_years(days[0].year, days[0].year), language, year)


def _third(digit: int) -> int:
    """Which part of a decade a year is in by its last digit, or of a century a decade: 0 to 3, 4 to 6, 7 to 9."""
    return _EARLY if digit <= 3 else _MIDDLE if digit <= 6 else _LATE


def _years_in_thirds(year: int, first: int, last: int, step: int) -> Days:
    begin, end = (0, 4, 7)[first], (4, 7, 10)[last]
    return whole_years(year + begin * step, year + end * step - 1)


def _part(first: int, last: int, language: str) -> str | None:
    """ "early ", "mid-", or of two parts that follow one another "mid to late "; None where there is no such name."""
    if first == last:
        return str(_data(language)["parts"][first])
    two_parts = _data(language)["two_parts"]
    return str(two_parts[first]) if two_parts and last - first == 1 else None


def _part_of_decade(days: Days, year: int | None, language: str) -> Name | None:
    first, last = (_third(day.year % 10) for day in days)
    part = _part(first, last, language)
    if part is None or _decade(days, year, language) is None:
        return None
    decade = days[0].year // 10 * 10
    return _worded("part_of_decade", _years_in_thirds(decade, first, last, 1), language, part=part, decade=decade)


def _decade(days: Days, year: int | None, language: str) -> Name | None:
    decades = {day.year // 10 * 10 for day in days}
    if len(decades) > 1:
        return None
    decade = decades.pop()
    return _worded("decade", whole_years(decade, decade + 9), language, decade=decade)


def _part_of_century(days: Days, year: int | None, language: str) -> Name | None:
    first, last = (_third(day.year % 100 // 10) for day in days)
    part = _part(first, last, language)
    if part is None or _century(days, year, language) is None:
        return None
    whole = _years_in_thirds(days[0].year // 100 * 100, first, last, 10)
    return _worded("part_of_century", whole, language, None, part=part, **_century_numbers(days))


def _century(days: Days, year: int | None, language: str) -> Name | None:
    if days[0].year // 100 != days[1].year // 100:
        return None
    first = days[0].year // 100 * 100
    return _worded("century", whole_years(first, first + 99), language, None, **_century_numbers(days))


def _century_numbers(days: Days) -> dict[str, str]:
    number = days[0].year // 100 + 1
    return {"ordinal": f"{number}{ordinal_ending(number)}", "roman": _roman(number)}


def _era(days: Days, year: int | None, language: str) -> Name | None:
    for first, last, era in _data(language)["eras"]:
        if first <= days[0].year and days[1].year <= last:
            return _worded("era", whole_years(first, last), language, era=era)
    return None


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN.items():
        while number >= value:
            text, number = text + letters, number - value
    return text


_NAMERS: dict[Granularity, Callable[[Days, int | None, str], Name | None]] = {
    Granularity.PART_OF_MONTH: _part_of_month,
    Granularity.MONTH: _month,
    Granularity.SEASON: _season,
    Granularity.HALF: _half,
    Granularity.YEAR: _year,
    Granularity.PART_OF_DECADE: _part_of_decade,
    Granularity.DECADE: _decade,
    Granularity.PART_OF_CENTURY: _part_of_century,
    Granularity.CENTURY: _century,
    Granularity.ERA: _era,
}
