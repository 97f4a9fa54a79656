"""What a country, a region or a settlement is called, and what it lies in; of several, what holds for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sfumato.knowledge.geography import world
from sfumato.knowledge.geography.settlements import UNKNOWN, Province, Settlement
from sfumato.knowledge.geography.world import Area

LARGE_BRITISH, LARGE, CITY, TOWN, VILLAGE = 400_000, 300_000, 100_000, 15_000, 5_000
"""How many people make a place a large city, a city, a town; below the last it is a village or a small town."""
_TERRITORIES = frozenset(
    "AI AS AW AX BL BM CK CW FK FO GF GG GI GL GP GU HK IM JE KY MF MO MP MQ MS NC NU PF PM PR RE SH SJ SX TC VG VI WF "
    "YT EH".split()
)
_PHRASES: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (phrase, frozenset(classes))
    for phrase, classes in (
        ("large city", "L"),
        ("city", "cL"),
        ("small town", "s"),
        ("town", "st"),
        ("village or small town", "vs"),
        ("town or city", "tbcL"),
        ("town or village", "vst"),
        ("city or urban district", "cLd"),
        ("town or urban district", "stbd"),
        ("town or city district", "stbcLd"),
        ("settlement", "vstbcLd"),
    )
)
"""What to call a place of which only this is known; ``vstbcL`` from village to large city, ``d`` a district of one."""
SETTLED = frozenset(phrase for phrase, _ in _PHRASES) | {"capital city"}
"""All that places are called that people live in."""
_WIDER = {"large city": "city", "small town": "town", "village or small town": "town or village"}


@dataclass(frozen=True, slots=True)
class Site:
    """What is certain of a place: kinds and areas, the narrowest first; ``part`` of the first area."""

    nouns: tuple[str, ...]
    areas: tuple[Area, ...]
    part: str = ""
    codes: frozenset[str] = frozenset()
    """The country that it is in, where that is one."""

    def within(self, nouns: tuple[str, ...]) -> Site:
        """Something else that lies there."""
        return replace(self, nouns=nouns)


def of_land(land: world.Land) -> Site:
    """A country, a territory, or a state that is no more."""
    if land.is_former:
        return Site(("former state",), world.former_areas(land))
    if "-" in land.code:
        return Site(("part",), world.areas(land.code)[1:])
    noun = "territory" if land.code in _TERRITORIES else "country"
    return Site((noun,), world.areas(land.code)[1:], codes=frozenset({land.code}))


def _one(codes: set[str]) -> frozenset[str]:
    """The codes, where they are of one country."""
    return frozenset(codes) if len({code[:2] for code in codes}) == 1 else frozenset()


def common(chains: list[tuple[Area, ...]]) -> tuple[Area, ...]:
    return tuple(area for area in chains[0] if all(area in chain for chain in chains[1:]))


def areas_of(place: Settlement) -> tuple[Area, ...]:
    chain = world.areas(place.code)
    if place.is_asian:
        return (*chain[:1], world.parts()["Asia"])
    return chain[:1] if place.is_astray else chain


def _classes(place: Settlement) -> set[str]:
    size = place.population
    if size == UNKNOWN:
        found = {"v", "s", "t"}
    else:
        found = {"v" if size < VILLAGE else "s" if size < TOWN else "t" if size < 40_000 else "b"}
        # In Britain a place of that size is often no city.
        if size >= (LARGE_BRITISH if place.code.startswith("GB") else CITY):
            found = {"L" if size >= LARGE else "c"}
        found |= {"s"} if size < VILLAGE else set()
    return found | ({"d"} if place.may_be_district else set())


def of_settlements(places: Sequence[Settlement]) -> Site | None:
    """What holds for all of them."""
    areas = common([areas_of(one) for one in places])
    if len(places) == 1 and places[0].is_capital and places[0].code not in _TERRITORIES:
        # With its country it would be named.
        outer = tuple(area for area in areas if len(area.countries) > 1)
        return Site(("capital city", "city"), outer, codes=frozenset({places[0].code}))
    classes = set().union(*(_classes(one) for one in places))
    noun = next(phrase for phrase, covered in _PHRASES if classes <= covered)
    is_one_part = len({(one.code, one.part) for one in places}) == 1 and not places[0].is_asian
    if not areas and noun in ("settlement", "town or city district"):
        return None
    nouns = (noun, _WIDER[noun]) if noun in _WIDER else (noun,)
    return Site(nouns, areas, places[0].part if is_one_part else "", _one({one.code for one in places}))


def of_provinces(regions: Sequence[Province]) -> Site:
    """What holds for all of them; their kind where it is one."""
    areas = common([world.areas(one.code) for one in regions])
    kinds = {one.kind for one in regions}
    kind = kinds.pop() if len(kinds) == 1 else "region"
    wider = {"region": (), "island": (), "urban district": ("urban area",)}.get(kind, ("region",))
    nouns = (kind, *wider)
    return Site(nouns, areas, codes=_one({one.code for one in regions}))
