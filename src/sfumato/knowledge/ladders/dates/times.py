"""Times of day and days of the week: the part of the day or of the week that they lie in."""

from __future__ import annotations

from sfumato.knowledge.ladders.base import Article, Rung
from sfumato.knowledge.ladders.dates.reading import Reading

_SOURCE = "clock"
_HOUR = 60
_DAY = 24 * _HOUR
_NOON = 12 * _HOUR
_FRIDAY, _SATURDAY = 4, 5
# From one hour to another: the name and the preposition, the shortest first. What begins at 12 does not hold noon.
_PARTS: dict[str, tuple[tuple[int, int, str, str], ...]] = {
    "en": (
        (10, 12, "late morning", "in"),
        (12, 14, "early afternoon", "in"),
        (14, 16, "mid-afternoon", "in"),
        (16, 18, "late afternoon", "in"),
        (18, 20, "early evening", "in"),
        (11, 14, "middle of the day", "in"),
        (0, 4, "early hours", "in"),
        (4, 8, "early morning", "in"),
        (18, 22, "evening", "in"),
        (12, 18, "afternoon", "in"),
        (22, 28, "night", "during"),
        (4, 12, "morning", "in"),
        (0, 12, "first half of the day", "in"),
        (12, 24, "second half of the day", "in"),
    ),
    "es": (
        (11, 14, "el mediodía", "hacia"),
        (0, 6, "la madrugada", "en"),
        (20, 24, "la noche", "por"),
        (6, 12, "la mañana", "por"),
        (12, 20, "la tarde", "por"),
        (0, 12, "la primera mitad del día", "en"),
        (12, 24, "la segunda mitad del día", "en"),
    ),
}
_NOUNS: dict[str, tuple[tuple[int, int, str], ...]] = {
    "en": ((4, 12, "morning"), (12, 18, "afternoon"), (18, 22, "evening"), (22, 28, "night")),
    "es": ((0, 6, "madrugada"), (6, 12, "mañana"), (12, 20, "tarde"), (20, 24, "noche")),
}


def part_of_day(clock: tuple[int, int], language: str) -> tuple[float, str] | None:
    """The morning, afternoon, evening or night that holds a time, and its share of the day."""
    for begin, end, noun in _NOUNS[language]:
        if _holds(begin, end, clock):
            return (end - begin) / 24, noun
    return None


def _holds(begin: int, end: int, clock: tuple[int, int]) -> bool:
    first, last = clock
    if first == last == _NOON and _NOON in (begin * _HOUR, end * _HOUR):
        return False
    inside = begin * _HOUR <= first and last < end * _HOUR
    return inside or (begin * _HOUR <= first + _DAY and last + _DAY < end * _HOUR)


def time_rungs(reading: Reading, language: str) -> list[Rung]:
    """Of times of day and weekdays without a date."""
    if reading.weekdays:
        return _weekday_rungs(reading, language)
    hull = min(first for first, _ in reading.clock), max(last for _, last in reading.clock)
    article: Article = "the" if language == "en" else ""
    minutes = hull[1] - hull[0] + 1
    return [
        Rung(
            text,
            (end - begin) * _HOUR / _DAY,
            article,
            preposition=preposition,
            source=_SOURCE,
            modifier=_before_noun(text),
        )
        for begin, end, text, preposition in _PARTS[language]
        if (end - begin) * _HOUR > minutes and _holds(begin, end, hull) and not (hull == (0, 0) and begin == 0)
    ]


def _before_noun(text: str) -> str | None:
    return text.replace(" ", "-") if " of " not in text and not text.startswith(("la ", "el ")) else None


def _weekday_rungs(reading: Reading, language: str) -> list[Rung]:
    days = set(reading.weekdays)
    working, weekend = all(day <= _FRIDAY for day in days), all(day >= _SATURDAY for day in days)
    if not working and not weekend:
        return []
    many = len(reading.weekdays) > 1 or reading.plural
    if language == "es":
        word = (
            ("días laborables" if many else "un día laborable")
            if working
            else "fines de semana"
            if many
            else "un fin de semana"
        )
        return [Rung(word, 5 if working else 2, "", plural=many, preposition="en", source=_SOURCE)]
    word = "weekday" if working else "weekend"
    found: list[Rung] = []
    part = part_of_day(reading.clock[0], language) if len(reading.clock) == 1 else None
    if part is not None and not many:
        found.append(Rung(f"{word} {part[1]}", (5 if working else 2) * part[0], "a", preposition="on", source=_SOURCE))
    text = f"{word}s" if many else word
    found.append(
        Rung(
            text, 5 if working else 2, "" if many else "a", plural=many, modifier=word, preposition="on", source=_SOURCE
        )
    )
    return found
