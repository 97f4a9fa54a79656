"""Currencies, units of measurement, and the bands around an amount."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor, log10
from typing import Any

from sfumato.generalize.bounds import BOUND_LANGUAGES
from sfumato.lexicon.numbers import numbers_in, written
from sfumato.lexicon.tables import languages_with, load_toml

QUANTITY_LANGUAGES = tuple(language for language in languages_with("quantities") if language in BOUND_LANGUAGES)


def quantity_data(language: str) -> Any:
    return load_toml("quantities", language)


@dataclass(frozen=True, slots=True)
class Unit:
    """What an amount is counted in."""

    name: str
    """In the plural, in the language that is read; empty where a sign says no more than that it is money."""
    singular: str = ""
    short: str = ""
    """A code or sign that says the same; empty where there is none."""


def _money(language: str) -> dict[str, Unit]:
    currencies = load_toml("currencies")
    units: dict[str, Unit] = {}
    names = [entry["en"] for entry in currencies["codes"].values()]
    for code, entry in currencies["codes"].items():
        name = entry.get(language, entry["en"])
        units[code.lower()] = Unit(name, short=code)
        # Old and new money of one name: the name does not say the code.
        by_name = Unit(name, short=code if names.count(entry["en"]) == 1 else "")
        for form in _names(entry):
            units.setdefault(form.lower(), by_name)
    for word in currencies["unspecific"]:
        name = currencies["signs"].get(word, {}).get(language)
        units.setdefault(word, Unit(name or (word if word[:2].isalpha() and len(word) > 3 else "")))
    return units


def _names(entry: Mapping[str, Any]) -> Iterator[str]:
    """The names of a currency or a measure in all languages: a text may use another's."""
    yield from (entry[language] for language in QUANTITY_LANGUAGES if language in entry)
    yield from entry["forms"]


def _measures(language: str) -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for short, entry in load_toml("measures").items():
        unit = Unit(entry.get(language, entry["en"]), entry["singular"], short)
        for form in (short, entry["singular"], *_names(entry)):
            units.setdefault(form.lower(), unit)
    return units


MONEY = {language: _money(language) for language in QUANTITY_LANGUAGES}
MEASURES = {language: _measures(language) for language in QUANTITY_LANGUAGES}


# Bands around an amount, each holding the one before, whose ends repeat no number of the original.

FINE = (Fraction(1), Fraction(3, 2), *map(Fraction, (2, 3, 4, 5, 6, 8)))
COARSE = tuple(map(Fraction, (1, 2, 5)))
POWERS = (Fraction(1),)
_PERCENT = tuple(map(Fraction, (1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 99)))
_PERCENT_COARSE = tuple(map(Fraction, (10, 20, 50, 80, 90)))


@dataclass(frozen=True, slots=True)
class Band:
    """From ``low`` to ``high``; None: without end."""

    low: Fraction
    high: Fraction | None

    def holds(self, other: Band) -> bool:
        """Whether all of the other lies in it, and it reaches further."""
        below = self.low <= other.low
        above = self.high is None or (other.high is not None and other.high <= self.high)
        return below and above and self != other

    @property
    def width(self) -> float:
        high = self.high if self.high is not None else 20 * max(self.low, Fraction(1))
        return float(high - self.low)


@dataclass(frozen=True, slots=True)
class OriginalNumbers:
    """The numbers of an original, so that no level repeats one."""

    values: frozenset[Fraction]
    groups: frozenset[str]
    words: str
    language: str

    @classmethod
    def of(cls, text: str, language: str) -> OriginalNumbers:
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


def bands(
    low: Fraction, high: Fraction | None, original: OriginalNumbers, grids: Sequence[tuple[Fraction, ...]]
) -> list[Band]:
    """Ever wider bands around an amount; open ones where it is itself open."""
    nested: list[Band] = []
    for grid in grids:
        below = next(filter(original.allows, _downwards(low, grid)), None) if low > 0 else Fraction(0)
        above = None if high is None else next(filter(original.allows, _upwards(high, grid)), None)
        if below is None or (high is not None and above is None):
            continue
        band = Band(below, above)
        if not nested or band.holds(nested[-1]):
            nested.append(band)
    return nested


def percent_bands(low: Fraction, high: Fraction | None, original: OriginalNumbers) -> list[Band]:
    """Bands of per cent, within 0 and 100."""
    nested: list[Band] = []
    for grid in (_PERCENT, _PERCENT_COARSE, (Fraction(50),)):
        below = max((edge for edge in grid if edge < low and original.allows(edge)), default=Fraction(0))
        above = min((edge for edge in grid if high is not None and edge > high and original.allows(edge)), default=None)
        band = Band(below, above)
        if (below or above is not None) and (not nested or band.holds(nested[-1])):
            nested.append(band)
    return nested


def _exponent(value: Fraction) -> int:
    return floor(log10(value)) if value > 0 else 0


@cache
def _edges(grid: tuple[Fraction, ...], exponent: int) -> tuple[Fraction, ...]:
    return tuple(part * Fraction(10) ** exponent for part in grid)


def _downwards(value: Fraction, grid: tuple[Fraction, ...]) -> Iterator[Fraction]:
    top = _exponent(value) + 1
    for exponent in range(top, top - 4, -1):
        yield from (edge for edge in reversed(_edges(grid, exponent)) if edge < value)


def _upwards(value: Fraction, grid: tuple[Fraction, ...]) -> Iterator[Fraction]:
    bottom = _exponent(value) - 1
    for exponent in range(bottom, bottom + 5):
        yield from (edge for edge in _edges(grid, exponent) if edge > value)
