"""Which dates may have stood where a wider one stands now, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache
from itertools import chain, islice

from sfumato.generalize.dates.names import phrase_originals
from sfumato.generalize.dates.reading import Granularity, Piece, Reading, read
from sfumato.generalize.dates.tokens import Days, date_conventions
from sfumato.lexicon.time import MONTHS

Style = Callable[[date], str]
_LEAD = re.compile(
    r"(?:(?:in|on|at|by|during|since|before|after|until|from|around|about|within|or|the|an?|period|time|"
    r"una hora|una estación|una década|un siglo|one date to another|"
    r"two dates|dos fechas|una fecha a otra|en|por|desde|hasta|del?|al?|hacia|tras|durante|no más tarde|no antes|"
    r"el|la|los|las|una?|período|periodo)\s+)+",
    re.IGNORECASE,
)
_NAMES = "|".join(MONTHS["en"])
_NOMBRES = "|".join(MONTHS["es"])
_YEAR = re.compile(r"(?<!\d)(?:1\d|20)\d\d(?!\d)")
_BEFORE_YEAR = re.compile(
    rf"(?:(?P<dmy>(?<!\d)(?P<d1>\d{{1,2}}) (?P<m1>{_NAMES}) )|(?P<mdy>\b(?P<m2>{_NAMES}) (?P<d2>\d{{1,2}}), )|"
    rf"(?P<es>(?<!\d)(?P<d3>\d{{1,2}}) de (?P<m3>{_NOMBRES}) del? )|"
    r"(?P<numeric>(?<!\d)(?P<a4>\d{1,2})/(?P<b4>\d{1,2})/))\Z"
)
_AFTER_YEAR = re.compile(r"-(\d\d)-(\d\d)(?!\d)")
_COLON = re.compile(r"\d:[0-5]\d\s*[ap]\.?m", re.IGNORECASE)
_ROUND_DAYS = (1, 15, 10, 20, 30, 5, 25, 12, 2, 28, 31)
_MOST = 400
_SHOWN = 3
"""Dates that the text still shows elsewhere come first, but not only they."""


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Exact dates, or what else is one step below the phrase, written as the text writes its other dates."""
    said = " ".join(phrase.split())
    lead = _LEAD.match(said)
    core = said[lead.end() :] if lead else said
    if len(core) > 160:
        return iter(())
    for known in (said, core):
        fixed = phrase_originals(known.casefold(), language)
        if fixed:
            return iter(fixed)
    reading = read(core, date_conventions(text), language)
    if reading is None:
        return iter(())
    if reading.pieces:
        return islice(_dates(reading, text, language), _MOST)
    return _times(reading, text, language) if reading.clock else iter(())


def _dates(reading: Reading, text: str, language: str) -> Iterator[str]:
    style, exact = _written(text, "es" if language == "es" else "en")
    if len(reading.pieces) == 1:
        yield from dict.fromkeys(_below(reading.pieces[0], style, exact, language))
        return
    joiner = {"list": ("and", "y")}.get(reading.joint, ("to", "a"))[language == "es"]
    rows = zip(*(_below(piece, style, exact, language) for piece in reading.pieces), strict=False)
    yield from (f" {joiner} ".join(row) for row in rows)


def _below(piece: Piece, style: Style, exact: tuple[date, ...], language: str) -> Iterator[str]:
    """What is more exact than the piece: a month's days, a season's months and days, a decade's years."""
    if piece.days is None:
        return iter(())
    first, last = piece.days
    if piece.granularity == Granularity.DECADE:
        last = date(first.year + 9, 12, 31)  # of a level, "the 1900s" are ten years
    shown = [day for day in exact if piece.dated and first <= day <= last]
    known = (style(day) for day in shown[:_SHOWN])
    if not piece.dated:
        return chain(known, _undated(piece, style, language))
    if piece.granularity <= Granularity.MONTH:
        return chain(known, map(style, _likely_days(piece.days)))
    if piece.granularity <= Granularity.YEAR:
        return chain(known, _in_turn(_months(piece.days, language), map(style, _round_days(piece.days))))
    years = (*(day.year for day in shown), *_years(first.year, last.year))
    return chain(map(str, dict.fromkeys(years)), map(style, _round_days((first, last))))


