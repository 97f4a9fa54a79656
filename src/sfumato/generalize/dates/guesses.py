"""Dates that an attacker would guess to have stood where a less exact one stands, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, islice

from sfumato.generalize.dates.reading import Granularity, Reading, SingleDate, read
from sfumato.generalize.dates.tokens import DATE_LANGUAGES, Days, date_conventions, date_data
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import DAY_FIRST, MONTHS, WEEKDAYS, calendar_day

Style = Callable[[date], str]
_LEAD = re.compile(
    r"(?:(?:in|on|at|by|during|since|before|after|until|from|around|about|within|or|the|an?|period|time|"
    r"una hora|una estación|una década|un siglo|one date to another|"
    r"two dates|dos fechas|una fecha a otra|en|por|desde|hasta|del?|al?|hacia|tras|durante|no más tarde|no antes|"
    r"el|la|los|las|una?|período|periodo)\s+)+",
    re.IGNORECASE,
)
_ENGLISH_MONTH, _SPANISH_MONTH = ("|".join(MONTHS[language]) for language in ("en", "es"))
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_BEFORE_YEAR = re.compile(
    rf"(?:(?P<dmy>(?<!\d)(?P<d1>\d{{1,2}}) (?P<m1>{_ENGLISH_MONTH}) )|"
    rf"(?P<mdy>\b(?P<m2>{_ENGLISH_MONTH}) (?P<d2>\d{{1,2}}), )|"
    rf"(?P<es>(?<!\d)(?P<d3>\d{{1,2}}) de (?P<m3>{_SPANISH_MONTH}) del? )|"
    r"(?P<numeric>(?<!\d)(?P<a4>\d{1,2})/(?P<b4>\d{1,2})/))\Z"
)
_AFTER_YEAR = re.compile(r"-(\d\d)-(\d\d)(?!\d)")
_COLON = re.compile(r"\d:[0-5]\d\s*[ap]\.?m", re.IGNORECASE)
_LONGEST = 160
_ROUND_DAYS = (1, 15, 10, 20, 30, 5, 25, 12, 2, 28, 31)
_MOST = 400
_SHOWN = 3
"""Dates that the text still shows elsewhere come first, but not only they."""
_STYLES: dict[str, Style] = {
    "dmy": lambda day: f"{day.day} {MONTHS['en'][day.month - 1]} {day.year}",
    "mdy": lambda day: f"{MONTHS['en'][day.month - 1]} {day.day}, {day.year}",
    "es": lambda day: f"{day.day} de {MONTHS['es'][day.month - 1]} de {day.year}",
    "iso": lambda day: day.isoformat(),
    "numeric": lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
    "american": lambda day: f"{day.month:02}/{day.day:02}/{day.year}",
}
_USUAL_STYLE = {"en": "dmy", "es": "es"}
_WORKING_DAYS, _WEEKEND = (0, 4, 2, 1, 3), (5, 6)
_RELATIVE = re.compile(r"(?:a few (?P<few>\w+?)s|(?P<many>\w+?)s) (?P<way>later|earlier|ago)", re.IGNORECASE)


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Exact dates, or what else is one step below the phrase, written as the text writes its other dates."""
    language = language if language in DATE_LANGUAGES else "en"
    phrase = " ".join(phrase.split())
    lead = _LEAD.match(phrase)
    core = phrase[lead.end() :] if lead else phrase
    if len(core) > _LONGEST:
        return iter(())
    for candidate in (phrase, core):
        fixed = _phrase_originals(candidate.casefold(), language)
        if fixed:
            return iter(fixed)
    reading = read(core, date_conventions(text), language)
    if reading is None:
        return iter(())
    if reading.dates:
        return islice(_dates(reading, text, language), _MOST)
    return _times(reading, text, language) if reading.clock else iter(())


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


def _dates(reading: Reading, text: str, language: str) -> Iterator[str]:
    style, exact = _written(text, language)
    if len(reading.dates) == 1:
        yield from dict.fromkeys(_below(reading.dates[0], style, exact, language))
        return
    phrases = load_toml("dates", language)["phrases"]
    joiner = phrases["and" if reading.joint == "list" else "to"]
    rows = zip(*(_below(single, style, exact, language) for single in reading.dates), strict=False)
    yield from (f" {joiner} ".join(row) for row in rows)


