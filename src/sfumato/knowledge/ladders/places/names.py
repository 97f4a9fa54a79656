"""What a name of a place stands for in a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.knowledge.accents import fold
from sfumato.knowledge.geography import settlements, world
from sfumato.knowledge.geography.settlements import Province, Settlement
from sfumato.knowledge.ladders.places.evidence import (
    AMBIGUOUS_COUNTRIES,
    METROPOLIS,
    SHORT,
    evidence,
    is_everyday,
    is_famous,
)
from sfumato.knowledge.ladders.places.sites import (
    CITY,
    TOWN,
    Site,
    areas_of,
    common,
    of_land,
    of_provinces,
    of_settlements,
)

_SMALL_TOWN = 5_000
_RIVAL = 5
"""A city that is so many times larger than those in the countries that the text names may be meant all the same."""
_LANDMARKS = frozenset({"mountain", "river", "lake", "mountain range", "desert"})
_CITY_OR_STATE = frozenset({"new york", "georgia", "washington", "virginia"})
_FAINT = 8
"""A country that is named that many times less often than another counts as not named."""


def resolve(
    name: str, text: str, inside: frozenset[str] = frozenset(), wanted: str = "", state: str = ""
) -> Site | None:
    """What ``name`` is, by the countries that the text names or, more surely, those it is said to be ``inside``.

    ``wanted``: "region" or "settlement", where the words around tell; ``state``: the American one that it is in.
    """
    name = name.strip()
    if not name[:1].isupper() or len(name) > 80:
        return None
    land = world.country(name)
    if land and not inside and not (fold(name) in AMBIGUOUS_COUNTRIES and _is_state(name, text)):
        return of_land(land)
    seen = evidence(text)
    readings = settlements.settlements(name) if wanted != "region" else ()
    if state:
        readings = tuple(one for one in readings if one.state == state)
    places = _likely(readings, seen, inside, is_everyday(name))
    regions = settlements.provinces(name) if wanted != "settlement" else ()
    states = _american(name, regions, seen, inside)
    if inside or len(name) <= SHORT or len({one.code[:2] for one in regions}) > 1:
        regions = tuple(one for one in regions if one.code[:2] in (inside or seen))
    elif regions and is_everyday(name) and regions[0].code[:2] not in seen:
        regions = ()
    if states:
        return of_provinces(states)
    districts = tuple(one for one in regions if one.kind == "urban district")
    if any(one.kind == "state" for one in regions) and all(one.population < CITY for one in places):
        places = tuple(one for one in places if one.code not in {region.code for region in regions})
    is_small = all(one.population < METROPOLIS for one in places)
    if districts and is_small and {one.code[:2] for one in places} <= {one.code[:2] for one in districts}:
        return of_provinces(districts)
    if places and not inside and regions and {one.code[:2] for one in regions} - {one.code[:2] for one in places}:
        return _both(places, regions)
    if places:
        return of_settlements(places)
    found = settlements.feature(name)
    if regions and found and found.kind in _LANDMARKS:
        return None  # the mountain, or the region that is called after it
    if regions:
        return of_provinces(regions)
    if found and not inside and wanted != "settlement":
        return Site((found.kind,), (world.parts()[found.area],) if found.area in world.parts() else ())
    return None


def _is_state(name: str, text: str) -> bool:
    """Whether Georgia is the American one, or nobody can tell."""
    seen = evidence(text)
    regions = {one.code for one in settlements.provinces(name)}
    own = world.country(name)
    return bool(regions) and not (own is not None and own.code in seen and not regions & set(seen))


def _american(
    name: str, regions: Sequence[Province], seen: Mapping[str, int], inside: frozenset[str]
) -> tuple[Province, ...]:
    """The American state of the name, where a text that says no more can mean nothing else: California, Florida."""
    states = tuple(one for one in regions if one.state)
    if not states or len(name) <= SHORT or fold(name) in _CITY_OR_STATE:
        return ()
    if inside:
        return states if inside == {"US"} else ()
    is_elsewhere = any(one.code[:2] in seen for one in regions if not one.state)
    return states if "US" in seen or not is_elsewhere else ()


def one_country(name: str, text: str) -> Site | None:
    """Of a name of many towns, all of any size in one country: Springfield is an American one."""
    readings = settlements.settlements(name)
    large = tuple(one for one in readings if one.population >= TOWN)
    if len({one.code for one in large}) != 1 or len(large) < 2 or settlements.provinces(name):
        return None
    seen, own = evidence(text), large[0].code
    others = {one.code[:2] for one in readings} - {own[:2]}
    if others & seen.keys() or (seen and own[:2] not in seen):
        return None
    return Site(("town or city",), common([areas_of(one) for one in large]), codes=frozenset({own}))


def _likely(
    readings: tuple[Settlement, ...], seen: Mapping[str, int], inside: frozenset[str], is_doubtful: bool
) -> tuple[Settlement, ...]:
    if inside:
        return _or_largest(tuple(one for one in readings if one.code[:2] in inside))
    supported = [one for one in readings if one.code[:2] in seen]
    if supported:
        most = max(seen[one.code[:2]] for one in supported)
        kept = tuple(one for one in supported if seen[one.code[:2]] * _FAINT >= most)
        # A city abroad may be named without its country, even in a text about another.
        rivals = [one for one in readings if one.code[:2] not in seen and one.population >= CITY]
        rivals = [one for one in rivals if one.population > _RIVAL * kept[0].population or one.is_capital]
        if rivals:
            return (*rivals, *kept)
        return kept[:1] if is_famous(kept) else _or_largest(kept)
    if is_doubtful:
        return ()
    if is_famous(readings):
        return readings[:1]
    if seen:
        return readings if len({one.code for one in readings}) == 1 and readings[0].population >= CITY else ()
    if len({one.code[:2] for one in readings}) == 1 and readings[0].population >= _SMALL_TOWN:
        return readings
    return readings if readings and readings[0].population >= TOWN else ()


def _or_largest(readings: tuple[Settlement, ...]) -> tuple[Settlement, ...]:
    """The first alone, where it is far larger than all others in the countries in question."""
    others = sum(max(one.population, 500) for one in readings[1:])
    return readings[:1] if readings and readings[0].population >= max(CITY, 20 * others) else readings


def countries_of(name: str) -> frozenset[str]:
    """All countries that have a place of the name."""
    land = world.country(name)
    codes = {one.code[:2] for one in settlements.settlements(name)}
    codes |= {one.code[:2] for one in settlements.provinces(name)}
    return frozenset(codes | ({land.code[:2]} if land and not land.is_former else set()))


def _both(places: Sequence[Settlement], regions: Sequence[Province]) -> Site | None:
    areas = common([*(areas_of(one) for one in places), *(world.areas(one.code) for one in regions)])
    return Site(("town or region",), areas) if areas else None