def _likely_days(days: Days) -> Iterator[date]:
    """The first, the fifteenth, other round days, working days before weekends."""
    first, last = days
    every = [first + timedelta(number) for number in range((last - first).days + 1)]
    place = {day: index for index, day in enumerate(_ROUND_DAYS)}
    every.sort(key=lambda day: (day.weekday() > 4, place.get(day.day, len(place) + day.day)))
    return iter(every)


def _round_days(days: Days) -> Iterator[date]:
    first, last = days
    for number in _ROUND_DAYS[:4]:
        for year in _years(first.year, last.year):
            for month in (1, 12, 6, 3, 9, 5, 10, 4, 7, 11, 2, 8):
                day = date(year, month, number)
                if first <= day <= last:
                    yield day


def _months(days: Days, language: str) -> Iterator[str]:
    names, of = (MONTHS["es"], " de ") if language == "es" else (MONTHS["en"], " ")
    first, last = days
    for number in range(first.year * 12 + first.month - 1, last.year * 12 + last.month):
        yield f"{names[number % 12]}{of}{number // 12}"


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


def _undated(piece: Piece, style: Style, language: str) -> Iterator[str]:
    """Days and months without a year."""
    if piece.days is None:
        return
    year = str(piece.days[0].year)
    month_first = style(date(1999, 5, 3)).startswith("May")
    if piece.granularity >= Granularity.SEASON:
        for month in _months(piece.days, language):
            yield month.removesuffix(year).removesuffix(" de ").strip()
    for day in _likely_days(piece.days):
        if language == "es":
            yield f"{day.day} de {MONTHS['es'][day.month - 1]}"
        else:
            month = MONTHS["en"][day.month - 1]
            yield f"{month} {day.day}" if month_first else f"{day.day} {month}"


def _times(reading: Reading, text: str, language: str) -> Iterator[str]:
    """Full hours first, then halves and quarters, the middle of the part of the day before its ends."""
    first, last = reading.clock[0]
    point = ":" if _COLON.search(text) else "."
    whole_day = language == "es" or date_conventions(text).day_has_24_hours
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
    found: dict[date, None] = {}
    for year in _YEAR.finditer(text):
        form, day = _around(text, year)
        if form:
            counts[form] = counts.get(form, 0) + 1
        if day is not None:
            found.setdefault(day)
    usual = max(counts, key=lambda form: counts[form], default="es" if language == "es" else "dmy")
    return _STYLES[usual], tuple(found)


def _around(text: str, found: re.Match[str]) -> tuple[str, date | None]:
    """The form of the date that a year belongs to, and the date; the form is empty where it stands alone."""
    year = int(found.group())
    after = _AFTER_YEAR.match(text, found.end())
    if after is not None:
        return "iso", _day(year, int(after[1]), int(after[2]))
    before = _BEFORE_YEAR.search(text[max(0, found.start() - 24) : found.start()])
    if before is None:
        return "", None
    if before["dmy"]:
        return "dmy", _day(year, MONTHS["en"].index(before["m1"]) + 1, int(before["d1"]))
    if before["mdy"]:
        return "mdy", _day(year, MONTHS["en"].index(before["m2"]) + 1, int(before["d2"]))
    if before["es"]:
        return "es", _day(year, MONTHS["es"].index(before["m3"]) + 1, int(before["d3"]))
    if date_conventions(text).order == "mdy":
        return "american", _day(year, int(before["a4"]), int(before["b4"]))
    return "numeric", _day(year, int(before["b4"]), int(before["a4"]))


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


_STYLES: dict[str, Style] = {
    "dmy": lambda day: f"{day.day} {MONTHS['en'][day.month - 1]} {day.year}",
    "mdy": lambda day: f"{MONTHS['en'][day.month - 1]} {day.day}, {day.year}",
    "es": lambda day: f"{day.day} de {MONTHS['es'][day.month - 1]} de {day.year}",
    "iso": lambda day: day.isoformat(),
    "numeric": lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
    "american": lambda day: f"{day.month:02}/{day.day:02}/{day.year}",
}
