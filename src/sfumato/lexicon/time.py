"""What the dates in a piece of text say: year, month and day, as far as they are given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

# -- Names of months and weekdays in the languages the rules cover. Written for this project.


MONTHS: dict[str, tuple[str, ...]] = {
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December"),
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
           "noviembre", "diciembre"),
    "de": ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
           "November", "Dezember"),
    "fr": ("janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
           "novembre", "décembre"),
    "it": ("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
           "novembre", "dicembre"),
    "pt": ("janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
           "novembro", "dezembro"),
    "nl": ("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
           "november", "december"),
}  # fmt: skip

SHORT_MONTHS: dict[str, tuple[str, ...]] = {
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    "es": ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    "de": ("Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"),
    "fr": ("janv", "févr", "mars", "avr", "mai", "juin", "juil", "août", "sept", "oct", "nov", "déc"),
    "it": ("gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic"),
    "pt": ("jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"),
    "nl": ("jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec"),
}

WEEKDAYS: dict[str, tuple[str, ...]] = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "de": ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    "fr": ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    "it": ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"),
    "pt": (
        "segunda-feira",
        "terça-feira",
        "quarta-feira",
        "quinta-feira",
        "sexta-feira",
        "sábado",
        "domingo",
    ),
    "nl": ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"),
}

SEASONS: dict[str, tuple[str, ...]] = {
    "en": ("spring", "summer", "autumn", "winter"),
    "es": ("primavera", "verano", "otoño", "invierno"),
}

HOLIDAYS: dict[str, tuple[str, tuple[int, int], tuple[int, int]]] = {
    "christmas eve": ("Christian", (12, 24), (12, 24)),
    "christmas day": ("Christian", (12, 25), (12, 25)),
    "christmas": ("Christian", (12, 24), (12, 26)),
    "xmas": ("Christian", (12, 24), (12, 26)),
    "boxing day": ("public", (12, 26), (12, 26)),
    "st stephen's day": ("Christian", (12, 26), (12, 26)),
    "new year's eve": ("public", (12, 31), (12, 31)),
    "new year's day": ("public", (1, 1), (1, 1)),
    "epiphany": ("Christian", (1, 6), (1, 6)),
    "valentine's day": ("", (2, 14), (2, 14)),
    "st patrick's day": ("", (3, 17), (3, 17)),
    "carnival": ("", (1, 20), (3, 12)),
    "ash wednesday": ("Christian", (2, 4), (3, 11)),
    "palm sunday": ("Christian", (3, 15), (5, 2)),
    "maundy thursday": ("Christian", (3, 19), (5, 6)),
    "good friday": ("Christian", (3, 20), (5, 7)),
    "easter sunday": ("Christian", (3, 22), (5, 8)),
    "easter monday": ("Christian", (3, 23), (5, 9)),
    "easter": ("Christian", (3, 19), (5, 9)),
    "holy week": ("Christian", (3, 15), (5, 8)),
    "ascension day": ("Christian", (4, 30), (6, 17)),
    "whit sunday": ("Christian", (5, 10), (6, 27)),
    "whit monday": ("Christian", (5, 11), (6, 28)),
    "pentecost": ("Christian", (5, 10), (6, 28)),
    "corpus christi": ("Christian", (5, 21), (6, 28)),
    "midsummer": ("", (6, 19), (6, 26)),
    "bastille day": ("national", (7, 14), (7, 14)),
    "assumption day": ("Christian", (8, 15), (8, 15)),
    "halloween": ("", (10, 31), (10, 31)),
    "all saints' day": ("Christian", (11, 1), (11, 1)),
    "all souls' day": ("Christian", (11, 2), (11, 2)),
    "guy fawkes night": ("", (11, 5), (11, 5)),
    "armistice day": ("national", (11, 11), (11, 11)),
    "veterans day": ("national", (11, 11), (11, 11)),
    "thanksgiving day": ("public", (10, 8), (11, 28)),
    "thanksgiving": ("public", (10, 8), (11, 28)),
    "memorial day": ("national", (1, 1), (12, 31)),
    "labor day": ("public", (1, 1), (12, 31)),
    "labour day": ("public", (1, 1), (12, 31)),
    "mother's day": ("", (1, 1), (12, 31)),
    "father's day": ("", (1, 1), (12, 31)),
    "independence day": ("national", (1, 1), (12, 31)),
    "ramadan": ("Muslim", (1, 1), (12, 31)),
    "eid al-fitr": ("Muslim", (1, 1), (12, 31)),
    "eid al-adha": ("Muslim", (1, 1), (12, 31)),
    "eid": ("Muslim", (1, 1), (12, 31)),
    "passover": ("Jewish", (3, 20), (5, 5)),
    "rosh hashanah": ("Jewish", (9, 4), (10, 10)),
    "yom kippur": ("Jewish", (9, 13), (10, 16)),
    "hanukkah": ("Jewish", (1, 1), (12, 31)),
    "diwali": ("Hindu", (10, 13), (11, 16)),
    "nochebuena": ("Christian", (12, 24), (12, 24)),
    "día de navidad": ("Christian", (12, 25), (12, 25)),
    "navidad": ("Christian", (12, 24), (12, 26)),
    "nochevieja": ("public", (12, 31), (12, 31)),
    "año nuevo": ("public", (1, 1), (1, 1)),
    "día de reyes": ("Christian", (1, 6), (1, 6)),
    "epifanía": ("Christian", (1, 6), (1, 6)),
    "carnaval": ("", (1, 20), (3, 12)),
    "miércoles de ceniza": ("Christian", (2, 4), (3, 11)),
    "domingo de ramos": ("Christian", (3, 15), (5, 2)),
    "jueves santo": ("Christian", (3, 19), (5, 6)),
    "viernes santo": ("Christian", (3, 20), (5, 7)),
    "semana santa": ("Christian", (3, 15), (5, 9)),
    "domingo de resurrección": ("Christian", (3, 22), (5, 8)),
    "lunes de pascua": ("Christian", (3, 23), (5, 9)),
    "pascua": ("Christian", (3, 15), (5, 9)),
    "pentecostés": ("Christian", (5, 10), (6, 28)),
    "noche de san juan": ("Christian", (6, 23), (6, 24)),
    "día de la hispanidad": ("national", (10, 12), (10, 12)),
    "todos los santos": ("Christian", (11, 1), (11, 1)),
    "día de los muertos": ("", (11, 1), (11, 2)),
    "día de la constitución": ("national", (1, 1), (12, 31)),
    "la inmaculada": ("Christian", (12, 8), (12, 8)),
}
"""A holiday's kind, and the days of a year it can fall on in any country that keeps it, Eastern Easter included.

