"""Which cities, towns, villages, regions, rivers and the like a name may stand for.

Names are matched as a whole, without case and accents. Made by ``training/build_places.py``; licences in
``data/SOURCES.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.knowledge import shipped
from sfumato.knowledge.accents import fold

UNKNOWN = -1
_SMALL = re.compile(r"(?P<code>[A-Z]{2}(?:-[A-Z]{3})?)(?:\.(?P<state>[A-Z]{2}))?(?P<size>[vs?])(?P<mark>.*)")
_SIZES = {"v": 2_000, "s": 8_000, "?": UNKNOWN}
PARTS = MappingProxyType(
    {"N": "northern", "S": "southern", "E": "eastern", "W": "western", "C": "central"}
    | {"NE": "north-eastern", "NW": "north-western", "SE": "south-eastern", "SW": "south-western"}
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A city, a town or a village."""

    name: str
    code: str
    state: str
    population: int
    """``UNKNOWN`` where nobody says; of small places about."""
    mark: str

    @property
    def part(self) -> str:
        """The part of its country that it surely lies in: "northern", or nothing."""
        return PARTS.get("".join(letter for letter in self.mark if letter.isupper()), "")

    @property
    def may_be_district(self) -> bool:
        """Whether a far larger city is so near that it may belong to it."""
        return "*" in self.mark

    @property
    def is_capital(self) -> bool:
        return "!" in self.mark

    @property
    def is_astray(self) -> bool:
        """Whether it may lie on another continent than its country."""
        return "u" in self.mark or "a" in self.mark

    @property
    def is_asian(self) -> bool:
        return "a" in self.mark


@dataclass(frozen=True, slots=True)
class Province:
    """A region of a country; ``state`` is its short form in the United States."""

    name: str
    code: str
    kind: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class Feature:
    """A sea, a river, a mountain, a part of the world; ``area`` is its continent, if it is in one."""

    name: str
    kind: str
    area: str


@cache
def towns() -> tuple[Settlement, ...]:
    """Cities and towns of 15,000 people or more, the largest first."""
    return tuple(
        Settlement(name, code, state, int(size), mark) for name, code, state, size, mark, _ in shipped.rows("towns")
    )


@cache
def _towns_by_name() -> Mapping[str, tuple[Settlement, ...]]:
    found: dict[str, list[Settlement]] = {}
    for town, row in zip(towns(), shipped.rows("towns"), strict=True):
        for name in (fold.__wrapped__(town.name), *filter(None, row[5].split(";"))):
            found.setdefault(name, []).append(town)
    return MappingProxyType({name: tuple(places) for name, places in found.items()})


@cache
def _villages() -> Mapping[str, str]:
    return MappingProxyType({row[0]: row[1] for row in shipped.rows("villages")})


def village_rows() -> Iterator[tuple[str, str]]:
    """Small places: a folded name, and the codes of the countries that have it (with more)."""
    yield from _villages().items()


@cache
def _provinces() -> Mapping[str, tuple[Province, ...]]:
    found: dict[str, list[Province]] = {}
    for row in shipped.rows("provinces"):
        found.setdefault(fold.__wrapped__(row[0]), []).append(Province(*row))
    return MappingProxyType({name: tuple(places) for name, places in found.items()})


@cache
def _features() -> Mapping[str, Feature]:
    return MappingProxyType({fold(name): Feature(name, kind, area) for name, kind, area in shipped.rows("features")})


@lru_cache(maxsize=4096)
def settlements(name: str) -> tuple[Settlement, ...]:
    """All that have the name, the largest first."""
    folded = fold(name)
    small = []
    for one in _villages().get(folded, "").split(";"):
        if match := _SMALL.fullmatch(one):
            small.append(Settlement(name, match["code"], match["state"] or "", _SIZES[match["size"]], match["mark"]))
    return (*_towns_by_name().get(folded, ()), *sorted(small, key=lambda place: -place.population))


def provinces(name: str) -> tuple[Province, ...]:
    """The states, provinces, counties and other regions that have the name."""
    return _provinces().get(fold(name), ())


def all_provinces() -> tuple[Province, ...]:
    return tuple(one for places in _provinces().values() for one in places)


def feature(name: str) -> Feature | None:
    """The sea, river, mountain or part of the world that has the name."""
    return _features().get(fold(name))


def all_features() -> tuple[Feature, ...]:
    return tuple(_features().values())
