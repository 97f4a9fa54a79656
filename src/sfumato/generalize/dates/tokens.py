"""From the text of a mention to a row of tokens: numbers, names of months, words that join; all of it or nothing."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import NamedTuple

from sfumato.lexicon.time import (
    HOLIDAYS,
    MONTHS,
    SEASONS,
    SHORT_MONTHS,
    WEEKDAYS,
    Order,
    YearContext,
    full_year,
    infer_order,
    likely_year,
    possible_days,
)

# -- The words that dates are written with, in English and Spanish, each with its kind and its value.


class Token(NamedTuple):
    """``kind`` is one letter, so that a row of tokens can be matched as a word; see ``pieces``."""

    kind: str
    value: object = None


_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth "
    "twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
_SPANISH_NUMBERS = (
    "primero dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
    "dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete "
    "veintiocho veintinueve treinta"
).split()
_DECADES = {
    30: ("thirties", "treinta"),
    40: ("forties", "cuarenta"),
    50: ("fifties", "cincuenta"),
    60: ("sixties", "sesenta"),
    70: ("seventies", "setenta"),
    80: ("eighties", "ochenta"),
    90: ("nineties", "noventa"),
}
# Where a part of a month, year, decade or century begins and ends: the early 1990s are 1990 to 1993.
EARLY, MIDDLE, LATE = (0.0, 0.4), (0.4, 0.7), (0.7, 1.0)
_PARTS: dict[tuple[float, float], str] = {
    EARLY: "early|beginning|the beginning|start|opening|principios|comienzos|inicios|inicio|comienzo",
    MIDDLE: "mid|middle|mediados",
    (0.0, 0.7): "early to mid|early-to-mid",
    (0.4, 1.0): "mid to late|mid-to-late",
    LATE: "late|end|close|latter part|finales|fines|final|fin",
    (0.0, 0.5): "first half|1st half|primera mitad|primer semestre",
    (0.5, 1.0): "second half|2nd half|latter half|segunda mitad|segundo semestre",
    (0.0, 0.25): "first quarter|1st quarter|q1|primer trimestre",
    (0.25, 0.5): "second quarter|2nd quarter|q2|segundo trimestre",
    (0.5, 0.75): "third quarter|3rd quarter|q3|tercer trimestre",
    (0.75, 1.0): "fourth quarter|last quarter|4th quarter|q4|cuarto trimestre|último trimestre",
}
_DAY_PARTS: dict[tuple[int, int], str] = {
    (0, 4): "small hours|early hours|middle of the night",
    (0, 6): "madrugada|early hours of the morning",
    (4, 12): "morning|mañana|morning hours",
    (4, 8): "early morning",
    (10, 12): "late morning",
    (11, 14): "middle of the day",
    (12, 18): "afternoon",
    (12, 14): "early afternoon",
    (16, 18): "late afternoon",
    (12, 21): "tarde",
    (18, 22): "evening",
    (0, 12): "first half of the day|primera mitad del día",
    (12, 24): "second half of the day|segunda mitad del día",
    (22, 28): "night|nighttime",
    (20, 24): "noche",
}
_GLUE = (
    "of the on in at de del la el los las en year years año tax fiscal financial school academic calendar ejercicio "
    "ejercicios curso cursos mes month day día days días date dates dated season ad ce a.d. period periodo período"
)


_NO_MONTHS = frozenset({"out", "set"})
"""Short forms of other languages' months that are everyday English."""


