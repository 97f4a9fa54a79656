"""What a mention says about time: the days of each date in it, how they are joined, weekdays, times of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import IntEnum
from typing import Literal, cast

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
from sfumato.generalize.hierarchy import Article, Level

# -- One date: the days it may be, read from a row of tokens, and completed by the dates beside it.


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


@dataclass(frozen=True, slots=True)
class Piece:
    """One date: the days it may be, and, as far as they are said, its parts."""

    granularity: Granularity
    days: Days | None
    year: int | None = None
    month: int | None = None
    day: int | None = None
    dated: bool = True
    """Whether its year is known."""
    month_first: bool = False
    season: int | None = None
    part: tuple[float, float] | None = None
    """Which part of its month."""


_WINTER = 3
_FIRST_CENTURY, _LAST_CENTURY = 11, 22


def read_piece(kinds: str, row: Sequence[Token]) -> Piece | None:
    said = {token.kind: token.value for token in row}
    part = cast("tuple[float, float] | None", said.get("P"))
    kind = kinds.replace("P", "").replace(",", "").replace("-", "")
    match kind:
        case "i" | "u":
            return Piece(Granularity.DAY, cast("Days", said[kind]), dated=kind == "i")
        case "m":
            return Piece(Granularity.MONTH, cast("Days", said["m"]))
        case "s" | "Ss":
            days = cast("Days", said["s"])
            return Piece(Granularity.YEAR if days[0].year != days[1].year else Granularity.MONTH, days)
        case "DMn" | "Mn":
            granularity = Granularity.MONTH if kind == "Mn" else Granularity.DAY
            year = cast("tuple[int, int | None]", said["n"])[1]
            whole = Piece(granularity, None, year, cast("int", said["M"]), cast("int | None", said.get("D")))
            # A year that is said, but may be of either century, is not that of the next date.
            return whole if year is not None else _on_calendar(whole)
        case "DMY" | "MDY" | "DM" | "MD" | "MY" | "M" | "DY" | "D":
            year, month, day = (cast("int | None", said.get(name)) for name in "YMD")
            granularity = Granularity.DAY if day else Granularity.PART_OF_MONTH if part else Granularity.MONTH
            return Piece(
                granularity,
                None,
                year,
                month,
                day,
                dated=year is not None,
                month_first=kind.startswith("MD"),
                part=part,
            )
        case "SY" | "S":
            return Piece(
                Granularity.SEASON,
                None,
                cast("int | None", said.get("Y")),
                season=cast("int", said["S"]),
                dated="Y" in said,
            )
        case "HY" | "H":
            return _holiday(cast("tuple[str, tuple[int, int], tuple[int, int]]", said["H"]), said.get("Y"))
        case "Y" | "aY":
            return _part_of_year(cast("int", said["Y"]), part)
        case "dY" | "E" | "dE" | "dn" | "an":
            return _decade(said, part)
        case "Dc" | "cD" | "cr" | "rc" | "r":
            return _century(cast("int", said.get("D") or said.get("r")), part)
    return None


def _season(season: int, year: int) -> Days:
    # The winter of 2003 is called after either of its years; the speaker's own year is kept.
    if season == _WINTER:
        return whole_years(year, year)
    return date(year, 3 * season + 3, 1), whole_month(year, 3 * season + 5)[1]


def _holiday(holiday: tuple[str, tuple[int, int], tuple[int, int]], year: object) -> Piece:
    _, first, last = holiday
    known = cast("int", year) if year else ANY_YEAR
    return Piece(Granularity.DAY, (date(known, *first), date(known, *last)), dated=bool(year))


def _part_of_year(year: int, part: tuple[float, float] | None) -> Piece:
    if part is None:
        return Piece(Granularity.YEAR, whole_years(year, year), year)
    first, last = {EARLY: (0.0, 0.25), LATE: (0.75, 1.0)}.get(part, part)
    granularity = Granularity.HALF if last - first == 0.5 else Granularity.SEASON
    months = (int(first * 12) + 1, min(12, max(1, round(last * 12))))
    return Piece(granularity, (date(year, months[0], 1), whole_month(year, months[1])[1]))


def _decade(said: dict[str, object], part: tuple[float, float] | None) -> Piece | None:
    first = cast("int", said.get("Y") or said.get("E") or 0) or 1900 + cast("tuple[int, object]", said["n"])[0]
    if first % 10 or ("n" in said and first < 1950):
        return None
    if part is not None:
        start, end = first + int(part[0] * 10 + 0.5), first + int(part[1] * 10 + 0.5) - 1
        return Piece(Granularity.PART_OF_DECADE, whole_years(start, max(start, end)))
    # "The 1900s" are ten years or a hundred.
    return Piece(Granularity.DECADE, whole_years(first, first + (99 if first % 100 == 0 and first != 2000 else 9)))


def _century(number: int, part: tuple[float, float] | None) -> Piece | None:
    if not _FIRST_CENTURY <= number <= _LAST_CENTURY:
        return None
    first = 100 * (number - 1)
    if part is not None:
        return Piece(
            Granularity.PART_OF_CENTURY,
            whole_years(first + int(part[0] * 100 + 0.5), first + int(part[1] * 100 + 0.5) - 1),
        )
    return Piece(Granularity.CENTURY, whole_years(first, first + 99))


def completed(pieces: list[Piece], ranging: bool) -> list[Piece] | None:
    """Each date with the month and the year that the others say for it: "8 and 22 April 1991"."""
    done: list[Piece] = []
    month = year = None
    century = False
    for piece in reversed(pieces):
        if piece.days is None:
            if century and piece.month is None and piece.day is not None:
                whole = _century(piece.day, None)
                if whole is None:
                    return None
                done.append(whole)
                continue
            month, year = piece.month or month, piece.year or year
            piece = replace(piece, month=piece.month or month, year=year)
        else:
            century = piece.granularity in (Granularity.CENTURY, Granularity.PART_OF_CENTURY)
            month, year = None, piece.days[0].year if piece.dated and piece.granularity <= Granularity.MONTH else None
        done.append(piece)
    done.reverse()
    before: int | None = None
    for index, piece in enumerate(done):
        if piece.days is None:
            if piece.season is not None:
                days = _season(piece.season, piece.year or ANY_YEAR)
                done[index] = replace(piece, days=days, dated=piece.year is not None)
                continue
            month = piece.month or before
            if month is None:
                return None
            done[index] = _on_calendar(replace(piece, month=month))
            before = month
    if _upwards(done, pieces):
        return done
    if ranging and len(done) == 2 and done[0].month and done[0].year:
        # "From December to March 2000" begins the year before.
        return [_on_calendar(replace(done[0], year=done[0].year - 1)), done[1]]
    return None


def _on_calendar(piece: Piece) -> Piece:
    year, month = piece.year or ANY_YEAR, cast("int", piece.month)
    days: Days
    if piece.day is None:
        days = _part_of_month(whole_month(year, month), piece.part)
    else:
        try:
            days = date(year, month, piece.day), date(year, month, piece.day)
        except ValueError:
            # No such day: the month may be wrong as well as the day, so the year is all that is believed.
            days = whole_years(year, year)
    return replace(piece, days=days, dated=piece.year is not None)


def _part_of_month(days: Days, part: tuple[float, float] | None) -> Days:
    first, last = days
    if part is None:
        return days
    third = min(2, int(part[0] * 3 + 0.1)) if part in (EARLY, MIDDLE, LATE) else None
    if third is None:
        return (first, first.replace(day=15)) if part[0] == 0 else (first.replace(day=15), last)
    return first.replace(day=10 * third + 1), last if part == LATE else first.replace(day=10 * third + 10)


def _upwards(done: list[Piece], said: list[Piece]) -> bool:
    """Whether a year that was lent to a date is surely its year: "3 December and 4 January 2000" is not all 2000."""
    for one, other, spoken in zip(done, done[1:], said, strict=False):
        lent = spoken.days is None and spoken.year is None and one.year is not None
        if lent and one.days and other.days and one.days[0] > other.days[0]:
            return False
    return True


# -- What a mention says about time: the days of each date in it, how they are joined, weekdays, times of day.


Joint = Literal["one", "range", "list", "mixed"]


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a mention says. Without pieces it is a weekday or a time of day."""

    pieces: tuple[Piece, ...]
    joint: Joint
    weekdays: tuple[int, ...] = ()
    clock: tuple[tuple[int, int], ...] = ()
    """Times of day, in minutes since midnight, from and to."""
    season: int | None = None
    """A season without a year."""
    holiday: str | None = None
    """The kind of a holiday without a year."""
    plural: bool = False
    between: bool = False

    @property
    def dated(self) -> bool:
        return all(piece.dated for piece in self.pieces)


