"""What may have stood where a level of the hierarchy of places stands: the attacker's side."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice

from sfumato.generalize.places import names as place_heads
from sfumato.generalize.places.names import evidence, of_land, of_settlements
from sfumato.lexicon import world
from sfumato.lexicon.world import (
    PARTS_OF_COUNTRY,
    Area,
    Country,
    Province,
    Settlement,
    all_features,
    all_provinces,
    find_settlements,
    towns,
    village_rows,
)

MOST = 300
_HOMOGRAPHS = frozenset({"Jersey", "Georgia", "Jordan", "Chad", "Guinea", "Niger", "Dominica"})
_SMALL = 20_000_000
_SHORTEST = 2
_SPREAD = frozenset({"part of a continent", "region of several countries"})
_PHRASE = re.compile(r"(?:(?:an?|the|some)\s+)?(?P<noun>.+?)(?:\s+(?:in|of|on)\s+(?P<place>(?!an? )[\w' -]+))?")
_INNER = re.compile(r"(?P<noun>.+?) in an? (?P<outer>.+)")
_SIDES = frozenset(PARTS_OF_COUNTRY.values())
_PLURALS = {"cities": "city", "countries": "country", "large cities": "large city"}
_PLURALS |= {"parts": "part", "parts of a country": "part of a country"}
_STATES = (
    "California;New York;Texas;Florida;Illinois;Pennsylvania;Ohio;Georgia;Michigan;New Jersey;Virginia;Massachusetts;"
    "Washington;North Carolina;Arizona;Colorado;Tennessee;Maryland;Minnesota;Wisconsin".split(";")
)
"""The American states that texts name most."""


def candidate_originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Places that generalize to ``phrase``: those in countries that the text still names first, then the best known."""
    if language != "en" or not phrase.strip() or len(phrase) > 200:
        return
    match = _PHRASE.fullmatch(" ".join(phrase.split()))
    if match is None:
        return
    seen = evidence(text)
    noun, place = match["noun"], match["place"]
    if place is None and (found := _of_adjective(noun.removesuffix("s"))):
        yield from _ordered(found, seen)
        return
    if inner := _INNER.fullmatch(noun):
        noun = inner["outer"]
    noun = "city" if noun in ("place", "address") else _singular(noun)
    found = _candidates(noun, place or "")
    if noun in _town_nouns():
        # Of a large area only its largest cities are listed; of a country all.
        area = _area(place or "")
        wide = area is None or len(area[1]) > 1
        named = [
            world.countries()[code] for code in sorted(seen, key=lambda code: -seen[code]) if code in world.countries()
        ]
        inside = [land for land in named if area is None or land.code in area[1]] if wide else []
        found = (*(one for land in inside for one in _candidates(noun, land.name)), *found)
    yield from _ordered(found, seen)


def _ordered(found: tuple[tuple[str, str], ...], seen: Mapping[str, int]) -> Iterator[str]:
    """Each once; what the text speaks for first."""
    names = sorted(found, key=lambda one: -seen.get(one[1], 0))
    yield from dict.fromkeys(name for name, _ in names)


def _singular(noun: str) -> str:
    return _PLURALS.get(noun, noun.removesuffix("s") if noun.endswith(("ns", "ts")) else noun)


def _area(name: str) -> tuple[str, frozenset[str]] | None:
    """The side of a country, and the codes of the countries of an area."""
    words = name.removeprefix("the ").split(" ", 1)
    side = words[0] if len(words) == 2 and words[0] in _SIDES else ""
    bare = words[1] if side else name
    for one in (bare, f"the {bare}"):
        for areas in (world.world_regions(), world.sea_coasts()):
            if one in areas:
                return side, areas[one].countries
    land = world.find_country(bare)
    return (side, frozenset({land.code})) if land and not land.is_former else None


