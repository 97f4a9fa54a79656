"""Generalize durations and ages: *three months* -> *between two and four months*, *less than a year*."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import attrgetter
from typing import Any

from sfumato.generalize.bounds import (
    cuts_word_or_number,
    format_band,
    has_trailing_bound,
    is_end_of_range,
    last_word_before,
    nested,
    preceding_bound,
)
from sfumato.generalize.clauses import is_denied
from sfumato.generalize.durations.ages import age_levels, age_originals, read_age, read_band
from sfumato.generalize.durations.reading import (
    DURATION_LANGUAGES,
    SECONDS,
    SLACK,
    Duration,
    duration_data,
    read_duration,
)
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.numbers import in_words, numbers_in, written
from sfumato.lexicon.tables import load_toml, words_of_all_languages

_SOURCE = "rule: durations"
_LONGEST = 120
_MOST = 5
_OPEN_RANGE = {
    opens: to for language in DURATION_LANGUAGES for opens, to in duration_data(language)["open_range"].items()
}
"""Words that open a range, and how it goes on."""
_OPEN_UNITS = ("minute", "hour", "day", "week", "month", "year")
_FOREVER = 1e14
_SOME_DAY = frozenset(duration_data(language)["some_day"] for language in DURATION_LANGUAGES)
_HOW_LONG = frozenset(words_of_all_languages("durations", "some_day_is_length_behind"))
"""Behind these words "one day" is a length, and not *some day*."""
_NOUNS = frozenset(words_of_all_languages("durations", "nouns"))


def levels(mention: Mention) -> list[Level]:
    """How long, ever less exactly; an age (*63 years old*, *aged 5*) as an age, in any language."""
    surface = mention.surface.strip()
    if len(surface) > _LONGEST or cuts_word_or_number(mention.text, mention.start, mention.end):
        return []
    if age := read_age(mention):
        return age_levels(age, mention)
    if mention.language not in DURATION_LANGUAGES:
        return []
    opening = last_word_before(mention.text, mention.start)
    inside = read_duration(f"{opening} {surface}", mention.language) if opening in _OPEN_RANGE else None
    duration = inside if inside and inside.is_range else read_duration(surface, mention.language)
    if duration is None or has_trailing_bound(mention.text, mention.end):
        return []
    if (duration.high is None or duration.low <= 0) and is_denied(mention.text, mention.start, mention.language):
        return []
    if surface.lower() in _SOME_DAY and opening not in _HOW_LONG:
        return []
    steps = nested(_steps(duration, mention), attrgetter("low", "high"))
    return _word_steps(islice(steps, _MOST), duration, mention)


@dataclass(frozen=True, slots=True)
class _Step:
    """One level before it is worded: a stretch of time in seconds, and the words for it as a noun and an adjective."""

    low: float
    high: float
    text: str
    modifier: str | None
    plural: bool = True


def _word_steps(steps: Iterable[_Step], duration: Duration, mention: Mention) -> list[Level]:
    levels_of_steps: list[Level] = []
    members = 0.0
    is_noun = not _NOUNS.isdisjoint(duration.lead.lower().split()[:1])
    for step in steps:
        text = step.modifier if duration.is_modifier else _possessive(step.text, duration.apostrophe, mention)
        if not text:
            continue
        # In days; what has no end is counted up to fifty times its beginning.
        width = (min(step.high, 50 * max(step.low, SECONDS["day"])) - step.low) / SECONDS["day"]
        members = max(width, members * 1.01 + 0.001)
        plural = step.plural and not is_noun and not duration.is_modifier
        text = duration.lead + text + duration.tail
        levels_of_steps.append(Level(text, members, "a" if is_noun else "", plural, step.modifier, source=_SOURCE))
    return levels_of_steps


def _possessive(text: str, apostrophe: str, mention: Mention) -> str:
    """With the apostrophe that the mention ends in; in the plural where one without an s follows the mention."""
    if apostrophe:
        return text + apostrophe if text.endswith("s") else f"{text}{apostrophe}s"
    following = mention.text[mention.end : mention.end + 2]
    if following[:1] in ("'", "’") and following[1:2].lower() != "s" and not text.endswith("s"):
        return re.sub(r"(?:an?|one) year$", "twelve months", text) if text.endswith(" year") else ""
    return text


# The ends of bands, and the words for them.


@dataclass(frozen=True, slots=True)
class _Edge:
    number: int
    unit: str

    @property
    def seconds(self) -> float:
        return self.number * SECONDS[self.unit]

    @property
    def least(self) -> float:
        return self.seconds - SLACK.get(self.unit, 0.0)

    @property
    def most(self) -> float:
        return self.seconds + SLACK.get(self.unit, 0.0)


_BANDS = load_toml("duration_bands")


def _edges(table: dict[str, tuple[int, ...]]) -> tuple[_Edge, ...]:
    edges = [_Edge(number, unit) for unit, numbers in table.items() for number in numbers]
    return tuple(sorted(edges, key=lambda edge: edge.seconds))


_FINE_EDGES, _WIDE_EDGES = _edges(_BANDS["fine"]), _edges(_BANDS["wide"])
_SAME_UNIT_EDGES = {
    unit: _edges({unit: (*_BANDS["fine"].get(unit, ()), *_BANDS["same_unit"].get(unit, ()))}) for unit in SECONDS
}
_SEVERAL: dict[str, tuple[int, str, int, str]] = _BANDS["several"]
"""What "several" of a unit is taken to reach from and to."""


def _unit_words(unit: str, language: str) -> Any:
    """The singular, plural, article ... of a unit."""
    return duration_data(language)["units"][unit]


def _unit_name(edge: _Edge, language: str) -> str:
    return str(_unit_words(edge.unit, language)["singular" if edge.number == 1 else "plural"])


def _edge_pair(low: _Edge, high: _Edge, language: str) -> tuple[str, str]:
    """Both numbers in words or both in digits."""
    if high.number > 12:
        return written(low.number, language), written(high.number, language)
    first = _unit_words(low.unit, language)["one_alone"] if low.number == 1 else in_words(low.number, language)
    return first, in_words(high.number, language)


def _edge_text(edge: _Edge, language: str) -> str:
    count = _unit_words(edge.unit, language)["one"] if edge.number == 1 else in_words(edge.number, language)
    return f"{count} {_unit_name(edge, language)}"


# Ever wider stretches of time around a duration.


def _steps(duration: Duration, mention: Mention) -> Iterator[_Step]:
    language = mention.language
    lead = duration.lead.split()
    before = lead[-1].lower() if lead else "" if duration.lead else last_word_before(mention.text, mention.start)
    bound = preceding_bound(mention.text, mention.start, language)
    if bound == "unclear":
        yield from _several(duration, language) if before == "over" else ()
    elif bound in ("above", "below"):
        yield from _behind_bound(duration, bound == "above", language)
    elif duration.high is None or duration.low <= 0:
        yield from _one_sided(duration, language)
    elif duration.is_range and before in _OPEN_RANGE:
        yield from _behind_opening(duration, before, language)
    else:
        if not is_end_of_range(mention.text, mention.start):
            for edges in (_FINE_EDGES, _WIDE_EDGES):
                if step := _banded(duration, edges, before, language):
                    yield step
        yield from _several(duration, language)
        if bound == "exact":
            yield from _open(duration.low, duration.high, language)


def _behind_opening(duration: Duration, before: str, language: str) -> Iterator[_Step]:
    """A range behind a "from" or "between" that stays in the text: from [six months to three years]."""
    for edges in (_FINE_EDGES, _WIDE_EDGES):
        low, high = _below(duration, edges), _above(duration, edges)
        if low and high:
            first = _edge_text(low, language) if low.unit != high.unit else _edge_pair(low, high, language)[0]
            text = f"{first} {_OPEN_RANGE[before]} {_edge_text(high, language)}"
            yield _Step(low.seconds, high.seconds, text, None)


def _below(duration: Duration, edges: tuple[_Edge, ...]) -> _Edge | None:
    """The highest edge that lies below all of it; a near one in the same unit before any other."""
    near = [edge for edge in _SAME_UNIT_EDGES[duration.unit] if 2 * edge.most >= duration.low]
    candidates = [*edges, *near] if edges is _FINE_EDGES else edges
    return next(
        (edge for edge in reversed(candidates) if edge.most < duration.low and edge.number not in duration.numbers),
        None,
    )


def _above(duration: Duration, edges: tuple[_Edge, ...]) -> _Edge | None:
    """The lowest edge that lies above all of it; a near one in the same unit before any other."""
    most = duration.high or 0.0
    near = [edge for edge in _SAME_UNIT_EDGES[duration.unit] if edge.least <= 2 * most]
    candidates = [*near, *edges] if edges is _FINE_EDGES else edges
    return next((edge for edge in candidates if edge.least > most and edge.number not in duration.numbers), None)


def _banded(duration: Duration, edges: tuple[_Edge, ...], before: str, language: str) -> _Step | None:
    low, high = _below(duration, edges), _above(duration, edges)
    if low is None or high is None:
        return None
    if low.unit == high.unit:
        first, last = _edge_pair(low, high, language)
        text = format_band(first, f"{last} {_unit_name(high, language)}", before, language)
        modifier = f"{first}- to {last}-{low.unit}"
    else:
        text = format_band(_edge_text(low, language), _edge_text(high, language), before, language)
        modifier = f"{in_words(low.number)}-{low.unit} to {in_words(high.number)}-{high.unit}"
    plural = high.number != 1 or low.unit == high.unit
    return _Step(low.seconds, high.seconds, text, _modifier(modifier, language), plural)


def _modifier(text: str, language: str) -> str | None:
    return text if duration_data(language)["has_modifiers"] else None


def _several(duration: Duration, language: str) -> Iterator[_Step]:
    for unit, (low, low_unit, high, high_unit) in _SEVERAL.items():
        least, most = low * SECONDS[low_unit], high * SECONDS[high_unit]
        if 3 * SECONDS[unit] - SLACK.get(unit, 0.0) <= duration.low and (duration.high or most) < most:
            names = _unit_words(unit, language)
            yield _Step(least, most, f"{names['several']} {names['plural']}", _modifier(f"several-{unit}", language))


def _open(low: float, high: float, language: str) -> Iterator[_Step]:
    """*less than a year*; *more than a year* where it is longer than two."""
    data = duration_data(language)
    above = [unit for unit in _OPEN_UNITS if _Edge(1, unit).least > high]
    for unit in above[:2]:
        yield _Step(0.0, SECONDS[unit], f"{data['less_than']} {_one(unit, language)}", None, plural=False)
    for unit in ("century", "decade", "year"):
        if _Edge(1, unit).most < low:
            is_years = unit == "year" and low > SECONDS["year"] * 2
            modifier = data.get("several_years_modifier") if is_years else None
            yield _Step(SECONDS[unit], _FOREVER, f"{data['more_than']} {_one(unit, language)}", modifier, plural=False)


def _one(unit: str, language: str) -> str:
    names = _unit_words(unit, language)
    return f"{names['article']} {names['singular']}"


def _one_sided(duration: Duration, language: str) -> Iterator[_Step]:
    """*over ten years* -> *more than eight years*; *less than 90 years* -> *less than 100 years*."""
    data = duration_data(language)
    for edges in (_FINE_EDGES, _WIDE_EDGES):
        if duration.high is None and (low := _below(duration, edges)):
            yield _Step(low.seconds, _FOREVER, f"{data['more_than']} {_edge_text(low, language)}", None)
        elif duration.high is not None and (high := _above(duration, edges)):
            yield _Step(0.0, high.seconds, f"{data['less_than']} {_edge_text(high, language)}", None)
    yield from _open(duration.low if duration.high is None else 0.0, duration.high or _FOREVER, language)


def _behind_bound(duration: Duration, from_below: bool, language: str) -> Iterator[_Step]:
    """What may stand behind a "more than" (a smaller amount) or "less than" (a larger one) that stays in the text."""
    for edges in (_FINE_EDGES, _WIDE_EDGES):
        edge = _below(duration, edges) if from_below else _above(duration, edges)
        if edge:
            low, high = (edge.seconds, _FOREVER) if from_below else (0.0, edge.seconds)
            modifier = _modifier(f"{in_words(edge.number)}-{edge.unit}", language)
            yield _Step(low, high, _edge_text(edge, language), modifier, plural=edge.number != 1)


# The attacker's side: the usual durations inside a stretch of time.

_LEVEL_WORDS, _SEVERAL_WORDS, _LESS_WORDS, _MORE_WORDS = (
    frozenset(words_of_all_languages("durations", f"{key}_words")) for key in ("level", "several", "less", "more")
)
"""Words of levels beside numbers and units; those that say how many."""
_USUAL = (1, 2, 3, 6, 5, 10, 4, 15, 20, 30, 12, 18, 8, 7, 9, 25, 24, 14, 40, 50, 16, 22, 45, 48, 60, 90, 11, 13, 17, 19)
_USUAL_UNITS = ("year", "month", "week", "day", "hour", "minute", "second")


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Durations and ages that may have stood there: the usual ones inside the stretch, the most usual first."""
    if language not in DURATION_LANGUAGES:
        return iter(())
    ages = read_band(phrase, language)
    return age_originals(*ages, language) if ages else _duration_originals(phrase, language)