# A letter stands for a kind of token, see ``words``: D a day, M a month, Y a year, P a part, W a weekday, T a time.
_DATE = (
    "i|u|m|DM,?[Yn]|MD,?Y|DM|MD|P?M,?[Yn]|P?M|P?S,?[Ys]|S|H,?Y|H|"
    "P?dY|P?[da]n|aY|P?d?E|P?Dc|P?c[rD]|P?rc|s|P?Y|D,Y|D|P?r"
)
_ITEM = re.compile(
    rf"(?:(?P<t1>P?N|[Tt]N?),?)?(?:(?P<w1>[Ww]),?)?(?P<date>{_DATE})?(?:,?(?P<w2>W)(?![,&-]?(?:D|i|u)))?"
    r"(?:,?(?P<t2>P?N|[Tt]N?))?"
)
_JOINER = re.compile(r",?&|,-?|-")


def read(said: str, conventions: DateConventions, language: str) -> Reading | None:
    """What is said, or None where any part of it cannot be read."""
    found = tokenize(said, conventions, language)
    if not found:
        return None
    between = found[0].kind == "<"
    row = found[1:] if between else found
    kinds = "".join(token.kind for token in row).rstrip(",")
    if kinds == "DN" and cast("int", row[0].value) <= 12:
        row, kinds = row[1:], "N"  # "9 in the morning"
    if "r" in kinds and "c" not in kinds:
        return None
    items: list[re.Match[str]] = []
    joiners: list[str] = []
    at = len(kinds) - len(kinds.lstrip(","))
    while True:
        item = _ITEM.match(kinds, at)
        if item is None or item.end() == at:
            return None
        items.append(item)
        if item.end() == len(kinds):
            break
        joiner = _JOINER.match(kinds, item.end())
        if joiner is None or joiner.end() == len(kinds):
            return None
        joiners.append(joiner.group())
        at = joiner.end()
    return _reading(items, joiners, row, between)


