"""Ever wider stretches of time around a duration, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.knowledge.ladders.base import Mention
from sfumato.knowledge.ladders.bounds import band, bound_before, is_end_of_range, last_word
from sfumato.knowledge.ladders.durations.edges import (
    ALIKE_EDGES,
    FEMININE,
    FINE_EDGES,
    NAMES,
    SEVERAL,
    WIDE_EDGES,
    Edge,
    amount,
    pair,
    unit_name,
)
from sfumato.knowledge.ladders.durations.reading import SECONDS, SLACK, Duration
from sfumato.knowledge.numbers.write import in_words

_MOST = 5
OPENS = {"from": "to", "between": "and", "entre": "y", "desde": "a"}
"""Words that open a range, and how it goes on."""
_OPEN_UNITS = ("minute", "hour", "day", "week", "month", "year")
_FOREVER = 1e14


@dataclass(frozen=True, slots=True)
class Step:
    """One rung before it is worded: a stretch of time, and the words for it as a noun and as an adjective."""

    low: float
    high: float
    text: str
    modifier: str | None
    plural: bool = True


def steps(duration: Duration, mention: Mention) -> list[Step]:
    """Ever wider stretches of time around it, each holding all of the one before."""
    return _nested(_steps(duration, mention))


def _steps(duration: Duration, mention: Mention) -> Iterator[Step]:
    language, before = mention.language, last_word(mention.text, mention.start) if not duration.lead else ""
    before = duration.lead.split()[-1].lower() if duration.lead.split() else before
    outside = bound_before(mention.text, mention.start, language)
    if outside == "unclear":
        yield from _several(duration, language) if before == "over" else ()
        return
    if outside in ("above", "below"):
        yield from _bounds(duration, outside == "above", language)
        return
    if duration.high is None or duration.low <= 0:
        yield from _one_sided(duration, language)
        return
    if duration.is_range and before in OPENS:
        yield from _behind(duration, before, language)
        return
    if not is_end_of_range(mention.text, mention.start):
        for edges in (FINE_EDGES, WIDE_EDGES):
            if step := _banded(duration, edges, before, language):
                yield step
    yield from _several(duration, language)
    if outside == "exact":
        yield from _open(duration.low, duration.high, language)


def _behind(duration: Duration, before: str, language: str) -> Iterator[Step]:
    """A range behind a "from" or "between" that stays in the text: from [six months to three years]."""
    for edges in (FINE_EDGES, WIDE_EDGES):
        low, high = _below(duration, edges), _above(duration, edges)
        if low and high:
            first = amount(low, language) if low.unit != high.unit else pair(low, high, language)[0]
            text = f"{first} {OPENS[before]} {amount(high, language)}"
            yield Step(low.middle, high.middle, text, None)


def _below(duration: Duration, edges: tuple[Edge, ...]) -> Edge | None:
    """The highest edge that lies below all of it; a near one in its own unit before any other."""

    def fits(edge: Edge) -> bool:
        return edge.most < duration.low and edge.number not in duration.numbers

    if edges is FINE_EDGES:
        alike = [edge for edge in ALIKE_EDGES[duration.unit] if fits(edge) and 2 * edge.most >= duration.low]
        if alike:
            return alike[-1]
    return next(filter(fits, reversed(edges)), None)


def _above(duration: Duration, edges: tuple[Edge, ...]) -> Edge | None:
    """The lowest edge that lies above all of it."""
    most = duration.high or 0.0

    def fits(edge: Edge) -> bool:
        return edge.least > most and edge.number not in duration.numbers

    if edges is FINE_EDGES:
        alike = [edge for edge in ALIKE_EDGES[duration.unit] if fits(edge) and edge.least <= 2 * most]
        if alike:
            return alike[0]
    return next(filter(fits, edges), None)


def _banded(duration: Duration, edges: tuple[Edge, ...], before: str, language: str) -> Step | None:
    low, high = _below(duration, edges), _above(duration, edges)
    if low is None or high is None:
        return None
    if low.unit == high.unit:
        first, last = pair(low, high, language)
        text = band(first, f"{last} {unit_name(high, language)}", before, language)
        modifier = f"{first}- to {last}-{low.unit}"
    else:
        text = band(amount(low, language), amount(high, language), before, language)
        modifier = f"{in_words(low.number)}-{low.unit} to {in_words(high.number)}-{high.unit}"
    plural = high.number != 1 or low.unit == high.unit
    return Step(low.middle, high.middle, text, modifier if language == "en" else None, plural)


def _several(duration: Duration, language: str) -> Iterator[Step]:
    for unit, (low, low_unit, high, high_unit) in SEVERAL.items():
        least, most = low * SECONDS[low_unit], high * SECONDS[high_unit]
        if 3 * SECONDS[unit] - SLACK.get(unit, 0.0) <= duration.low and (duration.high or most) < most:
            plural = NAMES[language][unit][1]
            several = "several" if language == "en" else "varias" if unit in FEMININE else "varios"
            yield Step(least, most, f"{several} {plural}", f"several-{unit}" if language == "en" else None)


def _open(low: float, high: float, language: str) -> Iterator[Step]:
    """*less than a year*; *more than a year* where it is longer than two."""
    above = [unit for unit in _OPEN_UNITS if Edge(1, unit).least > high]
    for unit in above[:2]:
        yield Step(0.0, SECONDS[unit], _than("less", unit, language), None, plural=False)
    for unit in ("century", "decade", "year"):
        if Edge(1, unit).most < low:
            many = "multi-year" if unit == "year" and low > SECONDS["year"] * 2 and language == "en" else None
            yield Step(SECONDS[unit], _FOREVER, _than("more", unit, language), many, plural=False)


def _than(which: str, unit: str, language: str) -> str:
    name = NAMES[language][unit][0]
    if language == "es":
        return f"{'más' if which == 'more' else 'menos'} de {'una' if unit in FEMININE else 'un'} {name}"
    return f"{which} than {'an' if unit == 'hour' else 'a'} {name}"


def _one_sided(duration: Duration, language: str) -> Iterator[Step]:
    """*over ten years* -> *more than eight years*; *less than 90 years* -> *less than 100 years*."""
    for edges in (FINE_EDGES, WIDE_EDGES):
        if duration.high is None and (low := _below(duration, edges)):
            word = "more than" if language == "en" else "más de"
            yield Step(low.middle, _FOREVER, f"{word} {amount(low, language)}", None)
        elif duration.high is not None and (high := _above(duration, edges)):
            word = "less than" if language == "en" else "menos de"
            yield Step(0.0, high.middle, f"{word} {amount(high, language)}", None)
    if duration.high is None:
        yield from _open(duration.low, _FOREVER, language)
    else:
        yield from _open(0.0, duration.high, language)


def _bounds(duration: Duration, from_below: bool, language: str) -> Iterator[Step]:
    """What may stand behind a "more than" (a smaller amount) or "less than" (a larger one) that stays in the text."""
    for edges in (FINE_EDGES, WIDE_EDGES):
        edge = _below(duration, edges) if from_below else _above(duration, edges)
        if edge:
            low, high = (edge.middle, _FOREVER) if from_below else (0.0, edge.middle)
            modifier = f"{in_words(edge.number)}-{edge.unit}" if language == "en" else None
            yield Step(low, high, amount(edge, language), modifier, plural=edge.number != 1)


def _nested(steps: Iterator[Step]) -> list[Step]:
    """Those steps of which each holds all of the one before, and more."""
    kept: list[Step] = []
    for step in steps:
        if not kept:
            kept.append(step)
            continue
        last = kept[-1]
        if step.low <= last.low and step.high >= last.high and (step.low, step.high) != (last.low, last.high):
            kept.append(step)
    return kept[:_MOST]
