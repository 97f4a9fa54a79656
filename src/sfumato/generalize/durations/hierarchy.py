"""Durations and ages: *three months* -> *between two and four months*, *several months*, *less than a year*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from sfumato.generalize.durations import ages
from sfumato.generalize.durations.ages import read_age
from sfumato.generalize.durations.reading import (
    ALIKE_EDGES,
    FEMININE,
    FINE_EDGES,
    NAMES,
    SECONDS,
    SEVERAL,
    SLACK,
    WIDE_EDGES,
    Duration,
    Edge,
    amount,
    pair,
    read_duration,
    unit_name,
)
from sfumato.generalize.hierarchy import (
    MOST,
    Level,
    Mention,
    band,
    bound_before,
    goes_on,
    is_cut,
    is_denied,
    is_end_of_range,
    last_word,
)
from sfumato.lexicon.numbers import in_words, numbers_in

# -- Ever wider stretches of time around a duration, in words.


_MOST = 5
OPENS = {"from": "to", "between": "and", "entre": "y", "desde": "a"}
"""Words that open a range, and how it goes on."""
_OPEN_UNITS = ("minute", "hour", "day", "week", "month", "year")
_FOREVER = 1e14


@dataclass(frozen=True, slots=True)
class Step:
    """One level before it is worded: a stretch of time, and the words for it as a noun and as an adjective."""

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


# -- The attacker's side of durations: the usual ones inside a stretch of time.


_KNOWN = frozenset(
    "between and to less more than a an several multi period term of sentence later earlier ago before after for "
    "within entre y menos más de un una varios varias hace durante después antes uno".split()
)
"""Words of the levels below, beside numbers and units."""


def guesses(phrase: str, language: str) -> Iterator[str]:
    """Durations that may have stood there: the usual ones inside the stretch, the most usual first."""
    stretch = _read_back(phrase.strip().rstrip("'’"), language)
    if stretch is None:
        return
    low, high, unit, modifies = stretch
    for candidate in _usual(low, high, unit):
        edge = Edge(*candidate)
        said = f"{in_words(edge.number)}-{edge.unit}" if modifies else amount(edge, language)
        yield said


_USUAL = (1, 2, 3, 6, 5, 10, 4, 15, 20, 30, 12, 18, 8, 7, 9, 25, 24, 14, 40, 50, 16, 22, 45, 48, 60, 90, 11, 13, 17, 19)


def _usual(low: float, high: float, unit: str) -> Iterator[tuple[int, str]]:
    order = [unit, *(other for other in ("year", "month", "week", "day", "hour", "minute", "second") if other != unit)]
    for name in order:
        for number in _USUAL:
            if low < number * SECONDS[name] < high:
                yield number, name


def _read_back(phrase: str, language: str) -> tuple[float, float, str, bool] | None:
    """The stretch that a level of ours speaks of, the unit it is in, and whether it is an adjective."""
    words = phrase.lower().replace("-", " ").split()
    names = {name for pair in NAMES[language].values() for name in pair}
    numbered = set(
        " ".join(
            phrase.lower().replace("-", " ")[n.start : n.end] for n in numbers_in(" ".join(words), language)
        ).split()
    )
    if any(word not in names and word not in numbered and word not in _KNOWN for word in words):
        return None
    modifies = "-" in phrase and language == "en"
    units = [unit for word in words for unit, names in NAMES[language].items() if word in names]
    if not units:
        return None
    unit = units[-1]
    numbers = [number.value for number in numbers_in(" ".join(words), language) if number.value is not None]
    if any(word in ("several", "varios", "varias") for word in words):
        low, low_unit, high, high_unit = SEVERAL[unit]
        return low * SECONDS[low_unit], high * SECONDS[high_unit], unit, modifies
    if "multi" in words:
        return SECONDS[unit], 100 * SECONDS[unit], unit, modifies
    sizes = [float(number) for number in numbers] or [1.0]
    if any(word in ("less", "menos", "fewer") for word in words):
        return 0.0, sizes[0] * SECONDS[unit], _smaller(unit) if sizes[0] == 1 else unit, modifies
    if any(word in ("more", "más") for word in words):
        return sizes[0] * SECONDS[unit], 20 * sizes[0] * SECONDS[unit], unit, modifies
    if len(sizes) == 2:
        return sizes[0] * SECONDS[units[0]], sizes[1] * SECONDS[unit], unit, modifies
    return (sizes[0] * SECONDS[unit], 3 * sizes[0] * SECONDS[unit], unit, modifies) if len(sizes) == 1 else None


def _smaller(unit: str) -> str:
    units = list(SECONDS)
    return units[max(0, units.index(unit) - 1)]


# -- Durations and ages: *three months* -> *between two and four months*, *several months*, *less than a year*.


_SOURCE = "rule: durations"
_LONGEST = 120
_SOME_DAY = frozenset({"one day", "un día"})
_HOW_LONG = frozenset(
    "for within in after of lasted took takes than about another every last by durante en tras cada".split()
)
"""Behind these words "one day" is a length, and not *some day*."""
_NOUNS = frozenset("period term sentence duration total maximum minimum length plazo período periodo".split())


def levels(mention: Mention) -> list[Level]:
    """How long, ever less exactly; an age (*63 years old*, *aged 5*) as an age."""
    if mention.language not in NAMES:
        return []
    said = mention.surface.strip()
    if len(said) > _LONGEST or is_cut(mention.text, mention.start, mention.end):
        return []
    if age := read_age(mention):
        return ages.levels(age, mention)
    opening = last_word(mention.text, mention.start)
    inside = read_duration(f"{opening} {said}", mention.language) if opening in OPENS else None
    duration = inside if inside and inside.is_range else read_duration(said, mention.language)
    if duration is None or goes_on(mention.text, mention.end):
        return []
    if (duration.high is None or duration.low <= 0) and is_denied(mention.text, mention.start):
        return []
    if said.lower() in _SOME_DAY and opening not in _HOW_LONG:
        return []
    return _worded(steps(duration, mention), duration, mention)


def _worded(wider: list[Step], duration: Duration, mention: Mention) -> list[Level]:
    found: list[Level] = []
    members = 0.0
    is_noun = duration.lead.split()[:1] and duration.lead.split()[0].lower() in _NOUNS
    for step in wider:
        text = step.modifier if duration.is_modifier else _possessive(step.text, duration.apostrophe, mention)
        if not text:
            continue
        # In days; what has no end is counted up to fifty times its beginning.
        width = (min(step.high, 50 * max(step.low, SECONDS["day"])) - step.low) / SECONDS["day"]
        members = max(width, members * 1.01 + 0.001)
        found.append(
            Level(
                duration.lead + text + duration.tail,
                members,
                article="a" if is_noun else "",
                plural=step.plural and not is_noun and not duration.is_modifier,
                modifier=step.modifier,
                source=_SOURCE,
            )
        )
    return found


def _possessive(text: str, apostrophe: str, mention: Mention) -> str:
    """With the apostrophe that the mention ends in; in the plural where one without an s follows the mention."""
    if apostrophe:
        return text + apostrophe if text.endswith("s") else f"{text}{apostrophe}s"
    follows = mention.text[mention.end : mention.end + 2]
    if follows[:1] in ("'", "’") and follows[1:2].lower() != "s" and not text.endswith("s"):
        return re.sub(r"(?:an?|one) year$", "twelve months", text) if text.endswith(" year") else ""
    return text


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Durations and ages that may have stood there: the usual ones inside the stretch, the most usual first."""
    yield from known_originals(phrase, language)


@lru_cache(maxsize=1024)
def known_originals(phrase: str, language: str) -> tuple[str, ...]:
    """The same as a list: the text around has no part in it."""
    if language not in NAMES:
        return ()
    band_of_ages = ages.read_back(phrase, language)
    found = ages.candidate_originals(*band_of_ages, language) if band_of_ages else guesses(phrase, language)
    return tuple(islice(found, MOST))
