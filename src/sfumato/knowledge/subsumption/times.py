"""When something was, as far as a phrase says: days, months, parts of years, decades and centuries as spans of days."""

from __future__ import annotations

import calendar
import re
from datetime import date
from itertools import pairwise
from typing import NamedTuple

from sfumato.knowledge.dates.forms import forms_in
from sfumato.knowledge.dates.read import PartialDate, read_dates

_PARTS = {
    **dict.fromkeys("early beginning start opening".split(), (0.0, 0.5)),
    **dict.fromkeys("mid middle".split(), (0.25, 0.75)),
    **dict.fromkeys("late latter end close closing final last".split(), (0.5, 1.0)),
}
"""Which part of a period such a word leaves. Read generously: what may be called so, not what must be."""
_FRACTIONS = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_SEASONS = {"spring": (3, 6), "summer": (6, 9), "autumn": (9, 12), "fall": (9, 12), "winter": (12, 3)}
"""First and last month. The month in which one ends and the next begins belongs to both."""
_DECADE = re.compile(r"(?<!\d)(1[5-9]\d|20\d)0['’]?s(?!\w)")
_CENTURY = re.compile(r"(?<!\w)(1[5-9]|2[01])(?:th|st)\s+century(?!\w)")
_CENTURY_WORDS = {"sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20}
_CENTURY_SAID = re.compile(rf"(?<!\w)({'|'.join([*_CENTURY_WORDS, 'twenty-first'])})[\s-]+century(?!\w)")
_SHORT_YEARS = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)\s*[-–/]\s*(\d{1,2})(?![\d-])")
_DAYS = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?=\s*(?:,|and|to|or|-|–|&))")
_WORD = re.compile(r"[^\W\d_]+|\d+")
_RANGE = frozenset("between from to until till through since".split())
_SILENT = _RANGE | frozenset(
    "on in at the of and or by during period year years month months tax a an around about approximately some time "
    "sometime date day days both dates its".split()
)
_YEARLESS = 2001


class When(NamedTuple):
    """Spans of days, first and last included. ``whole``: they are the ends of one span. ``dated``: a year is said."""

    spans: tuple[tuple[int, int], ...]
    whole: bool
    dated: bool

    @property
    def days(self) -> int:
        first, last = self.ends
        return last - first + 1 if self.whole else sum(high - low + 1 for low, high in self.spans)

    @property
    def ends(self) -> tuple[int, int]:
        return min(low for low, _ in self.spans), max(high for _, high in self.spans)


def when(text: str) -> When | None:
    """What a phrase says of a time, if all of it can be read."""
    lowered = text.lower()
    pieces = _pieces(lowered)
    if not pieces:
        return None
    years = [piece.year for piece in pieces if piece.year is not None]
    spans, at, words = list[tuple[int, int]](), 0, list[str]()
    for place, piece in enumerate(pieces):
        between = _WORD.findall(lowered[at : piece.start])
        words += between
        year = piece.year
        if year is None and years:
            later = [other.year for other in pieces[place:] if other.year is not None]
            year = later[0] if later else years[-1]
        try:
            span = _span(piece, _YEARLESS if year is None else year, between, lowered[at : piece.start])
        except (ValueError, OverflowError):
            return None
        if span is None:
            return None
        spans += span
        at = piece.end
    words += _WORD.findall(lowered[at:])
    if _unread(words) or any(map(str.isdigit, lowered[at:])):
        return None
    return When(tuple(spans), not _RANGE.isdisjoint(words) or _dashed(lowered, pieces), bool(years))


class _Piece(NamedTuple):
    start: int
    end: int
    kind: str
    year: int | None
    date: PartialDate
    width: int = 1


def _pieces(text: str) -> list[_Piece]:
    found, blanked = list[_Piece](), text
    nothing = PartialDate(None, None, None)
    for form, years in ((_DECADE, 10), (_CENTURY, 100), (_CENTURY_SAID, 100)):
        for match in form.finditer(blanked):
            if years == 10:
                first = int(match[1] + "0")
            else:
                number = int(match[1]) if match[1].isdigit() else _CENTURY_WORDS.get(match[1], 21)
                first = (number - 1) * 100
            found.append(_Piece(match.start(), match.end(), "years", first, nothing, years))
            blanked = _blank(blanked, match)
    for match in _SHORT_YEARS.finditer(blanked):
        first = int(match[1])
        last = first - first % 10 ** len(match[2]) + int(match[2])
        if first < last and not re.match(r"[-–/.]\d", blanked[match.end() :]):
            found.append(_Piece(match.start(), match.end(), "years", first, nothing, last - first + 1))
            blanked = _blank(blanked, match)
    for name, match in forms_in(blanked):
        if name == "weekday":
            continue
        if name == "days":
            end = read_dates(text[match.start("day") : match.end()])
            if end:
                opening = PartialDate(end[0].year, end[0].month, int(match["from"]))
                found.append(_Piece(match.start(), match.start("day"), "date", end[0].year, opening))
                found.append(_Piece(match.start("day"), match.end(), "date", end[0].year, end[0]))
            continue
        for read in read_dates(match[0]):
            found.append(_Piece(match.start(), match.end(), "date", read.year, read))
    for match in re.finditer(rf"(?<!\w)({'|'.join(_SEASONS)})(?!\w)", text):
        if not any(piece.start <= match.start() < piece.end for piece in found):
            found.append(_Piece(match.start(), match.end(), match[1], None, nothing))
    return _seasons_with_years(sorted(found))


