"""Read a duration: how long *six years and three months* is, at least and at most."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from sfumato.generalize.hierarchy import Bound, bound_in
from sfumato.lexicon.numbers import in_words, number_at, written

SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 7 * 86400.0,
    "month": 365.2425 / 12 * 86400,
    "year": 365.2425 * 86400,
    "decade": 3652.425 * 86400,
    "century": 36524.25 * 86400,
}
SLACK = {"month": 2.5 * 86400, "year": 1.0 * 86400, "decade": 3.0 * 86400, "century": 3.0 * 86400}
"""Months and years differ in length; so much more or less may one of them, or several together, be."""
_UNITS = {
    "en": {
        "second": "seconds|second|secs|sec",
        "minute": "minutes|minute|mins|min",
        "hour": "hours|hour|hrs|hr|h",
        "day": "days|day|nights|night",
        "week": "weeks|week|wks|wk",
        "fortnight": "fortnights|fortnight",
        "month": "months|month|mths|mth|mos|mo",
        "year": "years|year|yrs|yr",
        "decade": "decades|decade",
        "century": "centuries|century",
    },
    "es": {
        "second": "segundos|segundo|seg",
        "minute": "minutos|minuto|min",
        "hour": "horas|hora|hrs|h",
        "day": "días|día|dias|dia|noches|noche",
        "week": "semanas|semana|sem",
        "month": "meses|mes",
        "year": "años|año",
        "decade": "décadas|década|decenios|decenio",
        "century": "siglos|siglo",
    },
}
_UNIT = {
    language: re.compile(
        rf"(?P<gap>[\s\u00a0\u2010\u2011-]*)"
        rf"(?:{'|'.join(f'(?P<{unit}>{names})' for unit, names in units.items())})(?![^\W_])",
        re.IGNORECASE,
    )
    for language, units in _UNITS.items()
}
_ANY_UNIT = {
    language: re.compile(f"(?:{'|'.join(units.values())})(?![^\\W_])", re.IGNORECASE)
    for language, units in _UNITS.items()
}
_SINGULAR = frozenset("second minute hour day night week fortnight month year decade century".split())
_LEAD = {
    "en": re.compile(
        r"(?:(?:for|within|after|over|in|of|during|by|to|at|lasting|the|a|an|this|that|his|her|their|every|each|only|"
        r"just|another|further|additional|last|next|past|previous|preceding|following|subsequent|first|final|initial|"
        r"remaining|total|maximum|minimum|full|whole|entire|same|(?:period|term|sentence|duration|total|space|course|"
        r"matter|maximum|minimum|length)s? of)\s+)*",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"(?:(?:durante|por|en|de|hace|desde hace|tras|cada|los|las|el|la|un|una|otros|otras|últimos|últimas|primeros|"
        r"primeras|próximos|próximas|siguientes|solo|plazo de|período de|periodo de|total de)\s+)*",
        re.IGNORECASE,
    ),
}
_TAIL = {
    "en": re.compile(
        r"(?:\s+(?:later|earlier|ago|before|after|afterwards|previously|prior|long|in total|or so|in all|each|"
        r"thereafter|hence|in duration|in length|apart|beforehand|on end))?\s*[.,;]?",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"(?:\s+(?:después|antes|más tarde|atrás|de duración|de evolución|de antigüedad|en total|previos|posteriores))?"
        r"\s*[.,;]?",
        re.IGNORECASE,
    ),
}
_BETWEEN = re.compile(r"(between|from|entre|de|desde)\s+", re.IGNORECASE)
_OPENS_AND = frozenset({"between", "entre"})
_TO = re.compile(r"['’]?(?:\s+(to|and|or|a|y|o|hasta)\s+|\s*([-–])\s*)", re.IGNORECASE)
_JOIN = re.compile(r"\s*,?\s*(?:and|y|,)?\s+", re.IGNORECASE)
_VAGUE = re.compile(r"(?:several|a few|few|many|numerous|varios|varias|unos|unas|muchos|muchas)(?=\s)", re.IGNORECASE)
_VAGUELY = Fraction(2)
"""*Several* and the like say no more than that it is two at least."""
_ONE = re.compile(r"(?:an?|un[ao]?)(?=\s)", re.IGNORECASE)
_ONE_LAST = re.compile(r"(?:^|(?<=\s))(?:an?|un[ao]?)\s+$", re.IGNORECASE)
_PART_OF_ONE = re.compile(r"(half|a quarter of|medio|media)\s+(?:an?\s+)?", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\s+(?:and a half|y medi[oa])(?!\w)", re.IGNORECASE)
_POSSESSIVE = re.compile(r"(['’])s?\s*$|(?<=[^\W\d_]s)(['’])\s*$")


@dataclass(frozen=True, slots=True)
class Duration:
    """How long, in seconds, from ``low`` to ``high`` (None: no bound is said), and what stands around it."""

    low: float
    high: float | None
    unit: str
    numbers: tuple[Fraction, ...]
    lead: str = ""
    tail: str = ""
    apostrophe: str = ""
    is_modifier: bool = False
    is_range: bool = False


def read_duration(said: str, language: str) -> Duration | None:
    """The duration that all of ``said`` says; None where it says something else, or more."""
    if language not in _UNIT or not _ANY_UNIT[language].search(said):
        return None
    apostrophe = found[0].strip()[0] if (found := _POSSESSIVE.search(said)) else ""
    body = said[: found.start()] if found else said
    bound, at = bound_in(body, language)
    lead_text = ""
    if bound == "exact" and (lead := _LEAD[language].match(body)):
        lead_text = body[: _before_a_number(body, lead.end(), language)]
        bound, skip = bound_in(body[len(lead_text) :], language)
        at = len(lead_text) + skip
    if ranged := _range(body, at, language) if bound == "exact" else None:
        return replace(ranged, lead=lead_text, apostrophe=apostrophe)
    parts = _parts(body, at, language)
    if parts is None:
        return None
    amounts, end, is_modifier = parts
    tail = body[end:]
    if not _TAIL[language].fullmatch(tail):
        return None
    if _VAGUE.match(body, at):
        bound = "above"
    low = sum(float(number) * SECONDS[unit] for number, unit in amounts)
    if not 0 < low < 1e13:
        return None
    slack = max(SLACK.get(unit, 0.0) for _, unit in amounts)
    low, high = _bounded(low - slack, low + slack, "about" if "or so" in tail else bound)
    return Duration(
        low, high, amounts[0][1], tuple(n for n, _ in amounts), lead_text, _kept(tail), apostrophe, is_modifier
    )


def _range(body: str, at: int, language: str) -> Duration | None:
    """*Two to six months*, *between six months and five years*: from the least of the first to the most of the last."""
    opening = _BETWEEN.match(body, at)
    at = opening.end() if opening else at
    first = _parts(body, at, language) or _alone(body, at, language)
    number = number_at(body, at, language) if first is None else None
    joined = _TO.match(body, first[1] if first else number.end if number else at)
    if not joined or ((joined[1] or "").lower() in ("and", "y") and not (opening and opening[1].lower() in _OPENS_AND)):
        return None
    last = _parts(body, joined.end(), language)
    if last is None or not _TAIL[language].fullmatch(body, last[1]) or (first is None and len(last[0]) > 1):
        return None
    if first is None and (number is None or number.value is None or number.ordinal):
        return None
    amounts = first[0] if first else [(number.value, last[0][0][1])] if number and number.value is not None else []
    low, high = (sum(float(count) * SECONDS[unit] for count, unit in part) for part in (amounts, last[0]))
    if not 0 < low < high < 1e13:
        return None
    slack = max(SLACK.get(unit, 0.0) for _, unit in (*amounts, *last[0]))
    numbers = tuple(count for count, _ in (*amounts, *last[0]))
    return Duration(
        low - slack, high + slack, last[0][0][1], numbers, tail=body[last[1] :], is_modifier=last[2], is_range=True
    )


def _alone(body: str, at: int, language: str) -> tuple[list[tuple[Fraction, str]], int, bool] | None:
    """One number with its unit, whatever follows: a longer one is the other end."""
    found = _part(body, at, language)
    return ([(found[0], found[1])], found[2], found[3]) if found else None


def _kept(tail: str) -> str:
    return "" if tail.strip() == "or so" else tail


def _before_a_number(body: str, end: int, language: str) -> int:
    """The lead ends before its "a" where that is the number: *a* year."""
    found = _ONE_LAST.search(body[:end])
    return found.start() if found and _UNIT[language].match(body, end) else end


def _bounded(low: float, high: float, bound: Bound) -> tuple[float, float | None]:
    match bound:
        case "above":
            return low, None
        case "below":
            return 0.0, high
        case "nearly":
            return low * 0.75, high
        case "about":
            return low * 0.75, high * 1.3
    return low, high


def _parts(body: str, at: int, language: str) -> tuple[list[tuple[Fraction, str]], int, bool] | None:
    """All numbers with their units, ever smaller ones; where they end; whether they are written as an adjective."""
    amounts: list[tuple[Fraction, str]] = []
    end, is_modifier = at, False
    while part := _part(body, at, language):
        number, unit, end, modifies = part
        if amounts and SECONDS[unit] >= SECONDS[amounts[-1][1]]:
            return None
        amounts.append((number, unit))
        is_modifier = is_modifier or modifies
        joined = _JOIN.match(body, end)
        if not joined or is_modifier:
            break
        at = joined.end()
    return (amounts, end, is_modifier) if amounts else None


def _part(body: str, at: int, language: str) -> tuple[Fraction, str, int, bool] | None:
    """One number with its unit: *three months*; whether it is written as an adjective: *three-month*."""
    whole = number_at(body, at, language)
    if vague := _VAGUE.match(body, at):
        found = _UNIT[language].match(body, vague.end())
        return (_VAGUELY, found.lastgroup, found.end(), False) if found and found.lastgroup in SECONDS else None
    if (part := _PART_OF_ONE.match(body, at)) and _UNIT[language].match(body, part.end()):
        value, after = Fraction(1, 4) if "quarter" in part[1].lower() else Fraction(1, 2), part.end()
    elif whole is None and (one := _ONE.match(body, at)):
        value, after = Fraction(1), one.end()
    elif whole is not None and whole.value is not None and not whole.ordinal:
        value, after = whole.value, whole.end
    else:
        return None
    found = _UNIT[language].match(body, after)
    if not found or not found.lastgroup:
        return None
    unit, end = found.lastgroup, found.end()
    word = found[unit].lower()
    half = _AND_A_HALF.match(body, end)
    if half:
        value, end = value + Fraction(1, 2), half.end()
    modifies = language == "en" and word in _SINGULAR and half is None and (value > 1 or found["gap"].strip() != "")
    if unit == "fortnight":
        value, unit = 2 * value, "week"
    return value, unit, end, modifies


# -- Where bands of time begin and end, and the words for such a length.


_FINE = {
    "second": (5, 10, 20, 30, 45),
    "minute": (1, 2, 5, 10, 15, 20, 30, 45),
    "hour": (1, 2, 3, 4, 6, 8, 12, 18),
    "day": (1, 2, 3, 4, 5, 10, 20),
    "week": (1, 2, 3, 6),
    "month": (1, 2, 3, 4, 6, 9, 18),
    "year": (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000, 2000),
}
_ALIKE = {
    "second": (60, 90, 120),
    "minute": (60, 90, 120, 180),
    "hour": (24, 36, 48, 72, 100),
    "day": (7, 30, 40, 60, 80, 100, 150, 200, 300, 400),
    "week": (4, 8, 10, 12, 16, 20, 26, 40, 52),
    "month": (12, 24, 36, 48, 60),
}
"""More ends for a band of what is itself counted in this unit: 90 days lie between 80 and 100 days."""
_WIDE = {
    "second": (1, 10, 30),
    "minute": (1, 5, 15, 30),
    "hour": (1, 3, 6, 12),
    "day": (1, 3),
    "week": (1, 2),
    "month": (1, 2, 6),
    "year": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000),
}
SEVERAL = {
    "second": (2, "second", 1, "minute"),
    "minute": (2, "minute", 1, "hour"),
    "hour": (2, "hour", 1, "day"),
    "day": (2, "day", 2, "week"),
    "week": (2, "week", 3, "month"),
    "month": (2, "month", 1, "year"),
    "year": (2, "year", 10, "year"),
    "decade": (20, "year", 100, "year"),
    "century": (200, "year", 1000, "year"),
}
"""What "several" of a unit is taken to reach from and to; at least three of it must be meant."""
NAMES = {
    "en": {unit: (unit, unit + "s") for unit in SECONDS} | {"century": ("century", "centuries")},
    "es": {
        "second": ("segundo", "segundos"),
        "minute": ("minuto", "minutos"),
        "hour": ("hora", "horas"),
        "day": ("día", "días"),
        "week": ("semana", "semanas"),
        "month": ("mes", "meses"),
        "year": ("año", "años"),
        "decade": ("década", "décadas"),
        "century": ("siglo", "siglos"),
    },
}
FEMININE = frozenset({"hour", "week", "decade"})


@dataclass(frozen=True, slots=True)
class Edge:
    number: int
    unit: str

    @property
    def least(self) -> float:
        return self.number * SECONDS[self.unit] - SLACK.get(self.unit, 0.0)

    @property
    def most(self) -> float:
        return self.number * SECONDS[self.unit] + SLACK.get(self.unit, 0.0)

    @property
    def middle(self) -> float:
        return self.number * SECONDS[self.unit]


def _edges(table: dict[str, tuple[int, ...]]) -> tuple[Edge, ...]:
    edges = [Edge(number, unit) for unit, numbers in table.items() for number in numbers]
    return tuple(sorted(edges, key=lambda edge: edge.middle))


FINE_EDGES, WIDE_EDGES = _edges(_FINE), _edges(_WIDE)
ALIKE_EDGES = {
    unit: tuple(edge for edge in _edges({unit: _FINE.get(unit, ()) + _ALIKE.get(unit, ())})) for unit in SECONDS
}


def pair(low: Edge, high: Edge, language: str) -> tuple[str, str]:
    """Both numbers in words or both in digits."""
    if high.number > 12:
        return written(low.number, language), written(high.number, language)
    first = "una" if language == "es" and low.number == 1 and low.unit in FEMININE else in_words(low.number, language)
    return first, in_words(high.number, language)


def unit_name(edge: Edge, language: str) -> str:
    return NAMES[language][edge.unit][edge.number != 1]


def amount(edge: Edge, language: str) -> str:
    if edge.number == 1 and language == "es":
        return f"{'una' if edge.unit in FEMININE else 'un'} {unit_name(edge, language)}"
    return f"{in_words(edge.number, language)} {unit_name(edge, language)}"