@lru_cache(maxsize=512)
def _candidates(noun: str, place: str) -> tuple[tuple[str, str], ...]:
    """Names with the country that speaks for them."""
    found = _area(place) if place else ("", frozenset(world.countries()))
    if found is None:
        return ()
    side, codes = found
    if noun == "part of a country":
        states = tuple((one.name, "US") for one in all_provinces() if one.state and "US" in codes)
        return (*_candidates("part", place), *states)
    if noun in ("country", "territory", "part", "former state"):
        lands = [land for land in _known() if _is_in(land, noun, place, codes)]
        if noun == "part" and not lands:
            return tuple((one.name, "") for one in all_features() if one.kind in _SPREAD and one.area == place)
        return tuple(
            (land.other_names[0] if land.is_former else land.name_without_article, land.code[:2]) for land in lands
        )
    if noun in _town_nouns():
        places = (one for one in towns() if one.code in codes or one.code[:2] in codes)
        fitting = (one for one in places if (not side or one.part_of_country == side) and noun in _nouns(one))
        large = tuple((one.name, one.code[:2]) for one in islice(fitting, MOST))
        small = ((name.title(), code[:2]) for code in sorted(codes) for name in _villages(noun, code))
        return large or tuple(islice(small, MOST))
    provinces = [
        one
        for one in all_provinces()
        if noun in (one.kind, "region" if one.kind != "urban district" else "")
        and one.code[:2] in {c[:2] for c in codes}
    ]
    features = [one for one in all_features() if one.kind == noun and (not place or one.area == place)]
    if place and (provinces or features) and noun not in place_heads.kinds():
        features = [] if provinces else features
    names = [(name, "US") for name in _STATES if noun in ("state", "region") and "US" in codes]
    names += [(one.name, one.code[:2]) for one in sorted(provinces, key=_size_of_namesake) if len(one.name) > _SHORTEST]
    names += [(one.name, "") for one in features]
    if not names or noun in place_heads.kinds():
        names += _facilities(noun, codes if place else frozenset())
    return tuple(names[:MOST])


def _nouns(one: Settlement) -> tuple[str, ...]:
    site = of_settlements((one,))
    return site.nouns if site else ()


@cache
def _town_nouns() -> frozenset[str]:
    """What settlements are called."""
    small = ("village or small town", "small town", "town or village", "settlement")
    return frozenset(noun for one in towns()[::50] for noun in _nouns(one)) | {*small, "capital city"}


@lru_cache(maxsize=64)
def _villages(noun: str, code: str) -> tuple[str, ...]:
    """Small places of a country."""
    names = (name for name, codes in village_rows() if code in codes)
    return tuple(
        islice(
            (name for name in names if any(one.code == code and noun in _nouns(one) for one in find_settlements(name))),
            MOST,
        )
    )


def _is_in(land: Country, noun: str, place: str, codes: frozenset[str]) -> bool:
    if land.is_former or noun == "former state":
        return land.is_former and noun == "former state" and place in ("", land.name)
    if noun == "part":
        return "-" in land.code and land.code[:2] in codes
    return land.code in codes and of_land(land).nouns[0] == noun


@cache
def _known() -> tuple[Country, ...]:
    """Those that texts name most first."""
    return tuple(sorted(world.countries().values(), key=lambda land: -land.frequency + _overcounted(land)))


def _overcounted(land: Country) -> float:
    """What the count of a name's words has too much: "Jersey" is a shirt too, "Virgin Islands" two everyday words."""
    if land.name_without_article in _HOMOGRAPHS or (" " in land.name_without_article and land.population < _SMALL):
        return 1.0
    return -math.log10(land.population + 1) / 20


def _size_of_namesake(one: Province) -> int:
    found = find_settlements(one.name)
    return -found[0].population if found else 0


def _facilities(noun: str, codes: frozenset[str]) -> list[tuple[str, str]]:
    """Those that are called after a city there."""
    kinds = [kind for kind in place_heads.kinds().values() if noun in kind.nouns and kind.is_located]
    cities = [one for one in towns()[:3000] if one.code in codes or one.code[:2] in codes][:40]
    return [(f"{one.name} {kind.nouns[0].title()}", one.code[:2]) for one in cities for kind in kinds]


@lru_cache(maxsize=256)
def _of_adjective(word: str) -> tuple[tuple[str, str], ...]:
    """Of "Western Asian": peoples and countries there; of "Turkish": Turkish cities."""
    known = (*world.world_regions().values(), *world.sea_coasts().values(), *world.continent_pairs().values())
    areas: list[Area] = [area for area in known if area.adjective == word]
    if areas:
        lands = [land for land in _known() if land.code in areas[0].countries]
        peoples = [(land.adjectives[0], land.code[:2]) for land in lands if land.adjectives]
        return (*peoples, *((land.name_without_article, land.code[:2]) for land in lands))
    land = world.country_of_adjective(word)
    if land is None or land.is_former:
        return ()
    cities = tuple((one.name, one.code[:2]) for one in towns() if one.code.startswith(land.code))
    return ((land.name_without_article, land.code[:2]), *cities[:MOST])
