"""Generalize times of day and weekdays: the part of the day, working day or weekend."""

from __future__ import annotations

from typing import Any

from sfumato.generalize.dates.reading import Minutes, Reading
from sfumato.generalize.hierarchy import Level
from sfumato.lexicon.tables import load_toml

_SOURCE = "clock"
_HOUR = 60
_DAY = 24 * _HOUR
_NOON = 12 * _HOUR
_FRIDAY, _SATURDAY = 4, 5


def _data(language: str) -> Any:
    return load_toml("dates", language)["clock"]


def part_of_day(clock: Minutes, language: str) -> tuple[float, str] | None:
    """The morning, afternoon, evening or night that holds a time, and its share of the day."""
    for noun, (begin, end) in _data(language)["nouns"].items():
        if _holds(begin, end, clock):
            return (end - begin) / 24, noun
    return None


def _holds(begin: int, end: int, clock: Minutes) -> bool:
    first, last = clock
    if first == last == _NOON and _NOON in (begin * _HOUR, end * _HOUR):
        return False
    inside = begin * _HOUR <= first and last < end * _HOUR
    return inside or (begin * _HOUR <= first + _DAY and last + _DAY < end * _HOUR)


def time_levels(reading: Reading, language: str) -> list[Level]:
    """Levels of times of day and weekdays without a date."""
    if reading.weekdays:
        return _weekday_levels(reading, language)
    clock = min(first for first, _ in reading.clock), max(last for _, last in reading.clock)
    data = _data(language)
    levels: list[Level] = []
    for part in data["parts"]:
        begin, end = part["hours"]
        is_wider = (end - begin) * _HOUR > clock[1] - clock[0] + 1
        if is_wider and _holds(begin, end, clock) and not (clock == (0, 0) and begin == 0):
            modifier = part["text"].replace(" ", "-") if data["article"] and " of " not in part["text"] else None
            members = (end - begin) * _HOUR / _DAY
            levels.append(Level(part["text"], members, data["article"], False, modifier, part["preposition"], _SOURCE))
    return levels


def _weekday_levels(reading: Reading, language: str) -> list[Level]:
    working = all(day <= _FRIDAY for day in reading.weekdays)
    if not working and any(day < _SATURDAY for day in reading.weekdays):
        return []
    data = _data(language)
    days = 5 if working else 2
    single, many = data["weekday" if working else "weekend"]
    article, preposition = data["weekday_article"], data["weekday_preposition"]
    if len(reading.weekdays) > 1 or reading.plural:
        modifier = single if article else None
        return [Level(many, days, "", True, modifier, preposition, _SOURCE)]
    levels = [Level(single, days, article, False, single if article else None, preposition, _SOURCE)]
    part = part_of_day(reading.clock[0], language) if len(reading.clock) == 1 else None
    if part is not None and "weekday_part" in data:
        share, noun = part
        text = data["weekday_part"].format(word=single, noun=noun)
        levels.insert(0, Level(text, days * share, article, preposition=preposition, source=_SOURCE))
    return levels
