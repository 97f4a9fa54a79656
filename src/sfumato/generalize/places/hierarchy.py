"""The generalization hierarchy of places: building or street, city by size, country, part of the world, continent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from sfumato.generalize.hierarchy import Article, Level, Mention
from sfumato.generalize.places.reading import ENGLISH, SETTLED, Site, country_site, read, resolve_in_one_country
from sfumato.lexicon import world
from sfumato.lexicon.grammar_en import pluralize_phrase
from sfumato.lexicon.tables import fold_name, languages_with, load_toml
from sfumato.lexicon.world import Area

SOURCE = "places"
_LANGUAGES = frozenset(languages_with("places", "sfumato.generalize")) & {*languages_with("world_regions")}
_MOST_LEVELS = 7
_WORLD_POPULATION = 8_000_000_000
_HOW_MANY: Mapping[str, int] = ENGLISH["how_many"]
_HOW_MANY_OTHERS = 50_000
_REPEATED = frozenset({"city", "town", "town or village", "region"})
"""Kinds that stay while the area around the place grows."""
_UNINFORMATIVE = frozenset(ENGLISH["uninformative"])
Step = tuple[str, Area | None, str]
"""A kind of place, the area that it is in, and the side of that area, "" for all of it; as English words."""


def site_levels(site: Site, surface: str = "", language: str = "en") -> list[Level]:
    """The levels of what is certain, each in the next: the kind, wider kinds if ``surface`` repeats it, wider areas."""
    levels: dict[str, Level] = {}
    members = 0.0
    for noun, area, side in _steps(site, surface):
        text = _describe(noun, area, side, language)
        if text is None or text in levels or (noun in _UNINFORMATIVE and area is None):
            continue
        members = max(_members(noun, area, side), members * 1.25)
        modifier = area.adjective if area and language in world.LANGUAGES_OF_ADJECTIVES else None
        levels[text] = Level(text, members, modifier=modifier, source=SOURCE)
    return [*levels.values()][:_MOST_LEVELS]


def _steps(site: Site, surface: str) -> list[Step]:
    nouns, areas = site.nouns, site.areas
    narrow, wide = nouns[0], nouns[-1]
    first = areas[0] if areas else None
    if narrow == "capital city":
        return [*((narrow, area, "") for area in areas), *_widening(wide, areas[-1:])]
    if narrow == "part":
        return [("part", first, ""), *_widening("part of a country", areas[1:])]
    if narrow == "country":
        shores = [area for area in world.sea_coasts().values() if areas and site.codes <= area.countries and site.codes]
        return _widening(narrow, sorted((*areas, *shores), key=lambda area: len(area.countries)))
    second_widest = nouns[-2:][0]
    is_repeated = any(word in fold_name(surface).split() for word in fold_name(second_widest).split())
    outward = wide if wide in _REPEATED or is_repeated else second_widest
    steps: list[Step] = [(narrow, first, site.part)] if site.part and first else []
    steps += [(noun, first, "") for noun in (nouns[: nouns.index(outward) + 1] if first else nouns)]
    return [*steps, *_widening(outward, areas[1:]), (wide, None, "")]


def _widening(noun: str, areas: Iterable[Area]) -> list[Step]:
    """The kind in each of the areas, then anywhere."""
    return [(noun, area, "") for area in (*areas, None)]


def _describe(noun: str, area: Area | None, side: str, language: str) -> str | None:
    """ "large city in northern Poland", "gran ciudad del norte de Polonia"; None where the language lacks a word.

    A language whose ``places.toml`` does not translate nouns, areas and sides uses those of the tables, the English.
    """
    words = load_toml("places", language, "sfumato.generalize")
    kind: str | None = words["nouns"].get(noun) if "nouns" in words else noun
    if kind is None or area is None:
        return kind
    name = _area_names(language).get(area.name) if "areas" in words else area.name
    if name is None:
        return None
    bare, wording = name.removeprefix("the "), words["wording"]
    has_article = bare != name or bare in wording["names_with_article"]
    link = wording["links"].get("coast" if area.name in world.sea_coasts() else noun, wording["link"])
    template = wording[("side" if side else "area") + ("_with_article" if has_article else "")]
    kind = wording["before_area"].get(noun, kind)
    return str(template).format(noun=kind, link=link, area=bare, side=words.get("sides", {}).get(side, side))


@cache
def _area_names(language: str) -> Mapping[str, str]:
    return {**world.area_names(language), **load_toml("places", language, "sfumato.generalize")["areas"]}


def _members(noun: str, area: Area | None, side: str) -> float:
    """About how many there are: all of the kind, shared out by population."""
    if area and noun in ("country", "territory", "capital city"):
        return float(len(area.countries))
    if noun == "part":
        return 4.0
    people = sum(world.countries()[code[:2]].population for code in area.countries) if area else _WORLD_POPULATION
    in_world = _HOW_MANY.get(noun.split(" in ")[0], _HOW_MANY_OTHERS)
    return max(2.0, in_world * people / _WORLD_POPULATION / (4 if side else 1))


_SPACES = re.compile(r"\s+")
_SHORT_FORM = re.compile(r"(?<=\w) \((?:the )?[\"“]?[A-Z.]{2,8}[\"”]?\)?$")
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+")


def nationality_levels(name: str) -> list[Level]:
    """What is true of a people or of what is theirs: "Turkish" is "Western Asian", a "Swede" "a Northern European"."""
    name = name.strip()
    if not name[:1].isupper() or len(name) > 40:
        return []
    adjective = world.country_of_adjective(name)
    if adjective is not None:
        country, is_plural = adjective, False
    elif people := world.country_of_people(name):
        country, is_plural = people
    else:
        return []
    levels = []
    article: Article = "a" if adjective is None and not is_plural else ""
    areas = world.former_areas(country) if country.is_former else world.areas_around(country.code)[1:]
    wider = (*world.sea_coasts().values(), *(world.continent_pairs().values() if adjective else ()))
    others = [area for area in wider if country.code in area.countries][:2]
    for area in sorted((*areas, *others), key=lambda area: len(area.countries)):
        if area.adjective:
            noun = "Briton" if area.adjective == "British" and adjective is None else area.adjective
            text = world.people_plural(noun) if is_plural else noun
            members = float(max(len(area.countries), 4))
            levels.append(Level(text, members, article, is_plural, area.adjective, source=SOURCE))
    return levels


def surrounding_areas(name: str, text: str) -> list[str]:
    """Where a named place lies, without naming it: "Turkey", "Western Asia" and "Asia" for Istanbul."""
    name = _SPACES.sub(" ", name).strip(" ,.;:'\"“”()")
    country = None if world.find_country(name) else world.country_of_adjective(name)
    site = country_site(country) if country else read(name, text)
    if site is None:
        return []
    areas = world.areas_around(*site.codes) if site.nouns[0] == "capital city" else site.areas
    return [area.name for area in areas]


def levels(mention: Mention) -> list[Level]:
    """What is true of a place, the narrowest first."""
    if mention.language not in _LANGUAGES or mention.is_cut:
        return []
    name = _SPACES.sub(" ", mention.surface).strip(" ,.;:'\"“”").removesuffix("'s").removesuffix("’s")
    name = _SHORT_FORM.sub("", name)
    if name.islower() and mention.label == "LOC" and len(name) > 3 and world.find_country(name):
        name = name.title()  # as people write in chats
    if not name or len(name) > 150:
        return []
    has_adjectives = mention.language in world.LANGUAGES_OF_ADJECTIVES
    if has_adjectives and world.find_country(name) is None and (of_people := nationality_levels(name)):
        return of_people
    site = read(name, mention.text, mention.before, mention.after)
    if site is None and mention.label == "LOC":
        site = resolve_in_one_country(name, mention.text)
    if site is not None and mention.label == "ORG" and ({"place"} | SETTLED) & {*site.nouns}:
        return []  # a club or a court that is called by its city's name
    if site is not None:
        return site_levels(site, name, mention.language)
    return _several(name, mention.text) if has_adjectives else []


def _several(name: str, text: str) -> list[Level]:
    """ "Izmir and Ankara", where both are of one kind: "cities in Turkey"."""
    pieces = [piece for piece in _AND.split(name) if piece]
    if not 1 < len(pieces) < 8:
        return []
    sites = [site for piece in pieces if (site := read(piece, text))]
    if len(sites) < len(pieces):
        return []
    nouns = [noun for noun in sites[0].nouns if all(noun in site.nouns for site in sites)]
    areas = tuple(area for area in sites[0].areas if all(area in site.areas for site in sites))
    if not nouns or any(" " in noun for noun in nouns[:1]):
        return []
    return [
        Level(pluralize_phrase(level.text), level.members, "", True, level.modifier, None, SOURCE)
        for level in site_levels(Site((nouns[0],), areas))
    ]