Christmas in the Julian calendar (7 January) is left out: texts in English and Spanish mean the other.
"""


# -- The forms in which dates are written in a text, and what numeric ones mean.


Order = Literal["dmy", "mdy"]
"""How 03/04/2021 is read: 3 April or March 4."""


@dataclass(frozen=True, slots=True)
class Word:
    """A month or a weekday: its place among the names of its language."""

    names: tuple[str, ...]
    index: int


def _words(*tables: dict[str, tuple[str, ...]]) -> dict[str, Word]:
    # The first language that has a word wins; languages that share it mostly share the month too.
    found: dict[str, Word] = {}
    for table in tables:
        for names in table.values():
            for index, name in enumerate(names):
                found.setdefault(name.casefold(), Word(names, index))
    return found


MONTH_WORDS = _words(MONTHS, SHORT_MONTHS)
WEEKDAY_WORDS = _words(WEEKDAYS)


def alternatives(words: dict[str, Word]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_MONTH = rf"(?P<month>{alternatives(MONTH_WORDS)})(?!\w)"
_DAY = r"(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|º|er|\.)?"
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d)(?!\d)"

_FORMS = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "iso": r"(?<!\d)(?P<year>\d{4})(?P<a>[-/.])(?P<month>\d{1,2})(?P=a)(?P<day>\d{1,2})(?!\d)",
        "numeric": r"(?<!\d)(?P<first>\d{1,2})(?P<a>[-/.])(?P<second>\d{1,2})(?P=a)(?P<year>\d{4}|\d{2})(?!\d)",
        "days": rf"(?<!\d)(?P<from>\d{{1,2}})(?P<to>\s*[-–]\s*){_DAY}(?P<a>\s+){_MONTH}(?P<b>,?\s+){_YEAR}",
        "day_month": rf"(?<!\d){_DAY}(?P<a>\s+(?:of\s+|de\s+)?|-){_MONTH}"
        rf"(?:(?P<b>\.?,?\s+(?:del?\s+)?|-){_YEAR})?",
        "month_day": rf"(?<!\w){_MONTH}(?P<a>\.?\s+){_DAY}(?![\d:])(?:(?P<b>,?\s+){_YEAR})?",
        "month_year": rf"(?<!\w){_MONTH}(?P<a>\.?,?\s+(?:del?\s+|of\s+)?){_YEAR}",
        "weekday": rf"(?<!\w)(?P<weekday>{alternatives(WEEKDAY_WORDS)})(?!\w)",
        "year": rf"(?<![\d.,]){_YEAR}(?![.,]?\d)(?!s)",
        "month": rf"(?<!\w){_MONTH}",
    }.items()
}


def order_in(text: str) -> Order:
    """How a text writes its numeric dates: month first only when one of its dates can be read in no other way."""
    for match in _FORMS["numeric"].finditer(text):
        if int(match["second"]) > 12 >= int(match["first"]):
            return "mdy"
        if int(match["first"]) > 12:
            return "dmy"
    return "dmy"


def forms_in(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """The dates written in a text, from left to right, each with the name of its form; the longest reading wins."""
    at = 0
    while at < len(text):
        found = [
            (match.start(), -match.end(), name, match)
            for name, form in _FORMS.items()
            if (match := form.search(text, at))
        ]
        if not found:
            return
        _, _, name, match = min(found, key=lambda item: item[:2])
        yield name, match
        at = match.end()


def month_number(match: re.Match[str]) -> int:
    """The month that a date names in words, 1 to 12."""
    return MONTH_WORDS[match["month"].casefold()].index + 1


def numeric_date(match: re.Match[str], order: Order) -> date:
    """What a numeric date means; ``order`` settles it only where both readings are dates."""
    first, second, year = int(match["first"]), int(match["second"]), int(match["year"])
    if len(match["year"]) == 2:
        year += 2000 if year < 50 else 1900
    day_first = first > 12 or (second <= 12 and order == "dmy")
    return date(year, second if day_first else first, first if day_first else second)


# -- What the dates in a piece of text say: year, month and day, as far as they are given.


class PartialDate(NamedTuple):
    """A date of which some parts may not be said."""

    year: int | None
    month: int | None
    day: int | None


def read_dates(text: str, order: Order = "dmy") -> tuple[PartialDate, ...]:
    """The dates in the text, in order; "from 3 to 5 May" and weekdays without a date are left out.

    ``read_dates("3 May 2003") == read_dates("2003-05-03") == ((2003, 5, 3),)``.
    """
    found = (_read(form, match, order) for form, match in forms_in(text))
    return tuple(date for date in found if date is not None)


def _read(form: str, match: re.Match[str], order: Order) -> PartialDate | None:
    match form:
        case "weekday" | "days":
            return None
        case "numeric":
            try:
                read = numeric_date(match, order)
            except ValueError:
                return None
            return PartialDate(read.year, read.month, read.day)
        case "iso":
            return PartialDate(int(match["year"]), int(match["month"]), int(match["day"]))
    said = match.groupdict()
    month = month_number(match) if said.get("month") else None
    return PartialDate(_number(said.get("year")), month, _number(said.get("day")))


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