def _reading(items: list[re.Match[str]], joiners: list[str], row: Sequence[Token], between: bool) -> Reading | None:
    pieces = [read_piece(item["date"], row[item.start("date") : item.end("date")]) for item in items if item["date"]]
    ranging = between or any("-" in joiner for joiner in joiners)
    known = completed([piece for piece in pieces if piece is not None], ranging)
    if None in pieces or known is None or len({piece.dated for piece in known}) > 1:
        return None
    weekdays = tuple(cast("int", row[item.start(name)].value) for item in items for name in ("w1", "w2") if item[name])
    clock = _clock(items, row)
    if clock is None or (pieces and len(pieces) < len(items)):
        return None
    joint: Joint = "one" if len(items) == 1 else "list" if not ranging else "range" if len(items) == 2 else "mixed"
    if between and len(items) < 2:
        return None
    if joint == "range" and len(known) == 2:
        known = _in_order(known)
        if known is None:
            return None
    alone = row[items[0].start("date")] if known and len(items) == 1 and not known[0].dated else None
    return Reading(
        pieces=tuple(known),
        joint=joint,
        weekdays=weekdays,
        clock=clock,
        season=known[0].season if alone is not None else None,
        holiday=cast("tuple[str, object, object]", alone.value)[0] if alone and items[0]["date"] == "H" else None,
        plural=any(item["w1"] == "w" for item in items),
        between=between,
    )