def _duration_originals(phrase: str, language: str) -> Iterator[str]:
    stretch = _read_level(phrase.strip().rstrip("'’"), language)
    if stretch is None:
        return
    low, high, unit, is_modifier = stretch
    for name in dict.fromkeys((unit, *_USUAL_UNITS)):
        for number in _USUAL:
            if low < number * SECONDS[name] < high:
                yield f"{in_words(number)}-{name}" if is_modifier else _edge_text(_Edge(number, name), language)


def _read_level(phrase: str, language: str) -> tuple[float, float, str, bool] | None:
    """The stretch that a level of ours speaks of, the unit it is in, and whether it is an adjective."""
    parts = phrase.lower().replace("-", " ").split()
    plain = " ".join(parts)
    numbers = list(numbers_in(plain, language))
    in_numbers = {word for number in numbers for word in plain[number.start : number.end].split()}
    unit_of = {
        entry[form]: unit
        for unit, entry in duration_data(language)["units"].items()
        for form in ("singular", "plural")
        if form in entry
    }
    if any(word not in unit_of and word not in in_numbers and word not in _LEVEL_WORDS for word in parts):
        return None
    units = [unit_of[word] for word in parts if word in unit_of]
    if not units:
        return None
    unit, seconds = units[-1], SECONDS[units[-1]]
    is_modifier = "-" in phrase and duration_data(language)["has_modifiers"]
    if not _SEVERAL_WORDS.isdisjoint(parts):
        low, low_unit, high, high_unit = _SEVERAL[unit]
        return low * SECONDS[low_unit], high * SECONDS[high_unit], unit, is_modifier
    if "multi" in parts:
        return seconds, 100 * seconds, unit, is_modifier
    sizes = [float(number.value) for number in numbers if number.value is not None] or [1.0]
    if not _LESS_WORDS.isdisjoint(parts):
        smaller = list(SECONDS)[max(0, list(SECONDS).index(unit) - 1)]
        return 0.0, sizes[0] * seconds, smaller if sizes[0] == 1 else unit, is_modifier
    if not _MORE_WORDS.isdisjoint(parts):
        return sizes[0] * seconds, 20 * sizes[0] * seconds, unit, is_modifier
    if len(sizes) == 2:
        return sizes[0] * SECONDS[units[0]], sizes[1] * seconds, unit, is_modifier
    return (sizes[0] * seconds, 3 * sizes[0] * seconds, unit, is_modifier) if len(sizes) == 1 else None
