"""Where bands of time begin and end, and the words for such a length."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.knowledge.ladders.durations.reading import SECONDS, SLACK
from sfumato.knowledge.numbers.write import in_words, written

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
