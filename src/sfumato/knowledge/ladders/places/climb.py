"""From what is certain of a place to the rungs of its ladder."""

from __future__ import annotations

from sfumato.knowledge.accents import fold
from sfumato.knowledge.geography import world
from sfumato.knowledge.geography.world import Area
from sfumato.knowledge.ladders.base import Rung
from sfumato.knowledge.ladders.places import spanish as place_spanish
from sfumato.knowledge.ladders.places.sites import Site

SOURCE = "places"
MOST = 7
_WORLD = 8_000_000_000
_HOW_MANY = {
    "country": 195,
    "territory": 40,
    "former state": 30,
    "continent": 7,
    "sea": 80,
    "ocean": 5,
    "capital city": 200,
    "large city": 2_000,
    "city": 6_000,
    "town or city": 15_000,
    "region": 5_000,
    "province": 1_500,
    "state": 300,
    "address": 1_000_000_000,
    "street": 50_000_000,
    "public road": 100_000_000,
}
_OTHER = 50_000
_SETTLED = frozenset({"city", "town", "town or village", "region"})
_PART_OF_A_CONTINENT = "part of a continent"
_EMPTY = frozenset({"settlement", "place", "region", _PART_OF_A_CONTINENT, "administrative area"})
"""Kinds that alone say no more than that it is a place."""


def climb(site: Site, said: str = "", language: str = "en") -> list[Rung]:
    """The rungs of what is certain, each in the next: the kind, wider kinds if ``said`` repeats it, wider areas."""
    nouns, areas = site.nouns, site.areas
    narrow, wide = nouns[0], nouns[-1]
    first = areas[0] if areas else None
    if narrow == "capital city":
        steps: list[tuple[str, Area | None, str]] = [(narrow, area, "") for area in areas]
        return _as_rungs([*steps, *((wide, area, "") for area in areas[-1:]), (wide, None, "")], language)
    if narrow == "part":
        wider = "part of a country"
        steps = [("part", first, ""), *((wider, area, "") for area in areas[1:]), (wider, None, "")]
        return _as_rungs(steps, language)
    if narrow == "country":
        shores = [area for area in world.shores().values() if areas and site.codes <= area.countries and site.codes]
        both = sorted((*areas, *shores), key=lambda area: len(area.countries))
        return _as_rungs([*((narrow, area, "") for area in both), (narrow, None, "")], language)
    is_repeated = wide in _SETTLED or any(word in fold(said).split() for word in fold(nouns[-2:][0]).split())
    outward = wide if is_repeated else nouns[-2:][0]
    steps = [(narrow, first, site.part)] if site.part and first else []
    if first:
        steps += [(noun, first, "") for noun in nouns[: nouns.index(outward) + 1]]
    steps += [(outward, area, "") for area in areas[1:]]
    if first is None:
        steps += [(noun, None, "") for noun in nouns]
    return _as_rungs([*steps, (outward, None, ""), (wide, None, "")], language)


def _as_rungs(steps: list[tuple[str, Area | None, str]], language: str) -> list[Rung]:
    found: dict[str, Rung] = {}
    many = 0.0
    for noun, area, part in steps:
        text = place_spanish.say(noun, area, part) if language == "es" else _say(noun, area, part)
        if text is None or text in found or (noun in _EMPTY and area is None):
            continue
        many = max(_members(noun, area, part), many * 1.25)
        modifier = area.adjective if area and language == "en" else None
        found[text] = Rung(text, many, modifier=modifier, source=SOURCE)
    return [*found.values()][:MOST]


def _say(noun: str, area: Area | None, part: str) -> str:
    if area is None:
        return noun
    if noun == _PART_OF_A_CONTINENT:
        return f"part of {area.name}"
    link = "of" if noun == "part" else "on" if area.name in world.shores() else "in"
    return f"{noun} {link} {_named(area, part)}"


def _named(area: Area, part: str) -> str:
    if not part:
        return area.name
    return f"the {part} {area.name[4:]}" if area.name.startswith("the ") else f"{part} {area.name}"


def _members(noun: str, area: Area | None, part: str) -> float:
    """About how many there are: all of the kind, shared out by population."""
    if area and noun in ("country", "territory"):
        return float(len(area.countries))
    if noun == "part":
        return 4.0
    if area and noun == "capital city":
        return float(len(area.countries))
    people = sum(world.lands()[code[:2]].population for code in area.countries) if area else _WORLD
    many = _HOW_MANY.get(noun.split(" in ")[0], _OTHER)
    return max(2.0, many * people / _WORLD / (4 if part else 1))
