"""The generalization hierarchy of places: building or street, city by size, country, part of the world, continent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.places.reading import SETTLED, Site, country_site, read, resolve_in_one_country
from sfumato.lexicon import world
from sfumato.lexicon.grammar_en import pluralize_phrase
from sfumato.lexicon.tables import fold_name, load_toml
from sfumato.lexicon.world import Area

SOURCE = "places"
_MOST_LEVELS = 7
_WORLD_POPULATION = 8_000_000_000
_ENGLISH = load_toml("places", "en", "sfumato.generalize")
_HOW_MANY: Mapping[str, int] = _ENGLISH["how_many"]
_HOW_MANY_OTHERS = 50_000
_REPEATED = frozenset({"city", "town", "town or village", "region"})
"""Kinds that stay while the area around the place grows."""
_PART_OF_A_CONTINENT = "part of a continent"
_UNINFORMATIVE = frozenset(_ENGLISH["uninformative"])


def site_levels(site: Site, surface: str = "", language: str = "en") -> list[Level]:
    """The levels of what is certain, each in the next: the kind, wider kinds if ``surface`` repeats it, wider areas."""
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
    is_repeated = wide in _REPEATED or any(
        word in fold_name(surface).split() for word in fold_name(nouns[-2:][0]).split()
    )
    outward = wide if is_repeated else nouns[-2:][0]
    steps = [(narrow, first, site.part)] if site.part and first else []
    if first:
        steps += [(noun, first, "") for noun in nouns[: nouns.index(outward) + 1]]
    steps += [(outward, area, "") for area in areas[1:]]
    if first is None:
        steps += [(noun, None, "") for noun in nouns]
    return _as_levels([*steps, (outward, None, ""), (wide, None, "")], language)


def _as_levels(steps: list[tuple[str, Area | None, str]], language: str) -> list[Level]:
    levels: dict[str, Level] = {}
    members = 0.0
    for noun, area, part in steps:
        text = _DESCRIBE[language](noun, area, part)
        if text is None or text in levels or (noun in _UNINFORMATIVE and area is None):
            continue
        members = max(_members(noun, area, part), members * 1.25)
        modifier = area.adjective if area and language in world.LANGUAGES_OF_ADJECTIVES else None
        levels[text] = Level(text, members, modifier=modifier, source=SOURCE)
    return [*levels.values()][:_MOST_LEVELS]


def _in_english(noun: str, area: Area | None, part: str) -> str:
    """ "large city in northern Poland"."""
    if area is None:
        return noun
    if noun == _PART_OF_A_CONTINENT:
        return f"part of {area.name}"
    link = "of" if noun == "part" else "on" if area.name in world.sea_coasts() else "in"
    return f"{noun} {link} {_area_name(area, part)}"


def _area_name(area: Area, part: str) -> str:
    if not part:
        return area.name
    return f"the {part} {area.name[4:]}" if area.name.startswith("the ") else f"{part} {area.name}"


_SPANISH = load_toml("places", "es", "sfumato.generalize")


def _in_spanish(noun: str, area: Area | None, part: str) -> str | None:
    """ "gran ciudad del norte de Polonia"; None where a word for it is missing."""
    kind: str | None = _SPANISH["nouns"].get(noun)
    if kind is None or area is None:
        return kind
    name = _spanish_areas().get(area.name)
    if name is None:
        return None
    of_area = f"del {name}" if name in _SPANISH["names_with_article"] else f"de {name}"
    return f"{kind} del {_SPANISH['sides'][part]} {of_area}" if part else f"{kind} {of_area}"


@cache
def _spanish_areas() -> dict[str, str]:
    names = {**world.region_names("es"), **dict(_SPANISH["areas"])}
    return names | {country.name: country.spanish for country in world.countries().values() if country.spanish}


_DESCRIBE: Mapping[str, Callable[[str, Area | None, str], str | None]] = {"en": _in_english, "es": _in_spanish}


def _members(noun: str, area: Area | None, part: str) -> float:
    """About how many there are: all of the kind, shared out by population."""
    if area and noun in ("country", "territory"):
        return float(len(area.countries))
    if noun == "part":
        return 4.0
    if area and noun == "capital city":
        return float(len(area.countries))
    people = sum(world.countries()[code[:2]].population for code in area.countries) if area else _WORLD_POPULATION
    in_world = _HOW_MANY.get(noun.split(" in ")[0], _HOW_MANY_OTHERS)
    return max(2.0, in_world * people / _WORLD_POPULATION / (4 if part else 1))


_SPACES = re.compile(r"\s+")
_SHORT_FORM = re.compile(r"(?<=\w) \((?:the )?[\"“]?[A-Z.]{2,8}[\"”]?\)?$")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


def nationality_levels(name: str) -> list[Level]:
    """What is true of a people or of what is theirs: "Turkish" is "Western Asian", a "Swede" "a Northern European"."""
    name = name.strip()
    if not name[:1].isupper() or len(name) > 40:
        return []
    adjective, people = world.country_of_adjective(name), world.country_of_people(name)
    if adjective is None and people is None:
        return []
    country, is_plural = people if adjective is None and people is not None else (adjective, False)
    assert country is not None
    levels = []
    areas = world.former_areas(country) if country.is_former else world.areas_around(country.code)[1:]
    wider = (*world.sea_coasts().values(), *(world.continent_pairs().values() if adjective else ()))
    others = [area for area in wider if country.code in area.countries][:2]
    for area in sorted((*areas, *others), key=lambda area: len(area.countries)):
        if area.adjective:
            noun = "Briton" if area.adjective == "British" and adjective is None else area.adjective
            levels.append(
                Level(
                    world.people_plural(noun) if is_plural else noun,
                    float(max(len(area.countries), 4)),
                    article="a" if adjective is None and not is_plural else "",
                    plural=is_plural,
                    modifier=area.adjective,
                    source=SOURCE,
                )
            )
    return levels


def surrounding_areas(name: str, text: str) -> list[str]:
    """Where a named place lies, without naming it: "Turkey", "Western Asia" and "Asia" for Istanbul."""
    name = _SPACES.sub(" ", name).strip(" ,.;:'\"“”()")
    country = world.find_country(name)
    if country is None and (country := world.country_of_adjective(name)):
        site: Site | None = country_site(country)
    else:
        site = read(name, text)
    if site is None:
        return []
    names = [area.name for area in site.areas]
    if site.nouns[0] == "capital city":
        for code in site.codes:
            names = [area.name for area in world.areas_around(code)]
    return names


def levels(mention: Mention) -> list[Level]:
    """What is true of a place, the narrowest first."""
    if mention.language not in _DESCRIBE or mention.is_cut:
        return []
    name = _SPACES.sub(" ", mention.surface).strip(" ,.;:'\"“”").removesuffix("'s").removesuffix("’s")
    name = _SHORT_FORM.sub("", name)
    if name.islower() and mention.label == "LOC" and len(name) > 3 and world.find_country(name):
        name = name.title()  # as people write in chats
    if not name or len(name) > 150:
        return []
    if (
        mention.language in world.LANGUAGES_OF_ADJECTIVES
        and world.find_country(name) is None
        and (found := nationality_levels(name))
    ):
        return found
    site = read(name, mention.text, mention.before, mention.after)
    if site is None and mention.label == "LOC":
        site = resolve_in_one_country(name, mention.text)
    if site is not None and mention.label == "ORG" and ({"place"} | SETTLED) & {*site.nouns}:
        return []  # a club or a court that is called by its city's name
    if site is not None:
        return site_levels(site, name, mention.language)
    return _several(name, mention.text) if mention.language in world.LANGUAGES_OF_ADJECTIVES else []


def _several(name: str, text: str) -> list[Level]:
    """ "Izmir and Ankara", where both are of one kind: "cities in Turkey"."""
    pieces = [piece for piece in _AND.split(name) if piece]
    if not 1 < len(pieces) < 8:
        return []
    sites = [read(piece, text) for piece in pieces]
    readings = [site for site in sites if site is not None]
    if len(readings) < len(sites):
        return []
    nouns = [noun for noun in readings[0].nouns if all(noun in site.nouns for site in readings)]
    areas = tuple(area for area in readings[0].areas if all(area in site.areas for site in readings))
    if not nouns or any(" " in noun for noun in nouns[:1]):
        return []
    return [
        Level(pluralize_phrase(level.text), level.members, "", True, level.modifier, None, SOURCE)
        for level in site_levels(Site((nouns[0],), areas))
    ]
