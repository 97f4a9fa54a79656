"""Ever wider bands around an amount, no end of which repeats a number of the original, and the words for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor, inf, log10
from operator import attrgetter

from sfumato.generalize.bounds import Bound, format_band, holds, nested
from sfumato.generalize.quantities.reading import Quantity, quantity_data
from sfumato.lexicon.numbers import in_words, numbers_in, written

# Bands around an amount, each holding the one before, whose ends repeat no number of the original.

_FINE = (Fraction(1), Fraction(3, 2), *map(Fraction, (2, 3, 4, 5, 6, 8)))
_COARSE = tuple(map(Fraction, (1, 2, 5)))
_POWERS = (Fraction(1),)
_PERCENT = tuple(map(Fraction, (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99)))
_PERCENT_COARSE = tuple(map(Fraction, (10, 20, 50, 80, 90)))


@dataclass(frozen=True, slots=True)
class Band:
    """From ``low`` to ``high``; None: without end."""

    low: Fraction
    high: Fraction | None

    @property
    def ends(self) -> tuple[Fraction, Fraction | float]:
        return self.low, inf if self.high is None else self.high

    def holds(self, other: Band) -> bool:
        """Whether all of the other lies in it, and it reaches further."""
        return holds(self.ends, other.ends)

    @property
    def width(self) -> float:
        high = self.high if self.high is not None else 20 * max(self.low, Fraction(1))
        return float(high - self.low)


@dataclass(frozen=True, slots=True)
class _OriginalNumbers:
    """The numbers of an original, so that no level repeats one."""

    values: frozenset[Fraction]
    groups: frozenset[str]
    words: str
    language: str

    @classmethod
    def of(cls, text: str, language: str) -> _OriginalNumbers:
        values = {value for number in numbers_in(text, language) for value in number.values}
        whole = re.sub(r"(?<=\d)[.,]\d{1,2}(?!\d)", "", text)
        return cls(frozenset(values), frozenset(re.findall(r"\d+", whole)), text.lower(), language)

    def allows(self, edge: Fraction) -> bool:
        shown = set(re.findall(r"\d+", self.shown(edge)))
        return edge not in self.values and not any(group in self.groups for group in shown if group.strip("0"))

    def shown(self, edge: Fraction) -> str:
        """The number in digits; from a million on with the word, unless the original used it."""
        for size, singular, plural in quantity_data(self.language)["large_scales"]:
            if edge >= size and (edge / size * 10).denominator == 1 and plural[:5] not in self.words:
                return f"{written(edge / size, self.language)} {singular if edge == size else plural}"
        return written(edge, self.language)


def _grid_bands(
    low: Fraction, high: Fraction | None, original: _OriginalNumbers, grids: Sequence[tuple[Fraction, ...]]
) -> Iterator[Band]:
    """Ever wider bands around an amount; open ones where it is itself open."""
    for grid in grids:
        lower = (edge for edge in reversed(_edges(grid, _exponent(low))) if edge < low)
        upper = (edge for edge in _edges(grid, _exponent(high or low)) if high is not None and edge > high)
        below = next(filter(original.allows, lower), None) if low > 0 else Fraction(0)
        above = next(filter(original.allows, upper), None)
        if below is not None and (high is None or above is not None):
            yield Band(below, above)


def _percent_bands(low: Fraction, high: Fraction | None, original: _OriginalNumbers) -> Iterator[Band]:
    """Bands of per cent, within 0 and 100."""
    for grid in (_PERCENT, _PERCENT_COARSE, (Fraction(50),)):
        below = max((edge for edge in grid if edge < low and original.allows(edge)), default=Fraction(0))
        above = min((edge for edge in grid if high is not None and edge > high and original.allows(edge)), default=None)
        if below or above is not None:
            yield Band(below, above)


_ENDS = attrgetter("ends")


def _exponent(value: Fraction) -> int:
    return floor(log10(value)) if value > 0 else 0


@cache
def _edges(grid: tuple[Fraction, ...], exponent: int) -> tuple[Fraction, ...]:
    """The edges of a grid around numbers of this magnitude, in order."""
    return tuple(part * Fraction(10) ** power for power in range(exponent - 2, exponent + 4) for part in grid)


@dataclass(frozen=True, slots=True)
class Step:
    """One level before what is counted is put behind it."""

    band: Band
    amount: str
    """*between five and ten*, *several hundred*, *more than 50*."""
    joins: str = " "
    """What stands between the amount and what is counted: "tens of thousands" *of* pounds."""
    modifier: str = ""


# Ever wider bands around an amount, in words: *between 50 and 100*, *several dozen*, *more than 20*.


def steps_around(quantity: Quantity, outside: Bound, before: str, language: str) -> Iterator[Step]:
    """Ever wider bands around the amount, as the words before it leave room for them."""
    original = _OriginalNumbers.of(quantity.surface, language)
    counted = quantity.kind in ("count", "number")
    named = _magnitude(quantity, language, original)
    if outside == "unclear":
        if named and before == "over":
            yield named
        return
    if outside in ("above", "below"):
        yield from _ends(_bands(quantity, original), outside == "above", original, counted)
        return
    last: Band | None = None
    for each in _bands(quantity, original):
        if named and last and named.band.holds(last) and not named.band.holds(each):
            break
        if last is None or each.holds(last):
            yield _banded(each, original, before, counted, language)
            last = each
    if named and last and named.band.holds(last):
        yield named
        last = named.band
    if quantity.kind != "percent" and outside == "exact" and last and last.high is not None and last.low > 0:
        least = next(filter(original.allows, _lower_bounds(last.low, counted)), None)
        if least is not None and Band(least, None).holds(last):
            yield _banded(Band(least, None), original, "", counted, language)


def _bands(quantity: Quantity, original: _OriginalNumbers) -> list[Band]:
    low, high = quantity.low, quantity.high
    if quantity.kind == "percent" and (high is None or high <= 100):
        return [*nested(_percent_bands(low, high, original), _ENDS)]
    if quantity.kind not in ("count", "number"):
        around = nested(_grid_bands(low, high, original, (_FINE, _COARSE, _POWERS)), _ENDS)
        return [band for band in around if band.high is None or band.high <= 100 * max(band.low, Fraction(1, 100))]
    grids = (_COARSE,) if high is not None and high <= 10 else (_FINE, _COARSE)
    around = nested(_grid_bands(low, high, original, grids), _ENDS)
    return [band for band in around if band.low.denominator == 1 and (band.high is None or band.high.denominator == 1)]


def _lower_bounds(low: Fraction, counted: bool) -> Iterator[Fraction]:
    """What the last level says an amount is more than: a power of ten; for counts also two and five of it."""
    top = floor(log10(low))
    for exponent in range(top, top - 2, -1):
        for part in (5, 2, 1) if counted else (1,):
            edge = part * Fraction(10) ** exponent
            if low / 20 <= edge <= low and (not counted or edge >= 5):
                yield edge


def _shown(edge: Fraction, original: _OriginalNumbers, counted: bool) -> str:
    words = in_words(edge, original.language) if counted else ""
    return words if words.isalpha() and not (len(words) > 3 and words in original.words) else original.shown(edge)


def _banded(each: Band, original: _OriginalNumbers, before: str, counted: bool, language: str) -> Step:
    data = quantity_data(language)
    more, less = data["more_than"], data["fewer_than" if counted else "less_than"]
    if each.high is None:
        return Step(each, f"{more} {_shown(each.low, original, counted)}", _joiner(each.low, original))
    if each.low <= 0:
        return Step(each, f"{less} {_shown(each.high, original, counted)}", _joiner(each.high, original))
    in_digits = not all(_shown(edge, original, counted).isalpha() for edge in (each.low, each.high))
    low, high = (_shown(edge, original, counted and not in_digits) for edge in (each.low, each.high))
    first = low.rsplit(" ", 1)
    if len(first) == 2 and high.endswith(first[1]) and data["shares_scale"]:  # between 50 and 100 million
        low = first[0]
    amount = format_band(low, high, before, language)
    return Step(each, amount, _joiner(each.high, original), modifier=f"{low}- to {high}-")


def _joiner(edge: Fraction, original: _OriginalNumbers) -> str:
    """A million *of* euros, in Spanish."""
    return quantity_data(original.language)["of_magnitudes"] if "mill" in original.shown(edge) else " "


def _ends(around: list[Band], from_below: bool, original: _OriginalNumbers, counted: bool) -> Iterator[Step]:
    """What may stand behind a "more than" (less than there was) or "less than" (more) that stays in the text."""
    for band in around[:2]:
        edge = band.low if from_below else band.high
        if edge:
            open_band = Band(edge, None) if from_below else Band(Fraction(0), edge)
            yield Step(open_band, _shown(edge, original, counted), _joiner(edge, original))


def _magnitude(quantity: Quantity, language: str, original: _OriginalNumbers) -> Step | None:
    """*several*, *several hundred*, *tens of thousands of*; None where the original uses these words."""
    low, high = quantity.low, quantity.high
    if high is None or low < 3:
        return None
    data = quantity_data(language)
    counted = quantity.kind in ("count", "number")
    if high < 10:
        ending = (quantity.noun.split() or [""])[0][-2:]
        several = data["several"].get(ending, "" if len(data["several"]) > 1 else data["several"]["default"])
        if not counted or not several:
            return None
        return Step(Band(Fraction(2), Fraction(11)), several, modifier=data["several_modifier"])
    if counted and "several_dozen" in data and low >= 36 and high < 100 and "dozen" not in original.words:
        return Step(Band(Fraction(20), Fraction(100)), data["several_dozen"])
    for exponent, name in enumerate(data["magnitudes"], 2):
        power = Fraction(10) ** exponent
        if any(word[:6] in original.words for word in name.split() if len(word) > 3):
            continue
        is_tens = name.startswith(data["tens"])
        if low >= power * (2 if is_tens else 3) and high < power * 10:
            if is_tens:
                return Step(Band(power, power * 10), name, data["of"])
            joins = " " if quantity.kind == "number" else data["of_magnitudes"]
            return Step(Band(power * 2, power * 10), f"{data['several']['default']} {name}", joins)
    return None