def _clock(items: list[re.Match[str]], row: Sequence[Token]) -> tuple[tuple[int, int], ...] | None:
    """The times of day; None where one may be in the morning or in the evening."""
    found: list[tuple[int, int]] = []
    for item in items:
        for name in ("t1", "t2"):
            if item[name]:
                said = {token.kind: token.value for token in row[item.start(name) : item.end(name)]}
                if "N" in said:
                    found.append(_in_part(cast("tuple[int, int]", said["N"]), said.get("T")))
                elif "T" in said:
                    found.append(cast("tuple[int, int]", said["T"]))
                elif item["date"] is None:
                    return None
    return tuple(found)


def _in_part(hours: tuple[int, int], time: object) -> tuple[int, int]:
    """The time in the part of the day that is said with it, of twelve hours or of 24; else that part."""
    first, last = hours[0] * 60, hours[1] * 60 - 1
    if time is not None:
        minute = cast("tuple[int, int]", time)[0]
        for known in (minute, minute + 720):
            if first <= known <= last:
                return known, known
    return first, last


def _in_order(pieces: list[Piece]) -> list[Piece] | None:
    first, second = pieces
    if first.days and second.days and first.days[0] > second.days[1]:
        return None if first.dated else pieces
    return pieces


# -- Times of day and days of the week: the part of the day or of the week that they lie in.


_SOURCE = "clock"
_HOUR = 60
_DAY = 24 * _HOUR
_NOON = 12 * _HOUR
_FRIDAY, _SATURDAY = 4, 5
# From one hour to another: the name and the preposition, the shortest first. What begins at 12 does not hold noon.
_PARTS: dict[str, tuple[tuple[int, int, str, str], ...]] = {
    "en": (
        (10, 12, "late morning", "in"),
        (12, 14, "early afternoon", "in"),
        (14, 16, "mid-afternoon", "in"),
        (16, 18, "late afternoon", "in"),
        (18, 20, "early evening", "in"),
        (11, 14, "middle of the day", "in"),
        (0, 4, "early hours", "in"),
        (4, 8, "early morning", "in"),
        (18, 22, "evening", "in"),
        (12, 18, "afternoon", "in"),
        (22, 28, "night", "during"),
        (4, 12, "morning", "in"),
        (0, 12, "first half of the day", "in"),
        (12, 24, "second half of the day", "in"),
    ),
    "es": (
        (11, 14, "el mediodía", "hacia"),
        (0, 6, "la madrugada", "en"),
        (20, 24, "la noche", "por"),
        (6, 12, "la mañana", "por"),
        (12, 20, "la tarde", "por"),
        (0, 12, "la primera mitad del día", "en"),
        (12, 24, "la segunda mitad del día", "en"),
    ),
}
_NOUNS: dict[str, tuple[tuple[int, int, str], ...]] = {
    "en": ((4, 12, "morning"), (12, 18, "afternoon"), (18, 22, "evening"), (22, 28, "night")),
    "es": ((0, 6, "madrugada"), (6, 12, "mañana"), (12, 20, "tarde"), (20, 24, "noche")),
}


def part_of_day(clock: tuple[int, int], language: str) -> tuple[float, str] | None:
    """The morning, afternoon, evening or night that holds a time, and its share of the day."""
    for begin, end, noun in _NOUNS[language]:
        if _holds(begin, end, clock):
            return (end - begin) / 24, noun
    return None


def _holds(begin: int, end: int, clock: tuple[int, int]) -> bool:
    first, last = clock
    if first == last == _NOON and _NOON in (begin * _HOUR, end * _HOUR):
        return False
    inside = begin * _HOUR <= first and last < end * _HOUR
    return inside or (begin * _HOUR <= first + _DAY and last + _DAY < end * _HOUR)