def _table() -> dict[str, Token]:
    words: dict[str, Token] = {}

    def add(kind: str, value: object, *names: str) -> None:
        for name in names:
            words.setdefault(name.casefold(), Token(kind, value))

    for months in (*MONTHS.values(), *SHORT_MONTHS.values()):
        for index, month in enumerate(months):
            if month not in _NO_MONTHS:
                add("M", index + 1, month)
    add("M", 9, "sept", "setiembre")
    for language, weekdays in WEEKDAYS.items():
        for index, weekday in enumerate(weekdays):
            add("W", index, weekday)
            if language == "en":
                add("w", index, f"{weekday}s")
                add("W", index, weekday[:3])
    add("W", 1, "tues")
    add("W", 3, "thur", "thurs")
    for number, name in enumerate(_ORDINALS, 1):
        add("D", number, name)
    for number, name in enumerate(_SPANISH_NUMBERS, 1):
        add("D", number, name)
    add("D", 31, "treinta y uno")
    for tens, (english, spanish) in _DECADES.items():
        add("E", 1900 + tens, english, f"años {spanish}", f"los {spanish}")
    for part, names in _PARTS.items():
        add("P", part, *names.split("|"))
    for seasons in SEASONS.values():
        for index, name in enumerate(seasons):
            add("S", index, name, f"{name}time")
    add("S", 2, "fall")
    for holiday, about in HOLIDAYS.items():
        add("H", about, holiday)
    for hours, names in _DAY_PARTS.items():
        add("N", hours, *names.split("|"))
    add("T", (12 * 60, 12 * 60), "noon", "midday", "mediodía")
    add("T", (0, 0), "midnight", "medianoche")
    add("c", None, "century", "centuries", "siglo", "siglos")
    add("d", None, "decade", "decades", "década", "décadas", "decenio")
    add("a", None, "años")
    add("&", None, "and", "or", "y", "e", "o", "u", "as well as")
    add("-", None, "to", "until", "till", "through", "thru", "up to", "hasta", "al", "hasta el")
    add("<", None, "between", "entre")
    add("o", None, *_GLUE.split(), "a las", "a la")
    return words


WORDS = _table()
MOST_WORDS = max(len(name.split()) for name in WORDS)


# -- Stretches of days: a month, some years, and how long they are.


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


# -- What a whole document says about how its dates are to be read.


_LATE_HOUR = re.compile(r"(?<![\d:])(?:1[3-9]|2[0-3])[:h][0-5]\d")
_HALF_DAY = re.compile(r"\d\s*[ap]\.?\s?m\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d/.,-])(?:1[5-9]\d\d|20\d\d)(?![\d/])|(?<=\d[/.-])(?:19|20)\d\d(?!\d)")
_CAPITALIZED = re.compile(r"[A-ZÁÉÍÓÚ][^\W\d_]+")
_SOUTH = frozenset(
    "Australia Australian Zealand Argentina Argentine Argentinian Argentino Chile Chilean Chileno Uruguay Paraguay "
    "Brazil Brazilian Brasil Bolivia Bolivian Peru Perú Peruvian Sudáfrica Namibia Botswana Zimbabwe Zambia "
    "Mozambique Madagascar Angola Lesotho Eswatini Swaziland Malawi Tanzania Kenya Kenyan Uganda Rwanda Burundi Congo "
    "Gabon Ecuador Colombia Colombian Venezuela Indonesia Indonesian Malaysia Singapore Papua Fiji Samoa Tonga "
    "Vanuatu Mauritius Mauricio Réunion Falkland Malvinas Antarctica Antártida Sydney Melbourne Brisbane Adelaide "
    "Auckland Montevideo Asunción Lima Janeiro Johannesburg Durban Pretoria Nairobi Quito Bogotá Bogota Jakarta".split()
)
_SOUTHERN_PHRASES = ("South Africa", "Buenos Aires", "São Paulo", "Sao Paulo", "Cape Town", "hemisphere", "hemisferio")


class DateFacts:
    """Each is found out when first asked for."""

    def __init__(self, text: str, year_context: YearContext) -> None:
        self._text = text
        self._year_context: YearContext = year_context

    @cached_property
    def order(self) -> Order | None:
        """Whether 3/4 is 3 April or March 4; None where nothing tells."""
        return infer_order(self._text)

    @cached_property
    def southern(self) -> bool:
        """Whether something points to where spring is not from March to May."""
        named = not _SOUTH.isdisjoint(_CAPITALIZED.findall(self._text))
        return named or any(phrase in self._text for phrase in _SOUTHERN_PHRASES)

    @cached_property
    def day_has_24_hours(self) -> bool:
        """Whether 5:15 can only be in the morning."""
        return _LATE_HOUR.search(self._text) is not None and _HALF_DAY.search(self._text) is None

    @cached_property
    def _years(self) -> frozenset[int]:
        return frozenset(map(int, _YEAR.findall(self._text)))

    def full_year(self, digits: str) -> int | None:
        """The year that two or four digits mean; None where they may be of either century."""
        return full_year(digits, self._years, self._year_context)


@lru_cache(maxsize=32)
def date_facts(text: str, year_context: YearContext = "unknown") -> DateFacts:
    return DateFacts(text, year_context)


# -- From the text of a mention to a row of tokens: numbers, names of months, words that join; all of it or nothing.


