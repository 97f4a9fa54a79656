"""One date: the days it may be, read from a row of tokens, and completed by the dates beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import IntEnum
from typing import cast

from sfumato.knowledge.ladders.dates.days import ANY_YEAR, Days, whole_month, whole_years
from sfumato.knowledge.ladders.dates.words import EARLY, LATE, MIDDLE, Token


class Level(IntEnum):
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

    level: Level
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
            return Piece(Level.DAY, cast("Days", said[kind]), dated=kind == "i")
        case "m":
            return Piece(Level.MONTH, cast("Days", said["m"]))
        case "s" | "Ss":
            days = cast("Days", said["s"])
            return Piece(Level.YEAR if days[0].year != days[1].year else Level.MONTH, days)
        case "DMn" | "Mn":
            level = Level.MONTH if kind == "Mn" else Level.DAY
            of_year = 1900 + cast("int", said["n"])
            return Piece(level, None, of_year, cast("int", said["M"]), cast("int | None", said.get("D")))
        case "DMY" | "MDY" | "DM" | "MD" | "MY" | "M" | "DY" | "D":
            year, month, day = (cast("int | None", said.get(name)) for name in "YMD")
            level = Level.DAY if day else Level.PART_OF_MONTH if part else Level.MONTH
            return Piece(
                level, None, year, month, day, dated=year is not None, month_first=kind.startswith("MD"), part=part
            )
        case "SY" | "S":
            return Piece(
                Level.SEASON, None, cast("int | None", said.get("Y")), season=cast("int", said["S"]), dated="Y" in said
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
    return Piece(Level.DAY, (date(known, *first), date(known, *last)), dated=bool(year))


def _part_of_year(year: int, part: tuple[float, float] | None) -> Piece:
    if part is None:
        return Piece(Level.YEAR, whole_years(year, year), year)
    first, last = {EARLY: (0.0, 0.25), LATE: (0.75, 1.0)}.get(part, part)
    level = Level.HALF if last - first == 0.5 else Level.SEASON
    months = (int(first * 12) + 1, min(12, max(1, round(last * 12))))
    return Piece(level, (date(year, months[0], 1), whole_month(year, months[1])[1]))


def _decade(said: dict[str, object], part: tuple[float, float] | None) -> Piece | None:
    first = cast("int", said.get("Y") or said.get("E") or 0) or 1900 + cast("int", said["n"])
    if first % 10 or ("n" in said and first < 1950):
        return None
    if part is not None:
        start, end = first + int(part[0] * 10 + 0.5), first + int(part[1] * 10 + 0.5) - 1
        return Piece(Level.PART_OF_DECADE, whole_years(start, max(start, end)))
    # "The 1900s" are ten years or a hundred.
    return Piece(Level.DECADE, whole_years(first, first + (99 if first % 100 == 0 and first != 2000 else 9)))


def _century(number: int, part: tuple[float, float] | None) -> Piece | None:
    if not _FIRST_CENTURY <= number <= _LAST_CENTURY:
        return None
    first = 100 * (number - 1)
    if part is not None:
        return Piece(
            Level.PART_OF_CENTURY,
            whole_years(first + int(part[0] * 100 + 0.5), first + int(part[1] * 100 + 0.5) - 1),
        )
    return Piece(Level.CENTURY, whole_years(first, first + 99))


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
            century = piece.level in (Level.CENTURY, Level.PART_OF_CENTURY)
            month, year = None, piece.days[0].year if piece.dated and piece.level <= Level.MONTH else None
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
