"""Name the month, season, year, decade or century that some days lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.generalize.dates.reading import Granularity
from sfumato.generalize.dates.tokens import ROMAN, Days, length, whole_month, whole_years
from sfumato.generalize.hierarchy import Article
from sfumato.lexicon.numbers import ordinal_ending
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import MONTHS

_EARLY, _MIDDLE, _LATE = range(3)
_WINTER = 3


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
    year = first.year if dated else None
    match granularity:
        case Granularity.PART_OF_MONTH:
            return _part_of_month(days, year, language)
        case Granularity.MONTH:
            return _month(days, year, language)
        case Granularity.SEASON if not southern:
            return _season(days, year, language)
        case Granularity.SEASON:
            return _part_of_year("quarter", _data(language)["quarters"], days, year, language)
        case Granularity.HALF:
            return _part_of_year("half", _data(language)["halves"], days, year, language)
        case Granularity.YEAR:
            return _worded("year", whole_years(first.year, first.year), language, year)
        case Granularity.DECADE | Granularity.PART_OF_DECADE:
            return _decade_or_century(granularity, 10, days, language)
        case Granularity.CENTURY | Granularity.PART_OF_CENTURY:
            return _decade_or_century(granularity, 100, days, language)
        case Granularity.ERA:
            return _era(days, language)
    return None


def _data(language: str) -> Any:
    return load_toml("dates", language)["names"]


def _worded(key: str, days: Days, language: str, year: int | None = None, **values: object) -> Name:
    """The name by its templates in the data file."""
    templates = _data(language)[key]
    is_undated = year is None and "undated" in templates
    text = templates["undated" if is_undated else "text"].format(year=year, **values)
    modifier = templates.get("undated_modifier") if year is None else None
    modifier = modifier or templates.get("modifier")
    return Name(
        text,
        days,
        templates.get("article", ""),
        templates["preposition"],
        modifier.format(year=year, text=text, **values) if modifier else None,
        templates["tail"].format(year=year, **values) if not is_undated and "tail" in templates else "",
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
    month = MONTHS[language][first.month - 1]
    return _worded("month", whole_month(first.year, first.month), language, year, month=month)


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


def _part_of_year(key: str, parts: tuple[str, ...], days: Days, year: int | None, language: str) -> Name | None:
    """The quarter or the half."""
    months = 12 // len(parts)
    indices = {(day.month - 1) // months for day in days}
    if len(indices) > 1:
        return None
    index = indices.pop()
    whole = _months(days, months * index + 1, months * index + months)
    return _worded(key, whole, language, year, **{key: parts[index]})


def _decade_or_century(granularity: Granularity, years: int, days: Days, language: str) -> Name | None:
    """The decade or century, of ten or a hundred years, or the part of it: its years 0 to 3, 4 to 6 or 7 to 9."""
    start = days[0].year // years * years
    if days[1].year // years * years != start:
        return None
    number = start // 100 + 1
    values: dict[str, Any] = {"decade": start, "ordinal": f"{number}{ordinal_ending(number)}", "roman": ROMAN[number]}
    if granularity in (Granularity.DECADE, Granularity.CENTURY):
        return _worded(granularity.name.lower(), whole_years(start, start + years - 1), language, **values)
    tenths = [day.year % years * 10 // years for day in days]
    first, last = (_EARLY if tenth <= 3 else _MIDDLE if tenth <= 6 else _LATE for tenth in tenths)
    part = _part(first, last, language)
    if part is None:
        return None
    whole = whole_years(start + (0, 4, 7)[first] * years // 10, start + (4, 7, 10)[last] * years // 10 - 1)
    return _worded(granularity.name.lower(), whole, language, part=part, **values)


def _part(first: int, last: int, language: str) -> str | None:
    """ "early ", "mid-", or of two parts that follow one another "mid to late "; None where there is no such name."""
    if first == last:
        return str(_data(language)["parts"][first])
    two_parts = _data(language)["two_parts"]
    return str(two_parts[first]) if two_parts and last - first == 1 else None


def _era(days: Days, language: str) -> Name | None:
    for first, last, era in _data(language)["eras"]:
        if first <= days[0].year and days[1].year <= last:
            return _worded("era", whole_years(first, last), language, era=era)
    return None