_RAW = re.compile(
    r"""
    (?P<iso>(?P<y1>[12]\d{3})(?P<s1>[-/.])(?P<m1>\d{1,2})(?P=s1)(?P<d1>\d{1,2})(?!\d)
        (?:[T ](?P<h1>\d\d):(?P<n1>\d\d)(?::\d\d(?:[.,]\d+)?)?(?:Z|\s?UTC|[+-]\d\d:?\d\d)?(?![\d:]))?)
  | (?P<numeric>(?P<a2>\d{1,2})\s?(?P<s2>[-/.])\s?(?P<b2>\d{1,2})\s?(?P=s2){1,2}\s?(?P<y2>\d{4}|\d{2})(?!\d))
  | (?P<half>(?P<h3>\d{1,2})(?:[.:](?P<n3>[0-5]\d)(?::[0-5]\d)?)?\s*(?P<ap>[ap])\.?\s?m\b\.?)
  | (?P<hours>(?P<h4>\d{1,2})(?P<s4>[.:h])\s?(?P<n4>[0-5]\d)(?::[0-5]\d)?\s*
        (?P<u4>(?:h|hrs?|hours|horas)\b\.?)?(?![\d/]))
  | (?P<military>(?P<h5>0\d)(?P<n5>[0-5]\d)\s?(?:h|hrs|hours|horas)\b)
  | (?P<oclock>(?P<h6>\d{1,2})\s?o['’]clock)
  | (?P<twelve>12\s+(?:(?P<noon>noon|midday)|midnight)\b)
  | (?P<decade>(?:(?P<y7>[12]\d)|(?<!\d)['’]?)(?P<t7>\d0)['’]?s(?!\w))
  | (?P<pair>(?P<y8>1\d{3}|2[01]\d\d)(?P<s8>[-/–])(?P<z8>\d{2})(?!\d))
  | (?P<month_year>(?P<m9>\d{1,2})[-/.](?P<y9>1[5-9]\d\d|20\d\d)(?!\d))
  | (?P<year>1\d{3}|2[01]\d\d)(?!\d)
  | ['’](?P<short>\d\d)(?!\d)
  | (?P<number>\d{1,2})(?:st|nd|rd|th|er|\.?[ºª])?(?![\d])
  | (?P<word>(?:twenty|thirty)-[a-z]+|(?:early|mid)-to-(?:mid|late)\b|\b[qQ][1-4]\b
        |[^\W\d_]+(?:['’][^\W\d_]+|['’](?=\s))?)
  | (?P<sign>[,;()/&–—-])
  | (?P<blank>[\s.]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ROMAN = re.compile(r"[IVX]+\Z")
_VALUES = {"I": 1, "V": 5, "X": 10}
_SIGNS = {",": ",", ";": ",", "(": ",", ")": ",", "/": "&", "&": "&", "-": "-", "–": "-", "—": "-"}
_INNER = re.compile(r"P-|D-M-[Yn]|M-[Yn]")
_LONGEST = 160
_SHORT_CUT = 10
"""Years that 1998/02 may last; 1988/02 is February."""


def tokens(said: str, facts: DateFacts, language: str) -> list[Token] | None:
    """All of what is said, or None where a part of it is no word of dates."""
    if len(said) > _LONGEST:
        return None
    found: list[Token] = []
    words: list[str] = []
    at = 0
    while at < len(said):
        match = _RAW.match(said, at)
        if match is None:
            return None
        kind = match.lastgroup or ""
        if kind == "word":
            words.append(match["word"].replace("’", "'"))
        elif kind != "blank":
            if not _add_words(words, found, language):
                return None
            token = _READERS[kind](match, facts, language)
            if token is None:
                return None
            found.append(token)
        at = match.end()
    if not _add_words(words, found, language):
        return None
    return _without_hyphens([token for token in found if token.kind != "o"])


def _without_hyphens(found: list[Token]) -> list[Token]:
    """Hyphens inside a date, not between two: mid-May, 3-May-1999."""
    kinds = "".join(token.kind for token in found)
    inner = {at for match in _INNER.finditer(kinds) for at in range(*match.span()) if kinds[at] == "-"}
    return [token for at, token in enumerate(found) if at not in inner]


def _add_words(words: list[str], found: list[Token], language: str) -> bool:
    """The words as tokens, the longest names first; False where one is unknown."""
    at = 0
    while at < len(words):
        for count in range(min(MOST_WORDS, len(words) - at), 0, -1):
            token = WORDS.get(" ".join(words[at : at + count]).casefold())
            if token is not None:
                found.append(token)
                at += count
                break
        else:
            if words[at] == "a" and language == "es":
                found.append(Token("-"))
            elif _ROMAN.match(words[at]):
                found.append(Token("r", _roman(words[at])))
            elif words[at].casefold() not in ("a", "an"):
                return False
            at += 1
    words.clear()
    return True


def _roman(text: str) -> int:
    values = [_VALUES[letter] for letter in text]
    return sum(-one if one < other else one for one, other in zip(values, [*values[1:], 0], strict=True))


def _dates(year: int, month: int, day: int) -> Days | None:
    try:
        return date(year, month, day), date(year, month, day)
    except ValueError:
        return None


def _iso(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    year = int(match["y1"])
    return Token("i", _dates(year, int(match["m1"]), int(match["d1"])) or whole_years(year, year))


def _numeric(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    """Where the order is open, all days from one reading to the other; of a day that does not exist only the year."""
    known_year = facts.full_year(match["y2"])
    year = likely_year(match["y2"]) if known_year is None else known_year
    if not 1000 <= year < 2200:
        return None
    order = "dmy" if match["s2"] == "." or language == "es" else facts.order
    days = possible_days(int(match["a2"]), int(match["b2"]), year, order)
    if known_year is None:
        undated = [day.replace(year=ANY_YEAR) for day in days]
        return Token("u", (min(undated), max(undated))) if undated else None
    return Token("i", (min(days), max(days)) if days else whole_years(year, year))


def _clock(hour: int, minute: int) -> Token | None:
    return Token("T", (hour * 60 + minute, hour * 60 + minute)) if hour < 24 and minute < 60 else None


def _half(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    hour = int(match["h3"])
    if not 1 <= hour <= 12:
        return _clock(hour, int(match["n3"] or 0)) if 12 < hour < 24 and match["ap"] in "pP" else None
    return _clock(hour % 12 + (12 if match["ap"] in "pP" else 0), int(match["n3"] or 0))


def _hours(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    hour, minute, unit = int(match["h4"]), int(match["n4"]), match["u4"]
    if match["s4"] == "." and not unit and hour <= 31 and 1 <= minute <= 12:
        return None  # 3.08 may be a day and a month
    if unit or hour > 12 or match["h4"].startswith("0") or facts.day_has_24_hours or language == "es":
        return _clock(hour, minute)
    return Token("t")


def _military(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    return _clock(int(match["h5"]), int(match["n5"]))


def _oclock(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    hour = int(match["h6"])
    return _clock(hour, 0) if 12 < hour < 24 or hour == 0 else Token("t") if hour <= 12 else None


def _twelve(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    return _clock(12 if match["noon"] else 0, 0)


def _decade(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    if match["y7"]:
        return Token("E", int(match["y7"] + match["t7"]))
    # "the 20s" may be of either century; "his 30s" is an age, and the words before tell.
    return Token("E", 1900 + int(match["t7"])) if int(match["t7"]) >= 50 else None


def _pair(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    """1996/97, and 2003-04, which is two years or a month of the first: days that hold whichever is meant."""
    year, second = int(match["y8"]), int(match["z8"])
    last = year - year % 100 + second
    if last <= year and last + 100 - year <= _SHORT_CUT:
        last += 100
    if last > year:
        return Token("s", whole_years(year, last))
    return Token("m", whole_month(year, second)) if 1 <= second <= 12 else None


def _month_year(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    month, year = int(match["m9"]), int(match["y9"])
    return Token("m", whole_month(year, month)) if 1 <= month <= 12 else None


def _year(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    return Token("Y", int(match["year"]))


def _short(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    year = facts.full_year(match["short"])
    return Token("n", (int(match["short"]), None)) if year is None else Token("Y", year)


def _number(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    number = int(match["number"])
    if number == 0:
        return None
    return Token("D", number) if number <= 31 else Token("n", (number, facts.full_year(match["number"])))


def _sign(match: re.Match[str], facts: DateFacts, language: str) -> Token | None:
    return Token(_SIGNS[match["sign"]])


_READERS: dict[str, Callable[[re.Match[str], DateFacts, str], Token | None]] = {
    "iso": _iso,
    "numeric": _numeric,
    "half": _half,
    "hours": _hours,
    "military": _military,
    "oclock": _oclock,
    "twelve": _twelve,
    "decade": _decade,
    "pair": _pair,
    "month_year": _month_year,
    "year": _year,
    "short": _short,
    "number": _number,
    "sign": _sign,
}
