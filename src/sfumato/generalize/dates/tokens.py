"""Split the text of a date mention into tokens: numbers, names of months, words that join; all of it or nothing.

``lexicon.time.find_dates`` finds dates in running text, and must pass over what is none. Both share calendar and years.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from sfumato.annotated_text import read_once
from sfumato.lexicon.tables import languages_with, load_toml, words
from sfumato.lexicon.time import (
    DAY_FIRST,
    HOLIDAYS,
    MONTH_WORDS,
    SEASONS,
    WEEKDAY_WORDS,
    YEAR,
    Order,
    YearContext,
    calendar_day,
    full_year,
    infer_order,
    likely_year,
    possible_days,
)
from sfumato.lexicon.tokens import lazy_pattern, words_by_part

DATE_LANGUAGES = tuple(language for language in SEASONS if language in languages_with("dates"))
"""Languages in which dates are read and worded; words of all of them are understood in each."""


def date_data(section: str) -> list[dict[str, Any]]:
    """A section of ``dates.toml`` in each language."""
    return [load_toml("dates", language)[section] for language in DATE_LANGUAGES]


class Token(NamedTuple):
    """``kind`` is one letter, so that a row of tokens can be matched as a word; see ``_table``."""

    kind: str
    value: Any = None


# Where a part of a month, year, decade or century begins and ends: the early 1990s are 1990 to 1993.
EARLY, MIDDLE, LATE = (0.0, 0.4), (0.4, 0.7), (0.7, 1.0)


def _table() -> dict[str, Token]:
    table: dict[str, Token] = {}

    def add(kind: str, value: Any, *names: str) -> None:
        for name in names:
            table.setdefault(name.casefold(), Token(kind, value))

    languages = date_data("words")
    not_months = {month for data in languages for month in data["not_months"]}
    for name, month in MONTH_WORDS.items():
        if name not in not_months:
            add("M", month.index + 1, name)
    for name, weekday in WEEKDAY_WORDS.items():
        add("W", weekday.index, name)
    for language, data in zip(DATE_LANGUAGES, languages, strict=True):
        for kind, key in (("M", "months"), ("W", "weekdays"), ("E", "decades"), ("S", "seasons"), ("N", "day_parts")):
            for name, value in data[key].items():
                add(kind, value, name)
        for index, name in enumerate(data["plural_weekdays"]):
            add("w", index, name)
        for number, name in enumerate(data["days"], 1):
            add("D", number, name)
        for part in data["parts"]:
            add("P", part["range"], *part["names"])
        for index, name in enumerate(SEASONS[language]):
            add("S", index, name)
        add("T", (12 * 60, 12 * 60), *data["noon"])
        add("T", (0, 0), *data["midnight"])
        for kind, key in (("c", "century"), ("d", "decade"), ("a", "numbered_decade"), ("&", "and"), ("-", "to")):
            add(kind, None, *data[key])
        add("<", None, *data["between"])
        add("o", None, *words("dates", "words.ignored", language))
    for name, holiday in HOLIDAYS.items():
        add("H", holiday, name)
    return table


WORDS = _table()
_MOST_WORDS = max(len(name.split()) for name in WORDS)
_ARTICLES = frozenset(article for data in date_data("words") for article in data["article"])

Days = tuple[date, date]
"""A first and a last day."""
ANY_YEAR = 2000
"""Stands for the year of a date without one; a leap year, so that 29 February is a day of it."""


def whole_month(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def whole_years(first: int, last: int) -> Days:
    return date(first, 1, 1), date(last, 12, 31)


def length(days: Days) -> int:
    """How many days, both ends counted."""
    return (days[1] - days[0] + timedelta(1)).days


_LATE_HOUR = lazy_pattern(r"(?<![\d:])(?:1[3-9]|2[0-3])[:h][0-5]\d")
_HALF_DAY = lazy_pattern(r"\d\s*[ap]\.?\s?m\b", re.IGNORECASE)
_YEAR = lazy_pattern(rf"(?<![\d/.,-])(?:{YEAR})(?![\d/])|(?<=\d[/.-])(?:19|20)\d\d(?!\d)")
_CAPITALIZED = lazy_pattern(r"[A-ZÁÉÍÓÚ][^\W\d_]+")
_SOUTHERN_NAMES = frozenset(words("southern_places", "names"))
_SOUTHERN_PHRASES = words("southern_places", "phrases")


class _TextDates:
    """What a text tells of how its dates are to be read; each property is computed when first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def order(self) -> Order | None:
        return infer_order(self._text)

    @cached_property
    def southern(self) -> bool:
        names = chain.from_iterable(words_by_part(_CAPITALIZED, self._text))
        return not _SOUTHERN_NAMES.isdisjoint(names) or any(phrase in self._text for phrase in _SOUTHERN_PHRASES)

    @cached_property
    def day_has_24_hours(self) -> bool:
        return _LATE_HOUR.search(self._text) is not None and _HALF_DAY.search(self._text) is None

    @cached_property
    def years(self) -> frozenset[int]:
        return frozenset(map(int, _YEAR.findall(self._text)))


