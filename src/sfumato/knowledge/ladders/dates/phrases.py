"""What may have stood where a phrase without a date stands: weekdays, holidays, times told from another."""

from __future__ import annotations

import re

from sfumato.knowledge.dates.calendar import MONTHS, WEEKDAYS

_WEEK = {"weekday": (0, 4, 2, 1, 3), "weekend": (5, 6), "día laborable": (0, 4, 2, 1, 3), "fin de semana": (5, 6)}
_RELATIVE = re.compile(r"(?:a few (?P<few>\w+?)s|(?P<many>\w+?)s) (?P<way>later|earlier|ago)", re.IGNORECASE)
_FEW_WORDS = ("two", "three", "four", "five", "six")
_MANY_WORDS = ("ten", "seven", "eight", "twelve", "fifteen", "twenty", "nine")
_FIXED = {
    "following days": ("the next day", "the following day", "the next morning"),
    "preceding days": ("the previous day", "the day before"),
    "recent days": ("yesterday", "last night"),
    "coming days": ("tomorrow",),
    "following weeks": ("the following week", "the next day", "the following day"),
    "recent weeks": ("last week", "yesterday"),
    "recent months": ("last month", "last week"),
    "recent years": ("last year",),
    "coming weeks": ("next week", "tomorrow"),
    "coming months": ("next month", "next week"),
    "coming years": ("next year",),
    "following months": ("the following month", "the following week"),
    "following years": ("the following year",),
    "following year": ("two months later", "three months later", "six months later", "one month later"),
    "following month": ("two weeks later", "a week later", "three weeks later", "ten days later"),
    "following week": ("two days later", "three days later", "a day later", "five days later"),
    "preceding year": ("two months earlier", "three months earlier", "six months earlier", "one month earlier"),
    "preceding month": ("two weeks earlier", "a week earlier", "three weeks earlier"),
    "preceding week": ("two days earlier", "three days earlier", "a day earlier"),
    "past year": ("two months ago", "three months ago", "six months ago", "a month ago"),
    "past month": ("two weeks ago", "a week ago", "three weeks ago"),
    "past week": ("two days ago", "three days ago", "a day ago"),
    "same month": ("the same day",),
    "same year": ("the same day", "the same month"),
    "this week": ("today", "this morning"),
    "later date": ("the next day", "two months later", "two years later", "several years later"),
    "earlier date": ("the previous day", "two months earlier", "two years earlier", "some years earlier"),
    "christian holiday": ("Christmas", "Easter", "Christmas Day", "Good Friday", "Christmas Eve", "Easter Monday"),
    "religious holiday": ("Christmas", "Easter", "Christmas Day", "Good Friday", "Christmas Eve", "Ramadan"),
    "holiday": ("Christmas", "Easter", "New Year's Day", "Christmas Day", "New Year's Eve", "Thanksgiving"),
    "spring or summer": ("summer", "spring"),
    "autumn or winter": ("winter", "autumn"),
    "los días siguientes": ("al día siguiente", "el día siguiente"),
    "los últimos días": ("ayer", "anteayer"),
    "los últimos meses": ("el mes pasado",),
    "los últimos años": ("el año pasado",),
    "un día festivo": ("Navidad", "Año Nuevo", "Semana Santa"),
}
_PARTS_OF_YEAR = re.compile(
    r"(?P<first>first|primera?)|(?P<second>second|segund[oa])|(?P<third>third|tercer)|(?P<fourth>fourth|cuarto)"
)
_HALF, _QUARTER = ("half", "mitad"), ("quarter", "trimestre")


def phrase_originals(said: str, language: str) -> tuple[str, ...]:
    """Likeliest first; empty for a phrase that says something else."""
    if said in _FIXED:
        return _FIXED[said]
    week = _WEEK.get(said.removesuffix("s"))
    if week is not None:
        return tuple(WEEKDAYS["es" if language == "es" else "en"][day] for day in week)
    if said.endswith((" of the year", " del año")):
        return _months(said, language)
    found = _RELATIVE.fullmatch(said)
    if found is None:
        return ()
    counts = _FEW_WORDS if found["few"] else _MANY_WORDS
    return tuple(f"{count} {found['few'] or found['many']}s {found['way']}" for count in counts)


def _months(said: str, language: str) -> tuple[str, ...]:
    """The months of a half or a quarter of the year."""
    part = _PARTS_OF_YEAR.search(said)
    size = 6 if any(word in said for word in _HALF) else 3 if any(word in said for word in _QUARTER) else 0
    if part is None or not size:
        return ()
    index = ("first", "second", "third", "fourth").index(part.lastgroup or "first")
    return MONTHS["es" if language == "es" else "en"][index * size : (index + 1) * size]