def _below(single: SingleDate, style: Style, exact: tuple[date, ...], language: str) -> Iterator[str]:
    """What is more exact than the date: a month's days, a season's months and days, a decade's years."""
    if single.days is None:
        return iter(())
    first, last = single.days
    if single.granularity == Granularity.DECADE:
        last = date(first.year + 9, 12, 31)  # of a level, "the 1900s" are ten years
    shown = [day for day in exact if single.dated and first <= day <= last]
    still_shown = (style(day) for day in shown[:_SHOWN])
    if not single.dated:
        return chain(still_shown, _undated(single, style, language))
    if single.granularity <= Granularity.MONTH:
        return chain(still_shown, map(style, _likely_days(single.days)))
    if single.granularity <= Granularity.YEAR:
        return chain(still_shown, _in_turn(_months(single.days, language), map(style, _round_days(single.days))))
    years = (*(day.year for day in shown), *_years(first.year, last.year))
    return chain(map(str, dict.fromkeys(years)), map(style, _round_days((first, last))))


def _likely_days(days: Days) -> Iterator[date]:
    """The first, the fifteenth, other round days, working days before weekends."""
    first, last = days
    days_inside = [first + timedelta(number) for number in range((last - first).days + 1)]
    rank = {day: index for index, day in enumerate(_ROUND_DAYS)}
    days_inside.sort(key=lambda day: (day.weekday() > 4, rank.get(day.day, len(rank) + day.day)))
    return iter(days_inside)


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


def _years(first: int, last: int) -> Iterator[int]:
    """From the middle outwards."""
    middle = (first + last) // 2
    yield middle
    for away in range(1, last - first + 1):
        yield from (year for year in (middle + away, middle - away) if first <= year <= last)


def _in_turn(*offers: Iterator[str]) -> Iterator[str]:
    waiting = list(offers)
    while waiting:
        for offer in list(waiting):
            answer = next(offer, None)
            if answer is None:
                waiting.remove(offer)
            else:
                yield answer


def _undated(single: SingleDate, style: Style, language: str) -> Iterator[str]:
    """Days and months without a year."""
    if single.days is None:
        return
    first, last = single.days
    if single.granularity >= Granularity.SEASON:
        yield from MONTHS[language][first.month - 1 : last.month]
    month_first = style(date(1999, 5, 3)).startswith("May")
    for day in _likely_days(single.days):
        month = MONTHS[language][day.month - 1]
        if language in DAY_FIRST:
            yield f"{day.day} de {month}"
        else:
            yield f"{month} {day.day}" if month_first else f"{day.day} {month}"


def _times(reading: Reading, text: str, language: str) -> Iterator[str]:
    """Full hours first, then halves and quarters, the middle of the part of the day before its ends."""
    first, last = reading.clock[0]
    point = ":" if _COLON.search(text) else "."
    whole_day = language in DAY_FIRST or date_conventions(text).day_has_24_hours
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


@lru_cache(maxsize=32)
def _written(text: str, language: str) -> tuple[Style, tuple[date, ...]]:
    """How a text writes its full dates, and which ones it shows, each once."""
    counts: dict[str, int] = {}
    dates: dict[date, None] = {}
    for year in _YEAR.finditer(text):
        form, day = _date_around(text, year)
        if form:
            counts[form] = counts.get(form, 0) + 1
        if day is not None:
            dates.setdefault(day)
    usual = max(counts, key=lambda form: counts[form], default=_USUAL_STYLE[language])
    return _STYLES[usual], tuple(dates)


def _date_around(text: str, match: re.Match[str]) -> tuple[str, date | None]:
    """The form of the date that a year belongs to, and the date; the form is empty where it stands alone."""
    year = int(match.group())
    after = _AFTER_YEAR.match(text, match.end())
    if after is not None:
        return "iso", calendar_day(year, int(after[1]), int(after[2]))
    before = _BEFORE_YEAR.search(text[max(0, match.start() - 24) : match.start()])
    if before is None:
        return "", None
    for form, month, day, language in (("dmy", "m1", "d1", "en"), ("mdy", "m2", "d2", "en"), ("es", "m3", "d3", "es")):
        if before[form]:
            return form, calendar_day(year, MONTHS[language].index(before[month]) + 1, int(before[day]))
    if date_conventions(text).order == "mdy":
        return "american", calendar_day(year, int(before["a4"]), int(before["b4"]))
    return "numeric", calendar_day(year, int(before["b4"]), int(before["a4"]))