_text_dates = read_once(_TextDates)


class DateConventions:
    """How the dates of a document are to be read."""

    def __init__(self, text: str, year_context: YearContext = "unknown", order: Order | None = None) -> None:
        self._told, self._year_context, self.given_order = _text_dates(text), year_context, order

    @property
    def order(self) -> Order | None:
        """Whether 3/4 is 3 April or March 4: as the user says, or as the text tells; None where nothing tells."""
        return self.given_order or self._told.order

    @property
    def southern(self) -> bool:
        """Whether something points to where spring is not from March to May."""
        return self._told.southern

    @property
    def day_has_24_hours(self) -> bool:
        """Whether 5:15 can only be in the morning."""
        return self._told.day_has_24_hours

    def full_year(self, digits: str) -> int | None:
        """The year that two or four digits mean; None where they may be of either century."""
        return full_year(digits, self._told.years, self._year_context)


_RAW = lazy_pattern(
    rf"""
    (?P<iso>(?P<y1>[12]\d{{3}})(?P<s1>[-/.])(?P<m1>\d{{1,2}})(?P=s1)(?P<d1>\d{{1,2}})(?!\d)
        (?:[T ](?P<h1>\d\d):(?P<n1>\d\d)(?::\d\d(?:[.,]\d+)?)?(?:Z|\s?UTC|[+-]\d\d:?\d\d)?(?![\d:]))?)
  | (?P<numeric>(?P<a2>\d{{1,2}})\s?(?P<s2>[-/.])\s?(?P<b2>\d{{1,2}})\s?(?P=s2){{1,2}}\s?(?P<y2>\d{{4}}|\d{{2}})(?!\d))
  | (?P<half>(?P<h3>\d{{1,2}})(?:[.:](?P<n3>[0-5]\d)(?::[0-5]\d)?)?\s*(?P<ap>[ap])\.?\s?m\b\.?)
  | (?P<hours>(?P<h4>\d{{1,2}})(?P<s4>[.:h])\s?(?P<n4>[0-5]\d)(?::[0-5]\d)?\s*
        (?P<u4>(?:h|hrs?|hours|horas)\b\.?)?(?![\d/]))
  | (?P<military>(?P<h5>[01]\d|2[0-3])(?P<n5>[0-5]\d)\s?(?:h|hrs|hours|horas)\b)
  | (?P<oclock>(?P<h6>\d{{1,2}})\s?o['’]clock)
  | (?P<twelve>12\s+(?:(?P<noon>noon|midday)|midnight)\b)
  | (?P<decade>(?:(?P<y7>[12]\d)|(?<!\d)['’]?)(?P<t7>\d0)['’]?s(?!\w))
  | (?P<pair>(?P<y8>1\d{{3}}|2[01]\d\d)(?P<s8>[-/–])(?P<z8>\d{{2}})(?!\d))
  | (?P<month_year>(?P<m9>\d{{1,2}})[-/.](?P<y9>{YEAR})(?!\d))
  | (?P<day_month>(?P<a10>\d{{1,2}})(?P<s10>[/.])(?P<b10>\d{{1,2}})(?P<dot10>\.?)(?![\d/]))
  | (?P<year>1\d{{3}}|2[01]\d\d)(?!\d)
  | ['’](?P<short>\d\d)(?!\d)
  | (?P<number>\d{{1,2}})(?:st|nd|rd|th|er|\.?[ºª])?(?![\d])
  | (?P<word>(?:twenty|thirty)-[a-z]+|(?:early|mid)-to-(?:mid|late)\b|\b[qQ][1-4]\b
        |[^\W\d_]+(?:['’][^\W\d_]+|['’](?=\s))?)
  | (?P<sign>[,;()/&–—-])
  | (?P<blank>[\s.]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
ROMAN = [f"{tens}{ones}" for tens in ("", "X", "XX") for ones in ",I,II,III,IV,V,VI,VII,VIII,IX".split(",")]
"""Roman numerals below thirty, each at its number: centuries have them."""
_SIGNS = {",": ",", ";": ",", "(": ",", ")": ",", "/": "&", "&": "&", "-": "-", "–": "-", "—": "-"}
_INNER = lazy_pattern(r"P-|D-M-[Yn]|M-[Yn]")
_LONGEST = 160
_SHORT_CUT = 10
"""Years that 1998/02 may last; 1988/02 is February."""


def tokenize(text: str, conventions: DateConventions, language: str) -> list[Token] | None:
    """All of the text as tokens, or None where a part of it is no word of dates."""
    if len(text) > _LONGEST:
        return None
    tokens: list[Token] = []
    pending: list[str] = []
    offset = 0
    while offset < len(text):
        match = _RAW.match(text, offset)
        if match is None:
            return None
        kind = match.lastgroup or ""
        if kind == "word":
            pending.append(match["word"].replace("’", "'"))
        elif kind != "blank":
            if not _add_words(pending, tokens, language):
                return None
            token = _token(match, conventions, language)
            if token is None:
                return None
            tokens.append(token)
        offset = match.end()
    if not _add_words(pending, tokens, language):
        return None
    tokens = [token for token in tokens if token.kind != "o"]
    # Without hyphens that stand inside a date, not between two: mid-May, 3-May-1999.
    kinds = "".join(token.kind for token in tokens)
    inner = {index for match in _INNER.finditer(kinds) for index in range(*match.span()) if kinds[index] == "-"}
    return [token for index, token in enumerate(tokens) if index not in inner]


def _add_words(pending: list[str], tokens: list[Token], language: str) -> bool:
    """Move the words to the tokens, the longest names first; False where one is unknown."""
    index = 0
    while index < len(pending):
        for count in range(min(_MOST_WORDS, len(pending) - index), 0, -1):
            token = WORDS.get(" ".join(pending[index : index + count]).casefold())
            if token is not None:
                tokens.append(token)
                index += count
                break
        else:
            word = pending[index]
            if word == load_toml("dates", language)["words"].get("to_in_this_language"):
                tokens.append(Token("-"))
            elif word in ROMAN:
                tokens.append(Token("r", ROMAN.index(word)))
            elif word.casefold() not in _ARTICLES:
                return False
            index += 1
    pending.clear()
    return True


def _token(raw: re.Match[str], conventions: DateConventions, language: str) -> Token | None:
    """What a number or sign of a date says; None where it says no time, or not which."""
    match raw.lastgroup:
        case "iso":
            year = int(raw["y1"])
            day = calendar_day(year, int(raw["m1"]), int(raw["d1"]))
            return Token("i", (day, day) if day else whole_years(year, year))
        case "numeric":
            return _numeric(raw, conventions, language)
        case "half":
            return _half_day(int(raw["h3"]), int(raw["n3"] or 0), raw["ap"] in "pP")
        case "hours":
            return _hours(raw, conventions, language)
        case "military":
            return _clock(int(raw["h5"]), int(raw["n5"]))
        case "oclock":
            return Token("t") if 1 <= int(raw["h6"]) <= 12 else _clock(int(raw["h6"]), 0)
        case "twelve":
            return _clock(12 if raw["noon"] else 0, 0)
        case "decade":
            if raw["y7"]:
                return Token("E", int(raw["y7"] + raw["t7"]))
            # "the 20s" may be of either century; "his 30s" is an age, and the words before tell.
            return Token("E", 1900 + int(raw["t7"])) if int(raw["t7"]) >= 50 else None
        case "pair":
            return _pair(int(raw["y8"]), int(raw["z8"]))
        case "month_year":
            month, year = int(raw["m9"]), int(raw["y9"])
            return Token("m", whole_month(year, month)) if 1 <= month <= 12 else None
        case "day_month":
            return _day_and_month(raw, conventions, language)
        case "year":
            return Token("Y", int(raw["year"]))
        case "short":
            known_year = conventions.full_year(raw["short"])
            return Token("n", (int(raw["short"]), None)) if known_year is None else Token("Y", known_year)
        case "number":
            number = int(raw["number"])
            if number > 31:
                return Token("n", (number, conventions.full_year(raw["number"])))
            return Token("D", number) if number else None
        case _:
            return Token(_SIGNS[raw["sign"]])


def _numeric(raw: re.Match[str], conventions: DateConventions, language: str) -> Token | None:
    """Where the order is open, all days from one reading to the other; of a day that does not exist only the year."""
    if conventions.given_order == "ymd" and len(raw["y2"]) == 2:
        return None  # 21/04/03 begins with its year
    known_year = conventions.full_year(raw["y2"])
    year = likely_year(raw["y2"]) if known_year is None else known_year
    if not 1000 <= year < 2200:
        return None
    is_day_first = raw["s2"] == "." or language in DAY_FIRST
    order = conventions.given_order or ("dmy" if is_day_first else conventions.order)
    days = possible_days(int(raw["a2"]), int(raw["b2"]), year, order)
    if known_year is None:
        undated = [day.replace(year=ANY_YEAR) for day in days]
        return Token("u", (min(undated), max(undated))) if undated else None
    return Token("i", (min(days), max(days)) if days else whole_years(year, year))


def _day_and_month(raw: re.Match[str], conventions: DateConventions, language: str) -> Token | None:
    """10/28 and 12.5. without a year; all days from one reading to the other where the order is open."""
    if raw["s10"] == "." and not raw["dot10"]:
        return None
    is_day_first = raw["s10"] == "." or language in DAY_FIRST
    order = conventions.given_order or ("dmy" if is_day_first else conventions.order)
    days = possible_days(int(raw["a10"]), int(raw["b10"]), ANY_YEAR, order)
    return Token("u", (min(days), max(days))) if days else None


def _half_day(hour: int, minute: int, is_after_noon: bool) -> Token | None:
    if not 1 <= hour <= 12:
        return _clock(hour, minute) if hour > 12 and is_after_noon else None
    return _clock(hour % 12 + (12 if is_after_noon else 0), minute)


def _hours(raw: re.Match[str], conventions: DateConventions, language: str) -> Token | None:
    hour, minute, unit = int(raw["h4"]), int(raw["n4"]), raw["u4"]
    if raw["s4"] == "." and not unit and hour <= 31 and 1 <= minute <= 12:
        return None  # 3.08 may be a day and a month
    is_certain = unit or hour > 12 or raw["h4"].startswith("0") or language in DAY_FIRST
    return _clock(hour, minute) if is_certain or conventions.day_has_24_hours else Token("t")


def _clock(hour: int, minute: int) -> Token | None:
    return Token("T", (hour * 60 + minute, hour * 60 + minute)) if hour < 24 and minute < 60 else None


def _pair(year: int, second: int) -> Token | None:
    """1996/97, and 2003-04, which is two years or a month of the first: days that hold whichever is meant."""
    last = year - year % 100 + second
    if last <= year and last + 100 - year <= _SHORT_CUT:
        last += 100
    if last > year:
        return Token("s", whole_years(year, last))
    return Token("m", whole_month(year, second)) if 1 <= second <= 12 else None
