"""Amounts and periods as the truth check reads them: enough to see whether one lies within another.

The truth check is an independent oracle of the generalization hierarchies: it has its own grammar and shares no reader
with ``generalize.dates``, ``durations`` or ``quantities``, so that a mistake of theirs is not repeated here. It shares
only tables and the finder of dates of ``lexicon``.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from math import prod
from typing import NamedTuple

from sfumato.lexicon.numbers import SMALL, TENS
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.time import Order, PartialDate, find_dates, read_dates
from sfumato.lexicon.tokens import lazy_pattern

_WORDS = dict(SMALL["en"]) | dict(TENS["en"])
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_DIGITS = lazy_pattern(r"\d+(?:[.,' \u00a0]\d{3})+(?![\d])(?:[.,]\d{1,2}(?!\d))?|\d+(?:[.,]\d+)?")
_TOKEN = lazy_pattern(rf"{_DIGITS.pattern}|[^\W\d_]+|[£$€%]")
_ORDINAL = ("th", "st", "nd", "rd")
_LOOSE = 0.15
"""How far off "about" may be: about two days is true of 44 hours."""
_ABOUT = frozenset("about approximately approx around roughly circa some nearly almost close".split())
_OVER = frozenset("over above exceeding least".split())
_UNDER = frozenset("under below most".split())
_AT_LEAST = lazy_pattern(r"\d(?:\+| (?:or|and) (?:more|older|upwards?|over|above)\b)", re.IGNORECASE)
"""*90+*, *90 or more*."""
_UNITS: dict[str, tuple[float, str]] = {
    word: (size, kind)
    for kind, sizes in load_toml("truth_units", "en", "sfumato.generalize").items()
    for word, size in sizes.items()
}
_SQUARE = frozenset({"sq", "square"})
_VAGUE = lazy_pattern(
    r"(?:in the )?(?P<count>(?:a few|several|some|many)\s+)?"
    r"(?P<scale>(?:(?:tens|hundreds|dozens|thousands|millions|billions)(?: of )?)+|"
    r"(?<=\s)(?:(?:dozen|hundred|thousand|million|billion)\s*)+)"
    r"(?:\s*(?:of\s+)?(?P<rest>.+))?"
)


class Amount(NamedTuple):
    """From ``low`` to ``high`` of something; ``loose``: said with "about" or a bound; ``words``: what else was said."""

    low: float
    high: float
    unit: str
    loose: bool
    size: float
    """Of the finest unit it was said in."""
    words: frozenset[str]


def read_amount(text: str) -> Amount | None:
    """The one amount that a text says, "18 months" or "between 10 and 20 people"; None for none and for several."""
    return _vague(text) or _amount_of(_TOKEN.findall(re.sub("['’]", " ", text.lower())), text)


def _vague(text: str) -> Amount | None:
    """Hundreds of people, several thousand euros, a few dozen."""
    match = _VAGUE.fullmatch(text.lower().strip())
    if not match:
        return None
    scales = re.findall(r"[a-z]+", match["scale"])
    low = high = prod(_SCALES.get(word.removesuffix("s")) or (10.0 if word == "tens" else 1.0) for word in scales)
    if match["count"] and match["count"].split()[-1] not in ("some", "many"):
        low, high = low * 2, high * 10
    elif scales[0] == "dozens":
        low, high = low * 2, high * 9
    else:
        high *= 10 if scales[0] in ("tens", "hundreds") else 1000
    rest = _amount_of(["1", *_TOKEN.findall(match["rest"] or "")], "1") if match["rest"] else None
    size, unit = (rest.size, rest.unit) if rest else (1.0, "")
    return Amount(low * size, high * size, unit, True, size, rest.words if rest else frozenset())


def _amount_of(tokens: list[str], text: str) -> Amount | None:
    if len(tokens) > 1 and tokens[0] in ("a", "an", "one") and tokens[1] in _UNITS:
        tokens = ["one", *tokens[1:]]
    values, units, words = [], list[tuple[float, str]](), list[str]()
    square = False
    for token in _numbers(tokens):
        if isinstance(token, float):
            values.append(token)
            continue
        singular = token if token in _UNITS else token.removesuffix("s")
        if token in _SQUARE:
            square = True
        elif singular in _UNITS and (values or len(singular) > 1):
            size, kind = _UNITS[singular]
            units.append((size**2, f"{kind}²") if square else (size, kind))
            square = False
            if len(units) == len(values) > 1 and units[0][1] == units[-1][1] and "to" not in words:
                # One year and six months: one amount in two units.
                values[-2:] = [(values[-2] * units[-2][0] + values[-1] * units[-1][0]) / units[-1][0]]
                del units[-2]
        else:
            words.append(token)
    if values and words[-3:] == ["and", "a", "half"]:
        values[-1] += 0.5
    if not values or len(values) > 2 or len({unit for _, unit in units}) > 1:
        return None
    is_range = not {"to", "between"}.isdisjoint(words) or "-" in text or "–" in text
    if len(values) == 2 and not is_range:
        return None
    size, unit = units[-1] if units else (1.0, "")
    low, high = min(values) * size, max(values) * size
    loose = len(values) == 2
    if not _ABOUT.isdisjoint(words):
        low, high, loose = low * (1 - _LOOSE), high * (1 + _LOOSE), True
    if not _OVER.isdisjoint(words) or ("more" in words and "than" in words) or _AT_LEAST.search(text):
        high, loose = float("inf"), True
    elif not _UNDER.isdisjoint(words) or ("less" in words or "fewer" in words or "up" in words):
        low, loose = 0.0, True
    return Amount(low, high, unit, loose, size, frozenset(words))


def _numbers(tokens: list[str]) -> Iterator[float | str]:
    """The tokens, with runs that say a number put together: "one hundred and two", "34 million", "a", "half a"."""
    index = 0
    while index < len(tokens):
        value, length = _number_at(tokens, index)
        if length:
            yield value
            index += length
        else:
            yield tokens[index]
            index += 1


def _number_at(tokens: list[str], index: int) -> tuple[float, int]:
    total = current = 0.0
    length = step = 0
    while index + step < len(tokens):
        token = tokens[index + step]
        if token[0].isdecimal():
            if step:
                break
            current = _digits(token)
            if tokens[index + 1 : index + 2] and tokens[index + 1] in _ORDINAL:
                step += 1
        elif token in ("a", "an") and not step and tokens[index + 1 : index + 2] and tokens[index + 1] in _SCALES:
            current = 1.0
        elif token in _WORDS:
            if step and (current % 100 or token == "zero") and not (20 <= current % 100 <= 90 and current % 10 == 0):
                break
            current += _WORDS[token]
        elif token in _SCALES and step:
            scale = _SCALES[token]
            current = max(current, 1.0) * scale
            if scale >= 1e3:
                total, current = total + current, 0.0
        elif token == "and" and step and tokens[index + step + 1 : index + step + 3] == ["a", "half"]:
            current += 0.5
            step += 2
        elif not (token == "and" and step and _continues(tokens, index + step, total + current)):
            break
        step += 1
        length = step
    return total + current, length


def _continues(tokens: list[str], index: int, value: float) -> bool:
    """Whether "and" stands inside a number: one hundred and two."""
    return index + 1 < len(tokens) and tokens[index + 1] in _WORDS and value >= 100 and value % 100 == 0


def _digits(token: str) -> float:
    """1,336 and 1.336 and 1 336 are thousands; 39.95 and 39,95 are not."""
    bare = re.sub(r"[ '\u00a0]", "", token)
    if re.fullmatch(r"\d+(?:[.,]\d{3})+", bare) and not bare.startswith("0"):
        return float(re.sub(r"[.,]", "", bare)[:300])
    whole, mark, rest = max((bare.rpartition("."), bare.rpartition(",")), key=lambda parts: len(parts[0]))
    if not mark:
        return float(bare[:300])
    return float(re.sub(r"[.,]", "", whole)[:290] + "." + rest[:9])


# Periods: days, months, parts of years, decades and centuries as spans of days.

_PARTS = {
    **dict.fromkeys("early beginning start opening".split(), (0.0, 0.5)),
    **dict.fromkeys("mid middle".split(), (0.25, 0.75)),
    **dict.fromkeys("late latter end close closing final last".split(), (0.5, 1.0)),
}
"""Which part of a period such a word leaves. Read generously: what may be called so, not what must be."""
_FRACTIONS = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_SEASONS = {"spring": (3, 6), "summer": (6, 9), "autumn": (9, 12), "fall": (9, 12), "winter": (12, 3)}
"""First and last month. The month in which one ends and the next begins belongs to both."""
_DECADE = lazy_pattern(r"(?<!\d)(1[5-9]\d|20\d)0['’]?s(?!\w)")
_CENTURY = lazy_pattern(r"(?<!\w)(1[5-9]|2[01])(?:th|st)\s+century(?!\w)")
_CENTURY_WORDS = {"sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20}
_CENTURY_SAID = lazy_pattern(rf"(?<!\w)({'|'.join([*_CENTURY_WORDS, 'twenty-first'])})[\s-]+century(?!\w)")
_SHORT_YEARS = lazy_pattern(r"(?<!\d)((?:1[5-9]|20)\d\d)\s*[-–/]\s*(\d{1,2})(?![\d-])")
_DAYS = lazy_pattern(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?=\s*(?:,|and|to|or|-|–|&))")
_WORD = lazy_pattern(r"[^\W\d_]+|\d+")
_RANGE = frozenset("between from to until till through since".split())
_SILENT = _RANGE | frozenset(
    "on in at the of and or by during period year years month months tax a an around about approximately some time "
    "sometime date day days both dates its".split()
)
_READ = _SILENT.union(_PARTS, _FRACTIONS, "half quarter part months weeks st nd rd th".split())
_YEARLESS = 2001


class Period(NamedTuple):
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


_ISO_MONTH = lazy_pattern(r"((?:1[5-9]|20)\d\d)-(0[1-9]|1[0-2])")
_OR_EARLIER = lazy_pattern(r"(?:in )?((?:1[5-9]|20)\d\d) or earlier")


def read_period(text: str, order: Order = "dmy") -> Period | None:
    """What a phrase says of a time, if all of it can be read."""
    lowered = text.lower()
    if earlier := _OR_EARLIER.fullmatch(lowered.strip()):
        return Period(((1, date(int(earlier[1]), 12, 31).toordinal()),), True, True)
    if month := _ISO_MONTH.fullmatch(lowered.strip()):
        first = date(int(month[1]), int(month[2]), 1)
        return Period(((first.toordinal(), _last_day(first.year, first.month).toordinal()),), True, True)
    pieces = _pieces(lowered, order)
    if not pieces:
        return None
    years = [piece.year for piece in pieces if piece.year is not None]
    spans, offset, words = list[tuple[int, int]](), 0, list[str]()
    for index, piece in enumerate(pieces):
        between = _WORD.findall(lowered[offset : piece.start])
        words += between
        year = piece.year
        if year is None and years:
            later = [other.year for other in pieces[index:] if other.year is not None]
            year = later[0] if later else years[-1]
        try:
            span = _span(piece, _YEARLESS if year is None else year, between, lowered[offset : piece.start])
        except (ValueError, OverflowError):
            return None
        if span is None:
            return None
        spans += span
        offset = piece.end
    words += _WORD.findall(lowered[offset:])
    is_read = all(word in _READ or word.isdigit() for word in words)
    if not is_read or any(map(str.isdigit, lowered[offset:])):
        return None
    is_dashed = any(lowered[a.end : b.start].strip() in ("-", "–", "—") for a, b in pairwise(pieces))
    return Period(tuple(spans), is_dashed or not _RANGE.isdisjoint(words), bool(years))


class _Piece(NamedTuple):
    start: int
    end: int
    kind: str
    year: int | None
    date: PartialDate
    width: int = 1


def _pieces(text: str, order: Order) -> list[_Piece]:
    pieces, blanked = list[_Piece](), text
    undated = PartialDate(None, None, None)
    for form, years in ((_DECADE, 10), (_CENTURY, 100), (_CENTURY_SAID, 100)):
        for match in form.finditer(blanked):
            if years == 10:
                first = int(match[1] + "0")
            else:
                number = int(match[1]) if match[1].isdigit() else _CENTURY_WORDS.get(match[1], 21)
                first = (number - 1) * 100
            pieces.append(_Piece(match.start(), match.end(), "years", first, undated, years))
            blanked = _blank(blanked, match)
    for match in _SHORT_YEARS.finditer(blanked):
        first = int(match[1])
        last = first - first % 10 ** len(match[2]) + int(match[2])
        if first < last and not re.match(r"[-–/.]\d", blanked[match.end() :]):
            pieces.append(_Piece(match.start(), match.end(), "years", first, undated, last - first + 1))
            blanked = _blank(blanked, match)
    for name, match in find_dates(blanked):
        if name == "weekday":
            continue
        if name == "days":
            end = read_dates(text[match.start("day") : match.end()])
            if end:
                opening = PartialDate(end[0].year, end[0].month, int(match["from"]))
                pieces.append(_Piece(match.start(), match.start("day"), "date", end[0].year, opening))
                pieces.append(_Piece(match.start("day"), match.end(), "date", end[0].year, end[0]))
            continue
        for day in read_dates(match[0], order):
            pieces.append(_Piece(match.start(), match.end(), "date", day.year, day))
    for match in re.finditer(rf"(?<!\w)({'|'.join(_SEASONS)})(?!\w)", text):
        if not any(piece.start <= match.start() < piece.end for piece in pieces):
            pieces.append(_Piece(match.start(), match.end(), match[1], None, undated))
    return _seasons_with_years(sorted(pieces))


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


def contains(wide: Period, narrow: Period) -> bool | None:
    """Whether all of ``narrow`` lies within ``wide``; None where ``wide`` says a year that ``narrow`` does not."""
    if wide.dated and not narrow.dated:
        return None
    if narrow.dated and not wide.dated:
        year = date.fromordinal(narrow.spans[0][0]).year
        shift = date(year, 1, 1).toordinal() - date(_YEARLESS, 1, 1).toordinal()
        wide = Period(tuple((low + shift, high + shift) for low, high in wide.spans), wide.whole, True)
    spans = (wide.ends,) if wide.whole else wide.spans
    held = (narrow.ends,) if narrow.whole else narrow.spans
    # A year's shift may be a leap day off.
    slack = 1 if date.fromordinal(held[0][0]).year != _YEARLESS else 0
    return all(any(low - slack <= first and last <= high + slack for low, high in spans) for first, last in held)
