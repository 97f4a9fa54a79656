"""The month, season, year, decade or century that some days lie in, by name, in English and Spanish."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.generalize.dates.reading import Granularity
from sfumato.generalize.dates.tokens import Days, length, whole_month, whole_years
from sfumato.generalize.hierarchy import Article
from sfumato.lexicon.numbers import ordinal_ending
from sfumato.lexicon.time import MONTHS, SEASONS, WEEKDAYS

_EARLY, _MIDDLE, _LATE = range(3)
_PARTS = {"en": ("early ", "mid-", "late "), "es": ("principios de", "mediados de", "finales de")}
_WINTER = 3
_ERAS = (
    (500, 1499, "Middle Ages", "la Edad Media"),
    (1500, 1799, "early modern period", "la Edad Moderna"),
    (1800, 2199, "modern era", "la época contemporánea"),
)
_ROMAN = {10: "X", 9: "IX", 5: "V", 4: "IV", 1: "I"}


@dataclass(frozen=True, slots=True)
class Name:
    """What some days lie in, as a level says it. Spanish names carry their article, since its gender goes with them."""

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
    year = first.year if dated else None
    match granularity:
        case Granularity.PART_OF_MONTH:
            return _part_of_month(days, year, language)
        case Granularity.MONTH:
            return _month(days, year, language)
        case Granularity.SEASON:
            return _quarter(days, year, language) if southern else _season(days, year, language)
        case Granularity.HALF:
            return _half(days, year, language)
        case Granularity.YEAR if dated:
            return Name(str(year), whole_years(first.year, first.year), "", _in(language), str(year))
        case Granularity.PART_OF_DECADE if dated:
            return _part_of_decade(days, language)
        case Granularity.DECADE if dated:
            return _decade(days, language)
        case Granularity.PART_OF_CENTURY if dated:
            return _part_of_century(days, language)
        case Granularity.CENTURY if dated:
            return _century(days, language)
        case Granularity.ERA if dated:
            return _era(days, language)
    return None


def _in(language: str) -> str:
    return "en" if language == "es" else "in"


def _of(year: int | None, language: str) -> str:
    if year is None:
        return " del año" if language == "es" else " of the year"
    return f" de {year}" if language == "es" else f" of {year}"


def _part_of_month(days: Days, year: int | None, language: str) -> Name | None:
    parts = {min((day.day - 1) // 10, _LATE) for day in days}
    month = _month(days, year, language)
    if len(parts) > 1 or month is None:
        return None
    part = parts.pop()
    begin, end = month.days
    within = (
        begin.replace(day=10 * part + 1),
        end if part == _LATE else begin.replace(day=10 * part + 10),
    )
    text = f"{_PARTS[language][part]}{' ' if language == 'es' else ''}{month.text}"
    return Name(text, within, "", "a" if language == "es" else "in", None if language == "es" else text)


def _month(days: Days, year: int | None, language: str) -> Name | None:
    first, last = days
    if first.month != last.month:
        return None
    month = MONTHS[language][first.month - 1]
    tail = "" if year is None else f" de {year}" if language == "es" else f" {year}"
    text = month + tail
    return Name(text, whole_month(first.year, first.month), "", _in(language), text, tail)


def _season(days: Days, year: int | None, language: str) -> Name | None:
    seasons = {(day.month - 3) % 12 // 3 for day in days}
    if len(seasons) > 1 or days[1].month - days[0].month > 2:
        return None
    season = seasons.pop()
    if season == _WINTER and year is not None:
        # A winter has two years and is called after either; "late 2003" instead would tell December from the autumn.
        return None
    word = SEASONS[language][season]
    whole = _month_names(days, 3 * season + 3, 3 * season + 5) if season != _WINTER else _month_names(days, 1, 3)
    tail = "" if year is None else f" de {year}" if language == "es" else f" of {year}"
    if language == "es":
        return Name(f"{'la' if season == 0 else 'el'} {word}{tail}", whole, "", "en", tail=tail)
    return Name(word + tail, whole, "the", "in", f"{word} {year}" if year else word, tail)


def _month_names(days: Days, first: int, last: int) -> Days:
    year = days[0].year
    return whole_month(year, first)[0], whole_month(year, last)[1]


def _quarter(days: Days, year: int | None, language: str) -> Name | None:
    quarters = {(day.month - 1) // 3 for day in days}
    if len(quarters) > 1:
        return None
    quarter = quarters.pop()
    whole = _month_names(days, 3 * quarter + 1, 3 * quarter + 3)
    if language == "es":
        ordinal = ("primer", "segundo", "tercer", "cuarto")[quarter]
        return Name(f"el {ordinal} trimestre{_of(year, language)}", whole, "", "en")
    ordinal = ("first", "second", "third", "fourth")[quarter]
    return Name(f"{ordinal} quarter{_of(year, language)}", whole, "the", "in")


def _half(days: Days, year: int | None, language: str) -> Name | None:
    halves = {day.month > 6 for day in days}
    if len(halves) > 1:
        return None
    second = halves.pop()
    whole = _month_names(days, 7, 12) if second else _month_names(days, 1, 6)
    if language == "es":
        return Name(f"la {'segunda' if second else 'primera'} mitad{_of(year, language)}", whole, "", "en")
    return Name(f"{'second' if second else 'first'} half{_of(year, language)}", whole, "the", "in")


def _third(digit: int) -> int:
    """Which part of a decade a year is in by its last digit, or of a century a decade: 0 to 3, 4 to 6, 7 to 9."""
    return _EARLY if digit <= 3 else _MIDDLE if digit <= 6 else _LATE


def _years_in_thirds(year: int, first: int, last: int, step: int) -> Days:
    begin, end = (0, 4, 7)[first], (4, 7, 10)[last]
    return whole_years(year + begin * step, year + end * step - 1)


def _part(first: int, last: int) -> str:
    """ "early ", "mid-", or of two parts that follow one another "mid to late "."""
    return _PARTS["en"][first] if first == last else f"{('early', 'mid')[first]} to {_PARTS['en'][last]}"


def _part_of_decade(days: Days, language: str) -> Name | None:
    decade = _decade(days, language)
    if decade is None:
        return None
    first, last = (_third(day.year % 10) for day in days)
    whole = _years_in_thirds(days[0].year // 10 * 10, first, last, 1)
    if language == "es":
        return Name(f"{_PARTS['es'][first]} {decade.text}", whole, "", "a", tail=decade.text) if first == last else None
    if last - first > 1:
        return None
    text = _part(first, last) + decade.text
    return Name(text, whole, "the", "in", text, decade.text)


def _decade(days: Days, language: str) -> Name | None:
    decades = {day.year // 10 * 10 for day in days}
    if len(decades) > 1:
        return None
    decade = decades.pop()
    whole = whole_years(decade, decade + 9)
    if language == "es":
        return Name(f"la década de {decade}", whole, "", "en")
    return Name(f"{decade}s", whole, "the", "in", f"{decade}s")


def _part_of_century(days: Days, language: str) -> Name | None:
    century = _century(days, language)
    if century is None:
        return None
    first, last = (_third(day.year % 100 // 10) for day in days)
    whole = _years_in_thirds(days[0].year // 100 * 100, first, last, 10)
    if language == "es":
        text = f"{_PARTS['es'][first]}l {century.text.removeprefix('el ')}"
        return Name(text, whole, "", "a", tail=century.text) if first == last else None
    if last - first > 1:
        return None
    part = _part(first, last)
    return Name(part + century.text, whole, "the", "in", f"{part}{century.modifier}", century.text)


def _century(days: Days, language: str) -> Name | None:
    centuries = {day.year // 100 for day in days}
    if len(centuries) > 1:
        return None
    number = centuries.pop() + 1
    whole = whole_years(100 * number - 100, 100 * number - 1)
    if language == "es":
        return Name(f"el siglo {_roman(number)}", whole, "", "en")
    ordinal = f"{number}{ordinal_ending(number)}"
    return Name(f"{ordinal} century", whole, "the", "in", f"{ordinal}-century")


def _era(days: Days, language: str) -> Name | None:
    for first, last, english, spanish in _ERAS:
        if first <= days[0].year and days[1].year <= last:
            whole = whole_years(first, last)
            return Name(spanish, whole, "", "en") if language == "es" else Name(english, whole, "the", "in")
    return None


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN.items():
        while number >= value:
            text, number = text + letters, number - value
    return text


# -- What may have stood where a phrase without a date stands: weekdays, holidays, times told from another.


_WEEK = {"weekday": (0, 4, 2, 1, 3), "weekend": (5, 6), "día laborable": (0, 4, 2, 1, 3), "fin de semana": (5, 6)}
_RELATIVE = re.compile(r"(?:a few (?P<few>\w+?)s|(?P<many>\w+?)s) (?P<way>later|earlier|ago)", re.IGNORECASE)
_FEW_WORDS = ("two", "three", "four", "five", "six")
_MANY_WORDS = ("ten", "seven", "eight", "twelve", "fifteen", "twenty", "nine")
_FIXED = {
    "following days": ("the next day", "the following day", "the next morning"),
    "preceding days": ("the previous day", "the day before"),
    "recent days": ("yesterday", "last night"),
    "coming days": ("tomorrow",),
    "following weeks": ("the following week", "the next day", "the following day"),
    "recent weeks": ("last week", "yesterday"),
    "recent months": ("last month", "last week"),
    "recent years": ("last year",),
    "coming weeks": ("next week", "tomorrow"),
    "coming months": ("next month", "next week"),
    "coming years": ("next year",),
    "following months": ("the following month", "the following week"),
    "following years": ("the following year",),
    "following year": ("two months later", "three months later", "six months later", "one month later"),
    "following month": ("two weeks later", "a week later", "three weeks later", "ten days later"),
    "following week": ("two days later", "three days later", "a day later", "five days later"),
    "preceding year": ("two months earlier", "three months earlier", "six months earlier", "one month earlier"),
    "preceding month": ("two weeks earlier", "a week earlier", "three weeks earlier"),
    "preceding week": ("two days earlier", "three days earlier", "a day earlier"),
    "past year": ("two months ago", "three months ago", "six months ago", "a month ago"),
    "past month": ("two weeks ago", "a week ago", "three weeks ago"),
    "past week": ("two days ago", "three days ago", "a day ago"),
    "same month": ("the same day",),
    "same year": ("the same day", "the same month"),
    "this week": ("today", "this morning"),
    "later date": ("the next day", "two months later", "two years later", "several years later"),
    "earlier date": ("the previous day", "two months earlier", "two years earlier", "some years earlier"),
    "christian holiday": ("Christmas", "Easter", "Christmas Day", "Good Friday", "Christmas Eve", "Easter Monday"),
    "religious holiday": ("Christmas", "Easter", "Christmas Day", "Good Friday", "Christmas Eve", "Ramadan"),
    "holiday": ("Christmas", "Easter", "New Year's Day", "Christmas Day", "New Year's Eve", "Thanksgiving"),
    "spring or summer": ("summer", "spring"),
    "autumn or winter": ("winter", "autumn"),
    "los días siguientes": ("al día siguiente", "el día siguiente"),
    "los últimos días": ("ayer", "anteayer"),
    "los últimos meses": ("el mes pasado",),
    "los últimos años": ("el año pasado",),
    "un día festivo": ("Navidad", "Año Nuevo", "Semana Santa"),
}
_PARTS_OF_YEAR = re.compile(
    r"(?P<first>first|primera?)|(?P<second>second|segund[oa])|(?P<third>third|tercer)|(?P<fourth>fourth|cuarto)"
)
_HALF, _QUARTER = ("half", "mitad"), ("quarter", "trimestre")


def phrase_originals(said: str, language: str) -> tuple[str, ...]:
    """Likeliest first; empty for a phrase that says something else."""
    if said in _FIXED:
        return _FIXED[said]
    week = _WEEK.get(said.removesuffix("s"))
    if week is not None:
        return tuple(WEEKDAYS["es" if language == "es" else "en"][day] for day in week)
    if said.endswith((" of the year", " del año")):
        return _month_phrases(said, language)
    found = _RELATIVE.fullmatch(said)
    if found is None:
        return ()
    counts = _FEW_WORDS if found["few"] else _MANY_WORDS
    return tuple(f"{count} {found['few'] or found['many']}s {found['way']}" for count in counts)


def _month_phrases(said: str, language: str) -> tuple[str, ...]:
    """The months of a half or a quarter of the year."""
    part = _PARTS_OF_YEAR.search(said)
    size = 6 if any(word in said for word in _HALF) else 3 if any(word in said for word in _QUARTER) else 0
    if part is None or not size:
        return ()
    index = ("first", "second", "third", "fourth").index(part.lastgroup or "first")
    return MONTHS["es" if language == "es" else "en"][index * size : (index + 1) * size]