def time_levels(reading: Reading, language: str) -> list[Level]:
    """Of times of day and weekdays without a date."""
    if reading.weekdays:
        return _weekday_levels(reading, language)
    hull = min(first for first, _ in reading.clock), max(last for _, last in reading.clock)
    article: Article = "the" if language == "en" else ""
    minutes = hull[1] - hull[0] + 1
    return [
        Level(
            text,
            (end - begin) * _HOUR / _DAY,
            article,
            preposition=preposition,
            source=_SOURCE,
            modifier=_before_noun(text),
        )
        for begin, end, text, preposition in _PARTS[language]
        if (end - begin) * _HOUR > minutes and _holds(begin, end, hull) and not (hull == (0, 0) and begin == 0)
    ]


def _before_noun(text: str) -> str | None:
    return text.replace(" ", "-") if " of " not in text and not text.startswith(("la ", "el ")) else None


def _weekday_levels(reading: Reading, language: str) -> list[Level]:
    days = set(reading.weekdays)
    working, weekend = all(day <= _FRIDAY for day in days), all(day >= _SATURDAY for day in days)
    if not working and not weekend:
        return []
    many = len(reading.weekdays) > 1 or reading.plural
    if language == "es":
        word = (
            ("días laborables" if many else "un día laborable")
            if working
            else "fines de semana"
            if many
            else "un fin de semana"
        )
        return [Level(word, 5 if working else 2, "", plural=many, preposition="en", source=_SOURCE)]
    word = "weekday" if working else "weekend"
    found: list[Level] = []
    part = part_of_day(reading.clock[0], language) if len(reading.clock) == 1 else None
    if part is not None and not many:
        found.append(Level(f"{word} {part[1]}", (5 if working else 2) * part[0], "a", preposition="on", source=_SOURCE))
    text = f"{word}s" if many else word
    found.append(
        Level(
            text, 5 if working else 2, "" if many else "a", plural=many, modifier=word, preposition="on", source=_SOURCE
        )
    )
    return found


# -- The words that lead up to a date: which of them stay, and what they become before a wider one.


PLACING = frozenset("on in at within throughout over between en el la los las entre a al".split())
"""Words that say no more than when: another may stand in their place, or none."""
_LEADS = {
    "before": "in or before",
    "after": "in or after",
    "prior to": "in or before",
    "on or about": "around",
    "on or around": "around",
    "at about": "around",
    "at around": "around",
    "at approximately": "around",
    "circa": "around",
    "c.": "around",
    "ca.": "around",
    "ca": "around",
    "c": "around",
    "antes de": "no más tarde de",
    "antes del": "no más tarde de",
    "después de": "no antes de",
    "después del": "no antes de",
    "tras": "no antes de",
    "desde el": "desde",
    "hasta el": "hasta",
    "a partir del": "a partir de",
    "alrededor del": "alrededor de",
    "durante el": "durante",
    "del": "de",
}
FROM = {"from": "from", "de": "de", "del": "de", "desde": "desde", "desde el": "desde"}
"""Words that open a range, and what stands before it then."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the mention stands: the word it begins with, if that must stay, and the word before it."""

    lead: str = ""
    before: str = ""
    bounded: bool = False
    """Whether something is told of the whole of it: "the end of [1998]" is not the end of the 1990s."""


def led(lead: str, phrase: str, preposition: str) -> str:
    """The phrase behind the word that the mention began with, or behind the one that it wants itself."""
    # "durante finales de 1999" is not said.
    placing = lead in PLACING or (lead.startswith("durante") and preposition == "a")
    return contracted(f"{preposition} {phrase}" if placing else f"{_LEADS.get(lead, lead)} {phrase}")


def contracted(text: str) -> str:
    """With "de el" and "a el" drawn together, as Spanish does."""
    return re.sub(r"\bde el\b", "del", re.sub(r"\ba el\b", "al", text))