def _blank(text: str, match: re.Match[str]) -> str:
    return text[: match.start()] + " " * len(match[0]) + text[match.end() :]


def _seasons_with_years(pieces: list[_Piece]) -> list[_Piece]:
    """ "the summer of 2003" and "August in 2003" are one piece each, not two."""
    joined = list[_Piece]()
    for piece in pieces:
        before = joined[-1] if joined else None
        is_year = piece.kind == "date" and piece.date[1:] == (None, None)
        if before and before.kind in _SEASONS and before.year is None and is_year and piece.start <= before.end + 4:
            joined[-1] = before._replace(end=piece.end, year=piece.year)
        else:
            joined.append(piece)
    return joined


def _span(piece: _Piece, year: int, before: list[str], gap: str) -> list[tuple[int, int]] | None:
    """The days of a piece, of the part of it that the words before it leave, and of days listed before it."""
    if piece.kind in _SEASONS:
        first, last = _SEASONS[piece.kind]
        low = date(year, first, 1)
        high = _last_day(year + (last < first), last)
    elif piece.kind == "years":
        low, high = date(year, 1, 1), date(year + piece.width - 1, 12, 31)
    elif piece.date.month is None:
        low, high = date(year, 1, 1), date(year, 12, 31)
    elif piece.date.day is None:
        low, high = date(year, piece.date.month, 1), _last_day(year, piece.date.month)
    else:
        low = high = date(year, piece.date.month, piece.date.day)
    spans = [(low.toordinal(), high.toordinal())]
    if piece.date.day is not None and piece.date.month is not None:
        if any(map(str.isdigit, _DAYS.sub("", gap))):
            return None
        listed = [date(year, piece.date.month, int(day)) for day in _DAYS.findall(gap)]
        return [(day.toordinal(), day.toordinal()) for day in listed] + spans
    return [_part(spans[0], before)] if not any(map(str.isdigit, gap)) else None


def _part(span: tuple[int, int], words: list[str]) -> tuple[int, int]:
    low, high = span
    days = high - low
    cuts = [_PARTS[word] for word in words if word in _PARTS]
    for place, word in enumerate(words[:-1]):
        if word in _FRACTIONS and words[place + 1] in ("half", "quarter", "third"):
            parts = {"half": 2, "third": 3, "quarter": 4}[words[place + 1]]
            cuts.append((_FRACTIONS[word] / parts, min(1.0, (_FRACTIONS[word] + 1) / parts)))
    if not cuts:
        return span
    return low + int(days * min(cut[0] for cut in cuts)), low + int(days * max(cut[1] for cut in cuts))


def _last_day(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _dashed(text: str, pieces: list[_Piece]) -> bool:
    return any(text[a.end : b.start].strip() in ("-", "–", "—") for a, b in pairwise(pieces))


def _unread(words: list[str]) -> bool:
    known = (*_PARTS, *_FRACTIONS, "half", "quarter", "part", "months", "weeks", "st", "nd", "rd", "th")
    return any(word not in _SILENT and word not in known and not word.isdigit() for word in words)


def contains(wide: When, narrow: When) -> bool | None:
    """Whether all of ``narrow`` lies within ``wide``; None where ``wide`` says a year that ``narrow`` does not."""
    if wide.dated and not narrow.dated:
        return None
    if narrow.dated and not wide.dated:
        year = date.fromordinal(narrow.spans[0][0]).year
        shift = date(year, 1, 1).toordinal() - date(_YEARLESS, 1, 1).toordinal()
        wide = When(tuple((low + shift, high + shift) for low, high in wide.spans), wide.whole, True)
    places = (wide.ends,) if wide.whole else wide.spans
    held = (narrow.ends,) if narrow.whole else narrow.spans
    # A year's shift may be a leap day off.
    slack = 1 if date.fromordinal(held[0][0]).year != _YEARLESS else 0
    return all(any(low - slack <= first and last <= high + slack for low, high in places) for first, last in held)
