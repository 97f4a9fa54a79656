"""The hierarchy of places: building or street, city by its size, country, part of the world, continent."""

from __future__ import annotations

import re

from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.places import phrases as place_spanish
from sfumato.generalize.places.names import SETTLED, Site, of_land, one_country
from sfumato.generalize.places.phrases import read
from sfumato.lexicon import world
from sfumato.lexicon.grammar_en import pluralize_phrase
from sfumato.lexicon.tables import fold_name
from sfumato.lexicon.world import Area

# -- From what is certain of a place to the levels of its hierarchy.


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


def site_levels(site: Site, said: str = "", language: str = "en") -> list[Level]:
    """The levels of what is certain, each in the next: the kind, wider kinds if ``said`` repeats it, wider areas."""
    nouns, areas = site.nouns, site.areas
    narrow, wide = nouns[0], nouns[-1]
    first = areas[0] if areas else None
    if narrow == "capital city":
        steps: list[tuple[str, Area | None, str]] = [(narrow, area, "") for area in areas]
        return _as_levels([*steps, *((wide, area, "") for area in areas[-1:]), (wide, None, "")], language)
    if narrow == "part":
        wider = "part of a country"
        steps = [("part", first, ""), *((wider, area, "") for area in areas[1:]), (wider, None, "")]
        return _as_levels(steps, language)
    if narrow == "country":
        shores = [area for area in world.sea_coasts().values() if areas and site.codes <= area.countries and site.codes]
        both = sorted((*areas, *shores), key=lambda area: len(area.countries))
        return _as_levels([*((narrow, area, "") for area in both), (narrow, None, "")], language)
    is_repeated = wide in _SETTLED or any(word in fold_name(said).split() for word in fold_name(nouns[-2:][0]).split())
    outward = wide if is_repeated else nouns[-2:][0]
    steps = [(narrow, first, site.part)] if site.part and first else []
    if first:
        steps += [(noun, first, "") for noun in nouns[: nouns.index(outward) + 1]]
    steps += [(outward, area, "") for area in areas[1:]]
    if first is None:
        steps += [(noun, None, "") for noun in nouns]
    return _as_levels([*steps, (outward, None, ""), (wide, None, "")], language)


def _as_levels(steps: list[tuple[str, Area | None, str]], language: str) -> list[Level]:
    found: dict[str, Level] = {}
    many = 0.0
    for noun, area, part in steps:
        text = place_spanish.say(noun, area, part) if language == "es" else _say(noun, area, part)
        if text is None or text in found or (noun in _EMPTY and area is None):
            continue
        many = max(_members(noun, area, part), many * 1.25)
        modifier = area.adjective if area and language == "en" else None
        found[text] = Level(text, many, modifier=modifier, source=SOURCE)
    return [*found.values()][:MOST]


def _say(noun: str, area: Area | None, part: str) -> str:
    if area is None:
        return noun
    if noun == _PART_OF_A_CONTINENT:
        return f"part of {area.name}"
    link = "of" if noun == "part" else "on" if area.name in world.sea_coasts() else "in"
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
    people = sum(world.countries()[code[:2]].population for code in area.countries) if area else _WORLD
    many = _HOW_MANY.get(noun.split(" in ")[0], _OTHER)
    return max(2.0, many * people / _WORLD / (4 if part else 1))


# -- The hierarchy of places: building or street, city by its size, country, part of the world, continent.


_SAID = re.compile(r"\s+")
_SHORT_FORM = re.compile(r"(?<=\w) \((?:the )?[\"“]?[A-Z.]{2,8}[\"”]?\)?$")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


def nationality(said: str) -> list[Level]:
    """What is true of a people or of what is theirs: "Turkish" is "Western Asian", a "Swede" "a Northern European"."""
    said = said.strip()
    if not said[:1].isupper() or len(said) > 40:
        return []
    adjective, people = world.country_of_adjective(said), world.country_of_people(said)
    if adjective is None and people is None:
        return []
    land, is_plural = people if adjective is None and people is not None else (adjective, False)
    assert land is not None
    found = []
    areas = world.former_areas(land) if land.is_former else world.areas_around(land.code)[1:]
    wider = (*world.sea_coasts().values(), *(world.continent_pairs().values() if adjective else ()))
    others = [area for area in wider if land.code in area.countries][:2]
    for area in sorted((*areas, *others), key=lambda area: len(area.countries)):
        if area.adjective:
            noun = "Briton" if area.adjective == "British" and adjective is None else area.adjective
            found.append(
                Level(
                    world.people_plural(noun) if is_plural else noun,
                    float(max(len(area.countries), 4)),
                    article="a" if adjective is None and not is_plural else "",
                    plural=is_plural,
                    modifier=area.adjective,
                    source=SOURCE,
                )
            )
    return found


def where(said: str, text: str) -> list[str]:
    """Where a named place lies, without naming it: "Turkey", "Western Asia" and "Asia" for Istanbul."""
    said = _SAID.sub(" ", said).strip(" ,.;:'\"“”()")
    land = world.find_country(said)
    if land is None and (land := world.country_of_adjective(said)):
        site: Site | None = of_land(land)
    else:
        site = read(said, text)
    if site is None:
        return []
    names = [area.name for area in site.areas]
    if site.nouns[0] == "capital city":
        for code in site.codes:
            names = [area.name for area in world.areas_around(code)]
    return names


def levels(mention: Mention) -> list[Level]:
    """What is true of a place, the narrowest first."""
    if mention.language not in ("en", "es") or mention.is_cut:
        return []
    said = _SAID.sub(" ", mention.surface).strip(" ,.;:'\"“”").removesuffix("'s").removesuffix("’s")
    said = _SHORT_FORM.sub("", said)
    if said.islower() and mention.label == "LOC" and len(said) > 3 and world.find_country(said):
        said = said.title()  # as people write in chats
    if not said or len(said) > 150:
        return []
    if mention.language == "en" and world.find_country(said) is None and (found := nationality(said)):
        return found
    site = read(said, mention.text, mention.before, mention.after)
    if site is None and mention.label == "LOC":
        site = one_country(said, mention.text)
    if site is not None and mention.label == "ORG" and ({"place"} | SETTLED) & {*site.nouns}:
        return []  # a club or a court that is called by its city's name
    if site is not None:
        return site_levels(site, said, mention.language)
    return _several(said, mention.text) if mention.language == "en" else []


def _several(said: str, text: str) -> list[Level]:
    """ "Izmir and Ankara", where both are of one kind: "cities in Turkey"."""
    pieces = [piece for piece in _AND.split(said) if piece]
    if not 1 < len(pieces) < 8:
        return []
    sites = [read(piece, text) for piece in pieces]
    known = [site for site in sites if site is not None]
    if len(known) < len(sites):
        return []
    nouns = [noun for noun in known[0].nouns if all(noun in site.nouns for site in known)]
    areas = tuple(area for area in known[0].areas if all(area in site.areas for site in known))
    if not nouns or any(" " in noun for noun in nouns[:1]):
        return []
    return [
        Level(pluralize_phrase(level.text), level.members, "", True, level.modifier, None, SOURCE)
        for level in site_levels(Site((nouns[0],), areas))
    ]
