"""The words that dates are written with, in English and Spanish, each with its kind and its value."""

from __future__ import annotations

from typing import NamedTuple

from sfumato.knowledge.dates.calendar import HOLIDAYS, MONTHS, SEASONS, SHORT_MONTHS, WEEKDAYS


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
