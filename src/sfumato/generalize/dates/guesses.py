"""Dates that an attacker would guess to have stood where a less exact one stands, the likeliest first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.generalize.dates.reading import Granularity, Reading, SingleDate, read
from sfumato.generalize.dates.tokens import DATE_LANGUAGES, DateConventions, Days, date_data
from sfumato.generalize.hierarchy import unique, with_first_kept
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import DAY_FIRST, MONTHS, WEEKDAYS, calendar_day


class _Style(NamedTuple):
    """A way to write full dates: its template, that of a date without a year, and the language of its months."""

    text: str
    undated: str = ""
    language: str = ""

    def write(self, day: date) -> str:
        return _write(self.text, day, self.language or "en")


def _write(template: str, day: date, language: str) -> str:
    month = MONTHS[language][day.month - 1]
    return template.format(day=day.day, month=month, month_number=day.month, year=day.year)


def _before_year(style: Mapping[str, str], language: str) -> re.Pattern[str]:
    month = "|".join(MONTHS[language])
    undated = style["undated"].format(day=r"(?<!\d)(?P<day>\d{1,2})", month=rf"\b(?P<month>{month})")
    return re.compile(rf"{undated}{style['before_year']}\Z")


_STYLES = [
    (_Style(style["text"], style["undated"], language), _before_year(style, language))
    for language, data in zip(DATE_LANGUAGES, date_data("originals"), strict=True)
    for style in data["styles"]
]
"""Of all languages, with a pattern of what stands before the year; a language's usual style first."""
_ISO = _Style("{year}-{month_number:02}-{day:02}")
_DAY_MONTH, _MONTH_DAY = _Style("{day:02}/{month_number:02}/{year}"), _Style("{month_number:02}/{day:02}/{year}")
_LEADS = "|".join(lead for data in date_data("originals") for lead in data["leads"])
_LEAD = re.compile(rf"(?:(?:{_LEADS})\s+)+", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_AFTER_YEAR = re.compile(r"-(\d\d)-(\d\d)(?!\d)")
_NUMERIC_BEFORE_YEAR = re.compile(r"(?<!\d)(\d{1,2})/(\d{1,2})/\Z")
_COLON = re.compile(r"\d:[0-5]\d\s*[ap]\.?m", re.IGNORECASE)
_LONGEST = 160
_ROUND_DAYS = (1, 15, 10, 20, 30, 5, 25, 12, 2, 28, 31)
_MOST = 400
_SHOWN = 3
"""Dates that the text still shows elsewhere come first, but not only they."""
_WORKING_DAYS, _WEEKEND = (0, 4, 2, 1, 3), (5, 6)
_RELATIVE = re.compile(r"(?:a few (?P<few>\w+?)s|(?P<many>\w+?)s) (?P<way>later|earlier|ago)", re.IGNORECASE)


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Exact dates, or what else is one step below the phrase, written as the text writes its other dates."""
    language = language if language in DATE_LANGUAGES else "en"
    core, fixed = _without_lead(phrase, language)
    if fixed or len(core) > _LONGEST:
        return iter(fixed)
    reading = read(core, DateConventions(text), language)
    if reading is None:
        return iter(())
    if reading.dates:
        return _dates(reading, *_written(text, language), language)
    return _times(reading, text, language) if reading.clock else iter(())


def _without_lead(phrase: str, language: str) -> tuple[str, tuple[str, ...]]:
    """The phrase without a preposition or an article, and its originals where it has no date."""
    phrase = " ".join(phrase.split())
    lead = _LEAD.match(phrase)
    core = phrase[lead.end() :] if lead else phrase
    if len(core) > _LONGEST:
        return core, ()
    forms = (phrase.casefold(), core.casefold())
    return core, next(filter(None, (_phrase_originals(form, language) for form in forms)), ())


def _phrase_originals(phrase: str, language: str) -> tuple[str, ...]:
    """Originals of a phrase without a date: a weekday, a holiday, a time told from another; or none."""
    for data in date_data("originals"):
        if phrase in data["phrases"]:
            return tuple(data["phrases"][phrase])
        for key, days in (("weekday", _WORKING_DAYS), ("weekend", _WEEKEND)):
            if phrase.removesuffix("s") == data[key]:
                return tuple(WEEKDAYS[language][day] for day in days)
        if phrase.endswith(data["year"]):
            for key, size in (("halves", 6), ("quarters", 3)):
                for index, part in enumerate(data[key]):
                    if part in phrase:
                        return MONTHS[language][index * size : (index + 1) * size]
            return ()
    match = _RELATIVE.fullmatch(phrase)
    if match is None:
        return ()
    counts = load_toml("dates", "en")["originals"]["few" if match["few"] else "many"]
    return tuple(f"{count} {match['few'] or match['many']}s {match['way']}" for count in counts)


@with_first_kept
def _dates(reading: Reading, style: _Style, exact: tuple[date, ...], language: str) -> Iterator[str]:
    if len(reading.dates) == 1:
        return islice(unique(_below(reading.dates[0], style, exact, language)), _MOST)
    phrases = load_toml("dates", language)["phrases"]
    joiner = phrases["and" if reading.joint == "list" else "to"]
    rows = zip(*(_below(single, style, exact, language) for single in reading.dates), strict=False)
    return islice((f" {joiner} ".join(row) for row in rows), _MOST)


def _below(single: SingleDate, style: _Style, exact: tuple[date, ...], language: str) -> Iterator[str]:
    """What is more exact than the date: a month's days, a season's months and days, a decade's years."""
    if single.days is None:
        return iter(())
    first, last = single.days
    if single.granularity == Granularity.DECADE:
        last = date(first.year + 9, 12, 31)  # of a level, "the 1900s" are ten years
    shown = [day for day in exact if single.dated and first <= day <= last]
    still_shown = (style.write(day) for day in shown[:_SHOWN])
    if not single.dated:
        months = MONTHS[language][first.month - 1 : last.month] if single.granularity >= Granularity.SEASON else ()
        template = (style if style.language == language else _usual_style(language)).undated
        return chain(still_shown, months, (_write(template, day, language) for day in _likely_days(single.days)))
    if single.granularity <= Granularity.MONTH:
        return chain(still_shown, map(style.write, _likely_days(single.days)))
    if single.granularity <= Granularity.YEAR:
        in_turn = zip_longest(_months(single.days, language), map(style.write, _round_days(single.days)))
        return chain(still_shown, filter(None, chain.from_iterable(in_turn)))
    years = (*(day.year for day in shown), *_years(first.year, last.year))
    return chain(map(str, dict.fromkeys(years)), map(style.write, _round_days((first, last))))


def _likely_days(days: Days) -> tuple[date, ...]:
    """The first, the fifteenth, other round days, working days before weekends."""
    first, last = days
    days_inside = (first + timedelta(number) for number in range((last - first).days + 1))
    rank = {day: index for index, day in enumerate(_ROUND_DAYS)}
    in_order = sorted(days_inside, key=lambda day: (day.weekday() > 4, rank.get(day.day, len(rank) + day.day)))
    return tuple(in_order[:_MOST])


def _round_days(days: Days) -> Iterator[date]:
    first, last = days
    for number in _ROUND_DAYS[:4]:
        for year in _years(first.year, last.year):
            for month in (1, 12, 6, 3, 9, 5, 10, 4, 7, 11, 2, 8):
                day = date(year, month, number)
                if first <= day <= last:
                    yield day


def _months(days: Days, language: str) -> Iterator[str]:
    template = load_toml("dates", language)["names"]["month"]["text"]
    first, last = days
    for number in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        yield template.format(month=MONTHS[language][number % 12], year=number // 12)


def _years(first: int, last: int) -> list[int]:
    """From the middle outwards."""
    middle = (first + last) // 2
    return sorted(range(first, last + 1), key=lambda year: (abs(year - middle), -year))


def _times(reading: Reading, text: str, language: str) -> Iterator[str]:
    """Full hours first, then halves and quarters, the middle of the part of the day before its ends."""
    first, last = reading.clock[0]
    point = ":" if _has_colons(text) else "."
    whole_day = language in DAY_FIRST or DateConventions(text).day_has_24_hours
    seen: set[int] = set()
    for step in (60, 30, 15):
        for minute in sorted(range(first - first % -step, last + 1, step), key=lambda m: abs(2 * m - first - last)):
            if minute in seen:
                continue
            seen.add(minute)
            hour, rest = divmod(minute % 1440, 60)
            if whole_day:
                yield f"{hour}:{rest:02}"
            else:
                yield f"{(hour - 1) % 12 + 1}{f'{point}{rest:02}' if rest else ''} {'a' if hour < 12 else 'p'}.m."


@read_once
def _has_colons(text: str) -> bool:
    """Whether a text writes half days with a colon: 5:15 p.m."""
    return _COLON.search(text) is not None


def _usual_style(language: str) -> _Style:
    return next(style for style, _ in _STYLES if style.language == language)


@read_once
def _written(text: str, language: str) -> tuple[_Style, tuple[date, ...]]:
    """How a text writes its full dates, and which ones it shows, each once."""
    styles: Counter[_Style] = Counter()
    dates: dict[date, None] = {}
    for year in _YEAR.finditer(text):
        style, day = _date_around(text, year)
        if style:
            styles[style] += 1
        if day:
            dates.setdefault(day)
    return max(styles, key=styles.__getitem__, default=_usual_style(language)), tuple(dates)


def _date_around(text: str, match: re.Match[str]) -> tuple[_Style | None, date | None]:
    """The style of the date that a year belongs to, and the date; no style where it stands alone."""
    year = int(match.group())
    if after := _AFTER_YEAR.match(text, match.end()):
        return _ISO, calendar_day(year, int(after[1]), int(after[2]))
    before_year = text[max(0, match.start() - 24) : match.start()]
    for style, pattern in _STYLES:
        if before := pattern.search(before_year):
            return style, calendar_day(year, MONTHS[style.language].index(before["month"]) + 1, int(before["day"]))
    if before := _NUMERIC_BEFORE_YEAR.search(before_year):
        if DateConventions(text).order == "mdy":
            return _MONTH_DAY, calendar_day(year, int(before[1]), int(before[2]))
        return _DAY_MONTH, calendar_day(year, int(before[2]), int(before[1]))
    return None, None
